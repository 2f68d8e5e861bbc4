// A list in pages of as many rows as have room: the kiosk does not scroll here, everywhere else the screen does.
import { station } from './station.js';

// `list` is filled by whoever has the rows, from `first` on; `fit` takes away those that have no room. `lines` are hidden where there
// is one page alone; `row` is what a row is known by, where others are in the list as well.
export class FittedPages {
    first = 0;
    // Where the pages before this one begin.
    #before = [];
    #list;
    #newer;
    #older;
    #lines;
    #row;

    constructor(list, { newer, older, lines = [newer, older], row = ':scope > *' }) {
        [this.#list, this.#newer, this.#older, this.#lines, this.#row] = [list, newer, older, lines, row];
    }

    get #shownCount() {
        return this.#list.querySelectorAll(this.#row).length;
    }

    turn(pages) {
        if (pages > 0) this.#before.push(this.first);
        this.first = pages > 0 ? this.first + this.#shownCount : this.#before.pop() ?? 0;
    }

    // Back to the first page where there are fewer than this one begins at.
    check(count) {
        if (this.first >= count) [this.first, this.#before] = [0, []];
    }

    // The buttons that turn the page take room of their own: there first, if there may be more.
    fit(count) {
        const turns = (has) => { for (const one of this.#lines) one.hidden = !has; };
        const isOver = () => station.session.role === 'kiosk' && this.#list.scrollHeight > this.#list.clientHeight + 1;
        turns(false);
        turns(this.first > 0 || this.first + this.#shownCount < count || isOver());
        while (isOver() && this.#shownCount > 1) this.#list.lastChild.remove();
        this.#newer.disabled = this.first === 0;
        this.#older.disabled = this.first + this.#shownCount >= count;
    }
}
