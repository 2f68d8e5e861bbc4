// <kiosk-count>: the countdown, seen and heard, over the mirrored live picture. The station counts and takes the
// picture; this screen shows what it tells.
import { button, go, h, icon } from '../core/dom.js';
import { second, shutter } from '../core/sound.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import { text } from '../core/words.js';
import * as api from '../core/api.js';
import { LivePicture } from './live-picture.js';

const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

class KioskCount extends HTMLElement {
    #events = null;
    #poll = 0;
    #pending = null;
    #finished = false;
    #number = h('p', { class: 'number', role: 'timer', 'aria-live': 'assertive' });

    connectedCallback() {
        const picture = new LivePicture(api.frame, 33);
        picture.setAttribute('mirrored', '');
        this.replaceChildren(h('calm-prairie'), picture,
            h('h1', { class: 'look', tabindex: -1 }, icon('up'), h('span', { word: 'count.look' })),
            this.#number, h('div', { class: 'flash' }),
            button('count.stop', () => this.#stop(), { class: 'stop', icon: 'back' }));
        this.#begin();
    }

    disconnectedCallback() {
        this.#events?.close();
        clearInterval(this.#poll);
        if (!this.#finished && this.#pending) visit.abandon(this.#pending);
        this.#finished = true;
    }

    async #begin() {
        const countdownSeconds = station.session.countdownSeconds ?? 3;
        const early = [];
        this.#events = api.postcardEvents((event) => (this.#pending ? this.#heard(event) : early.push(event)));
        try {
            const answer = await api.takePostcard({ ...visit.wishes, countdownSeconds }, newKey());
            this.#pending = answer.id;
            if (this.#finished) return visit.abandon(answer.id);
            if (answer.state === 'kept') return await this.#finish(answer);
            this.#show(answer.remainingSeconds);
            early.forEach((event) => this.#heard(event));
            // The stream of events may be interrupted; the postcard itself always tells how far it is.
            this.#poll = setInterval(() => this.#ask(), 700);
        } catch (failure) {
            this.#fail(failure);
        }
    }

    async #ask() {
        const answer = await api.postcard(this.#pending).catch(() => null);
        if (!answer) return;
        this.#heard({ ...answer, postcard: answer });
    }

    #heard(event) {
        if (event.id !== this.#pending || this.#finished) return;
        if (event.state === 'counting') this.#show(event.remainingSeconds);
        if (event.state === 'capturing') this.#flash();
        if (event.state === 'kept') this.#finish(event.postcard);
        if (event.state === 'failed') this.#fail(event.problem);
    }

    #show(seconds) {
        if (this.#number.textContent === String(seconds) || this.hasAttribute('captured')) return;
        this.#number.textContent = seconds;
        second();
    }

    #flash() {
        if (this.hasAttribute('captured')) return;
        this.setAttribute('captured', '');
        this.#number.textContent = '';
        shutter();
    }

    async #finish(card) {
        this.#flash();
        if (this.#finished) return;
        this.#finished = true;
        const number = visit.number;
        try {
            const picture = await api.picture(card);
            if (number !== visit.number) return;
            visit.hold(card, picture);
            go(this, 'card');
        } catch (failure) {
            this.#fail(failure);
        }
    }

    #fail(failure) {
        this.#finished = true;
        const key = `closed.${failure.kind}`;
        this.replaceChildren(h('calm-prairie'), h('div', { class: 'notice', role: 'alert' },
            h('h1', { word: 'count.failed', tabindex: -1 }),
            h('p', { text: text(key) === key ? text('closed.other') : text(key) }),
            h('p', { class: 'detail', lang: 'en', text: failure.detail ?? failure.message ?? '' }),
            button('count.retry', () => go(this, 'compose'), { class: 'primary', icon: 'again' })));
        station.ask();
    }

    #stop() {
        go(this, 'compose');
    }
}

customElements.define('kiosk-count', KioskCount);
