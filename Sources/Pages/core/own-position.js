// Where this device is by its own receiver: only in a secure context, only after a touch, and never at the kiosk, which is the
// station. It is shown beside the station's position and never takes its place.
import { station } from './station.js';

export class OwnPosition {
    static get isOffered() {
        return station.session.role !== 'kiosk' && isSecureContext && 'geolocation' in navigator;
    }

    #changed;
    #watch = null;
    // {latitude, longitude, accuracy (metres, 95 %), at (milliseconds since 1970)}, or null while it is not known.
    position = null;
    // Why there is none: "ownDenied" or "ownLost"; null otherwise.
    failure = null;

    constructor(changed) {
        this.#changed = changed;
    }

    get isOn() {
        return this.#watch !== null;
    }

    toggle() {
        if (this.isOn) this.stop();
        else this.#start();
        this.#changed();
    }

    stop() {
        if (this.#watch !== null) navigator.geolocation.clearWatch(this.#watch);
        this.#watch = null;
        this.position = null;
        this.failure = null;
    }

    #start() {
        this.failure = null;
        this.#watch = navigator.geolocation.watchPosition(({ coords, timestamp }) => {
            const { latitude, longitude, accuracy } = coords;
            this.position = { latitude, longitude, accuracy, at: timestamp };
            this.failure = null;
            this.#changed();
        }, ({ code }) => {
            // 1: whoever holds the device does not allow it.
            if (code === 1) this.stop();
            this.failure = code === 1 ? 'ownDenied' : 'ownLost';
            this.#changed();
        }, { enableHighAccuracy: true, maximumAge: 5000, timeout: 30000 });
    }
}
