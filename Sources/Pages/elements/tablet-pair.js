// <tablet-pair>: pairs this device with the station. With the secret of a link (`token`), by one button; without it, by
// eight letters that a keeper approves.
import { button, go, h } from '../core/dom.js';
import { duration } from '../core/phrases.js';
import { pause } from '../core/pause.js';
import { defaultName, leave } from '../core/pairing.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';

const longestName = 40;

class TabletPair extends HTMLElement {
    token = '';
    #ended = null;
    #name = h('input', {
        id: 'device-name', type: 'text', autocomplete: 'off', spellcheck: 'false', maxlength: longestName, enterkeyhint: 'go',
    });
    // The name as the page proposed it.
    #proposed = '';
    #problem = h('p', { class: 'problem', role: 'alert' });
    #left = h('p', { class: 'left' });
    #told = null;

    connectedCallback() {
        this.#ended = new AbortController();
        this.#propose();
        words.addEventListener('languagechange', () => {
            this.#told?.();
            if (this.#name.value === this.#proposed) this.#propose();
        }, { signal: this.#ended.signal });
        if (station.session.role === 'kiosk') return this.#refuse();
        this.#begin();
    }

    disconnectedCallback() {
        this.#ended.abort();
        leave();
    }

    #propose() {
        this.#name.value = this.#proposed = defaultName();
    }

    #show(...children) {
        this.replaceChildren(h('div', { class: 'sheet' }, ...children));
        this.querySelector('h1').focus({ preventScroll: true });
    }

    // The kiosk's screen is everybody's.
    #refuse() {
        this.#show(h('h1', { class: 'title', word: 'pair.title', tabindex: -1 }), h('p', { word: 'pair.kiosk' }),
            button('band.home', () => go(this, 'home'), { class: 'primary', icon: 'home' }));
    }

    #begin() {
        const { role, device } = station.session;
        const act = this.token ? () => this.#pair() : () => this.#ask();
        this.#show(h('h1', { class: 'title', word: 'pair.title', tabindex: -1 }),
            h('p', { word: this.token ? 'pair.byLink' : 'pair.byLetters' }),
            device && h('p', { class: 'ribbon', word: ['pair.already', () => ({ device, role: text(`role.${role}`) })] }),
            h('form', { on: { submit: (event) => { event.preventDefault(); act(); } } },
                h('label', { for: 'device-name', word: 'pair.name' }), this.#name,
                button(this.token ? 'pair.do' : 'pair.ask', undefined, { type: 'submit', class: 'primary', icon: this.token ? 'check' : 'key' })),
            this.#problem);
    }

    #busy(value) {
        for (const node of this.querySelectorAll('form button')) node.disabled = value;
    }

    async #pair() {
        this.#busy(true);
        try {
            this.#finish(await api.pairByLink(this.token, this.#name.value.trim()));
        } catch (failure) {
            const isSpent = failure.kind === 'not-found';
            if (isSpent) {
                this.token = '';
                this.#begin();
            }
            tell(this.#problem, isSpent ? 'pair.spent' : this.#reason(failure), { seconds: failure.retryAfter || 60 });
        }
        this.#busy(false);
    }

    #reason({ kind }) {
        return { 'too-many-requests': 'pair.tooMany', unreachable: 'pair.unreachable', 'invalid-request': 'pair.badName' }[kind] ?? 'pair.failed';
    }

    async #ask() {
        this.#busy(true);
        try {
            this.#wait(await api.askToBePaired(this.#name.value.trim() || defaultName()));
        } catch (failure) {
            tell(this.#problem, this.#reason(failure), { seconds: failure.retryAfter || 60 });
            this.#busy(false);
        }
    }

    // Shows the letters until there is an answer (RFC 8628, section 3.5: told to slow down, it asks five seconds later).
    async #wait({ letters, token, expiresInSeconds, intervalSeconds }) {
        const { signal } = this.#ended;
        const end = performance.now() + 1000 * expiresInSeconds;
        this.#told = () => {
            this.#left.textContent = text('pair.left', { time: duration(Math.max(60, (end - performance.now()) / 1000)) });
        };
        this.#told();
        this.#problem.textContent = '';
        this.#show(h('h1', { class: 'title', word: 'pair.waiting', tabindex: -1 }),
            h('p', { class: 'letters', text: letters, role: 'img', 'aria-label': [...letters].join(' ') }),
            h('p', { word: 'pair.keeper' }),
            h('p', { class: 'command', lang: 'en', text: `konza devices approve ${letters} ranger` }),
            this.#left, button('pair.stop', () => go(this, 'home'), { icon: 'back' }));
        let interval = intervalSeconds;
        while (!signal.aborted) {
            await pause(1000 * interval, signal);
            if (signal.aborted) return;
            try {
                const answer = await api.collectSession(token, { signal });
                if (answer.role) return this.#finish(answer);
            } catch (failure) {
                if (failure.kind === 'too-many-requests') interval += 5;
                if (failure.kind === 'forbidden') return this.#over('pair.denied');
                if (failure.kind === 'not-found') return this.#over('pair.expired');
            }
            this.#told();
        }
    }

    #over(key) {
        this.#begin();
        tell(this.#problem, key);
    }

    #finish(session) {
        this.dispatchEvent(new CustomEvent('paired', { bubbles: true, detail: session }));
    }
}

customElements.define('tablet-pair', TabletPair);
