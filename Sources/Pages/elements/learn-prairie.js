// <learn-prairie>: the plants and animals of the prairie, or a deck of the station: who is it by two facts or a picture, which group
// does it belong to, who eats what; and which of the station's own trails is it.
import { h, s } from '../core/dom.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { prairie } from '../learning/atlas.js';
import { choices, likeCard } from '../learning/choices.js';
import { drawings } from '../learning/drawings.js';
import { Game, languageOf, leave, nameOf, ordered, sleep } from '../learning/game.js';
import { shuffled } from '../learning/random.js';

// Who eats what, by the facts of the deck.
const food = { 'common-milkweed': 'monarch', 'prairie-violet': 'regal-fritillary', 'white-sage': 'cudweed-grasshopper' };
// Items of one round.
const most = 10;

// The trails of the station as cards; one whose name has no letter of an id is left out.
function trailCards({ features }) {
    const lines = features.filter(({ geometry }) => geometry?.type === 'LineString');
    const names = [...new Set(lines.flatMap(({ properties }) => properties.trails ?? []))].slice(0, 60);
    const id = (name) => name.normalize('NFD').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 40);
    return names.filter(id).map((name) => ({ id: id(name), name, facts: [], lines, isPart: ({ properties }) => properties.trails?.includes(name) }));
}

// All trails from above, north at the top, with one of them lit.
function trailPicture({ lines, isPart }) {
    const all = lines.flatMap(({ geometry }) => geometry.coordinates);
    const [east, north] = [Math.cos((all[0][1] * Math.PI) / 180), -1];
    const place = ([longitude, latitude]) => [longitude * east * 1e5, latitude * north * 1e5];
    const places = all.map(place);
    const [left, right] = [Math.min(...places.map(([x]) => x)), Math.max(...places.map(([x]) => x))];
    const [top, bottom] = [Math.min(...places.map(([, y]) => y)), Math.max(...places.map(([, y]) => y))];
    const margin = 0.06 * Math.max(right - left, bottom - top);
    const path = ({ geometry }) => `M${geometry.coordinates.map(place).map(([x, y]) => `${(x - left).toFixed(1)} ${(y - top).toFixed(1)}`).join('L')}`;
    const draw = (name, chosen) => s('path', { class: name, d: chosen.map(path).join('') });
    return s('svg', { class: 'trail-lines', role: 'img', 'aria-label': text('learn.prairie.trail'), viewBox: `${-margin} ${-margin} ${right - left + 2 * margin} ${bottom - top + 2 * margin}` },
        draw('way', lines), draw('lit-edge', lines.filter(isPart)), draw('lit', lines.filter(isPart)));
}

const drawing = (group) => s('svg', { class: 'drawing', viewBox: '0 0 48 48', 'aria-hidden': 'true' },
    s('path', { d: drawings[group] ?? drawings.grass, fill: 'currentColor', 'fill-rule': 'evenodd' }));
// A text of a station's deck.
const said = (value) => (words.language === 'es' && value.es) || value.en;

class LearnPrairie extends Game {
    title = 'learn.game.prairie';
    explained = 'learn.explain.prairie';
    practises = true;
    options = { prairie: ['who', 'group', 'food'] };
    // Of the station; null for the prairie.
    deckName = null;
    #cards = [];
    // Of the station; without four of them there is no such game.
    #trails = [];
    #waits = false;
    #shown = [];

