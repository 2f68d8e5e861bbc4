// <kiosk-roster>: for officers: everybody by name, as it is now; to be printed, and corrected, or given leave, by a touch on a name.
import { button, go, h } from '../core/dom.js';
import { onward } from '../core/onward.js';
import { person } from '../core/person.js';
import { tell, text, words } from '../core/words.js';
import { follow } from '../core/changes.js';
import * as api from '../core/api.js';

const every = 5000;

class KioskRoster extends HTMLElement {
    #ended = null;
    #list = h('ul', { class: 'roster content' });
    #note = h('p', { class: 'note', role: 'status' });
    #roster = null;
    #shown = '';

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(
            h('div', { class: 'head' }, h('h1', { class: 'title', word: 'roster.title', tabindex: -1 }),
                h('div', { class: 'choices' }, onward(this.#list), button('roster.print', () => print(), { icon: 'printer' }),
                    button('roster.back', () => go(this, 'crew'), { icon: 'back' }))),
            this.#note, this.#list);
        words.addEventListener('languagechange', () => this.#draw(), { signal });
        follow('muster', every, signal, () => this.#ask(signal));
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // Whether it may be asked for again.
    async #ask(signal) {
        try {
            if (!document.hidden) this.#roster = await api.roster({ signal });
            this.#draw();
            return true;
        } catch (failure) {
            if (signal.aborted) return false;
            tell(this.#note, failure.kind === 'forbidden' ? 'roster.signIn' : this.#roster ? 'roster.old' : 'events.failed', () => ({ time: this.#time(this.#roster?.madeAt) }));
            if (failure.kind !== 'forbidden') return true;
            this.#shown = '';
            this.#list.replaceChildren();
            return false;
        }
    }

    #time(at) {
        return at ? words.time(at, { timeStyle: 'short' }) : '';
    }

    // Nobody corrects the own day; of oneself there is leave alone.
    #name(one) {
        const [screen, label] = one.number === person.person?.number ? ['leave', 'leave.of'] : ['correct', 'roster.correct'];
        return h('button', { type: 'button', 'aria-label': text(label, { name: one.name }), on: { click: () => go(this, screen, { line: one, today: this.#roster.day }) } }, one.name);
    }

    #draw() {
        if (!this.#roster) return;
        const { day, madeAt, dayOff, clock, people, boxes = [] } = this.#roster;
        tell(this.#note);
        this.#note.textContent = [clock === 'unbelieved' && text('roster.clock'), text('roster.asOf', { day: words.time(`${day}T12:00:00Z`, { dateStyle: 'full', timeZone: 'UTC' }), time: this.#time(madeAt) }),
            dayOff && text('roster.dayOff', { why: dayOff }),
            ...boxes.map(({ box, heardAt }) => text('roster.box', { box, time: words.time(heardAt, { dateStyle: 'medium', timeStyle: 'short' }) }))].filter(Boolean).join(' ');
        const shown = JSON.stringify([people, words.language]);
        if (shown === this.#shown) return;
        this.#shown = shown;
        this.#list.replaceChildren(...people.map((one) => h('li', { 'data-state': one.state },
            h('span', { class: 'name' }, this.#name(one)),
            h('span', { class: `state ${one.state}`, word: one.isOverdue ? 'roster.overdue' : `roster.${one.state}` }),
            h('span', { class: 'at', text: this.#time(one.at) }),
            h('span', { class: 'why', text: [one.reason, ...one.flags.map(() => text('roster.shared'))].filter(Boolean).join(' ') }))));
    }
}

customElements.define('kiosk-roster', KioskRoster);
