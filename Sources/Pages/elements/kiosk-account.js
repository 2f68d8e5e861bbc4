// <kiosk-account>: what people do with their own account: another passphrase, a new PIN, a new badge, and where they are signed in.
// `part` is which of them is shown; without one, all are offered.
import { button, go, h, icon } from '../core/dom.js';
import { code as drawCode } from '../core/codes.js';
import { ask } from '../core/ask.js';
import { person } from '../core/person.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';

const when = { dateStyle: 'medium', timeStyle: 'short' };
const shortest = 15;
const icons = { passphrase: 'pencil', pin: 'key', badge: 'cards', sessions: 'phone' };

class KioskAccount extends HTMLElement {
    part = '';
    #ended = null;
    #answer = h('p', { class: 'problem', role: 'alert' });
    #body = h('div', { class: 'body' });

    async connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.#frame();
        // What is typed, and a PIN that is shown once, stay.
        words.addEventListener('languagechange', () => { if (this.part === 'sessions') this.#draw(); }, { signal });
        await person.ask({ signal }).catch(() => {});
        if (!signal.aborted) this.#draw();
    }

    // What was shown once is not kept.
    disconnectedCallback() {
        this.#ended.abort();
        this.#body.replaceChildren();
    }

    get #isKiosk() {
        return station.session.role === 'kiosk';
    }

