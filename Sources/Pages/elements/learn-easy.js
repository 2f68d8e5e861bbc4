// <learn-easy>: a country by its name, its shape, or both; on which of six continents does it lie?
import { button, h } from '../core/dom.js';
import { text } from '../core/words.js';
import { continents, continentsOf, padded, slug, world } from '../learning/atlas.js';
import { Game, languageOf, nameOf, ordered, sleep } from '../learning/game.js';
import './world-map.js';

class LearnEasy extends Game {
    title = 'learn.game.quiz.easy';
    explained = 'learn.explain.easy';
    seconds = 60;
    practises = true;
    options = { shows: ['both', 'name', 'shape'], clock: ['minute', 'free'] };
    #atlas = null;
    #map = h('world-map', { class: 'shape-map' });
    #name = h('p', { class: 'question' });
    #choice = null;
    #waits = false;
    #submit = button('learn.submit', () => this.#answer(), { class: 'primary submit', icon: 'check', disabled: true });
    #buttons = new Map(continents.map((name) => [name, h('button', {
        type: 'button', role: 'radio', 'aria-checked': 'false', word: `learn.continent.${slug(name)}`, on: { click: () => this.#choose(name) },
    })]));

    get activity() { return 'quiz/easy'; }

    async prepare() {
        this.#atlas = await world();
        return ordered(this.#atlas.deck, 'world', this.random);
    }

    ask() {
        const { item } = this.round;
        const shows = this.chosen.shows ?? 'both';
        this.#waits = false;
        if (!this.#buttons.get('Africa').isConnected) {
            this.stage.replaceChildren(h('div', { class: 'easy' },
                h('div', { class: 'picture' }, this.#map, this.#name),
                h('div', { class: 'answers' }, h('div', { class: 'six', role: 'radiogroup', label: 'learn.which' }, [...this.#buttons.values()]), this.#submit)));
        }
        this.stage.firstChild.dataset.shows = shows;
        // The shape alone, at its own size: no neighbour says where it is.
        if (shows !== 'name') this.#map.show(this.#atlas, padded(item.frame, 0.08), { items: [item] });
        this.retell();
        this.#choose(null);
        for (const node of this.#buttons.values()) node.classList.remove('right', 'wrong');
        if (this.#buttons.get('Africa').matches(':focus') === false && !this.stage.contains(document.activeElement)) this.#buttons.get('Africa').focus({ preventScroll: true });
    }

    retell() {
        const item = this.round?.item ?? null;
        if (!item) return;
        this.#name.textContent = this.chosen.shows === 'shape' ? text('learn.which') : nameOf(item);
        this.#name.lang = languageOf(item);
    }

    #choose(name) {
        if (this.#waits && name) return;
        this.#choice = name;
        for (const [one, node] of this.#buttons) node.setAttribute('aria-checked', String(one === name));
        this.#submit.disabled = !name;
    }

    async #answer() {
        const { round } = this;
        if (this.#waits || !this.#choice || !round?.item) return;
        const right = continentsOf(round.item);
        const choice = this.#choice;
        const taken = this.answer(right.includes(choice));
        if (!taken) return;
        this.#waits = true;
        this.#submit.disabled = true;
        const shown = taken.right ? choice : right[0];
        this.#buttons.get(shown).classList.add('right');
        if (!taken.right) this.#buttons.get(choice).classList.add('wrong');
        this.bar.say(() => text(taken.right ? 'learn.right' : 'learn.wrong', { name: nameOf(taken.item), place: text(`learn.continent.${slug(shown)}`) }), taken.right ? 'right' : 'wrong');
        await sleep(taken.right ? 350 : 1400, this.ended.signal);
        if (round === this.round && !this.ended.signal.aborted) this.next();
    }
}

customElements.define('learn-easy', LearnEasy);
