// <tablet-devices>: for the keeper: devices that ask to be let in, and all that are paired.
import { button, go, h } from '../core/dom.js';
import { ask, openDialog } from '../core/ask.js';
import { duration, unanswered } from '../core/phrases.js';
import { shield } from '../core/shield.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';

export const roles = ['ranger', 'collector', 'keeper', 'kiosk'];
const every = 5000;

const choice = (id, chosen) => h('select', { id, label: 'devices.role' },
    roles.map((role) => h('option', { value: role, word: `role.${role}`, selected: role === chosen })));

class TabletDevices extends HTMLElement {
    #ended = null;
    #requests = h('ul', { class: 'requests' });
    #devices = h('ul', { class: 'devices' });
    #note = h('p', { class: 'note', role: 'status' });
    #shown = { requests: '', devices: '' };

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(
            h('div', { class: 'head' }, h('h1', { class: 'title', word: 'devices.title', tabindex: -1 }),
                button('devices.invite', () => go(this, 'invite'), { class: 'primary', icon: 'plus' })),
            this.#note, this.#requests, this.#devices);
        words.addEventListener('languagechange', () => { this.#shown = {}; this.#ask(signal); }, { signal });
        this.#follow(signal);
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    async #follow(signal) {
        while (!signal.aborted) {
            if (!document.hidden) await this.#ask(signal);
            await pause(every, signal);
        }
    }

    async #ask(signal = this.#ended.signal) {
        try {
            const [{ requests }, { devices }] = await Promise.all([api.pairingRequests({ signal }), api.devices({ signal })]);
            this.#draw('requests', this.#requests, requests.filter(({ state }) => state === 'waiting'), (one) => this.#request(one), ['letters']);
            this.#draw('devices', this.#devices, devices, (one) => this.#device(one), ['id', 'name', 'role', 'seenAt']);
            tell(this.#note);
        } catch (failure) {
            if (signal.aborted) return;
            tell(this.#note, unanswered(this.#devices.childElementCount));
            if (failure.kind === 'forbidden') station.ask();
        }
    }

    // A list is made anew only when something in it has changed: nobody's choice is taken away.
    #draw(name, list, items, draw, members) {
        const shown = JSON.stringify(items.map((item) => members.map((member) => item[member])));
        if (shown === this.#shown[name]) return;
        this.#shown[name] = shown;
        list.replaceChildren(...items.map(draw));
        shield.raise();
    }

    #request({ letters, name, address }) {
        const role = choice(`role-${letters}`, 'ranger');
        return h('li', {},
            h('p', { class: 'letters', text: letters }),
            h('div', {}, h('h2', { text: name }), h('p', { class: 'note', word: ['devices.asks', { address }] })),
            h('div', { class: 'choices' }, h('label', { for: role.id, word: 'devices.as' }), role,
                button('devices.approve', () => this.#do(() => api.decide(letters, role.value)), { class: 'primary', icon: 'check' }),
                button('devices.deny', () => this.#do(() => api.decide(letters)), { class: 'danger' })));
    }

    #device(device) {
        const { id, name, role, seenAt, createdAt, isThis } = device;
        const seconds = (Date.now() - Date.parse(seenAt)) / 1000;
        const seen = seconds < 3700 ? text('devices.seenNow') : text('devices.seen', { time: duration(seconds) });
        return h('li', { 'data-device': id },
            h('h2', { text: name }),
            h('p', { class: 'tags' }, h('span', { class: `role ${role}`, word: `role.${role}` }), isThis && h('span', { class: 'ribbon', word: 'devices.this' })),
            h('p', { class: 'note', text: `${seen} ${text('devices.since', { day: words.time(createdAt, { dateStyle: 'medium' }) })}` }),
            h('div', { class: 'choices' },
                button('devices.change', () => this.#change(device), { icon: 'pencil', label: ['devices.changeOne', { name }] }),
                button('devices.revoke', () => this.#revoke(device), { class: 'danger', icon: 'leave', label: ['devices.revokeOne', { name }] })));
    }

    #change({ id, name, role }) {
        const field = h('input', { id: 'new-name', type: 'text', maxlength: 40, value: name, autocomplete: 'off' });
        const wanted = choice('new-role', role);
        openDialog('devices.change', (close) => [
            h('form', { on: { submit: (event) => {
                event.preventDefault();
                close();
                this.#do(() => api.changeDevice(id, {
                    ...(field.value.trim() !== name && { name: field.value.trim() }), ...(wanted.value !== role && { role: wanted.value }),
                }));
            } } },
                h('label', { for: 'new-name', word: 'pair.name' }), field,
                h('label', { for: 'new-role', word: 'devices.role' }), wanted,
                h('div', { class: 'choices' }, button('ask.no', close), button('devices.save', undefined, { type: 'submit', class: 'primary', icon: 'check' })))]);
    }

    async #revoke({ id, name, isThis }) {
        const detail = [isThis ? 'devices.revokeThis' : 'devices.revokeDetail', { name }];
        if (await ask('devices.revoke', detail, 'devices.revoke', { icon: 'leave' })) this.#do(() => api.revokeDevice(id));
    }

    async #do(act) {
        let said = '';
        try {
            await act();
        } catch (failure) {
            said = text({ 'not-found': 'devices.gone', 'invalid-request': 'pair.badName' }[failure.kind] ?? 'pages.failed');
        }
        await this.#ask();
        this.#note.textContent = said;
        station.ask();
    }
}

customElements.define('tablet-devices', TabletDevices);
