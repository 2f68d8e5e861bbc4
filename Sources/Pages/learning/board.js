// Where the pieces of a jigsaw are, and when they snap: to their place on the board, and on the hard level to one another.
// A piece's offset is how far it lies from its place, in units of the board. Pure: nothing is drawn.

export class Board {
    // By the number of a piece: {x, y, isHome, group}.
    places;
    #pieces;
    #reach;
    #joins;

    // `reach` is the share of the cell's shorter side within which a piece snaps.
    constructor(pieces, { reach, joins = false }) {
        this.#pieces = pieces;
        const [left, top, right, bottom] = pieces[0].cell;
        this.#reach = reach * Math.min(right - left, bottom - top);
        this.#joins = joins;
        this.places = pieces.map((_, number) => ({ x: 0, y: 0, isHome: false, group: number }));
    }

    get home() {
        return this.places.filter(({ isHome }) => isHome).length;
    }

    get isDone() {
        return this.home === this.#pieces.length;
    }

    // The pieces that move with one.
    group(number) {
        const { group } = this.places[number];
        return this.places.flatMap((place, other) => (place.group === group ? [other] : []));
    }

    // Puts a piece, and those that it is joined to, at an offset.
    move(number, x, y) {
        if (this.places[number].isHome) return;
        for (const one of this.group(number)) Object.assign(this.places[one], { x, y });
    }

    // The pointer has let go. What became of it: "home", "joined", or null.
    drop(number) {
        const place = this.places[number];
        if (place.isHome) return null;
        if (Math.hypot(place.x, place.y) < this.#reach) {
            for (const one of this.group(number)) Object.assign(this.places[one], { x: 0, y: 0, isHome: true });
            return 'home';
        }
        return this.#joins && this.#join(number) ? 'joined' : null;
    }

    #join(number) {
        for (const one of this.group(number)) {
            for (const other of this.#pieces[one].neighbours) {
                const [mine, its] = [this.places[one], this.places[other]];
                if (its.isHome || its.group === mine.group || Math.hypot(mine.x - its.x, mine.y - its.y) >= this.#reach) continue;
                const { x, y } = its;
                const { group } = mine;
                for (const place of this.places) if (place.group === group) Object.assign(place, { x, y, group: its.group });
                return true;
            }
        }
        return false;
    }

    // Puts a piece into the cell of another, as a keyboard does; the same as letting it go there.
    place(number, cell) {
        const [from, to] = [this.#pieces[number].cell, this.#pieces[cell].cell];
        this.move(number, to[0] - from[0], to[1] - from[1]);
        return this.drop(number);
    }
}