    // The passphrase is for devices of one's own; the kiosk has no keyboard that others could not watch.
    get #parts() {
        return this.#isKiosk ? ['pin', 'badge', 'sessions'] : ['passphrase', 'pin', 'badge', 'sessions'];
    }

    #frame() {
        const back = this.part ? () => go(this, 'account') : () => go(this, 'crew');
        this.replaceChildren(
            h('div', { class: 'head' }, h('h1', { class: 'title', word: this.part ? `account.${this.part}` : 'account.title', tabindex: -1 }),
                button('account.back', back, { icon: 'back' })),
            this.#body, this.#answer);
    }

    #draw() {
        tell(this.#answer);
        if (!person.person) {
            this.#body.replaceChildren(h('p', { class: 'says', word: 'account.nobody' }), button('crew.signIn', () => go(this, 'crew'), { class: 'primary', icon: 'key' }));
            return;
        }
        const parts = { passphrase: () => this.#passphrase(), pin: () => this.#renew('pin'), badge: () => this.#renew('badge'), sessions: () => this.#sessions() };
        this.#body.dataset.part = this.part;
        this.#body.replaceChildren(...(parts[this.part] ?? (() => this.#all()))());
    }

    #all() {
        const { name, number, role } = person.person;
        return [
            h('p', { class: 'whose' }, h('strong', { text: name }), h('span', { word: ['account.number', () => ({ number: words.number(number) })] }), h('span', { word: `account.role.${role}` })),
            h('div', { class: 'parts' }, this.#parts.map((part) => h('button', {
                type: 'button', class: 'tile', 'data-part': part, on: { click: () => go(this, 'account', { part }) },
            }, icon(icons[part]), h('span', { class: 'what', word: `account.${part}` }), h('span', { class: 'about', word: `account.${part}Detail` })))),
            this.#isKiosk && h('p', { class: 'says', word: 'account.elsewhere' }),
        ].filter(Boolean);
    }

    // MARK: The passphrase

    #passphrase() {
        const field = (id, word, autocomplete) => [h('label', { for: id, word }),
            h('input', { id, type: 'password', autocomplete, maxlength: 256, required: true })];
        const [currentLabel, current] = field('account-current', 'account.current', 'current-password');
        const [nextLabel, next] = field('account-next', 'account.next', 'new-password');
        const show = h('input', { type: 'checkbox', id: 'account-show', on: { change: () => {
            for (const one of [current, next]) one.type = show.checked ? 'text' : 'password';
        } } });
        const act = async (event) => {
            event.preventDefault();
            if ([...next.value.trim()].length < shortest) {
                tell(this.#answer, 'account.tooShort', () => ({ count: words.number(shortest) }));
                next.focus();
                return this.#answer.scrollIntoView({ block: 'nearest' });
            }
            await this.#try(async () => {
                await api.setOwnPassphrase(current.value, next.value);
                for (const one of [current, next]) one.value = '';
                this.#body.replaceChildren(h('p', { class: 'done', role: 'status', word: 'account.passphraseSet' }));
            }, { forbidden: 'account.wrong', 'invalid-request': 'account.refused' }, true);
        };
        return [h('form', { class: 'sheet', on: { submit: act } },
            h('input', { type: 'text', autocomplete: 'username', value: person.person.name, hidden: true, readonly: true, label: 'crew.name' }),
            currentLabel, current, nextLabel, next, h('label', { class: 'choice', for: 'account-show' }, show, h('span', { word: 'account.show' })),
            h('p', { class: 'says', word: ['account.rule', { count: words.number(shortest) }] }),
            button('account.set', undefined, { type: 'submit', class: 'primary', icon: 'check' }))];
    }

    // MARK: The PIN and the badge

    #renew(part) {
        if (!person.session.isFresh) return [h('p', { class: 'says', word: 'crew.needLogin' }), button('account.again', () => this.#again(), { class: 'primary', icon: 'key' })];
        return [h('p', { class: 'says', word: `account.${part}Explained` }),
            button(`account.${part}Get`, () => (part === 'pin' ? this.#newPIN() : this.#newBadge()), { class: 'primary', icon: icons[part] })];
    }

    async #newPIN() {
        await this.#try(async () => {
            const { pin } = await api.renewPIN();
            this.#body.replaceChildren(h('output', { class: 'secret', text: `${pin.slice(0, 3)} ${pin.slice(3)}` }), h('p', { class: 'done', role: 'status', word: 'account.once' }));
        }, { forbidden: 'crew.needLogin' }, true);
    }

    async #newBadge() {
        if (!await ask('account.badge', 'account.badgeAsk', 'account.badgeGet', { icon: 'cards' })) return;
        await this.#try(async () => {
            const badge = await api.renewBadge();
            this.#body.replaceChildren(
                h('div', { class: 'own-badge' }, drawCode(badge.qr, { label: 'account.badge' }), h('p', { class: 'name', text: person.person.name })),
                h('p', { class: 'done', role: 'status', word: 'account.badgeOnce' }),
                ...(this.#isKiosk ? [] : [button('roster.print', () => print(), { icon: 'printer' })]));
        }, { forbidden: 'crew.needLogin' }, true);
    }

    async #again() {
        await person.signOut();
        go(this, 'crew');
    }

    // MARK: Where one is signed in

    #sessions() {
        const list = h('ul', { class: 'sessions' });
        this.#listSessions(list);
        return [list];
    }

    async #listSessions(list) {
        await this.#try(async () => {
            const { sessions } = await api.ownSessions({ signal: this.#ended.signal });
            list.replaceChildren(...sessions.map((one) => this.#session(one, list)));
        }, { forbidden: 'account.nobody' });
    }

    #session(one, list) {
        const device = one.device.startsWith('kiosk') ? text('account.kiosk') : one.device;
        const end = button(one.isThis ? 'crew.signOut' : 'account.end', () => (one.isThis ? this.#again() : this.#end(one, list)), { icon: one.isThis ? 'leave' : 'bin' });
        end.setAttribute('aria-label', `${text(one.isThis ? 'crew.signOut' : 'account.end')}: ${device}`);
        return h('li', {}, h('p', { class: 'device' }, h('strong', { text: device }), one.isThis && h('span', { class: 'tag', word: 'account.this' })),
            h('p', { class: 'about', text: [text('account.since', { time: words.time(one.madeAt, when) }), text('account.until', { time: words.time(one.expiresAt, when) })].join(' · ') }), end);
    }

    async #end(one, list) {
        await this.#try(() => api.endOwnSession(one.id), { forbidden: 'account.nobody', 'not-found': 'account.ended' });
        await this.#listSessions(list);
    }

    async #try(act, reasons, isSlow = false) {
        tell(this.#answer, isSlow && 'crew.wait');
        const pressed = isSlow ? [...this.#body.querySelectorAll('.primary')] : [];
        for (const one of pressed) one.disabled = true;
        try {
            await act();
            tell(this.#answer);
        } catch (failure) {
            if (this.#ended.signal.aborted) return;
            const seconds = Number(failure.message.match(/wait (\d+) s/)?.[1]) || 3;
            const why = failure.kind === 'too-many-requests' ? 'crew.tooSoon' : reasons[failure.kind] ?? 'pages.failed';
            tell(this.#answer, why, () => ({ seconds: words.number(seconds) }));
            this.#answer.scrollIntoView({ block: 'nearest' });
        }
        for (const one of pressed) one.disabled = false;
    }
}

customElements.define('kiosk-account', KioskAccount);
