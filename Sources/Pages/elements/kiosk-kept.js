// <kiosk-kept>: what is kept of a visitor, for how long, and how to have it deleted.
import { h } from '../core/dom.js';
import { station } from '../core/station.js';
import { words } from '../core/words.js';
import { keptFor } from '../core/phrases.js';

// What is true of the kiosk's screen, and of a device that takes no pictures.
const last = { kiosk: 'privacy.network', visitor: 'privacy.tablet', collector: 'privacy.tablet' };

class KioskKept extends HTMLElement {
    #ended = null;
    #term = h('li', {});

    connectedCallback() {
        this.#ended = new AbortController();
        this.replaceChildren(h('h1', { class: 'title', word: 'privacy.title', tabindex: -1 }),
            h('ul', { class: 'promises' },
                h('li', { word: 'privacy.before' }), h('li', { word: 'privacy.kept' }), this.#term,
                h('li', { word: 'privacy.delete' }),
                station.session.gallery !== 'off' && h('li', { word: 'privacy.gallery' }), last[station.session.role] && h('li', { word: last[station.session.role] })));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#tell();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #tell() {
        this.#term.textContent = keptFor(station.session.retentionDays);
    }
}

customElements.define('kiosk-kept', KioskKept);
