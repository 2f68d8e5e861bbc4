// Who is signed in on this device, beside what the device is. At the kiosk it ends with the screens of the crew.
import { station } from './station.js';
import { reopenChanges } from './changes.js';
import * as api from './api.js';

// Screens between which somebody at the kiosk stays signed in.
const ofCrew = ['crew', 'account', 'roster', 'correct', 'leave', 'notices', 'notice', 'announce', 'trips', 'trip', 'outing', 'care'];

// Milliseconds after which a session is used again by whoever types.
const keptFor = 20_000;

class PersonState extends EventTarget {
    #keptAt = -Infinity;
    session = {};
    // What the kiosk's code was exchanged for: good for two minutes, through the screens of the crew.
    ticket = null;
    // Over once the station knows of the last sign-out: whoever comes next is told nothing of whoever was here.
    left = Promise.resolve();

    async ask(options) {
        this.session = await api.personSession(options);
        this.dispatchEvent(new Event('change'));
        return this.session;
    }

    get person() {
        return this.session.person ?? null;
    }

    // Officers, and those who have a ranger's device in their hands, write what everyone reads.
    get mayAnnounce() {
        return ['officer', 'keeper'].includes(this.person?.role) || ['ranger', 'keeper'].includes(station.session.role);
    }

    // Whoever types asks the station for nothing, and the kiosk's session ends after a minute of that.
    keep() {
        const now = performance.now();
        if (!this.person || now - this.#keptAt < keptFor) return;
        this.#keptAt = now;
        this.ask().catch(() => {});
    }

    async signIn(proof) {
        this.session = await api.signIn(proof);
        reopenChanges();
        this.dispatchEvent(new Event('change'));
    }

    async signOut() {
        const keptName = this.session.keptName;
        this.ticket = null;
        this.session = { keptName, isKiosk: this.session.isKiosk };
        this.dispatchEvent(new Event('change'));
        await api.signOut().catch(() => {});
        reopenChanges();
    }

    // Told of each screen before it is shown.
    leaveFor(screen) {
        if (station.session.role === 'kiosk' && this.person && !ofCrew.includes(screen)) this.left = this.signOut();
    }
}

export const person = new PersonState();
