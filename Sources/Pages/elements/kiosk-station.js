// <kiosk-station>: how the station is, in a visitor's words, with the station's own reason below for a ranger.
import { h, icon } from '../core/dom.js';
import { station } from '../core/station.js';
import { duration } from '../core/phrases.js';
import { text, words } from '../core/words.js';

const parts = [['camera', 'camera'], ['archive', 'shield'], ['position', 'place'], ['clock', 'again']];

class KioskStation extends HTMLElement {
    #ended = null;
    #list = h('ul', { class: 'parts' });
    #facts = h('p', { class: 'facts-line' });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'station.title', tabindex: -1 }), this.#list, this.#facts);
        station.addEventListener('change', () => this.#tell(), { signal });
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        this.#tell();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #tell() {
        const { status } = station;
        if (!status) {
            this.#list.replaceChildren(h('li', { class: 'failed' }, h('p', { class: 'part', text: text('closed.unreachable') })));
            this.#facts.textContent = '';
            return;
        }
        this.#list.replaceChildren(...parts.filter(([name]) => status[name]).map(([name, picture]) => {
            const { level, kind, reason } = status[name].health;
            return h('li', { class: level }, icon(picture),
                h('p', { class: 'part', text: this.#phrase(name, level, kind) }),
                level !== 'ok' ? h('p', { class: 'detail', lang: 'en', text: reason }) : null);
        }));
        const { postcards, freeBytes } = status.archive;
        this.#facts.textContent = text('station.facts', {
            postcards: words.number(postcards ?? 0), free: words.number((freeBytes ?? 0) / 1e9, 1), time: duration(status.uptimeSeconds),
        });
    }

    // The most particular phrase there is: of the kind, else of the level.
    #phrase(name, level, kind) {
        const key = [`station.${name}.${kind}`, `station.${name}.${level}`].find((candidate) => words.has(candidate));
        return text(key);
    }
}

customElements.define('kiosk-station', KioskStation);
