// <kiosk-rocks>: what to look for among specimens and samples, edited as chips; and what there would be, counted, before any is shown.
import { button, go, h } from '../core/dom.js';
import { Fitting } from '../core/fitting.js';
import { rockType } from '../core/phrases.js';
import { box, isPlaced, kinds, load, middle, regions, seesPrivate, summarise, told, uncounted } from '../core/rocks.js';
import { visit } from '../core/visit.js';
import { text, words } from '../core/words.js';

// More names than this are first chosen from by their first letter.
const manyNames = 24;
// What a name of a kind is called on the page; the station is asked for its own.
const called = (kind, name) => (kind === 'rockType' ? rockType(name) : name);
const letter = (name) => name.normalize('NFD')[0].toUpperCase();

class KioskRocks extends HTMLElement {
    #ended = null;
    #asked = null;
    #sums = null;
    // The index of regions: null until it is there, and empty where none is known; and the letter that is open.
    #regions = null;
    #letter = null;
    #kind = kinds[0];
    #sentence = h('p', { class: 'sentence', role: 'status' });
    #facts = h('dl', { class: 'corners' });
    #tabs = h('div', { class: 'kinds', role: 'group', label: 'rocks.kinds' });
    #chips = new Fitting((chip) => this.#chip(chip), { width: 130, label: 'rocks.criteria', name: 'chips' });
    #none = h('p', { class: 'note', role: 'status' });
    #names = new Fitting((one) => (this.#kind === 'region' ? this.#region(one) : this.#name(one)), { width: 150, label: 'rocks.names', name: 'terms' });
    #show = button('rocks.list', () => this.#list(), { icon: 'cards', class: 'gold' });

