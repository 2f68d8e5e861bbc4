// <learn-pins>: a label and the pins of a map: the label is dragged to its pin, or the pin is touched. The countries of one
// continent against two minutes, or the fifty states in peace.
import { button, growth, h, s } from '../core/dom.js';
import { text, words } from '../core/words.js';
import { continents, padded, slug, states, world } from '../learning/atlas.js';
import { Game, languageOf, nameOf, sleep } from '../learning/game.js';
import { direction } from '../learning/geometry.js';
import { player } from '../learning/player.js';
import { shuffled } from '../learning/random.js';
import './world-map.js';

// A finger may miss a pin by so much, in `--px` of the style sheets.
const reach = 36;
// Misses of one item until its pin is shown.
const patience = 2;

class LearnPins extends Game {
    // hard or states
    level = 'hard';
    stays = true;
    continent = null;
    #atlas = null;
    #map = h('world-map', { class: 'pins', role: 'group', label: 'learn.map' });
    #label = h('div', { class: 'label', role: 'note' });
    #pins = new Map();
    #misses = 0;
    #drag = null;

    get activity() { return this.level === 'states' ? 'quiz/states' : `quiz/hard/${slug(this.continent)}`; }
    get deck() { return this.level === 'states' ? 'states' : 'world'; }

    connectedCallback() {
        const isStates = this.level === 'states';
        this.title = isStates ? 'learn.game.quiz.states' : 'learn.game.quiz.hard';
        this.explained = isStates ? 'learn.explain.states' : 'learn.explain.hard';
        this.seconds = isStates ? null : 120;
        this.options = isStates ? {} : { clock: ['twominutes', 'free'] };
        super.connectedCallback();
        const { signal } = this.ended;
        this.#map.addEventListener('click', (event) => { if (!this.#drag) this.#touch(event); }, { signal });
        this.#label.addEventListener('pointerdown', (event) => this.#lift(event), { signal });
        this.#label.addEventListener('pointermove', (event) => this.#carry(event), { signal });
        for (const end of ['pointerup', 'pointercancel']) this.#label.addEventListener(end, (event) => this.#let(event), { signal });
        addEventListener('resize', () => this.#place(), { signal });
    }

    // The hard quiz begins with the choice of one of six continents, each with a mark.
    showStart() {
        super.showStart();
        if (this.level === 'states') return;
        const start = this.stage.querySelector('.primary');
        start.hidden = true;
        start.after(h('div', { class: 'six' }, continents.map((name) => {
            const { state, right, of } = player.part(`quiz/hard/${slug(name)}`);
            const node = button(`learn.continent.${slug(name)}`, () => { this.continent = name; this.begin(); }, { class: `continent ${state}` });
            node.append(h('span', { class: 'score', text: of ? `${words.number(right)}/${words.number(of)}` : '' }), h('span', { class: `mark ${state}`, 'aria-hidden': 'true' }));
            return node;
        })));
        this.stage.querySelector('.six button').focus({ preventScroll: true });
    }

    async prepare() {
        const isStates = this.level === 'states';
        this.#atlas = isStates ? await states() : await world();
        const items = isStates ? this.#atlas.fifty : this.#atlas.deck.filter((item) => item.continent === this.continent);
        const frame = isStates ? padded(this.#atlas.frame, 0.02) : padded(this.#atlas.frames[this.continent]);
        this.stage.replaceChildren(h('div', { class: `pinned ${this.level}` }, this.#map, h('div', { class: 'side' },
            h('p', { class: 'hint', word: 'learn.where' }), this.#label,
            button('learn.stop', () => { this.round?.stop(); this.finish(); }, { icon: 'stop', class: 'stop' }))));
        this.#map.show(this.#atlas, frame, { lines: this.#atlas.lines ?? [] });
        this.#map.svg.removeAttribute('aria-hidden');
        if (!isStates) this.#map.mark('dim', this.#atlas.items.filter((item) => item.continent !== this.continent));
        // In the order of the map, which says nothing of the deck's.
        const inOrder = [...items].sort((one, other) => this.#spot(one)[1] - this.#spot(other)[1]);
        this.#pins = new Map(inOrder.map((item) => [item, s('g', { class: 'pin', role: 'button', tabindex: 0 }, s('line', {}), s('circle', {}), s('text', {}))]));
        this.#map.over.replaceChildren(...this.#pins.values());
        for (const [item, node] of this.#pins) {
            node.addEventListener('keydown', (event) => this.#key(event, item));
        }
        this.#place();
        return shuffled(items, this.random);
    }

    #spots = new Map();

    // Where the pin of an item is: beside its place, where pins would cover one another.
    #spot(item) {
        return this.#spots.get(item) ?? item.label;
    }

    // Pins are as large as words, unless these are large for so narrow a map: the nearer to its place is each.
    get #growth() {
        return Math.max(1, Math.min(growth(this), this.#map.svg.clientWidth / 1000));
    }

    #place() {
        if (!this.#pins.size || !this.#map.svg.getScreenCTM()) return;
        const { frame } = this.#map;
        const by = this.#growth;
        const scale = this.#map.scale * by;
        this.#map.style.setProperty('--px', `${by}px`);
        let number = 0;
        this.#spots = spread([...this.#pins.keys()].map((item) => [item, item.label]), 30 * scale);
        for (const [item, node] of this.#pins) {
            number += 1;
            const [x, y] = this.#spot(item);
            const [leader, circle, name] = node.children;
            for (const [key, value] of Object.entries({ x1: x, y1: y, x2: item.label[0], y2: item.label[1] })) leader.setAttribute(key, value);
            for (const [key, value] of Object.entries({ cx: x, cy: y, r: 12 * scale })) circle.setAttribute(key, value);
            for (const [key, value] of Object.entries({ x, y: y + 5 * scale, 'font-size': 15 * scale })) name.setAttribute(key, value);
            if (!node.classList.contains('found')) {
                node.setAttribute('aria-label', text('learn.pin', { number, of: this.#pins.size, where: text(`learn.direction.${direction(frame, [x, y])}`) }));
            }
        }
    }

    ask() {
        this.#misses = 0;
        this.retell();
        this.#place();
        if (!this.#map.contains(document.activeElement)) [...this.#pins.values()].find((node) => !node.classList.contains('found'))?.focus({ preventScroll: true });
    }

    retell() {
        const item = this.round?.item;
        if (!item) return;
        this.#label.textContent = nameOf(item);
        this.#label.lang = languageOf(item);
        this.#label.classList.remove('wrong');
        this.#place();
    }

    #key(event, item) {
        if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            return this.#answer(item);
        }
        const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
        if (!step) return;
        event.preventDefault();
        // The nearest pin in that direction.
        const [x, y] = this.#spot(item);
        let [best, least] = [null, Infinity];
        for (const [other, node] of this.#pins) {
            if (other === item) continue;
            const [dx, dy] = [this.#spot(other)[0] - x, this.#spot(other)[1] - y];
            const ahead = dx * step[0] + dy * step[1];
            const aside = Math.abs(dx * step[1]) + Math.abs(dy * step[0]);
            if (ahead > 0 && ahead + 2 * aside < least) [best, least] = [node, ahead + 2 * aside];
        }
        best?.focus();
    }

    #nearest({ clientX, clientY }) {
        let [best, least] = [null, reach * this.#growth];
        for (const [item, node] of this.#pins) {
            if (node.classList.contains('found')) continue;
            const { x, y } = this.#map.point(this.#spot(item));
            const far = Math.hypot(x - clientX, y - clientY);
            if (far < least) [best, least] = [item, far];
        }
        return best;
    }

    #touch(event) {
        const item = this.#nearest(event);
        if (item) this.#answer(item);
    }

    #lift(event) {
        if (this.#drag || !this.round?.item) return;
        this.#drag = { id: event.pointerId, x: event.clientX, y: event.clientY };
        this.#label.setPointerCapture(event.pointerId);
        this.#label.classList.add('lifted');
    }

    #carry(event) {
        if (event.pointerId !== this.#drag?.id) return;
        this.#label.style.setProperty('--x', `${event.clientX - this.#drag.x}px`);
        this.#label.style.setProperty('--y', `${event.clientY - this.#drag.y}px`);
    }

    #let(event) {
        if (event.pointerId !== this.#drag?.id) return;
        this.#drag = null;
        this.#label.classList.remove('lifted');
        for (const name of ['--x', '--y']) this.#label.style.removeProperty(name);
        if (event.type === 'pointerup') this.#touch(event);
    }

    async #answer(pin) {
        const { round } = this;
        const item = round?.item;
        const node = this.#pins.get(pin);
        if (!item || node.classList.contains('found')) return;
        const taken = this.answer(pin === item);
        if (!taken) return;
        this.#label.classList.toggle('wrong', !taken.right);
        if (taken.right) {
            node.classList.remove('shown');
            node.classList.add('found');
            node.lastChild.textContent = this.level === 'states' ? item.id : '✓';
            node.setAttribute('aria-label', nameOf(item));
            this.#map.node(item).classList.add('lit');
            this.bar.say(() => text('learn.found', { name: nameOf(item) }), 'right');
            return this.next();
        }
        this.#misses += 1;
        node.classList.add('wrong');
        this.bar.say(() => text('learn.notThere', { name: nameOf(item) }), 'wrong');
        // Whoever cannot know is shown.
        if (this.#misses >= patience) this.#pins.get(item).classList.add('shown');
        await sleep(700, this.ended.signal);
        node.classList.remove('wrong');
        if (round.item === item) this.#label.classList.remove('wrong');
    }
}

// Pushes pins apart that are nearer to one another than `least`, as little as is needed.
function spread(places, least) {
    const spots = places.map(([item, place]) => ({ item, place: [...place] }));
    for (let turn = 0; turn < 80; turn += 1) {
        let isMoved = false;
        for (let one = 0; one < spots.length; one += 1) {
            for (let other = one + 1; other < spots.length; other += 1) {
                const [a, b] = [spots[one].place, spots[other].place];
                const [dx, dy] = [b[0] - a[0] || 1, b[1] - a[1]];
                const far = Math.hypot(dx, dy);
                if (far >= least) continue;
                const push = (least - far) / 2 / far;
                a[0] -= dx * push;
                a[1] -= dy * push;
                b[0] += dx * push;
                b[1] += dy * push;
                isMoved = true;
            }
        }
        if (!isMoved) break;
    }
    return new Map(spots.map(({ item, place }) => [item, place]));
}

customElements.define('learn-pins', LearnPins);
