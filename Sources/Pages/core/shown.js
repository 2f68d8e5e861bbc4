// A screen of what the station's people wrote: asks for it, draws it, and draws it again in another language. While nobody
// answers it says so and asks again.
import { h } from './dom.js';
import { text, words } from './words.js';
import { pause } from './pause.js';
import { follow } from './changes.js';

const again = 3000;

// `ask(signal)` gives what `draw(answer)` makes elements of. `gone()` is called when it is not there any more, `ended()` when
// whoever asked may not see it any more. `follows` is of what kind the changes are after which it is asked for again, and how often
// that is without their stream, milliseconds.
export class Shown extends HTMLElement {
    #ended = null;
    #answer = null;
    follows = null;
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

    // What is asked for depends on the language for some.
    changed() {
        if (this.#answer) this.draw(this.#answer);
    }

    async load() {
        const { signal } = this.#ended;
        for (;;) {
            try {
                const answer = await this.ask(signal);
                if (signal.aborted) return;
                this.#answer = answer;
                this.note.textContent = '';
                this.draw(answer);
                return;
            } catch (failure) {
                if (signal.aborted) return;
                if (failure.status === 404 && this.gone) return this.gone();
                if (failure.kind === 'forbidden' && this.ended) return this.ended();
                this.note.textContent = text('events.failed');
                this.failed();
            }
            await pause(again, signal);
            if (signal.aborted) return;
        }
    }

    // Says a word on the screen that comes next.
    say(key) {
        const app = this.closest('kiosk-app');
        queueMicrotask(() => app?.dispatchEvent(new CustomEvent('say', { detail: text(key) })));
    }
}
