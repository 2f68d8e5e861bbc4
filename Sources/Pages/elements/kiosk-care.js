// <kiosk-care>: at the kiosk, without an account: who takes care of an overdue trip; `trip` is its id, `leader` who leads it.
import { keyboardFor } from './screen-keyboard.js';
import { button, go, h } from '../core/dom.js';
import { bind, tell, text } from '../core/words.js';
import * as api from '../core/api.js';

class KioskCare extends HTMLElement {
    trip = '';
    leader = '';
    #field = h('input', { type: 'text', autocomplete: 'off', id: 'answer', maxlength: 80 });
    #problem = h('p', { class: 'problem', role: 'alert' });

    connectedCallback() {
        this.classList.add('asking');
        this.#field.addEventListener('keydown', ({ key }) => { if (key === 'Enter') this.#send(); });
        bind(this.#field, 'hint', 'trips.ask.care');
        const keyboard = keyboardFor(this.#field);
        this.replaceChildren(
            h('h1', { class: 'title', tabindex: -1 }, h('label', { for: 'answer', word: 'trips.ask.care' })),
            h('p', { class: 'note', word: ['trips.careFor', { name: this.leader }] }), this.#field, this.#problem,
            h('div', { class: 'choices' }, button('trips.previous', () => go(this, 'trips'), { icon: 'back' }),
                button('trips.care', () => this.#send(), { class: 'primary', icon: 'shield' })), ...(keyboard ? [keyboard] : []));
        this.#field.focus({ preventScroll: true });
    }

    async #send() {
        const name = this.#field.value.trim();
        if (!name) {
            tell(this.#problem, 'trips.needed');
            return;
        }
        try {
            await api.acknowledgeTrip(this.trip, name);
            const app = this.closest('kiosk-app');
            go(this, 'trips');
            app.dispatchEvent(new CustomEvent('say', { detail: text('trips.cared') }));
        } catch (failure) {
            tell(this.#problem, failure.kind === 'conflict' ? 'trips.careOwn' : 'pages.failed');
        }
    }
}

customElements.define('kiosk-care', KioskCare);
