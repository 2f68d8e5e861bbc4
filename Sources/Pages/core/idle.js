// Calls `warn` after so many seconds without a touch or a key. Suspended while the station is at work for the visitor.

export class Idle {
    #timer = 0;
    #suspended = false;

    constructor(seconds, warn) {
        this.seconds = seconds;
        this.warn = warn;
        for (const event of ['pointerdown', 'keydown', 'touchstart', 'wheel']) {
            addEventListener(event, () => this.restart(), { capture: true, passive: true });
        }
        this.restart();
    }

    restart() {
        clearTimeout(this.#timer);
        if (!this.#suspended) this.#timer = setTimeout(() => this.warn(), this.seconds * 1000);
    }

    set suspended(value) {
        this.#suspended = value;
        this.restart();
    }
}
