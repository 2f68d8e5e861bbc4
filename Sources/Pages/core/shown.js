// A screen of what the station's people wrote: asks for it, draws it, and draws it again in another language. While nobody
// answers it says so and asks again.
import { h } from './dom.js';
import { unanswered } from './phrases.js';
import { tell, text, words } from './words.js';
import { pause } from './pause.js';
import { follow } from './changes.js';

const again = 3000;

// `ask(signal)` gives what `draw(answer)` makes elements of. `gone()` is called when it is not there any more, `ended()` when
// whoever asked may not see it any more. `follows` is of what kind the changes are after which it is asked for again, and how often
// that is without their stream, milliseconds.
export class Shown extends HTMLElement {
    #ended = null;
    #answer = null;
    #loads = 0;
    #hasFailed = false;
    follows = null;
    // What is known before the answer, and shown.
    given = null;
    note = h('p', { class: 'note', role: 'status' });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        words.addEventListener('languagechange', () => this.changed(), { signal });
        this.begin();
        if (signal.aborted) return;
        if (this.follows) follow(...this.follows, signal, () => this.load());
        else this.load();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // What is there before the answer is.
    begin() {}

    // What is there without an answer, too.
    failed() {}

    // Another language. What is asked for depends on it for some, which ask again.
    changed() {
        if (this.#answer) this.draw(this.#answer);
        else this.begin();
        if (this.#hasFailed) this.#fail();
    }

    // The question before it is answered to nobody.
    async load() {
        const { signal } = this.#ended;
        const load = (this.#loads += 1);
        const isOver = () => signal.aborted || load !== this.#loads;
        do {
            try {
                const answer = await this.ask(signal);
                if (isOver()) return;
                this.#answer = answer;
                this.#hasFailed = false;
                tell(this.note);
                return this.draw(answer);
            } catch (failure) {
                if (isOver()) return;
                if (failure.status === 404 && this.gone) return this.gone();
                if (failure.kind === 'forbidden' && this.ended) return this.ended();
                this.#fail();
            }
            await pause(again, signal);
        } while (!isOver());
    }

    #fail() {
        this.#hasFailed = true;
        tell(this.note, unanswered(this.#answer ?? this.given));
        this.failed();
    }

    // Says a word on the screen that comes next.
    say(key) {
        const app = this.closest('kiosk-app');
        queueMicrotask(() => app?.dispatchEvent(new CustomEvent('say', { detail: text(key) })));
    }
}
