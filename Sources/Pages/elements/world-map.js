// <world-map>: a prepared map (atlas.js) in a frame, as SVG. Which shape is which is known to the script alone: nothing in the
// document names an answer.
import { growth, s } from '../core/dom.js';

export class WorldMap extends HTMLElement {
    #svg = s('svg', { 'aria-hidden': 'true' });
    #nodes = new Map();
    #groups = new Map();
    #frame = null;
    #over = s('g', { class: 'over' });

    // `group(item)` puts shapes together; `lines` are drawn dashed above them.
    show(map, frame, { group = () => '', items = map.items, lines = [] } = {}) {
        const water = s('rect', { class: 'water', x: '-50%', y: '-50%', width: '200%', height: '200%' });
        this.#nodes = new Map(items.map((item) => [item, s('path', { class: `land c${item.colour}`, d: item.path })]));
        this.#groups = new Map();
        for (const item of items) {
            const name = group(item);
            if (!this.#groups.has(name)) this.#groups.set(name, s('g', { class: 'group' }));
            this.#groups.get(name).append(this.#nodes.get(item));
        }
        this.#over.replaceChildren();
        this.#svg.replaceChildren(water, ...this.#groups.values(),
            ...lines.map(({ path }) => s('path', { class: 'contested', d: path })), this.#over);
        this.replaceChildren(this.#svg);
        this.look(frame);
        return this;
    }

    // Shows another part: left, top, right, bottom in the units of the map.
    look(frame) {
        this.#frame = frame;
        const [left, top, right, bottom] = frame;
        this.#svg.setAttribute('viewBox', `${left} ${top} ${right - left} ${bottom - top}`);
    }

    get frame() {
        return this.#frame;
    }

    get svg() {
        return this.#svg;
    }

    get over() {
        return this.#over;
    }

    node(item) {
        return this.#nodes.get(item);
    }

    group(name) {
        return this.#groups.get(name);
    }

    get groups() {
        return this.#groups;
    }

    // Gives the shapes of items a class, and takes it from all others.
    mark(name, items) {
        const wanted = new Set(items);
        for (const [item, node] of this.#nodes) node.classList.toggle(name, wanted.has(item));
    }

    // Units of the map for one pixel of the screen.
    get scale() {
        return 1 / this.#svg.getScreenCTM().a;
    }

    // Where on the map a point of the screen is.
    place({ clientX, clientY }) {
        const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.#svg.getScreenCTM().inverse());
        return [x, y];
    }

    // Where on the screen a place of the map is.
    point([x, y]) {
        return new DOMPoint(x, y).matrixTransform(this.#svg.getScreenCTM());
    }

    // Rings round a place: for what is too small to be seen.
    ring(item, className = 'locator') {
        const [left, top, right, bottom] = item.frame;
        const size = Math.max(right - left, bottom - top);
        const scale = this.scale * growth(this);
        if (size / scale > 24) return null;
        const node = s('circle', { class: className, cx: (left + right) / 2, cy: (top + bottom) / 2, r: 22 * scale });
        this.#over.append(node);
        return node;
    }
}

customElements.define('world-map', WorldMap);
