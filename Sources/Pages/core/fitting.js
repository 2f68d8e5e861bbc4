// Lists at the kiosk do not scroll: they are turned, as many at a time as have room.
import { button, growth, h } from './dom.js';
import { text, words } from './words.js';

// A list of buttons in columns that are at least `width` wide, in `--px`, with what turns it. `make(item)` gives what stands in a list
// item. `show(items)` draws; `turn` is the pager.
export class Fitting {
    #items = [];
    #at = 0;
    #size = 1;
    #width;
    #make;
    #frame = 0;
    #former = button('rocks.former', () => this.#turn(-1), { icon: 'left', class: 'lone' });
    #next = button('rocks.next', () => this.#turn(1), { icon: 'right', class: 'lone' });
    #where = h('p', { class: 'where' });
    #watch = new ResizeObserver(() => { cancelAnimationFrame(this.#frame); this.#frame = requestAnimationFrame(() => this.#draw()); });

    constructor(make, { width, label, name }) {
        this.#make = make;
        this.#width = width;
        this.list = h('ul', { class: `fitting ${name}`, label });
        this.turn = h('div', { class: 'turner', role: 'group', label: 'rocks.pages' }, this.#former, this.#where, this.#next);
        this.#watch.observe(this.list);
    }

    close() {
        this.#watch.disconnect();
        cancelAnimationFrame(this.#frame);
    }

    show(items, { keeps = false } = {}) {
        this.#items = items;
        if (!keeps) this.#at = 0;
        this.#draw();
    }

    #turn(by) {
        this.#at = Math.max(0, Math.min(this.#items.length - 1, this.#at + by * this.#size));
        this.#draw();
    }

    #draw() {
        const style = getComputedStyle(this.list);
        const gap = parseFloat(style.rowGap) || 16;
        const target = parseFloat(style.getPropertyValue('--row')) || parseFloat(style.minHeight) || 64;
        const { clientWidth, clientHeight } = this.list;
        if (!clientWidth) return;
        const columns = Math.max(1, Math.floor((clientWidth + gap) / (this.#width * growth(this.list) + gap)));
        const rows = Math.max(1, Math.floor((clientHeight + gap) / (target + gap)));
        this.#size = columns * rows;
        this.#at -= this.#at % this.#size;
        if (this.#at >= this.#items.length) this.#at = Math.max(0, this.#items.length - 1 - ((this.#items.length - 1) % this.#size));
        this.list.style.setProperty('--columns', columns);
        const held = document.activeElement?.closest('.fitting') === this.list ? [...this.list.querySelectorAll('button')].indexOf(document.activeElement) : -1;
        this.list.replaceChildren(...this.#items.slice(this.#at, this.#at + this.#size).map((item) => h('li', {}, this.#make(item))));
        this.list.querySelectorAll('button')[held]?.focus();
        const pages = Math.ceil(this.#items.length / this.#size);
        this.turn.hidden = pages < 2;
        this.#where.textContent = text('rocks.page', { page: words.number(this.#at / this.#size + 1), pages: words.number(pages) });
        this.#former.disabled = this.#at === 0;
        this.#next.disabled = this.#at + this.#size >= this.#items.length;
    }
}
