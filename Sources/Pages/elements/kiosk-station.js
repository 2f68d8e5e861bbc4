// <kiosk-station>: how the station is, in a visitor's words, and for rangers why and what to do.
import { h, icon } from '../core/dom.js';
import { station } from '../core/station.js';
import { duration } from '../core/phrases.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';

const parts = [['camera', 'camera'], ['archive', 'shield'], ['position', 'place'], ['clock', 'again']];

const icons = { printer: 'printer', messages: 'notice', feed: 'down', clock: 'again', certificate: 'shield', store: 'shield' };

class KioskStation extends HTMLElement {
    #ended = null;
    #list = h('ul', { class: 'parts' });
    #facts = h('p', { class: 'facts-line' });
    // What is wrong with the portal and what it serves, and what to do: for rangers.
    #faults = [];

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        // It scrolls on devices, where many parts are unwell, and has nothing else that a keyboard reaches.
        if (station.session.role !== 'kiosk') this.tabIndex = 0;
        this.replaceChildren(h('h1', { class: 'title', word: 'station.title', tabindex: -1 }), this.#list, this.#facts);
        station.addEventListener('change', () => this.#tell(), { signal });
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        this.#tell();
        if (station.isTold) {
            station.addEventListener('change', () => this.#ask(), { signal });
            this.#ask();
        }
    }

    async #ask() {
        const { faults } = await api.health({ signal: this.#ended.signal }).catch(() => ({}));
        if (this.#ended.signal.aborted || !faults) return;
        this.#faults = faults;
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
        const own = parts.filter(([name]) => status[name]).map(([name, picture]) => {
            const { level, kind, reason } = status[name].health;
            const remedy = this.#faults.find(({ part }) => part === name)?.remedy;
            return h('li', { class: level }, icon(picture),
                h('p', { class: 'part', text: this.#phrase(name, level, kind) }),
                level !== 'ok' && station.isTold ? h('p', { class: 'detail', lang: 'en', text: remedy ? `${reason}: ${remedy}` : reason }) : null);
        });
        const others = this.#faults.filter(({ part }) => !parts.some(([name]) => name === part))
            .map((one) => h('li', { class: 'degraded' }, icon(icons[one.code] ?? 'station'),
                h('p', { class: 'part', text: text(words.has(`station.fault.${one.code}`) ? `station.fault.${one.code}` : 'station.fault.other') }),
                h('p', { class: 'detail', lang: 'en', text: `${one.what}: ${one.remedy}` })));
        this.#list.replaceChildren(...own, ...others);
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
