// <kiosk-correct>: an officer's word on somebody else's day: how it was, then why; and the way to leave. `line` is the
// roster's, `today` the station's day.
import { keyboardFor } from './screen-keyboard.js';
import { button, go, h } from '../core/dom.js';
import { bind, tell, text } from '../core/words.js';
import * as api from '../core/api.js';

// What an officer can say of a day.
const states = ['mustered', 'late', 'excused', 'missed'];

class KioskCorrect extends HTMLElement {
    line = null;
    today = '';
    #state = '';
    #field = h('input', { type: 'text', autocomplete: 'off', id: 'answer', maxlength: 300 });
    #problem = h('p', { class: 'problem', role: 'alert' });

    connectedCallback() {
        this.classList.add('asking');
        if (!this.line) return go(this, 'roster');
        this.#field.addEventListener('keydown', ({ key }) => { if (key === 'Enter') this.#send(); });
        this.#askState();
    }

    #askState() {
        const { name } = this.line;
        this.replaceChildren(h('h1', { class: 'title', tabindex: -1, text: name }), h('p', { class: 'note', word: 'roster.how' }),
            h('div', { class: 'choices states' }, states.map((state) => button(`roster.${state}`, () => this.#askReason(state)))),
            h('div', { class: 'choices' }, button('roster.back', () => go(this, 'roster'), { icon: 'back' }),
                button('leave.open', () => go(this, 'leave', { line: this.line, today: this.today }), { icon: 'day' })));
        this.querySelector('h1').focus({ preventScroll: true });
    }

    #askReason(state) {
        const { name } = this.line;
        this.#state = state;
        tell(this.#problem);
        bind(this.#field, 'hint', 'roster.why', { name });
        const keyboard = keyboardFor(this.#field);
        this.replaceChildren(
            h('h1', { class: 'title', tabindex: -1 }, h('label', { for: 'answer', word: ['roster.why', { name }] })),
            h('p', { class: 'note whose', word: ['roster.whose', () => ({ name, state: text(`roster.${state}`) })] }), this.#field, this.#problem,
            h('div', { class: 'choices' }, button('roster.back', () => this.#askState(), { icon: 'back' }),
                button(['roster.write', () => ({ state: text(`roster.${state}`) })], () => this.#send(), { class: 'primary', icon: 'check' })), ...(keyboard ? [keyboard] : []));
        this.#field.focus({ preventScroll: true });
    }

    async #send() {
        const { number, name } = this.line;
        const reason = this.#field.value.trim();
        if (!reason) {
            tell(this.#problem, 'trips.needed');
            return;
        }
        try {
            await api.correctMuster({ person: String(number), state: this.#state, reason });
            const app = this.closest('kiosk-app');
            go(this, 'roster');
            app.dispatchEvent(new CustomEvent('say', { detail: text('roster.written', { name, state: text(`roster.${this.#state}`) }) }));
        } catch (failure) {
            tell(this.#problem, failure.kind === 'forbidden' ? 'roster.signIn' : 'pages.failed');
        }
    }
}

customElements.define('kiosk-correct', KioskCorrect);
