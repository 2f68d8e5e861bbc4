// <map-rocks>: beside the map, what there is of specimens and samples where is looked: its layers, how far, how old; and the ways to
// narrow it and to list it. `told(found)` hears what is there each time.
import { bind, text, words } from '../core/words.js';
import { button, go, h } from '../core/dom.js';
import { age, distance } from '../core/phrases.js';
import { isPlaced, kinds, load, radii, told, uncounted } from '../core/rocks.js';
import { visit } from '../core/visit.js';

class MapRocks extends HTMLElement {
    #ended = null;
    #asked = null;
    #found = null;
    #sentence = h('p', { class: 'sentence', role: 'status' });
    #note = h('p', { class: 'detail' });
    #reach = h('p', { class: 'reach' });
    #layers = {};
    #less = button('rocks.less', () => this.#widen(-1), { icon: 'minus', class: 'lone' });
    #more = button('rocks.more', () => this.#widen(1), { icon: 'plus', class: 'lone' });
    #narrow = button('rocks.narrow', () => go(this, 'rocks'), { icon: 'sliders' });
    #list = button('rocks.list', () => go(this, 'rocklist', { found: this.#found }), { icon: 'cards', class: 'gold' });
    // Called with what is looked for, and with what was found.
    wished = () => {};
    told = () => {};

    connectedCallback() {
        this.#ended = new AbortController();
        const layer = (name) => {
            this.#layers[name] = button(`rocks.${name}`, () => this.#switch(name), { class: `layer ${name}` });
            return this.#layers[name];
        };
        this.replaceChildren(h('h1', { class: 'title', word: 'rocks.title', tabindex: -1 }), this.#sentence, this.#note,
            h('div', { class: 'layers', role: 'group', label: 'rocks.layers' }, layer('station'), layer('metpetdb')),
            h('div', { class: 'stepper', role: 'group', label: 'rocks.radius' }, this.#less, this.#reach, this.#more),
            h('div', { class: 'map-actions' }, this.#narrow, this.#list));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#asked?.abort();
    }

    // Asks for what is looked for now.
    async look() {
        this.#asked?.abort();
        this.#asked = new AbortController();
        const { signal } = this.#asked;
        this.#found = null;
        this.wished(visit.rocks);
        this.#tell();
        try {
            this.#found = await load(visit.rocks, signal);
        } catch {
            return;
        }
        if (signal.aborted || this.#ended.signal.aborted) return;
        this.#tell();
        this.told(this.#found);
        performance.mark('rocks-shown');
    }

    #switch(name) {
        visit.rocks.layers[name] = !visit.rocks.layers[name];
        this.look();
    }

    #widen(by) {
        const at = radii.indexOf(visit.rocks.radius) + by;
        if (!radii[at]) return;
        visit.rocks.radius = radii[at];
        this.look();
    }

    #tell() {
        const wish = visit.rocks;
        const reach = distance(wish.radius);
        const found = this.#found;
        const named = kinds.reduce((sum, kind) => sum + wish.names[kind].length, 0) + (wish.access ? 1 : 0) + (wish.shape === 'region' ? 1 : 0);
        const isRegion = wish.shape === 'region';
        this.#sentence.textContent = !isPlaced(wish) ? text('rocks.nowhere') : !found ? text('rocks.asking') : told(wish, found.rocks.length);
        this.#reach.replaceChildren(h('span', { class: 'name', text: isRegion ? wish.region : reach }),
            h('span', { class: 'length', text: text(isRegion ? 'rocks.region' : wish.center ? 'rocks.aroundChosen' : 'rocks.aroundStation') }));
        this.#less.disabled = isRegion || wish.radius === radii[0];
        this.#more.disabled = isRegion || wish.radius === radii.at(-1);
        for (const [name, node] of Object.entries(this.#layers)) {
            const count = found ? found.rocks.filter(({ layer }) => layer === name).length : 0;
            node.setAttribute('aria-pressed', String(wish.layers[name]));
            bind(node.querySelector('span'), 'word', found && wish.layers[name] ? `rocks.${name}Count` : `rocks.${name}`, { count: words.number(count) });
        }
        bind(this.#narrow.querySelector('span'), 'word', named ? 'rocks.narrowed' : 'rocks.narrow', { count: words.number(named) });
        this.#list.disabled = !found?.rocks.length;
        this.#note.textContent = found ? this.#origin(found) : '';
    }

    // How old what is known of MetPetDB is, and whether it may be all.
    #origin({ station, metpetdb }) {
        const missing = uncounted({ station: station.failure, metpetdb: metpetdb.failure });
        if (missing || !visit.rocks.layers.metpetdb) return missing;
        if (!metpetdb.rocks.length && !metpetdb.origin?.fetchedAt) return text('rocks.nothingKept');
        const told = text('rocks.asOf', { age: age(metpetdb.origin.ageSeconds ?? 0) });
        return metpetdb.isWhole ? told : `${told} ${text('rocks.notAll')}`;
    }
}

customElements.define('map-rocks', MapRocks);
