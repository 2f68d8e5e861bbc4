// What changed in the life of the station: one stream of events for the whole page, open while somebody waits for one of them. Where
// the stream breaks, those who wait are told as often as they would ask without it.
import { changeStream } from './api.js';

// With the stream, it is asked this often all the same: what time alone changes sends no event.
const calm = 30_000;
// After the station has refused the stream.
const triesAgain = 30_000;

const waiting = new Set();
let stream = null;
let isOpen = false;
let retry = 0;

const tell = (kind) => { for (const one of waiting) if (!kind || one.kind === kind) one.heard(); };

function open() {
    if (stream || retry || !waiting.size) return;
    stream = changeStream({
        // Something may have changed before it was open.
        opened: () => { isOpen = true; tell(); },
        // While the browser connects again by itself it is asked as without the stream.
        failed: (isOver) => {
            const wasOpen = isOpen;
            isOpen = false;
            if (wasOpen) tell();
            if (!isOver) return;
            close();
            retry = setTimeout(() => { retry = 0; open(); }, triesAgain);
        },
        heard: tell,
    });
}

function close() {
    stream?.close();
    stream = null;
    isOpen = false;
    if (waiting.size) return;
    clearTimeout(retry);
    retry = 0;
}

// Who listens may hear is decided when the stream is opened: whoever signs in or out opens another one.
export function reopenChanges() {
    close();
    clearTimeout(retry);
    retry = 0;
    open();
}

// Asks, and again after each change of a kind, until a signal is aborted or the answer is `false`; `every` is how often that is
// without the stream, milliseconds.
export async function follow(kind, every, signal, ask) {
    const changes = new Changes(kind, every, signal);
    while (!signal.aborted && await ask() !== false) await changes.next();
}

// Waits for changes of a kind until a signal is aborted: `await changes.next()` returns when something changed since the last time
// it returned, or it is time to ask all the same.
class Changes {
    #every;
    #hasHeard = false;
    #wake = null;

    constructor(kind, every, signal) {
        this.kind = kind;
        this.#every = every;
        waiting.add(this);
        signal.addEventListener('abort', () => {
            waiting.delete(this);
            this.#wake?.();
            if (!waiting.size) close();
        });
        open();
    }

    heard() {
        this.#hasHeard = true;
        this.#wake?.();
    }

    // At most twice a second, however much changes.
    async next() {
        const began = performance.now();
        const rest = () => began + (isOpen ? Math.max(calm, this.#every) : this.#every) - performance.now();
        await new Promise((resume) => { setTimeout(resume, 500); });
        while (!this.#hasHeard && waiting.has(this) && rest() > 0) {
            await new Promise((resume) => {
                const timer = setTimeout(resume, rest());
                this.#wake = () => { clearTimeout(timer); resume(); };
            });
            this.#wake = null;
        }
        this.#hasHeard = false;
    }
}
