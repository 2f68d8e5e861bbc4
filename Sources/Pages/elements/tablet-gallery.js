// <tablet-gallery>: all postcards of the station, newest first, as small pictures.
import { go, h } from '../core/dom.js';
import { pagedList } from '../core/pages.js';
import { words } from '../core/words.js';
import * as api from '../core/api.js';
import { cardName } from './kiosk-card.js';

const when = { dateStyle: 'medium', timeStyle: 'short' };

class TabletGallery extends HTMLElement {
    #ended = null;

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'gallery.title', tabindex: -1 }),
            ...pagedList(api.postcards, ({ postcards }) => postcards.map((card) => this.#print(card)),
                { empty: 'gallery.empty', signal, class: 'prints' }));
        words.addEventListener('languagechange', () => this.#recaption(), { signal });
    }

    // Dates follow the language.
    #recaption() {
        for (const node of this.querySelectorAll('.print')) this.#caption(node, node.card);
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #print(card) {
        const node = h('button', { type: 'button', class: 'print', on: { click: () => go(this, 'postcard', { card }) } },
            h('img', { src: card.links.thumbnail, alt: '', loading: 'lazy', width: card.width, height: card.height }),
            h('span', { class: 'message' }), h('span', { class: 'when' }));
        node.card = card;
        this.#caption(node, card);
        return h('li', {}, node);
    }

    #caption(node, card) {
        const time = words.time(card.exposedAt, when);
        node.querySelector('.message').textContent = card.message ?? card.place;
        node.querySelector('.when').textContent = time;
        node.setAttribute('aria-label', `${cardName(card)}, ${time}`);
    }
}

customElements.define('tablet-gallery', TabletGallery);
