// <kiosk-along>: how a trail goes along on a telephone: join the station's network, then open the track.
import { button, go, h } from '../core/dom.js';
import { steps } from '../core/codes.js';
import { named } from '../core/phrases.js';
import { words } from '../core/words.js';
import * as api from '../core/api.js';

class KioskAlong extends HTMLElement {
    trail = '';
    #ended = null;
    #title = h('h1', { class: 'title', tabindex: -1 });
    #steps = h('ol', { class: 'steps' });
    #link = null;

    async connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        if (!this.trail) return go(this, 'map');
        this.replaceChildren(
            this.#title, this.#steps, h('p', { class: 'note', word: 'along.note' }),
            h('div', { class: 'actions' }, button('along.done', () => go(this, 'map', { chosen: this.trail }), { icon: 'map', class: 'primary' })));
        this.#title.textContent = named(this.trail);
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        try {
            this.#link = await api.trailLink(this.trail, { signal });
            this.#tell();
        } catch {
            if (!signal.aborted) this.#steps.replaceChildren(h('li', { class: 'failed', word: 'take.failed' }));
        }
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #tell() {
        this.#title.textContent = named(this.trail);
        if (!this.#link) return;
        this.#steps.replaceChildren(...steps(this.#link, 'along.then', 'along.link'));
        this.#steps.classList.toggle('both', Boolean(this.#link.network));
    }
}

customElements.define('kiosk-along', KioskAlong);
