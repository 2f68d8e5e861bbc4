// <learn-medium>: the name of a country alone; its continent is to be touched, anywhere on it.
import { h } from '../core/dom.js';
import { text } from '../core/words.js';
import { continents, continentsOf, slug, world } from '../learning/atlas.js';
import { Game, languageOf, nameOf, ordered, sleep } from '../learning/game.js';
import { touched } from '../learning/geometry.js';
import './world-map.js';

// A finger may miss by so many pixels.
const reach = 24;

class LearnMedium extends Game {
    title = 'learn.game.quiz.medium';
    explained = 'learn.explain.medium';
    seconds = 60;
    practises = true;
    options = { clock: ['minute', 'free'] };
    #atlas = null;
    #map = h('world-map', { class: 'whole', role: 'group', label: 'learn.map' });
    #name = h('p', { class: 'question' });
    #waits = false;

    get activity() { return 'quiz/medium'; }

    async prepare() {
        this.#atlas = await world();
        this.#map.show(this.#atlas, [0, 0.03 * this.#atlas.height, this.#atlas.width, 0.86 * this.#atlas.height],
            { group: (item) => item.continent, lines: this.#atlas.lines });
        this.#map.svg.removeAttribute('aria-hidden');
        for (const [name, node] of this.#map.groups) {
            if (!continents.includes(name)) continue;
            node.setAttribute('role', 'button');
            node.setAttribute('tabindex', 0);
            node.addEventListener('keydown', (event) => {
                if (event.key !== 'Enter' && event.key !== ' ') return;
                event.preventDefault();
                this.#answer([name]);
            });
        }
        this.#map.onclick = (event) => this.#touch(event);
        this.stage.replaceChildren(h('div', { class: 'medium' }, this.#name, this.#map));
        return ordered(this.#atlas.deck, 'world', this.random);
    }

    ask() {
        this.#waits = false;
        this.retell();
        this.#map.mark('right', []);
        this.#map.mark('wrong', []);
    }

    retell() {
        for (const name of continents) this.#map.group(name)?.setAttribute('aria-label', text(`learn.continent.${slug(name)}`));
        const item = this.round?.item;
        if (!item) return;
        this.#name.textContent = nameOf(item);
        this.#name.lang = languageOf(item);
    }

    #touch(event) {
        const item = touched(this.#atlas.items, ...this.#map.place(event), reach * this.#map.scale);
        if (item && continents.includes(item.continent)) this.#answer(continentsOf(item));
    }

    // What was touched may lie in two continents, as may what is asked.
    async #answer(places) {
        const { round } = this;
        if (this.#waits || !round?.item) return;
        const right = continentsOf(round.item);
        const common = places.find((place) => right.includes(place));
        const taken = this.answer(common !== undefined);
        if (!taken) return;
        this.#waits = true;
        const shown = common ?? right[0];
        this.#map.mark('right', this.#atlas.items.filter((item) => item.continent === shown));
        if (!taken.right) this.#map.mark('wrong', this.#atlas.items.filter((item) => item.continent === places[0]));
        this.#map.mark('lit', [taken.item]);
        const ring = this.#map.ring(taken.item);
        this.bar.say(() => text(taken.right ? 'learn.right' : 'learn.wrong', { name: nameOf(taken.item), place: text(`learn.continent.${slug(shown)}`) }), taken.right ? 'right' : 'wrong');
        await sleep(taken.right ? 450 : 1500, this.ended.signal);
        ring?.remove();
        this.#map.mark('lit', []);
        if (round === this.round && !this.ended.signal.aborted) this.next();
    }
}

customElements.define('learn-medium', LearnMedium);
