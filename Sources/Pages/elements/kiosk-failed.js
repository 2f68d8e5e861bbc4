// <kiosk-failed>: no picture was taken, and why; `failure` is a problem of the station or a `Failure`.
import { button, go, h } from '../core/dom.js';
import { forRanger } from '../core/phrases.js';
import { words } from '../core/words.js';

class KioskFailed extends HTMLElement {
    failure = {};

    connectedCallback() {
        const { kind, detail, message } = this.failure;
        this.replaceChildren(h('calm-prairie'), h('div', { class: 'notice', role: 'alert' },
            h('h1', { word: 'failed.title', tabindex: -1 }),
            h('p', { class: 'reason', word: words.has(`closed.${kind}`) ? `closed.${kind}` : 'closed.other' }),
            h('p', { class: 'detail' }, forRanger(detail ?? message)),
            button('failed.retry', () => go(this, 'compose'), { class: 'primary', icon: 'again', 'data-first': true })));
    }
}

customElements.define('kiosk-failed', KioskFailed);
