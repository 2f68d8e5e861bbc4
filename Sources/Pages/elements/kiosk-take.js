// <kiosk-take>: how the postcard goes home on a telephone: join the station's network, then open the link.
import { button, go, h } from '../core/dom.js';
import { steps } from '../core/codes.js';
import { words } from '../core/words.js';
import { visit } from '../core/visit.js';
import * as api from '../core/api.js';

class KioskTake extends HTMLElement {
    #ended = null;
    #steps = h('ol', { class: 'steps' });
    #share = null;

    connectedCallback() {
        this.#ended = new AbortController();
        if (!visit.card) return go(this, 'home');
        this.replaceChildren(
            h('h1', { class: 'title', word: 'take.title', tabindex: -1 }), this.#steps,
            h('p', { class: 'note', word: 'take.note' }),
            h('div', { class: 'actions' }, button('take.done', () => go(this, 'card'), { icon: 'back', class: 'primary' })));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#ask();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    async #ask() {
        try {
            // One link for a visit, however often the screen is opened.
            visit.share ??= await api.sharePostcard(visit.card.id);
            this.#share = visit.share;
            this.#tell();
        } catch {
            if (this.#ended.signal.aborted) return;
            this.#steps.replaceChildren(h('li', { class: 'failed', word: 'take.failed' }));
        }
    }

    #tell() {
        if (!this.#share) return;
        this.#steps.replaceChildren(...steps(this.#share, 'take.then', 'take.link'));
        this.#steps.classList.toggle('both', Boolean(this.#share.network));
    }
}

customElements.define('kiosk-take', KioskTake);