    connectedCallback() {
        this.#ended = new AbortController();
        this.replaceChildren(h('h1', { class: 'title', word: 'rocks.what', tabindex: -1 }),
            h('section', { class: 'sums', label: 'rocks.summary' }, this.#sentence, this.#facts, this.#chips.list),
            h('section', { class: 'choice-of-names', label: 'rocks.add' }, this.#tabs, this.#none, this.#names.list),
            h('div', { class: 'actions' }, button('rocks.toMap', () => go(this, 'map'), { icon: 'map' }), this.#show, this.#names.turn));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#look();
        this.#index(this.#ended.signal);
    }

    async #index(signal) {
        const names = await regions(signal).catch(() => []);
        if (signal.aborted) return;
        this.#regions = names;
        if (this.#kind === 'region') this.#tell();
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
        const { names, shape, region, access } = visit.rocks;
        return [
            shape === 'region' ? { kind: 'region', name: region, act: () => { visit.rocks.shape = 'circle'; visit.rocks.region = null; } }
                : { word: `rocks.${shape}`, hint: 'rocks.turnShape', act: () => { visit.rocks.shape = shape === 'circle' ? 'box' : 'circle'; } },
            ...(seesPrivate() ? [{ word: `rocks.${access ?? 'bothKinds'}`, hint: 'rocks.turnAccess',
                act: () => { visit.rocks.access = { public: 'private', private: null }[access] ?? (access === null ? 'public' : null); } }] : []),
            ...kinds.flatMap((kind) => names[kind].map((name) => ({ kind, name, act: () => { names[kind] = names[kind].filter((one) => one !== name); } }))),
        ];
    }

    #chip({ word, hint, kind, name, act }) {
        const node = word ? button(word, () => {}, { class: 'chip', icon: 'again' }) : h('button', { type: 'button', class: 'chip taken' }, h('span', { text: called(kind, name) }), h('span', { class: 'cross', 'aria-hidden': 'true', text: '×' }));
        node.setAttribute('aria-label', word ? text(hint, { now: text(word) }) : text('rocks.without', { kind: text(`rocks.${kind}`), name: called(kind, name) }));
        node.addEventListener('click', () => { act(); this.#look(); });
        return node;
    }

    #name([name, count]) {
        const chosen = visit.rocks.names[this.#kind];
        const isChosen = chosen.includes(name);
        const word = called(this.#kind, name);
        return h('button', { type: 'button', class: 'term', 'aria-label': `${word}: ${words.number(count)}`, 'aria-pressed': String(isChosen), on: { click: () => {
            visit.rocks.names[this.#kind] = isChosen ? chosen.filter((one) => one !== name) : [...chosen, name].slice(-20);
            this.#look();
        } } }, h('span', { class: 'label', text: word }), h('span', { class: 'count', text: words.number(count) }));
    }

    // A region, or a letter of the index: instead of a circle or a box, one region at a time.
    #region({ name, isLetter, count }) {
        const isChosen = !isLetter && visit.rocks.shape === 'region' && visit.rocks.region === name;
        const act = () => {
            if (isLetter) {
                this.#letter = this.#letter === name ? null : name;
                return this.#tell();
            }
            visit.rocks.shape = isChosen ? 'circle' : 'region';
            visit.rocks.region = isChosen ? null : name;
            this.#look();
        };
        const label = isLetter ? text('rocks.letter', { letter: name, count: words.number(count) }) : name;
        return h('button', { type: 'button', class: isLetter ? 'term letter' : 'term', 'aria-label': label, 'aria-pressed': String(isLetter ? this.#letter === name : isChosen), on: { click: act } },
            h('span', { class: 'label', text: name }), isLetter && h('span', { class: 'count', text: words.number(count) }));
    }

    // The regions in the order of their index; of many, those of one letter after it, or all letters.
    get #indexed() {
        const names = this.#regions ?? [];
        if (names.length <= manyNames) return names.map((name) => ({ name }));
        const letters = [...Map.groupBy(names, letter)].map(([name, all]) => ({ name, isLetter: true, count: all.length }));
        if (!this.#letter) return letters;
        return [...letters.filter(({ name }) => name === this.#letter), ...names.filter((name) => letter(name) === this.#letter).map((name) => ({ name }))];
    }

    #tell() {
        const wish = visit.rocks;
        const sums = this.#sums;
        this.#sentence.textContent = !isPlaced(wish) ? text('rocks.nowhere') : !sums ? text('rocks.asking')
            : !sums.total && sums.failures.station ? '' : told(wish, sums.total);
        this.#show.disabled = !sums?.total;
        this.#tabs.replaceChildren(...[...kinds, 'region'].map((kind) => button(`rocks.${kind}`, () => { this.#kind = kind; this.#letter = null; this.#tell(); },
            { class: 'tab', 'aria-pressed': String(kind === this.#kind) })));
        const edge = (value, positive, negative) => `${words.number(Math.abs(value), 3)}° ${text(`compass.${value < 0 ? negative : positive}`)}`;
        const { extent } = sums ?? {};
        const corners = wish.shape === 'region' ? extent && [extent.west, extent.south, extent.east, extent.north] : middle(wish) && box(wish);
        this.#facts.replaceChildren(...(corners ? [
            h('dt', { text: text('rocks.corners') }),
            h('dd', { text: `${edge(corners[3], 'north', 'south')}, ${edge(corners[0], 'east', 'west')}` }),
            h('dd', { text: `${edge(corners[1], 'north', 'south')}, ${edge(corners[2], 'east', 'west')}` })] : []));
        this.#chips.show(this.#criteria, { keeps: true });
        this.#none.textContent = this.#kind === 'region' && this.#regions?.length === 0 ? text('rocks.noRegions') : sums ? uncounted(sums.failures) : '';
        if (this.#kind === 'region') return this.#names.show(this.#indexed, { keeps: true });
        // What is chosen stays in sight, also where nothing has it any more.
        const found = sums?.names[this.#kind] ?? new Map();
        const lost = wish.names[this.#kind].filter((name) => !found.has(name)).map((name) => [name, 0]);
        const word = ([name]) => called(this.#kind, name);
        this.#names.show([...found].sort((one, other) => other[1] - one[1] || word(one).localeCompare(word(other))).concat(lost), { keeps: true });
    }
}

customElements.define('kiosk-rocks', KioskRocks);
