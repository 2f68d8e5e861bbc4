// <tablet-invite>: for the keeper: a link that pairs one device, as a code to scan and as a text, for as long as it is good.
import { code } from '../core/codes.js';
import { button, go, h } from '../core/dom.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';
import { roles } from './tablet-devices.js';

const every = 3000;

class TabletInvite extends HTMLElement {
    #ended = null;
    #problem = h('p', { class: 'problem', role: 'alert' });
    #left = h('p', { class: 'left' });

    connectedCallback() {
        this.#ended = new AbortController();
        words.addEventListener('languagechange', () => this.#count?.(), { signal: this.#ended.signal });
        this.#choose();
    }

    #count = null;

    disconnectedCallback() {
        this.#ended.abort();
    }

    #choose() {
        this.replaceChildren(h('h1', { class: 'title', word: 'invite.title', tabindex: -1 }), h('p', { word: 'invite.who' }),
            h('ul', { class: 'tiles' }, roles.map((role) => h('li', {},
                button(`role.${role}`, () => this.#invite(role), { class: 'tile', icon: 'key' }), h('p', { class: 'note', word: `role.${role}Note` })))),
            this.#problem, h('div', { class: 'choices' }, button('invite.back', () => go(this, 'devices'), { icon: 'back' })));
        this.querySelector('h1').focus({ preventScroll: true });
    }

    async #invite(role) {
        for (const node of this.querySelectorAll('.tile')) node.disabled = true;
        try {
            const known = new Set((await api.devices()).devices.map(({ id }) => id));
            this.#show(await api.invite(role), known);
        } catch (failure) {
            this.#choose();
            tell(this.#problem, 'pages.failed');
            if (failure.kind === 'forbidden') station.ask();
        }
    }

    #show({ role, link, expiresInSeconds, qr }, known) {
        const end = performance.now() + 1000 * expiresInSeconds;
        this.#count = () => {
            const seconds = Math.max(0, Math.round((end - performance.now()) / 1000));
            this.#left.textContent = text('invite.left', { time: `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}` });
            return seconds;
        };
        this.replaceChildren(h('h1', { class: 'title', word: ['invite.scan', () => ({ role: text(`role.${role}`) })], tabindex: -1 }),
            qr.length > 0 && code(qr, { label: 'invite.code' }),
            h('div', { class: 'answer' }, h('p', { word: 'invite.how' }), h('p', { class: 'link', text: link }), this.#left,
                h('div', { class: 'choices' }, button('invite.back', () => go(this, 'devices'), { icon: 'back' }))));
        this.querySelector('h1').focus({ preventScroll: true });
        this.#count();
        this.#watch(known);
    }

    // Until the link was used, or is too old.
    async #watch(known) {
        const { signal } = this.#ended;
        for (let turn = 1; !signal.aborted; turn += 1) {
            await pause(1000, signal);
            if (signal.aborted) return;
            if (this.#count() === 0) return this.#over('invite.expired');
            if (turn % (every / 1000)) continue;
            const { devices } = await api.devices({ signal }).catch(() => ({ devices: [] }));
            const added = devices.find(({ id }) => !known.has(id));
            if (added) return this.#over('invite.done', { name: added.name });
        }
    }

    #over(key, values) {
        if (this.#ended.signal.aborted) return;
        this.#count = null;
        const app = this.closest('kiosk-app');
        go(this, key === 'invite.done' ? 'devices' : 'invite');
        app.dispatchEvent(new CustomEvent('say', { detail: text(key, values) }));
    }
}

customElements.define('tablet-invite', TabletInvite);
