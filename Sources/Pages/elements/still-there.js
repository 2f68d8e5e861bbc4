// <still-there>: asks whether the visitor is still there, with a large button and the seconds that are left.
import { button, h } from '../core/dom.js';
import { text, words } from '../core/words.js';

// Milliseconds in which nobody can have read it: whoever touches it then meant what was there before.
const unread = 500;

class StillThere extends HTMLElement {
    #dialog = null;
    #left = h('p', { class: 'left' });
    #timer = 0;
    #openedAt = 0;

    connectedCallback() {
        this.#dialog = h('dialog', { role: 'alertdialog', label: 'still.title', on: { cancel: () => this.#close('stay') } },
            h('h2', { word: 'still.title' }), this.#left,
            button('still.stay', () => this.#close('stay'), { class: 'primary', icon: 'check', autofocus: true }),
            button('still.over', () => { if (performance.now() - this.#openedAt > unread) this.#close('over'); }, { class: 'quiet' }));
        this.replaceChildren(this.#dialog);
    }

    open(seconds) {
        if (this.#dialog.open) return;
        let left = seconds;
        const tell = () => { this.#left.textContent = text('still.left', { time: words.amount(left, 'second') }); };
        tell();
        this.#dialog.showModal();
        this.#openedAt = performance.now();
        this.#timer = setInterval(() => {
            left -= 1;
            if (left <= 0) return this.#close('over');
            tell();
        }, 1000);
    }

    #close(answer) {
        clearInterval(this.#timer);
        if (this.#dialog.open) this.#dialog.close();
        this.dispatchEvent(new Event(answer, { bubbles: true }));
    }
}

customElements.define('still-there', StillThere);
