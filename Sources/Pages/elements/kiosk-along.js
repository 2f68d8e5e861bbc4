// <kiosk-along>: how a trail goes along on a telephone: join the station's network, then open the track.
import { button, go, h } from '../core/dom.js';
import { steps } from '../core/codes.js';
import { named, trailFacts } from '../core/phrases.js';
import { words } from '../core/words.js';
import * as api from '../core/api.js';

class KioskAlong extends HTMLElement {
    trail = '';
    #ended = null;
    #title = h('h1', { class: 'title', tabindex: -1 });
    #steps = h('ol', { class: 'steps' });
    // What of it is closed, and why: whoever walks by a telephone alone sees it here for the last time.
    #closure = h('p', { class: 'closure', role: 'status', hidden: true });
    #link = null;
    #own = null;

    async connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        if (!this.trail) return go(this, 'map');
        this.replaceChildren(
            this.#title, this.#closure, this.#steps, h('p', { class: 'note', word: 'along.note' }),
            h('div', { class: 'actions' }, button('along.done', () => go(this, 'map', { chosen: this.trail }), { icon: 'map', class: 'primary' })));
        this.#title.textContent = named(this.trail);
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        try {
            const [link, list] = await Promise.all([api.trailLink(this.trail, { signal }), api.trails({ signal }).catch(() => null)]);
            this.#link = link;
            this.#own = list?.trails.find(({ name }) => name === this.trail) ?? null;
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
        this.#closure.hidden = !this.#own?.closed;
        this.#closure.textContent = this.#own?.closed ? trailFacts(this.#own) : '';
        if (!this.#link) return;
        this.#steps.replaceChildren(...steps(this.#link, 'along.then', 'along.link'));
        this.#steps.classList.toggle('both', Boolean(this.#link.network));
    }
}

customElements.define('kiosk-along', KioskAlong);
