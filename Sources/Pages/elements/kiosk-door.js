// <kiosk-door>: the operator's PIN, by a pad of digits or by a keyboard. A right one makes this browser a ranger's for a while.
import { button, go, h, icon } from '../core/dom.js';
import { tell, words } from '../core/words.js';
import * as api from '../core/api.js';

const longest = 8;
const shortest = 4;

class KioskDoor extends HTMLElement {
    #ended = null;
    #pin = '';
    #shown = h('output', { class: 'pin', label: 'door.entered' });
    #answer = h('p', { class: 'note', role: 'status' });
    #open = button('door.open', () => this.#try(), { class: 'primary', icon: 'key' });

    connectedCallback() {
        this.#ended = new AbortController();
        const digit = (value) => h('button', { type: 'button', class: 'key', text: value, on: { click: () => this.#put(value) } });
        this.replaceChildren(
            h('h1', { class: 'title', word: 'door.title', tabindex: -1 }), this.#shown,
            h('div', { class: 'pad', role: 'group', label: 'door.pad' }, [...'123456789'].map(digit),
                h('button', { type: 'button', class: 'key', label: 'keyboard.erase', on: { click: () => this.#erase() } }, icon('erase')),
                digit('0'),
                h('button', { type: 'button', class: 'key', label: 'door.leave', on: { click: () => go(this, 'home') } }, icon('back'))),
            this.#answer, h('div', { class: 'actions' }, this.#open));
        document.addEventListener('keydown', ({ key }) => {
            if (/^[0-9]$/.test(key)) this.#put(key);
            if (key === 'Backspace') this.#erase();
        }, { signal: this.#ended.signal });
        this.#show();
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#pin = '';
    }

    #put(digit) {
        if (this.#pin.length < longest) this.#pin += digit;
        tell(this.#answer);
        this.#show();
    }

    #erase() {
        this.#pin = this.#pin.slice(0, -1);
        this.#show();
    }

    // How many digits there are, never which.
    #show() {
        this.#shown.textContent = this.#pin ? '●'.repeat(this.#pin.length) : '·';
        this.#open.disabled = this.#pin.length < shortest;
    }

    async #try() {
        const pin = this.#pin;
        this.#pin = '';
        this.#show();
        tell(this.#answer);
        try {
            await api.openDoor(pin);
            location.replace('/');
        } catch (failure) {
            const time = () => ({ time: words.amount(failure.retryAfter, 'second') });
            if (failure.kind === 'too-many-requests') {
                // It was not looked at, and need not be typed again.
                this.#pin = pin;
                this.#show();
                tell(this.#answer, 'door.early', time);
            } else if (failure.kind === 'forbidden') {
                tell(this.#answer, failure.retryAfter ? 'door.wait' : 'door.wrong', time);
            } else {
                tell(this.#answer, 'door.failed');
            }
        }
    }
}

customElements.define('kiosk-door', KioskDoor);
