// <kiosk-outing>: a party signs out, one question after another. A device has a keyboard of its own, the kiosk gets one.
import './screen-keyboard.js';
import { button, go, h } from '../core/dom.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';

const questions = ['leader', 'party', 'destination', 'vehicle', 'contact', 'phone'];
const needed = ['leader', 'destination'];
const longest = { leader: 80, party: 200, destination: 200, vehicle: 120, contact: 80, phone: 40 };
const hour = 3_600_000;

class KioskOuting extends HTMLElement {
    #ended = null;
    #answers = Object.fromEntries(questions.map((name) => [name, '']));
    #place = 0;
    #hours = 2;
    #key = api.newKey();
    #field = h('input', { type: 'text', autocomplete: 'off', id: 'answer' });
    #problem = h('p', { class: 'problem', role: 'alert' });
    #time = h('output', { class: 'time' });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        words.addEventListener('languagechange', () => this.#tellTime(), { signal });
        this.#field.addEventListener('keydown', ({ key }) => { if (key === 'Enter') this.#next(); }, { signal });
        this.#show();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #show() {
        this.#problem.textContent = '';
        const name = questions[this.#place];
        const steps = h('p', { class: 'note', text: `${this.#place + 1} / ${questions.length + 1}` });
        const back = button('trips.previous', () => this.#previous(), { icon: 'back' });
        if (!name) return this.#last(steps, back);
        this.#field.value = this.#answers[name];
        this.#field.maxLength = longest[name];
        this.#field.placeholder = text(`trips.ask.${name}`);
        this.#field.inputMode = name === 'phone' ? 'tel' : 'text';
        const next = button(needed.includes(name) ? 'trips.next' : 'trips.nextOrSkip', () => this.#next(), { class: 'primary', icon: 'right' });
        const keyboard = station.session.role === 'kiosk' ? h('screen-keyboard', {}) : null;
        if (keyboard) keyboard.field = this.#field;
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
            h('div', { class: 'hours' }, less, this.#time, more), h('p', { class: 'note', word: 'trips.promise' }), this.#problem,
            h('div', { class: 'choices' }, back, button('trips.go', () => this.#send(), { class: 'primary', icon: 'leave' })));
        this.#tellTime();
        this.querySelector('h1').focus({ preventScroll: true });
    }

    get #expected() {
        return new Date(Date.now() + this.#hours * hour);
    }

    #tellTime() {
        const time = words.time(this.#expected, { weekday: 'long', hour: 'numeric', minute: '2-digit' });
        this.#time.textContent = text('trips.inHours', { hours: words.number(this.#hours, this.#hours % 1 ? 1 : 0), time });
    }

    #previous() {
        if (this.#place === 0) return go(this, 'trips');
        this.#keep();
        this.#place -= 1;
        this.#show();
    }

    #keep() {
        const name = questions[this.#place];
        if (name) this.#answers[name] = this.#field.value.trim();
    }

    #next() {
        this.#keep();
        const name = questions[this.#place];
        if (needed.includes(name) && !this.#answers[name]) {
            this.#problem.textContent = text('trips.needed');
            return;
        }
        this.#place += 1;
        this.#show();
    }

    async #send() {
        const { leader, destination, vehicle, contact, phone, party } = this.#answers;
        const wishes = {
            leader, destination, vehicle, party: party.split(/[,;]/).map((name) => name.trim()).filter(Boolean).slice(0, 40),
            contact: { name: contact, phone }, expectedAt: this.#expected.toISOString(),
        };
        try {
            await api.startTrip(wishes, this.#key);
            const app = this.closest('kiosk-app');
            go(this, 'trips');
            app.dispatchEvent(new CustomEvent('say', { detail: text('trips.started') }));
        } catch (failure) {
            this.#problem.textContent = text(failure.kind === 'unreachable' ? 'pair.unreachable' : 'trips.failed');
        }
    }
}

customElements.define('kiosk-outing', KioskOuting);
