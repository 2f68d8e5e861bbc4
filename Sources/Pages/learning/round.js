// One round of a quiz: which item is asked, what was answered, and the time. Pure: the clock is given, nothing is drawn.
import { Study } from './boxes.js';

export class Round {
    // What was answered: {item, right}.
    answers = [];
    right = 0;
    over = false;
    #items;
    #clock;
    #seconds;
    #guard;
    #stays;
    #study;
    #index = 0;
    #begun;
    #paused = null;
    #lost = 0;
    #last = -Infinity;
    #ended = null;

    // `items` in their order; `seconds` or null for no clock; `clock()` gives milliseconds that never go back; with `stays`,
    // an item is asked until it is right. Answers nearer to the one before than `guard` milliseconds are a double tap. With
    // `again`, a source of chance, a missed item comes again after three to five others: for practice, no score does.
    constructor({ items, seconds = null, clock = () => performance.now(), stays = false, guard = 250, again = null }) {
        this.#items = items;
        this.#study = again && new Study(items, again);
        this.#seconds = seconds;
        this.#clock = clock;
        this.#guard = guard;
        this.#stays = stays;
        this.#begun = clock();
    }

    get item() {
        if (this.over) return null;
        return this.#study ? this.#study.item : this.#items[this.#index];
    }

    get number() {
        return Math.min(this.#index + 1, this.#items.length);
    }

    get of() {
        return this.#items.length;
    }

    get asked() {
        return this.answers.length;
    }

    // Milliseconds that were played, without those that it was paused.
    get elapsed() {
        return (this.#ended ?? this.#paused ?? this.#clock()) - this.#begun - this.#lost;
    }

    get seconds() {
        const played = this.elapsed / 1000;
        return this.#seconds === null ? played : Math.min(played, this.#seconds);
    }

    // Seconds that are left; null without a clock.
    get left() {
        return this.#seconds === null ? null : Math.max(0, this.#seconds - this.elapsed / 1000);
    }

    get isTimed() {
        return this.#seconds !== null;
    }

    // Whether everything was found.
    get isDone() {
        return this.right === this.#items.length;
    }

    // Stops the time: the page is hidden, or a question is open.
    pause() {
        if (!this.over) this.#paused ??= this.#clock();
    }

    resume() {
        if (this.#paused === null) return;
        this.#lost += this.#clock() - this.#paused;
        this.#paused = null;
    }

    // Ends the round when its time is over; true if it is over.
    tick() {
        if (!this.over && this.left === 0) this.#end(this.#begun + this.#lost + this.#seconds * 1000);
        return this.over;
    }

    // Takes an answer. Null where none counts: too soon after the one before, while paused, or when the time is over.
    answer(isRight) {
        if (this.#paused !== null || this.tick()) return null;
        const now = this.#clock();
        if (now - this.#last < this.#guard) return null;
        this.#last = now;
        const { item } = this;
        this.answers.push({ item, right: isRight });
        if (isRight) this.right += 1;
        this.#study?.answer(isRight);
        if (isRight || !(this.#stays || this.#study)) this.#index += 1;
        if (this.#index === this.#items.length) this.#end(now);
        return { item, right: isRight };
    }

    stop() {
        if (!this.over) this.#end(this.#paused ?? this.#clock());
    }

    #end(at) {
        this.#paused = null;
        this.#ended = at;
        this.over = true;
    }
}
