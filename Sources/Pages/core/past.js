// The screens that the browser's Back and Forward lead to, on a device of somebody's own. What they show is kept in this page alone: the
// browser's history has numbers.
export class Past {
    #shown = [];
    // Where in the history the page is; it may have been loaded anew in the midst of it.
    #place = (history.state?.place ?? 0) - 1;
    #isFirst = true;
    // A move in the browser's history that is under way, and the screen that is to follow it there.
    #isMoving = false;
    #next = null;
    #show;

    // `show` is called with the name and the values of a screen, or without any where there is none to go back to.
    constructor(show) {
        this.#show = show;
        addEventListener('popstate', ({ state }) => this.#arrive(state?.place ?? 0));
    }

    // Notes a screen that is shown. One that was shown before on the way here is gone back to: its Back leads where it did.
    note(name, values) {
        if (this.#isMoving) {
            this.#next = [name, values];
            return;
        }
        const known = this.#shown.findLastIndex((one, at) => at <= this.#place && one?.name === name);
        const place = known < 0 ? this.#place + 1 : known;
        this.#shown[place] = { name, values };
        if (known < 0) {
            this.#shown.length = place + 1;
            if (this.#isFirst) history.replaceState({ place }, '');
            else history.pushState({ place }, '', '/');
            this.#isFirst = false;
        } else if (place < this.#place) {
            this.#isMoving = true;
            history.go(place - this.#place);
        }
        this.#place = place;
    }

    // Nothing of before is shown again: the device is somebody else's now.
    forget() {
        this.#shown = this.#shown.map(() => null);
    }

    #arrive(place) {
        if (this.#isMoving) {
            this.#isMoving = false;
            const next = this.#next;
            this.#next = null;
            if (next) this.note(...next);
            return;
        }
        this.#place = place;
        const { name, values } = this.#shown[place] ?? {};
        this.#show(name, values);
    }
}
