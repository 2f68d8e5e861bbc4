// Chance that can be repeated: the same seed gives the same round on every machine.

// A number of 32 bits of a text (FNV-1a).
function hash(text) {
    let value = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
    return value;
}

// A function that gives numbers from 0 to below 1 (mulberry32), as Math.random does.
export function seeded(seed) {
    let state = hash(String(seed));
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
}

// A seed for a round that nobody has asked to repeat.
export const newSeed = () => [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

// Another order of the same items (Fisher and Yates), all orders alike.
export function shuffled(items, random) {
    const order = [...items];
    for (let last = order.length - 1; last > 0; last -= 1) {
        const other = Math.floor(random() * (last + 1));
        [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
}

// A bag that gives every item once before any comes again; none of the last third of one bag begins the next.
export class Bag {
    #items;
    #random;
    #left = [];
    #recent = [];

    constructor(items, random) {
        this.#items = [...items];
        this.#random = random;
    }

    next() {
        if (!this.#left.length) this.#fill();
        const item = this.#left.shift();
        this.#recent.push(item);
        if (this.#recent.length > Math.floor(this.#items.length / 3)) this.#recent.shift();
        return item;
    }

    #fill() {
        const order = shuffled(this.#items, this.#random);
        const late = order.filter((item) => this.#recent.includes(item));
        this.#left = order.filter((item) => !this.#recent.includes(item));
        // What came last may come again once as many others have.
        for (const item of late) {
            const first = Math.min(this.#left.length, Math.floor(this.#items.length / 3));
            const place = first + Math.floor(this.#random() * (this.#left.length - first + 1));
            this.#left.splice(place, 0, item);
        }
    }
}
