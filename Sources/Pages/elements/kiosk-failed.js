// <kiosk-failed>: no picture was taken, and why; `failure` is a problem of the station or a `Failure`.
import { button, go, h } from '../core/dom.js';
import { forRanger } from '../core/phrases.js';
import { station } from '../core/station.js';
import { words } from '../core/words.js';

// Long enough to read why.
const shortest = 4000;

class KioskFailed extends HTMLElement {
    failure = {};
    #ended = null;

    connectedCallback() {
        const { kind, detail, message } = this.failure;
        this.replaceChildren(h('calm-prairie'), h('div', { class: 'notice', role: 'alert' },
            h('h1', { word: 'failed.title', tabindex: -1 }),
            h('p', { class: 'reason', word: words.has(`closed.${kind}`) ? `closed.${kind}` : 'closed.other' }),
            h('p', { class: 'detail' }, forRanger(detail ?? message)),
            button('failed.retry', () => go(this, 'compose'), { class: 'primary', icon: 'again', 'data-first': true })));
        this.#ended = new AbortController();
        if (kind === 'unreachable') this.#await();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // A station that was away is asked for by the page itself: once it is back, the visitor is where the picture was composed.
    #await() {
        const { signal } = this.#ended;
        const shown = performance.now();
        station.addEventListener('change', () => {
            if (!station.closed && performance.now() - shown >= shortest) go(this, 'compose');
        }, { signal });
    }
}

customElements.define('kiosk-failed', KioskFailed);
