// <kiosk-strip>: takes the pictures of a collage that are missing, each after a countdown of its own, over the mirrored
// live picture. Each stands in its place as soon as it is taken. The station counts and takes them.
import { button, go, h, icon } from '../core/dom.js';
import { second, shutter } from '../core/sound.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';
import { LivePicture } from './live-picture.js';

// Seconds before each picture.
const countdown = 3;
// How long a picture is shown before the next countdown, ms.
const rest = 1200;
// How many questions in a row may stay without an answer.
const patience = 6;

class KioskStrip extends HTMLElement {
    #events = null;
    #poll = 0;
    #pending = null;
    #place = 0;
    #finished = false;
    #unanswered = 0;
    #early = [];
    #number = h('p', { class: 'number', role: 'timer', 'aria-live': 'assertive' });
    #places = h('ol', { class: 'places', label: 'strip.places' });
    #picture = new LivePicture((options) => station.frame(options));

    connectedCallback() {
        this.#picture.setAttribute('mirrored', '');
        this.replaceChildren(h('calm-prairie'), this.#picture,
            h('h1', { class: 'look', tabindex: -1 }, icon('up'), h('span', { word: 'count.look' })),
            this.#number, h('div', { class: 'flash' }), this.#places,
            button('count.stop', () => this.#stop(), { class: 'stop', icon: 'back' }));
        this.#events = api.shotEvents((event) => (this.#pending ? this.#heard(event) : this.#early.push(event)));
        // The stream of events may be interrupted; the shot itself always tells how far it is.
        this.#poll = setInterval(() => this.#pending && this.#ask(), 700);
        this.#next();
    }

    disconnectedCallback() {
        this.#events.close();
        clearInterval(this.#poll);
        if (!this.#finished && this.#pending) api.deleteShot(this.#pending).catch(() => {});
        this.#finished = true;
    }

    #tell() {
        this.#places.replaceChildren(...visit.shots.map((shot, index) => h('li', { 'aria-current': index === this.#place && 'step' },
            shot ? h('img', { src: shot.url, label: ['strip.taken', { number: index + 1 }] }) : h('span', { text: index + 1 }))));
    }

    async #next() {
        this.#place = visit.shots.findIndex((shot) => !shot);
        if (this.#place < 0) {
            this.#finished = true;
            return go(this, 'shots');
        }
        this.removeAttribute('captured');
        this.#tell();
        this.#early = [];
        try {
            const shot = await api.takeShot(Math.min(countdown, station.session.maxCountdown ?? countdown));
            if (this.#finished) return api.deleteShot(shot.id).catch(() => {});
            this.#pending = shot.id;
            this.#unanswered = 0;
            this.#heard(shot);
            this.#early.forEach((event) => this.#heard(event));
        } catch (failure) {
            this.#fail(failure);
        }
    }

    // A station that was restarted knows nothing of the shot; one that is silent for a while is not waited for.
    async #ask() {
        const id = this.#pending;
        try {
            this.#heard(await api.shot(id));
            this.#unanswered = 0;
        } catch (failure) {
            if (id !== this.#pending || this.#finished) return;
            this.#unanswered += 1;
            if (failure.kind === 'not-found' || this.#unanswered === patience) this.#fail(failure);
        }
    }

    #heard(event) {
        if (event.id !== this.#pending || this.#finished) return;
        if (event.state === 'counting') this.#show(event.remainingSeconds);
        if (event.state === 'capturing') this.#flash();
        if (event.state === 'taken') this.#take(event.id);
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

    // The picture goes into its place; then comes the next.
    async #take(id) {
        this.#flash();
        this.#pending = null;
        const { number } = visit;
        try {
            const blob = await api.shotPicture(id);
            if (this.#finished || number !== visit.number) return api.deleteShot(id).catch(() => {});
            visit.put(this.#place, id, blob);
            this.#tell();
            await pause(rest);
            if (!this.#finished) this.#next();
        } catch (failure) {
            api.deleteShot(id).catch(() => {});
            this.#fail(failure);
        }
    }

    #fail(failure) {
        if (this.#finished) return;
        this.#finished = true;
        if (this.#pending) api.deleteShot(this.#pending).catch(() => {});
        station.ask();
        if (this.isConnected) go(this, 'failed', { failure });
    }

    #stop() {
        if (this.#pending) api.deleteShot(this.#pending).catch(() => {});
        this.#finished = true;
        visit.dropShots();
        go(this, 'compose');
    }
}

customElements.define('kiosk-strip', KioskStrip);
