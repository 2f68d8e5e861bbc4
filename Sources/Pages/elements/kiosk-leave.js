// <kiosk-leave>: for officers: the leave of one person that is not over, which is taken back by a touch; another one is given by its
// days and a reason. `line` is the roster's, `today` the station's day.
import { keyboardFor } from './screen-keyboard.js';
import { ask } from '../core/ask.js';
import { button, go, h } from '../core/dom.js';
import { shield } from '../core/shield.js';
import { bind, tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';

// A day as the station writes it, some days later.
const later = (day, count) => {
    const noon = new Date(`${day}T12:00:00Z`);
    noon.setUTCDate(noon.getUTCDate() + count);
    return noon.toISOString().slice(0, 10);
};

class KioskLeave extends HTMLElement {
    line = null;
    today = '';
    #ended = null;
    #first = '';
    #last = '';
    #leave = [];
    #list = h('ul', { class: 'leaves' });
    #note = h('p', { class: 'note says', role: 'status' });
    #days = { first: h('output', { class: 'time' }), last: h('output', { class: 'time' }) };
    #field = h('input', { type: 'text', autocomplete: 'off', id: 'answer', maxlength: 300 });
    #problem = h('p', { class: 'problem', role: 'alert' });

    connectedCallback() {
        this.classList.add('asking');
        if (!this.line) return go(this, 'roster');
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        [this.#first, this.#last] = [this.today, this.today];
        words.addEventListener('languagechange', () => { this.#drawList(); this.#tellDays(); }, { signal });
        this.#field.addEventListener('keydown', ({ key }) => { if (key === 'Enter') this.#send(); }, { signal });
        this.#showList();
    }

    disconnectedCallback() {
        this.#ended?.abort();
    }

    // MARK: What there is

    #showList() {
        shield.raise();
        tell(this.#problem);
        this.replaceChildren(h('h1', { class: 'title', tabindex: -1, word: ['leave.of', { name: this.line.name }] }), this.#note, this.#list, this.#problem,
            h('div', { class: 'choices' }, button('roster.back', () => go(this, 'roster'), { icon: 'back' }),
                button('leave.more', () => this.#askDays(), { class: 'primary', icon: 'plus' })));
        this.querySelector('h1').focus({ preventScroll: true });
        this.#look();
    }

    async #look() {
        const { signal } = this.#ended;
        try {
            const { leave } = await api.leave({ signal });
            this.#leave = leave.filter(({ person }) => person === this.line.number);
            this.#drawList();
        } catch (failure) {
            if (!signal.aborted) this.#fail(failure);
        }
    }

    #drawList() {
        this.#note.textContent = this.#leave.length ? '' : text('leave.none');
        this.#list.replaceChildren(...this.#leave.map((one) => h('li', {},
            h('span', { class: 'name', text: this.#span(one) }), h('span', { class: 'why', text: one.reason }),
            button('leave.takeBack', () => this.#takeBack(one), { class: 'danger', icon: 'bin', label: ['leave.takeBackOf', () => ({ days: this.#span(one) })] }))));
    }

    async #takeBack(one) {
        if (!await ask('leave.takeBack', ['leave.takeBackOf', () => ({ days: this.#span(one) })], 'leave.takeBack')) return;
        tell(this.#problem);
        try {
            await api.takeBackLeave(one.number);
        } catch (failure) {
            // Another officer may have taken it back.
            if (failure.kind !== 'not-found') return this.#fail(failure);
        }
        await this.#look();
    }

    #fail(failure) {
        tell(this.#problem, failure.kind === 'forbidden' ? 'roster.signIn' : 'pages.failed');
    }

    // MARK: Another one

    #day(day) {
        return words.time(`${day}T12:00:00Z`, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
    }

    #span({ first, last }) {
        return first === last ? this.#day(first) : text('leave.span', { first: this.#day(first), last: this.#day(last) });
    }

    get #chosen() {
        return { first: this.#first, last: this.#last };
    }

    #askDays() {
        // Each step's buttons stand where those of the last one did.
        shield.raise();
        const step = (name, count) => h('button', { type: 'button', label: [`leave.${name}.${count < 0 ? 'earlier' : 'later'}`, () => ({ days: words.amount(Math.abs(count), 'day') })],
            on: { click: () => this.#move(name, count) } }, `${count < 0 ? '−' : '+'}${Math.abs(count)}`);
        const stepper = (name) => h('div', { class: 'limit', 'data-day': name }, h('p', { class: 'part', word: `leave.${name}` }), this.#days[name],
            [-7, -1, 1, 7].map((count) => step(name, count)));
        this.replaceChildren(h('h1', { class: 'title', tabindex: -1, word: ['leave.when', { name: this.line.name }] }),
            h('div', { class: 'limits' }, stepper('first'), stepper('last')),
            h('div', { class: 'choices' }, button('roster.back', () => this.#showList(), { icon: 'back' }),
                button('trips.next', () => this.#askReason(), { class: 'primary', icon: 'right' })));
        this.#tellDays();
        this.querySelector('h1').focus({ preventScroll: true });
    }

    // The last day is never before the first one: the other one goes along.
    #move(name, count) {
        if (name === 'first') {
            this.#first = later(this.#first, count);
            if (this.#last < this.#first) this.#last = this.#first;
        } else {
            this.#last = later(this.#last, count);
            if (this.#first > this.#last) this.#first = this.#last;
        }
        this.#tellDays();
    }

    #tellDays() {
        this.#days.first.textContent = this.#day(this.#first);
        this.#days.last.textContent = this.#day(this.#last);
    }

    #askReason() {
        shield.raise();
        const { name } = this.line;
        tell(this.#problem);
        bind(this.#field, 'hint', 'leave.why', { name });
        const keyboard = keyboardFor(this.#field);
        this.replaceChildren(
            h('h1', { class: 'title', tabindex: -1 }, h('label', { for: 'answer', word: ['leave.why', { name }] })),
            h('p', { class: 'note whose', word: ['roster.whose', () => ({ name, state: this.#span(this.#chosen) })] }), this.#field, this.#problem,
            h('div', { class: 'choices' }, button('roster.back', () => this.#askDays(), { icon: 'back' }),
                button('leave.give', () => this.#send(), { class: 'primary', icon: 'check' })), ...(keyboard ? [keyboard] : []));
        this.#field.focus({ preventScroll: true });
    }

    async #send() {
        const { number, name } = this.line;
        try {
            await api.giveLeave({ person: String(number), ...this.#chosen, reason: this.#field.value.trim() });
            const app = this.closest('kiosk-app');
            go(this, 'roster');
            app.dispatchEvent(new CustomEvent('say', { detail: text('leave.given', { name, days: this.#span(this.#chosen) }) }));
        } catch (failure) {
            this.#fail(failure);
        }
    }
}

customElements.define('kiosk-leave', KioskLeave);
