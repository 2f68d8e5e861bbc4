// <kiosk-outing>: a party signs out, one question after another. A device has a keyboard of its own, the kiosk gets one.
import { keyboardFor } from './screen-keyboard.js';
import { button, go, h, icon } from '../core/dom.js';
import { FittedPages } from '../core/fitted.js';
import { named, trailFacts } from '../core/phrases.js';
import { shield } from '../core/shield.js';
import { bind, tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';

const typed = ['leader', 'party', 'destination', 'vehicle', 'contact', 'phone', 'email'];
// Of whom to ask, which is not asked where there is nobody.
const ofContact = ['phone', 'email'];
// Trails that the station takes of one party.
const mostTrails = 20;
const needed = ['leader', 'destination'];
const longest = { leader: 80, party: 200, destination: 200, vehicle: 120, contact: 80, phone: 40, email: 200 };
// As the station takes it: visible ASCII that a mail server needs no quotes for.
const mailAddress = /^[!#-'*+\-./-9=?A-Z^-~]+@[!#-'*+\-./-9=?A-Z^-~]*\.[!#-'*+\-./-9=?A-Z^-~]*$/;
const hour = 3_600_000;
// Between the names of a party, as people write them in English and in Spanish.
const betweenNames = /(?:\s*[,;&]\s*|\s+)(?:[Aa][Nn][Dd]|y|e)\s+|\s*[,;&]\s*/;

class KioskOuting extends HTMLElement {
    #ended = null;
    #answers = Object.fromEntries(typed.map((name) => [name, '']));
    // What is asked: also the route, where the station has trails.
    #questions = typed;
    #trails = [];
    #route = new Set();
    #place = 0;
    // Whether messages leave the station; null while that is not known.
    #isReported = null;
    #hours = 2;
    #key = api.newKey();
    #field = h('input', { type: 'text', autocomplete: 'off', id: 'answer' });
    #problem = h('p', { class: 'problem', role: 'alert' });
    #time = h('output', { class: 'time' });
    #steps = h('p', { class: 'note' });
    #list = h('ul', { class: 'trails' });
    #newer = button('trips.before', () => this.#turn(-1), { icon: 'left', class: 'quiet' });
    #older = button('trips.after', () => this.#turn(1), { icon: 'right', class: 'quiet' });
    #pages = new FittedPages(this.#list, { newer: this.#newer, older: this.#older });

    connectedCallback() {
        this.classList.add('asking');
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        words.addEventListener('languagechange', () => { this.#tellTime(); this.#drawTrails(); }, { signal });
        addEventListener('resize', () => this.#drawTrails(), { signal });
        this.#field.addEventListener('keydown', ({ key }) => { if (key === 'Enter') this.#next(); }, { signal });
        this.#show();
        this.#askTrails();
        this.#askReach();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // The trails are there before the question for them, or it is not put.
    async #askTrails() {
        const { signal } = this.#ended;
        const network = await api.trails({ signal }).catch(() => null);
        if (signal.aborted || this.#place > typed.indexOf('destination') || !network?.trails.length) return;
        this.#trails = network.trails.toSorted((one, other) => one.name.localeCompare(other.name, words.language, { numeric: true }));
        this.#questions = typed.toSpliced(typed.indexOf('destination') + 1, 0, 'route');
        this.#steps.textContent = this.#count;
    }

    // What is promised at the end is kept by messages.
    async #askReach() {
        const { signal } = this.#ended;
        const answer = await api.trips({ signal }).catch(() => null);
        this.#isReported = answer?.isReported ?? null;
    }

    get #promise() {
        const { contact, email } = this.#answers;
        if (this.#isReported === false) return 'trips.promiseNobody';
        return email ? ['trips.promiseContact', { name: contact }] : 'trips.promise';
    }

    get #count() {
        return `${words.number(this.#place + 1)} / ${words.number(this.#questions.length + 1)}`;
    }

    #show() {
        // The next question stands where the last one did: an optional one is not passed over by a finger that taps twice.
        shield.raise();
        tell(this.#problem);
        const name = this.#questions[this.#place];
        const steps = this.#steps;
        steps.textContent = this.#count;
        const back = button('trips.previous', () => this.#previous(), { icon: 'back' });
        if (!name) return this.#last(steps, back);
        if (name === 'route') return this.#chooseTrails(steps, back);
        this.#field.value = this.#answers[name];
        this.#field.maxLength = longest[name];
        bind(this.#field, 'hint', `trips.ask.${name}`);
        this.#field.inputMode = { phone: 'tel', email: 'email' }[name] ?? 'text';
        const next = button(needed.includes(name) ? 'trips.next' : 'trips.nextOrSkip', () => this.#next(), { class: 'primary', icon: 'right' });
        const keyboard = keyboardFor(this.#field);
        this.replaceChildren(h('h1', { class: 'title', tabindex: -1 }, h('label', { for: 'answer', word: `trips.ask.${name}` })), steps,
            this.#field, this.#problem, h('div', { class: 'choices' }, back, next), ...(keyboard ? [keyboard] : []));
        this.#field.focus({ preventScroll: true });
    }

    #last(steps, back) {
        const step = (change) => () => {
            this.#hours = Math.min(240, Math.max(0.5, this.#hours + (this.#hours + change > 12 ? change * 4 : change)));
            this.#tellTime();
        };
        const less = h('button', { type: 'button', label: 'trips.less', on: { click: step(-0.5) } }, '−');
        const more = h('button', { type: 'button', label: 'trips.more', on: { click: step(0.5) } }, '+');
        this.replaceChildren(h('h1', { class: 'title', word: 'trips.ask.expected', tabindex: -1 }), steps,
            h('p', { class: 'note people', word: [this.#party.length ? 'trips.people' : 'trips.alone', () => this.#people] }),
            h('div', { class: 'hours' }, less, this.#time, more), h('p', { class: 'note', word: this.#promise }), this.#problem,
            h('div', { class: 'choices' }, back, button('trips.go', () => this.#send(), { class: 'primary', icon: 'leave' })));
        this.#tellTime();
        this.querySelector('h1').focus({ preventScroll: true });
    }

    // MARK: The route

    #chooseTrails(steps, back) {
        const next = button('trips.nextOrSkip', () => this.#next(), { class: 'primary', icon: 'right' });
        this.replaceChildren(h('h1', { class: 'title', word: 'trips.ask.route', tabindex: -1 }), steps, this.#list,
            h('div', { class: 'choices' }, back, this.#newer, this.#older, next));
        this.#drawTrails();
        this.querySelector('h1').focus({ preventScroll: true });
    }

    #turn(pages) {
        this.#pages.turn(pages);
        this.#drawTrails();
        this.#list.querySelector('button')?.focus({ preventScroll: true });
    }

    #drawTrails() {
        if (!this.#list.isConnected) return;
        const focused = this.#list.contains(document.activeElement) ? document.activeElement.dataset.trail : null;
        this.#list.replaceChildren(...this.#trails.slice(this.#pages.first).map((one) => this.#trail(one)));
        this.#pages.fit(this.#trails.length);
        if (focused) this.#list.querySelector(`[data-trail="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    }

    // Which are closed, wholly or in part, and why, stands there; whoever may go there all the same chooses them.
    #trail(trail) {
        const { name, closed } = trail;
        const isChosen = this.#route.has(name);
        const choose = () => {
            if (isChosen) this.#route.delete(name);
            else this.#route.add(name);
            this.#drawTrails();
        };
        return h('li', {}, h('button', {
            type: 'button', class: closed ? 'trail closed' : 'trail', 'data-trail': name, 'aria-pressed': String(isChosen),
            disabled: !isChosen && this.#route.size >= mostTrails, on: { click: choose },
        }, icon(isChosen ? 'check' : 'plus'), h('span', { class: 'part', text: named(name) }), h('span', { class: 'detail', text: trailFacts(trail) })));
    }

    // MARK: The answers

    get #expected() {
        return new Date(Date.now() + this.#hours * hour);
    }

    // Who goes along.
    get #party() {
        return this.#answers.party.split(betweenNames).map((name) => name.trim()).filter(Boolean).slice(0, 40);
    }

    get #people() {
        const names = [this.#answers.leader, ...this.#party];
        return { count: words.number(names.length), names: names.join(', ') };
    }

    #tellTime() {
        const time = words.time(this.#expected, { weekday: 'long', hour: 'numeric', minute: '2-digit' });
        this.#time.textContent = text('trips.inHours', { hours: words.number(this.#hours, this.#hours % 1 ? 1 : 0), time });
    }

    #previous() {
        if (this.#place === 0) return go(this, 'trips');
        this.#keep();
        this.#go(-1);
    }

    // The next question, or the one before.
    #go(way) {
        do this.#place += way;
        while (ofContact.includes(this.#questions[this.#place]) && !this.#answers.contact);
        this.#show();
    }

    #keep() {
        const name = this.#questions[this.#place];
        if (typed.includes(name)) this.#answers[name] = this.#field.value.trim();
    }

    #next() {
        this.#keep();
        const name = this.#questions[this.#place];
        if (needed.includes(name) && !this.#answers[name]) {
            tell(this.#problem, 'trips.needed');
            return;
        }
        if (name === 'email' && this.#answers.email && !mailAddress.test(this.#answers.email)) {
            tell(this.#problem, 'trips.noMail');
            return;
        }
        this.#go(1);
    }

    async #send() {
        const { leader, destination, vehicle, contact, phone, email } = this.#answers;
        const wishes = {
            leader, destination, vehicle, route: this.#trails.map(({ name }) => name).filter((name) => this.#route.has(name)), party: this.#party,
            contact: { name: contact, ...(contact && { phone, email }) }, expectedAt: this.#expected.toISOString(),
        };
        try {
            await api.startTrip(wishes, this.#key);
            const app = this.closest('kiosk-app');
            go(this, 'trips');
            app.dispatchEvent(new CustomEvent('say', { detail: text('trips.started') }));
        } catch (failure) {
            tell(this.#problem, failure.kind === 'unreachable' ? 'pair.unreachable' : 'trips.failed');
        }
    }
}

customElements.define('kiosk-outing', KioskOuting);
