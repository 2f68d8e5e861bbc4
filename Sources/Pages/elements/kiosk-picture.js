// <kiosk-picture>: one postcard of the gallery, large; `card` is the postcard, `cursors` the page to go back to. It leaves by
// itself when the postcard is not shown any more.
import { button, go, h } from '../core/dom.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';
import { cardName } from './kiosk-card.js';

const every = 3000;

class KioskPicture extends HTMLElement {
    card = null;
    cursors = [];
    #ended = null;
    #image = h('img', { class: 'card' });
    #when = h('p', { class: 'facts-line' });

    connectedCallback() {
        this.#ended = new AbortController();
        if (!this.card) return go(this, 'album');
        this.#image.src = this.card.links.image;
        this.#image.style.setProperty('--ratio', this.card.width / this.card.height);
        this.replaceChildren(h('h1', { class: 'title', word: 'album.one', tabindex: -1 }), h('figure', {}, this.#image), this.#when,
            h('div', { class: 'actions' }, button('album.back', () => this.#back(), { icon: 'back', class: 'primary' })));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#tell();
        this.#watch();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #back() {
        go(this, 'album', { cursors: this.cursors });
    }

    #tell() {
        this.#image.alt = cardName(this.card, 'album');
        this.#when.textContent = `${this.card.place}, ${words.time(this.card.exposedAt, { dateStyle: 'long' })}`;
    }

    async #watch() {
        const { signal } = this.#ended;
        for (;;) {
            await pause(every, signal);
            if (signal.aborted) return;
            const isShown = await api.isInGallery(this.card, { signal }).catch(() => true);
            if (signal.aborted || isShown) continue;
            const app = this.closest('kiosk-app');
            this.#back();
            app.dispatchEvent(new CustomEvent('say', { detail: text('album.gone') }));
            return;
        }
    }
}

customElements.define('kiosk-picture', KioskPicture);
