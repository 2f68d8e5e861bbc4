// <kiosk-closed>: out of service, with the reason. The application leaves this screen by itself.
import { h } from '../core/dom.js';
import { forRanger } from '../core/phrases.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';

class KioskClosed extends HTMLElement {
    #ended = null;
    #reason = h('p', { class: 'reason' });
    #detail = h('p', { class: 'detail' });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('calm-prairie'), h('div', { class: 'notice', role: 'alert' },
            h('h1', { word: 'closed.title', tabindex: -1 }), this.#reason,
            h('p', { word: 'closed.again' }), this.#detail));
        station.addEventListener('change', () => this.#tell(), { signal });
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        this.#tell();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #tell() {
        const { kind, part, detail } = station.closed ?? { kind: 'other', detail: '' };
        const key = [`closed.${kind}`, `closed.${part}`].find((name) => words.has(name)) ?? 'closed.other';
        this.#reason.textContent = text(key);
        this.#detail.replaceChildren(...forRanger(detail));
    }
}

customElements.define('kiosk-closed', KioskClosed);
