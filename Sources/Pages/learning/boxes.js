// Spaced repetition by boxes (Leitner): what was right comes later, what was wrong soon. The station keeps the same boxes
// for profiles (ProgressRegister.boxDays).

export const boxDays = [0, 1, 3, 7, 21];
const day = 86_400_000;

// What is known of an item after an answer at a time (milliseconds); `before` is null for the first.
export function answered(before, right, now) {
    const box = right ? Math.min((before?.box ?? 0) + 1, boxDays.length) : 1;
    return { seen: (before?.seen ?? 0) + 1, right: (before?.right ?? 0) + (right ? 1 : 0), box, due: now + boxDays[box - 1] * day };
}

// The order in which items are asked: those that are due, the lowest box first; then those that were never seen; then the others,
// by when they are due. Each part keeps the order that it had, which is random.
export function dueFirst(items, known, now) {
    const rank = (item) => {
        const entry = known(item);
        if (!entry) return [1, 0];
        return entry.due <= now ? [0, entry.box] : [2, entry.due];
    };
    return items.map((item, index) => ({ item, index, rank: rank(item) }))
        .sort((one, other) => one.rank[0] - other.rank[0] || one.rank[1] - other.rank[1] || one.index - other.index)
        .map(({ item }) => item);
}

// The place in a queue for what was missed: behind three to five others, or at its end where fewer are left. It comes behind
// those that wait for their turn already (`waits(item)`), so that none of these is put off.
export function placeAgain(queue, random, waits) {
    const least = Math.max(3, 1 + queue.slice(0, 5).findLastIndex(waits));
    return Math.min(least + Math.floor(random() * (6 - least)), queue.length);
}

// Items to study: one that was missed comes again after three to five others, until it is known.
export class Study {
    #queue;
    #random;
    #missed = new Set();

    constructor(items, random) {
        this.#queue = [...items];
        this.#random = random;
    }

    get item() {
        return this.#queue[0] ?? null;
    }

    get left() {
        return this.#queue.length;
    }

    answer(isKnown) {
        const item = this.#queue.shift();
        this.#missed.delete(item);
        if (isKnown) return;
        this.#queue.splice(placeAgain(this.#queue, this.#random, (one) => this.#missed.has(one)), 0, item);
        this.#missed.add(item);
    }
}
