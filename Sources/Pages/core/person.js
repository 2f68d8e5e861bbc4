// Who is signed in on this device, beside what the device is. At the kiosk it ends with the screens of the crew.
import { station } from './station.js';
import { reopenChanges } from './changes.js';
import * as api from './api.js';

// Screens between which somebody at the kiosk stays signed in.
const ofCrew = ['crew', 'account', 'roster', 'notices', 'notice', 'trips', 'outing', 'care'];

class PersonState extends EventTarget {
    session = {};
    // What the kiosk's code was exchanged for: good for two minutes, through the screens of the crew.
    ticket = null;

    async ask(options) {
        this.session = await api.personSession(options);
        this.dispatchEvent(new Event('change'));
        return this.session;
    }

    get person() {
        return this.session.person ?? null;
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
        if (station.session.role === 'kiosk' && this.person && !ofCrew.includes(screen)) this.signOut();
    }
}

export const person = new PersonState();
