// The station as the page knows it, asked for every few seconds for ever. "change" announces every new answer.
import * as api from './api.js';
import { pause } from './pause.js';
import { scheme, sunElevation } from './sun.js';

const parts = ['camera', 'archive'];

class Station extends EventTarget {
    session = {};
    status = null;
    position = null;
    closed = null;
    leaving = null;
    // What it offers to visitors, as far as it was asked: whether cards are printed, whether it is known how the camera looks, and the
    // templates of cards, null before the first answer.
    hasPrinter = false;
    hasView = false;
    templates = null;
    #doubts = 0;

    async open(session) {
        this.session = session;
        // The first screen waits for neither for long.
        await Promise.all([this.ask(), Promise.race([this.askOffer(), pause(3000)])]);
        this.#again();
    }

    #again() {
        setTimeout(async () => {
            const wasClosed = this.closed;
            if (!document.hidden) await this.ask();
            if (wasClosed && !this.closed) await this.#renew();
            this.#again();
        }, this.closed || this.#doubts ? 1500 : 4000);
    }

    // A station that was open is closed by the second bad answer in a row, not by the first: nobody is sent away for a
    // moment's silence. A busy one is open.
    async ask() {
        let reason;
        try {
            [this.status, this.position] = await Promise.all([api.status(), api.position(), this.askWho()]);
            reason = this.#reason();
        } catch (failure) {
            if (this.status && failure.kind === 'too-many-requests') return;
            reason = { kind: failure.kind ?? 'unreachable', detail: failure.message ?? '' };
        }
        this.#doubts = reason ? this.#doubts + 1 : 0;
        if (reason && !this.closed && this.status && this.#doubts === 1) return;
        if (reason && !reason.part) this.status = null;
        this.closed = reason;
        this.dispatchEvent(new Event('change'));
    }

    // Whether the browser is still who it was: a keeper may have sent it away, or given it another role. The kiosk's own
    // browser, which was not paired, is the kiosk for as long as it runs. "session" announces another one, and the reason
    // if the page has one of its own (`leaving`).
    async askWho() {
        const known = this.session;
        if (known.role === 'kiosk' && !known.device) return;
        const session = await api.session();
        if (this.session !== known || (session.role === known.role && session.device === known.device)) return;
        this.dispatchEvent(new CustomEvent('session', { detail: { session, reason: this.leaving } }));
    }

    // Asks what it offers: before a screen is shown that has a button of it, so that none comes in under a finger.
    async askOffer() {
        if (!this.takesCards) return;
        await Promise.all([
            api.printer().then(({ configured }) => { this.hasPrinter = configured; }, () => {}),
            api.view().then(({ state }) => { this.hasView = state === 'calibrated'; }, () => {}),
            api.templates().then(({ templates }) => { this.templates = templates; }, () => {}),
        ]);
    }

    // A station that comes back may be a newer one, with newer pages, and offer something else.
    async #renew() {
        this.askOffer();
        const session = await api.session().catch(() => this.session);
        if (session.version !== this.session.version) this.dispatchEvent(new CustomEvent('outdated', { detail: session.version }));
    }

    // Whether postcards are taken here: at the kiosk, and on the devices of those who run it.
    get takesCards() {
        return this.session.role === 'kiosk' || this.isTold;
    }

    // Whether this is somebody who is told why something does not work, with names of files and addresses.
    get isTold() {
        return ['ranger', 'keeper'].includes(this.session.role);
    }

    // Why no postcard can be taken now, from the health of the parts that one needs; null while one can.
    #reason() {
        const part = parts.find((name) => this.status[name]?.health.level === 'failed');
        if (!part) return null;
        const { kind, reason } = this.status[part].health;
        return { part, kind, detail: reason };
    }

    // A frame of the camera: whole for the kiosk's own browser, as small as it is shown for a device on the network.
    frame({ width, ...options }) {
        return api.frame(this.session.role === 'kiosk' ? options : { ...options, width });
    }

    // Day or night by the height of the sun where the station is; by the clock while that is not known.
    get scheme() {
        const { latitude, longitude } = this.position ?? {};
        if (latitude !== undefined) return scheme(sunElevation(Date.now(), latitude, longitude));
        const hour = new Date().getHours();
        return hour >= 7 && hour < 19 ? 'day' : 'night';
    }
}

export const station = new Station();