    get #kind() { return this.chosen.prairie; }
    get activity() { return this.deckName ? `deck/${this.deckName}/${this.#kind}`.slice(0, 48) : `prairie/${this.#kind}`; }
    get deck() { return this.#kind === 'trails' ? 'trails' : this.deckName ? `deck-${this.deckName}`.slice(0, 48) : 'prairie'; }

    async open() {
        try {
            await this.#load();
        } catch {
            return leave(this);
        }
        if (!this.ended.signal.aborted) this.showStart();
    }

    async #load() {
        if (!this.deckName) {
            const [deck, lines] = await Promise.all([prairie(), api.trailLines().catch(() => ({ features: [] }))]);
            this.#cards = deck.items;
            this.#trails = trailCards(lines);
            if (this.#trails.length > 3) this.options = { prairie: [...this.options.prairie, 'trails'] };
            return;
        }
        const deck = await api.deck(this.deckName);
        const picture = (file) => `/v1/learning/decks/${encodeURIComponent(this.deckName)}/pictures/${encodeURIComponent(file)}`;
        this.#cards = deck.items.map((item) => ({
            id: item.id, name: item.name.en, nameEs: item.name.es, group: item.group?.en, groupText: item.group,
            picture: item.picture && picture(item.picture), credit: item.credit,
            facts: item.facts.map((fact) => ({ text: fact.en, es: fact.es })),
        }));
        const groups = new Set(this.#cards.map(({ group }) => group).filter(Boolean));
        this.options = { prairie: groups.size > 1 ? ['who', 'group'] : ['who'] };
    }

    async prepare() {
        if (this.#kind === 'food') return shuffled(this.#cards.filter(({ id }) => food[id] && this.#cards.some((one) => one.id === food[id])), this.random);
        if (this.#kind === 'trails') return ordered(this.#trails, 'trails', this.random).slice(0, most);
        const usable = this.#cards.filter((card) => (this.#kind === 'group' ? card.group : card.picture || card.facts.length));
        return ordered(usable, this.deck, this.random).slice(0, most);
    }

    ask() {
        const { item } = this.round;
        this.#waits = false;
        this.#shown = this.#choices(item);
        this.retell();
        this.stage.querySelector('.answers button')?.focus({ preventScroll: true });
    }

    #choices(item) {
        if (this.#kind === 'group') {
            const groups = [...new Set(this.#cards.map(({ group }) => group).filter(Boolean))];
            return choices(item.group, [groups], Math.min(4, groups.length), this.random);
        }
        if (this.#kind === 'food') {
            const eater = this.#cards.find(({ id }) => id === food[item.id]);
            const others = Object.values(food).map((id) => this.#cards.find((card) => card.id === id)).filter(Boolean);
            return choices(eater, [others], 3, this.random);
        }
        if (this.#kind === 'trails') return choices(item, [this.#trails], 4, this.random);
        return choices(item, likeCard(item, this.#cards), 4, this.random);
    }

    #right(item) {
        if (this.#kind === 'group') return item.group;
        return this.#kind === 'food' ? this.#cards.find(({ id }) => id === food[item.id]) : item;
    }

    #groupName(group) {
        if (!this.deckName) return text(`learn.group.${group.replaceAll(' ', '-')}`);
        return said(this.#cards.find((card) => card.group === group).groupText);
    }

    retell() {
        const item = this.round?.item;
        if (!item || this.#waits) return;
        const right = this.#right(item);
        const asks = { who: 'learn.prairie.asks.who', group: 'learn.prairie.asks.group', food: 'learn.prairie.asks.food', trails: 'learn.prairie.asks.trails' }[this.#kind];
        const facts = item.facts.slice(0, 2).map((fact) => {
            const spanish = words.language === 'es' && fact.es;
            return h('li', { text: spanish || fact.text, lang: spanish ? 'es' : 'en' });
        });
        // The picture of a card says its name to nobody who does not see it: that would be the answer.
        // So would be the drawing of its group.
        const picture = this.#kind === 'trails' ? trailPicture(item) : item.picture ? h('img', { class: 'photo', src: item.picture, alt: text('learn.prairie.picture') })
            : this.#kind === 'food' ? drawing(item.group) : h('p', { class: 'riddle-mark', 'aria-hidden': 'true', text: '?' });
        this.stage.replaceChildren(h('div', { class: 'prairie' },
            h('div', { class: 'riddle' }, picture, this.#kind === 'who' || this.#kind === 'trails' ? null : h('p', { class: 'question', text: nameOf(item), lang: languageOf(item) }),
                this.#kind === 'who' && facts.length > 0 && h('ul', { class: 'riddle-facts' }, facts)),
            h('div', { class: 'answers' }, h('p', { class: 'hint', word: asks }),
                this.#shown.map((choice) => h('button', { type: 'button', on: { click: (event) => this.#answer(choice, right, event.currentTarget) } },
                    this.#kind === 'group' && !this.deckName && drawing(choice),
                    h('span', this.#kind === 'group' ? { text: this.#groupName(choice) } : { text: nameOf(choice), lang: languageOf(choice) }))))));
    }

    async #answer(choice, right, node) {
        const { round } = this;
        if (this.#waits) return;
        const taken = this.answer(choice === right);
        if (!taken) return;
        this.#waits = true;
        const nodes = [...this.stage.querySelectorAll('.answers button')];
        nodes[this.#shown.indexOf(right)]?.classList.add('right');
        if (!taken.right) node.classList.add('wrong');
        const name = () => (typeof right === 'string' ? this.#groupName(right) : nameOf(right));
        this.bar.say(() => text(taken.right ? 'learn.rightPlain' : 'learn.wrongPlain', { name: name() }), taken.right ? 'right' : 'wrong');
        await sleep(taken.right ? 600 : 1800, this.ended.signal);
        if (round === this.round && !this.ended.signal.aborted) this.next();
    }
}

customElements.define('learn-prairie', LearnPrairie);
