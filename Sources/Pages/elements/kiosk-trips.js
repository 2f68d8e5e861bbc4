// <kiosk-trips>: who is still out, those first who are expected first; I am back, later, and somebody takes care of the overdue.
import { button, go, h, icon } from '../core/dom.js';
import { FittedPages } from '../core/fitted.js';
import { ask } from '../core/ask.js';
import { lateness, named, unanswered } from '../core/phrases.js';
import { person } from '../core/person.js';
import { shield } from '../core/shield.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import { follow } from '../core/changes.js';
import * as api from '../core/api.js';

const every = 10_000;
const short = { weekday: 'short', hour: 'numeric', minute: '2-digit' };
const hour = 3_600_000;

class KioskTrips extends HTMLElement {
    #ended = null;
    #answer = null;
    #shown = '';
    #list = h('ul', { class: 'outs content' });
    #note = h('p', { class: 'note', role: 'status' });
    #warning = h('p', { class: 'ribbon', role: 'status' });
    #start = button('trips.start', () => go(this, 'outing'), { icon: 'leave', class: 'primary' });
    #newer = button('trips.before', () => this.#turn(-1), { icon: 'back' });
    #older = button('trips.after', () => this.#turn(1), { icon: 'right' });
    #pages = new FittedPages(this.#list, { newer: this.#newer, older: this.#older });

    get first() {
        return this.#pages.first;
    }

    set first(place) {
        this.#pages.first = place;
    }

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'trips.title', tabindex: -1 }), this.#warning, this.#list, this.#note,
            h('div', { class: 'choices' }, this.#newer, this.#older, this.#start));
        for (const node of [this.#newer, this.#older]) node.hidden = true;
        words.addEventListener('languagechange', () => this.#draw(true), { signal });
        addEventListener('resize', () => this.#draw(true), { signal });
        follow('trips', every, signal, () => this.#ask());
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    get #isKiosk() {
        return station.session.role === 'kiosk';
    }

    // Rows that are tried for a page; the kiosk does not scroll, and shows as many as have room.
    get #limit() {
        return this.#isKiosk ? 20 : 100;
    }

    async #ask() {
        const { signal } = this.#ended;
        const answer = await api.trips({ signal }).catch(() => null);
        if (signal.aborted) return;
        if (answer) this.#answer = answer;
        tell(this.#note, !answer && unanswered(this.#answer));
        this.#draw();
    }

    #turn(pages) {
        this.#pages.turn(pages);
        this.#draw(true);
    }

    #draw(anew = false) {
        if (!this.#answer) return;
        const { trips, overdue, isReported, isClockBelieved, sheriff } = this.#answer;
        this.#pages.check(trips.length);
        const warnings = [
            !isClockBelieved && text('trips.clock'), overdue > 0 && !isReported && text('trips.untold'),
            overdue > 0 && sheriff && text('trips.search', { number: sheriff }),
        ].filter(Boolean);
        this.#warning.textContent = warnings.join(' ');
        this.#warning.hidden = !warnings.length;
        if (!trips.length) tell(this.#note, 'trips.none');
        const page = trips.slice(this.first, this.first + this.#limit);
        // Lateness is said in minutes.
        const shown = JSON.stringify([trips.length, ...page.map((one) => ({ ...one, lateSeconds: Math.floor((one.lateSeconds ?? 0) / 60) }))]);
        if (!anew && shown === this.#shown) return;
        this.#shown = shown;
        this.#list.replaceChildren(...page.map((one) => this.#row(one)));
        this.#pages.fit(trips.length);
        // Whoever turns the page taps the same button again.
        if (!anew) shield.raise();
    }

    #row(one) {
        const others = one.count > 1 ? text('trips.others', { count: words.number(one.count - 1) }) : '';
        const where = one.destination ? [one.destination, ...(one.route ?? []).map(named)].join(', ') : '';
        const late = one.lateSeconds === undefined ? text('trips.expected', { time: words.time(one.expectedAt, short) })
            : lateness(one.lateSeconds);
        const isLate = one.state === 'overdue';
        const name = `${one.leader} ${others}`.trim();
        const back = button('trips.back', () => this.#back(one), { icon: 'check', class: 'gold' });
        const later = button('trips.later', () => this.#later(one), { icon: 'plus', class: 'quiet' });
        back.setAttribute('aria-label', `${text('trips.back')}: ${name}`);
        later.setAttribute('aria-label', `${text('trips.later')}: ${name}`);
        const care = isLate && !one.isOwn && !one.acknowledgedBy
            && button('trips.care', () => this.#care(one), { icon: 'shield', class: 'quiet' });
        const told = one.acknowledgedBy ? text('trips.caredFor', { name: one.acknowledgedBy }) : isLate ? text(`trips.do.${one.overdue}`)
            : one.withdrawnAt ? text('trips.withdrawn') : '';
        const contact = one.contact ? [one.contact.name, one.contact.phone].filter(Boolean).join(' ') : '';
        // What the crew knows of it needs the width of the row.
        return h('li', { class: isLate ? 'out overdue' : 'out', 'data-known': Boolean(where) }, icon(isLate ? 'bell' : 'leave'),
            h('p', { class: 'part' }, where ? h('button', {
                type: 'button', 'aria-label': text('trips.open', { name }), on: { click: () => go(this, 'trip', { trip: one }) },
            }, name) : name),
            h('p', { class: 'detail', text: [late, told, isLate && contact, where].filter(Boolean).join(' · ') }),
            h('div', { class: 'choices' }, back, later, ...(care ? [care] : [])));
    }

    async #back(one) {
        if (!await ask('trips.back', 'trips.backDetail', 'trips.back', { icon: 'check' })) return;
        await this.#send(api.endTrip(one.id), 'trips.welcome');
    }

    async #later(one) {
        const from = Math.max(Date.now(), Date.parse(one.expectedAt));
        await this.#send(api.extendTrip(one.id, new Date(from + hour).toISOString()), 'trips.extended');
    }

    async #care(one) {
        if (this.#isKiosk && !person.person) return go(this, 'care', { trip: one.id, leader: one.leader });
        await this.#send(api.acknowledgeTrip(one.id), 'trips.cared', { conflict: 'trips.careOwn' });
    }

    async #send(promise, key, reasons = {}) {
        const nodes = [...this.#list.querySelectorAll('button')];
        for (const node of nodes) node.disabled = true;
        const failure = await promise.then(() => null, (error) => error);
        await this.#ask();
        for (const node of nodes) node.disabled = false;
        if (!this.isConnected) return;
        this.dispatchEvent(new CustomEvent('say', { bubbles: true, detail: text(failure ? reasons[failure.kind] ?? 'pages.failed' : key) }));
    }
}

customElements.define('kiosk-trips', KioskTrips);
