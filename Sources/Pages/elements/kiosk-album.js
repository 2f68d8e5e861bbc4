// <kiosk-album>: the postcards that their visitors agreed to show to others here, newest first, a few at a time. What is hidden,
// deleted or taken back leaves the screen by itself. `cursors` are those of the pages before, and of this one.
import { button, go, h } from '../core/dom.js';
import { tell } from '../core/words.js';
import * as api from '../core/api.js';
import { station } from '../core/station.js';
import { pause } from '../core/pause.js';
import { unanswered } from '../core/phrases.js';
import { cardLabel } from './kiosk-card.js';

const limit = 6;
const every = 3000;

class KioskAlbum extends HTMLElement {
    cursors = [];
    #ended = null;
    #cards = null;
    #next = null;
    #list = h('ul', { class: 'wall content' });
    #note = h('p', { class: 'note', role: 'status' });
    // Where there is none yet, one can be the first.
    #first = button('attract.take', () => go(this, 'compose'), { icon: 'camera', class: 'primary' });
    #newer = button('album.newer', () => this.#turn(this.cursors.slice(0, -1)), { icon: 'back' });
    #older = button('album.older', () => this.#turn([...this.cursors, this.#next]), { icon: 'right' });

    connectedCallback() {
        this.#ended = new AbortController();
        this.replaceChildren(h('h1', { class: 'title', word: 'album.title', tabindex: -1 }), this.#list, this.#note,
            h('div', { class: 'turn' }, this.#newer, this.#older, this.#first));
        for (const node of [this.#first, this.#newer, this.#older]) node.hidden = true;
        this.#follow();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    async #follow() {
        const { signal } = this.#ended;
        while (!signal.aborted) {
            await this.#ask();
            await pause(every, signal);
        }
    }

    #turn(cursors) {
        this.cursors = cursors;
        this.#ask();
    }

    async #ask() {
        const { signal } = this.#ended;
        const { cursors } = this;
        const page = await api.gallery({ cursor: cursors.at(-1), limit, signal }).catch(() => null);
        if (signal.aborted || cursors !== this.cursors) return;
        if (page && !page.postcards.length && cursors.length) return this.#turn([]);
        tell(this.#note, !page ? unanswered(this.#cards) : !page.postcards.length && 'album.empty');
        if (!page) return;
        this.#first.hidden = page.postcards.length > 0 || station.session.role !== 'kiosk';
        this.#next = page.next;
        this.#newer.disabled = !cursors.length;
        this.#older.disabled = !page.next;
        for (const node of [this.#newer, this.#older]) node.hidden = !cursors.length && !page.next;
        const ids = (cards) => cards?.map(({ id }) => id).join();
        if (ids(page.postcards) === ids(this.#cards)) return;
        this.#cards = page.postcards;
        this.#list.replaceChildren(...page.postcards.map((card) => this.#print(card)));
    }

    #print(card) {
        return h('li', {}, h('button', { type: 'button', class: 'print', label: cardLabel(card, 'album'), on: { click: () => go(this, 'picture', { card, cursors: this.cursors }) } },
            h('img', { src: card.links.thumbnail, alt: '', width: card.width, height: card.height }),
            h('span', { class: 'message', text: card.message ?? card.place })));
    }
}

customElements.define('kiosk-album', KioskAlbum);
