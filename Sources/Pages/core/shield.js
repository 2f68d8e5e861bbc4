// A finger that taps twice means what it saw: when a touch has changed what stands under it, the taps that follow at that place do
// nothing. It is about pointers alone; the keyboard and screen readers wait for nothing.

// A tap within so many milliseconds of the change, no farther away than this, is of the finger that the page has answered to.
const tapsAgain = 400;
const fingertip = 48;
// Milliseconds from a touch to the change that answers it, and the longest for which a finger that goes on tapping is passed over.
const answered = 1500;

class Shield {
    // Where and when the page was touched last, when it changed, and until when taps at that place do nothing.
    #touch = null;
    #changedAt = 0;
    #until = 0;

    // Judges every click below a node before anything else there does.
    guard(node) {
        node.addEventListener('click', (event) => this.#judge(event), { capture: true });
    }

    // What stands under the finger has changed: another screen, a dialog, other rows of a list, another button.
    raise() {
        this.#changedAt = performance.now();
        const isAnswer = this.#touch && this.#changedAt - this.#touch.at < answered;
        this.#until = isAnswer ? this.#changedAt + tapsAgain : 0;
    }

    // What changes next answers to no touch of the page.
    forget() {
        this.#touch = null;
    }

    #judge(event) {
        // A keyboard's, or a screen reader's.
        if (event.detail === 0) return;
        const now = performance.now();
        // When the finger was there: a page that is busy hears of it later.
        const { clientX: x, clientY: y, timeStamp } = event;
        if (this.#touch && timeStamp < this.#until && Math.hypot(x - this.#touch.x, y - this.#touch.y) < fingertip) {
            this.#until = Math.min(now + tapsAgain, this.#changedAt + answered);
            event.preventDefault();
            event.stopPropagation();
            return;
        }
        this.#touch = { x, y, at: now };
        this.#until = 0;
    }
}

export const shield = new Shield();
