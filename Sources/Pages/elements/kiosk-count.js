// <kiosk-count>: the countdown, seen and heard, over the mirrored live picture. The station counts and takes the
// picture; this screen shows what it tells.
import { button, go, h, icon } from '../core/dom.js';
import { second, shutter } from '../core/sound.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import { tell } from '../core/words.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';
import { LivePicture } from './live-picture.js';

// Seconds: time enough to look up, and to put on a smile that lasts.
const countdown = 3;
// How many questions in a row may stay without an answer.
const patience = 6;

class KioskCount extends HTMLElement {
    #events = null;
    #poll = 0;
    #key = api.newKey();
    #pending = null;
    #finished = false;
    #unanswered = 0;
    #number = h('p', { class: 'number', role: 'timer', 'aria-live': 'assertive' });
    #moving = h('p', { class: 'moving', role: 'status' });
    #picture = new LivePicture((options) => station.frame(options));

    connectedCallback() {
        this.#picture.setAttribute('mirrored', '');
        this.replaceChildren(h('calm-prairie'),
            h('h1', { class: 'look', tabindex: -1 }, icon('up'), h('span', { word: 'count.look' })),
            this.#number, h('div', { class: 'flash' }), this.#moving,
            button('count.stop', () => this.#stop(), { class: 'stop', icon: 'back' }));
        this.#begin();
    }

    disconnectedCallback() {
        this.#events?.close();
        clearInterval(this.#poll);
        if (!this.#finished) visit.abandon(this.#key);
        this.#finished = true;
    }

    async #begin() {
        const countdownSeconds = Math.min(countdown, station.session.maxCountdown ?? countdown);
        const early = [];
        this.#events = api.postcardEvents((event) => (this.#pending ? this.#heard(event) : early.push(event)));
        visit.expect(this.#key);
        try {
            const answer = await api.takePostcard({ ...visit.order, countdownSeconds }, this.#key);
            this.#pending = answer.id;
            if (this.#finished) return;
            if (answer.state === 'kept') return await this.#finish(answer);
            this.#show(answer.remainingSeconds);
            early.forEach((event) => this.#heard(event));
            // The stream of events may be interrupted; the postcard itself always tells how far it is.
            this.#poll = setInterval(() => this.#ask(), 700);
        } catch (failure) {
            this.#fail(failure);
        }
    }

    // A station that was restarted knows nothing of the postcard; one that is silent for a while is not waited for.
    async #ask() {
        try {
            const answer = await api.postcard(this.#pending);
            this.#unanswered = 0;
            this.#heard({ ...answer, postcard: answer });
        } catch (failure) {
            this.#unanswered += 1;
            if (failure.kind === 'not-found' || this.#unanswered === patience) this.#fail(failure);
        }
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
        if (!this.#picture.isConnected) this.querySelector('calm-prairie').after(this.#picture);
        this.#number.textContent = seconds;
        second();
    }

    #flash() {
        if (this.hasAttribute('captured')) return;
        this.setAttribute('captured', '');
        // The processor is the card's now: drawing thirty frames a second would make the visitor wait for it.
        if (visit.order.burstSeconds) tell(this.#moving, 'count.moving');
        else this.#picture.freeze();
        this.#number.textContent = '';
        shutter();
    }

    async #finish(card) {
        this.#flash();
        if (this.#finished) return;
        this.#finished = true;
        const number = visit.number;
        for (let tries = patience; tries > 0; tries -= 1) {
            try {
                const picture = await api.picture(card);
                if (number !== visit.number || !this.isConnected) return visit.abandon(this.#key);
                visit.hold(card, picture, this.#key);
                return go(this, 'card');
            } catch (failure) {
                await pause(1000);
                if (tries === 1) this.#fail(failure);
            }
        }
    }

    // What the visitor has not seen is not kept.
    #fail(failure) {
        this.#finished = true;
        visit.abandon(this.#key);
        station.ask();
        if (this.isConnected) go(this, 'failed', { failure });
    }

    #stop() {
        go(this, 'compose');
    }
}

customElements.define('kiosk-count', KioskCount);
