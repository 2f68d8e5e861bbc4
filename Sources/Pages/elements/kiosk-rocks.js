// <kiosk-rocks>: what to look for among specimens and samples, edited as chips; and what there would be, counted, before any is shown.
import { button, go, h } from '../core/dom.js';
import { Fitting } from '../core/fitting.js';
import { distance } from '../core/phrases.js';
import { box, kinds, load, middle, seesPrivate, summarise } from '../core/rocks.js';
import { visit } from '../core/visit.js';
import { text, words } from '../core/words.js';

class KioskRocks extends HTMLElement {
    #ended = null;
    #asked = null;
    #sums = null;
    #kind = kinds[0];
    #sentence = h('p', { class: 'sentence', role: 'status' });
    #facts = h('dl', { class: 'corners' });
    #tabs = h('div', { class: 'kinds', role: 'group', label: 'rocks.kinds' });
    #chips = new Fitting((chip) => this.#chip(chip), { width: 130, label: 'rocks.criteria', name: 'chips' });
    #names = new Fitting((one) => this.#name(one), { width: 150, label: 'rocks.names', name: 'terms' });
    #show = button('rocks.list', () => this.#list(), { icon: 'cards', class: 'gold' });

    connectedCallback() {
        this.#ended = new AbortController();
        this.replaceChildren(h('h1', { class: 'title', word: 'rocks.what', tabindex: -1 }),
            h('section', { class: 'sums', label: 'rocks.summary' }, this.#sentence, this.#facts, this.#chips.list),
            h('section', { class: 'choice-of-names', label: 'rocks.add' }, this.#tabs, this.#names.list),
            h('div', { class: 'actions' }, button('rocks.toMap', () => go(this, 'map'), { icon: 'map' }), this.#show, this.#names.turn));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#look();
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#asked?.abort();
        this.#chips.close();
        this.#names.close();
    }

    async #look() {
        this.#asked?.abort();
        this.#asked = new AbortController();
        const { signal } = this.#asked;
        this.#tell();
        try {
            this.#sums = await summarise(visit.rocks, signal);
        } catch {
            return;
        }
        if (!signal.aborted && !this.#ended.signal.aborted) this.#tell();
    }

    async #list() {
        this.#show.disabled = true;
        const found = await load(visit.rocks, this.#ended.signal).catch(() => null);
        if (this.#ended.signal.aborted) return;
        this.#show.disabled = false;
        if (found) go(this, 'rocklist', { found });
    }

    // What is looked for, each with what takes it away; and what is switched by a touch.
    get #criteria() {
        const { names, shape, access } = visit.rocks;
        return [
            { word: `rocks.${shape}`, hint: 'rocks.turnShape', act: () => { visit.rocks.shape = shape === 'circle' ? 'box' : 'circle'; } },
            ...(seesPrivate() ? [{ word: `rocks.${access ?? 'bothKinds'}`, hint: 'rocks.turnAccess',
                act: () => { visit.rocks.access = { public: 'private', private: null }[access] ?? (access === null ? 'public' : null); } }] : []),
            ...kinds.flatMap((kind) => names[kind].map((name) => ({ kind, name, act: () => { names[kind] = names[kind].filter((one) => one !== name); } }))),
        ];
    }

    #chip({ word, hint, kind, name, act }) {
        const node = word ? button(word, () => {}, { class: 'chip', icon: 'again' }) : h('button', { type: 'button', class: 'chip taken' }, h('span', { text: name }), h('span', { class: 'cross', 'aria-hidden': 'true', text: '×' }));
        node.setAttribute('aria-label', word ? text(hint, { now: text(word) }) : text('rocks.without', { kind: text(`rocks.${kind}`), name }));
        node.addEventListener('click', () => { act(); this.#look(); });
        return node;
    }

    #name([name, count]) {
        const chosen = visit.rocks.names[this.#kind];
        const isChosen = chosen.includes(name);
        return h('button', { type: 'button', class: 'term', 'aria-label': `${name}: ${words.number(count)}`, 'aria-pressed': String(isChosen), on: { click: () => {
            visit.rocks.names[this.#kind] = isChosen ? chosen.filter((one) => one !== name) : [...chosen, name].slice(-20);
            this.#look();
        } } }, h('span', { class: 'label', text: name }), h('span', { class: 'count', text: words.number(count) }));
    }

    #tell() {
        const wish = visit.rocks;
        const sums = this.#sums;
        this.#sentence.textContent = !middle(wish) ? text('rocks.nowhere') : !sums ? text('rocks.asking')
            : text('rocks.count', { count: words.number(sums.total), distance: distance(wish.radius) });
        this.#show.disabled = !sums?.total;
        this.#tabs.replaceChildren(...kinds.map((kind) => button(`rocks.${kind}`, () => { this.#kind = kind; this.#tell(); },
            { class: 'tab', 'aria-pressed': String(kind === this.#kind) })));
        const edge = (value, positive, negative) => `${words.number(Math.abs(value), 3)}° ${text(`compass.${value < 0 ? negative : positive}`)}`;
        const corners = middle(wish) ? box(wish) : null;
        this.#facts.replaceChildren(...(corners ? [
            h('dt', { text: text('rocks.corners') }),
            h('dd', { text: `${edge(corners[3], 'north', 'south')}, ${edge(corners[0], 'east', 'west')}` }),
            h('dd', { text: `${edge(corners[1], 'north', 'south')}, ${edge(corners[2], 'east', 'west')}` })] : []));
        this.#chips.show(this.#criteria, { keeps: true });
        // What is chosen stays in sight, also where nothing has it any more.
        const found = sums?.names[this.#kind] ?? new Map();
        const lost = wish.names[this.#kind].filter((name) => !found.has(name)).map((name) => [name, 0]);
        this.#names.show([...found].sort((one, other) => other[1] - one[1] || one[0].localeCompare(other[0])).concat(lost), { keeps: true });
    }
}

customElements.define('kiosk-rocks', KioskRocks);
