// <kiosk-rocklist>: specimens and samples as a list, the nearest first. `found` is what core/rocks.js found; `rocks` some of it, such as
// those at one place.
import { button, go, h } from '../core/dom.js';
import { Fitting } from '../core/fitting.js';
import { distance, rockType } from '../core/phrases.js';
import { away, told } from '../core/rocks.js';
import { sharing } from '../core/sharing.js';
import { visit } from '../core/visit.js';
import { text, words } from '../core/words.js';

class KioskRockList extends HTMLElement {
    #ended = null;
    #sentence = h('p', { class: 'sentence', role: 'status' });
    #list = new Fitting((rock) => this.#rock(rock), { width: 355, label: 'rocks.title', name: 'rock-rows' });
    found = null;
    rocks = null;

    connectedCallback() {
        this.#ended = new AbortController();
        if (!this.found) return go(this, 'map');
        this.replaceChildren(h('h1', { class: 'title', word: this.rocks ? 'rocks.atPlace' : 'rocks.title', tabindex: -1 }), this.#sentence, this.#list.list,
            h('div', { class: 'actions' }, button('rocks.toMap', () => go(this, 'map'), { icon: 'map' }), ...sharing(() => this.#sorted), this.#list.turn));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#tell();
    }

    disconnectedCallback() {
        this.#ended?.abort();
        this.#list.close();
    }

    get #sorted() {
        const far = ({ place }) => away(visit.rocks, place) ?? Infinity;
        return [...(this.rocks ?? this.found.rocks)].sort((one, other) => far(one) - far(other) || one.number.localeCompare(other.number));
    }

    #tell() {
        const sorted = this.#sorted;
        this.#sentence.textContent = this.rocks ? text('rocks.here', { count: words.number(sorted.length) }) : told(visit.rocks, sorted.length);
        this.#list.show(sorted, { keeps: true });
    }

    #rock(rock) {
        const far = away(visit.rocks, rock.place);
        const facts = [rockType(rock.rockType), far === null ? null : distance(far), rock.date && words.time(`${rock.date}T12:00:00Z`, { dateStyle: 'medium', timeZone: 'UTC' }), rock.owner].filter(Boolean);
        const name = [rock.number, ...facts, rock.isPublic ? null : text('rocks.isPrivate')].filter(Boolean).join(', ');
        return h('button', { type: 'button', class: 'rock-row', 'aria-label': name, on: { click: () => go(this, 'rock', { rock, found: this.found, rocks: this.rocks }) } },
            h('span', { class: `rock-mark ${rock.layer}`, 'aria-hidden': 'true' }),
            h('span', { class: 'told' }, h('span', { class: 'number', text: rock.number }), h('span', { class: 'facts', text: facts.join(' · ') })),
            rock.isPublic ? null : h('span', { class: 'closed', text: text('rocks.isPrivate') }));
    }
}

customElements.define('kiosk-rocklist', KioskRockList);
