// <learn-cards>: forty cards: a country in its continent; a touch shows what both are called. Next, previous, or any; a card that was
// not known comes again after three to five others.
import { button, h } from '../core/dom.js';
import { text, words } from '../core/words.js';
import { padded, slug, world } from '../learning/atlas.js';
import { languageOf, nameOf, nextSeed, ordered } from '../learning/game.js';
import { player } from '../learning/player.js';
import { Bag, seeded } from '../learning/random.js';
import { placeAgain } from '../learning/boxes.js';
import * as sound from '../core/sound.js';
import './learn-bar.js';
import './world-map.js';

class LearnCards extends HTMLElement {
    #ended = null;
    #bar = h('learn-bar');
    #map = h('world-map', { class: 'card-map' });
    #face = h('button', { type: 'button', class: 'face', on: { click: () => this.#turn() } });
    #atlas = null;
    #deck = [];
    // The way through the cards: the deck, and once more what was not known.
    #way = [];
    #random = null;
    #bag = null;
    #index = 0;
    #open = false;
    #begun = performance.now();
    #seen = new Set();
    // Cards turned at this visit, and whether they were known; those that are not noted yet.
    #turned = new Map();
    #again = button('learn.soon', () => this.#comeAgain(), { icon: 'again', class: 'soon' });

    connectedCallback() {
        this.#ended = new AbortController();
        this.#bar.title = 'learn.game.cards';
        this.replaceChildren(this.#bar, h('div', { class: 'stage cards' }, this.#map, this.#face,
            h('div', { class: 'card-steps' },
                this.#again,
                button('learn.former', () => this.#step(-1), { icon: 'left' }),
                button('learn.random', () => this.#any(), { icon: 'dice' }),
                button('learn.next', () => this.#step(1), { icon: 'right', class: 'gold' }))));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#load();
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#save();
    }

    async #load() {
        this.#atlas = await world();
        if (this.#ended.signal.aborted) return;
        this.#random = seeded(nextSeed());
        // What is due comes first.
        this.#deck = ordered(this.#atlas.deck, 'world', this.#random);
        this.#way = [...this.#deck];
        this.#bag = new Bag(this.#deck, this.#random);
        for (const item of this.#deck) if (player.knows('world', item.id)) this.#seen.add(item);
        this.#show();
    }

    #show() {
        const item = this.#way[this.#index];
        this.#open = false;
        const frame = padded(this.#atlas.frames[item.continent]);
        this.#map.show(this.#atlas, frame, { lines: this.#atlas.lines });
        this.#map.mark('dim', this.#atlas.items.filter((one) => one.continent !== item.continent));
        this.#map.mark('lit', [item]);
        this.#map.ring(item);
        this.#tell();
    }

    #tell() {
        const item = this.#way[this.#index];
        if (!item) return;
        this.#again.disabled = !this.#open;
        const lines = this.#open
            ? [h('span', { class: 'name', text: nameOf(item), lang: languageOf(item) }), h('span', { class: 'where', text: text(`learn.continent.${slug(item.continent)}`) })]
            : [h('span', { class: 'name', word: 'learn.who' }), h('span', { class: 'where', word: 'learn.turn' })];
        this.#face.replaceChildren(...lines);
        const [number, of] = [this.#deck.indexOf(item) + 1, this.#deck.length].map((count) => words.number(count));
        this.#bar.score(() => [`${number}/${of}`, text('learn.card', { number, of })]);
        this.#bar.time(null, 1, 0);
        this.#bar.querySelector('.time').textContent = '';
        if (this.#open) this.#bar.say(() => `${nameOf(item)}, ${text(`learn.continent.${slug(item.continent)}`)}`, 'heard');
    }

    #turn() {
        const item = this.#way[this.#index];
        if (!item || this.#open) return;
        this.#open = true;
        sound.prepare();
        sound.snap();
        const isNew = !this.#seen.has(item);
        this.#seen.add(item);
        this.#turned.set(item, true);
        if (isNew && this.#seen.size === this.#deck.length) this.#save();
        this.#tell();
    }

    // It was not known: it is shown again soon, and at the next visit.
    #comeAgain() {
        const item = this.#way[this.#index];
        if (!this.#open) return;
        this.#turned.set(item, false);
        const rest = this.#way.slice(this.#index + 1);
        if (!rest.slice(0, 6).includes(item)) this.#way.splice(this.#index + 1 + placeAgain(rest, this.#random, (one) => this.#turned.get(one) === false), 0, item);
        this.#step(1);
    }

    // What was turned, noted when the cards are left, or when the last one was.
    #save() {
        if (!this.#turned.size) return;
        const answers = [...this.#turned].map(([item, right]) => ({ deck: 'world', item: item.id, right }));
        this.#turned.clear();
        player.finish('cards', { right: this.#seen.size, of: this.#deck.length, seconds: (performance.now() - this.#begun) / 1000, timed: false, answers });
    }

    #step(by) {
        this.#index = (this.#index + by + this.#way.length) % this.#way.length;
        this.#show();
    }

    #any() {
        const here = this.#way[this.#index];
        let item = this.#bag.next();
        if (item === here) item = this.#bag.next();
        this.#index = this.#way.indexOf(item);
        this.#show();
    }
}

customElements.define('learn-cards', LearnCards);
