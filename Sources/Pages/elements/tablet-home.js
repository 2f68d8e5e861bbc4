// <tablet-home>: what a tablet or telephone may do here, by its role, one touch away; and what it is called.
import { button, go, h } from '../core/dom.js';
import { ask } from '../core/ask.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';
import { LargeLetters, lettersHeading } from './large-letters.js';

const tiles = {
    compose: ['attract.take', 'home.take', 'camera'],
    gallery: ['home.gallery', 'home.galleryNote', 'picture'],
    album: ['home.album', 'home.albumNote', 'picture'],
    moderation: ['home.moderation', 'home.moderationNote', 'check'],
    camera: ['home.camera', 'home.cameraNote', 'sliders'],
    calibrate: ['home.calibrate', 'home.calibrateNote', 'place'],
    printer: ['home.printer', 'home.printerNote', 'printer'],
    begin: ['home.begin', 'home.beginNote', 'sliders'],
    disk: ['home.disk', 'home.diskNote', 'down'],
    certificate: ['home.certificate', 'home.certificateNote', 'shield'],
    devices: ['home.devices', 'home.devicesNote', 'key'],
    specimens: ['home.specimens', 'home.specimensNote', 'stone'],
    learn: ['home.learn', 'home.learnNote', 'globe'],
    events: ['home.events', 'home.eventsNote', 'day'],
    about: ['home.about', 'home.aboutNote', 'book'],
    notices: ['home.notices', 'home.noticesNote', 'notice'],
    trips: ['home.trips', 'home.tripsNote', 'leave'],
    announce: ['home.announce', 'home.announceNote', 'pencil'],
    crew: ['home.crew', 'home.crewNote', 'check'],
    map: ['home.map', 'home.mapNote', 'map'],
    view: ['home.view', 'home.viewNote', 'picture'],
    look: ['home.look', 'home.lookNote', 'compass'],
    sky: ['home.sky', 'home.skyNote', 'place'],
    station: ['home.station', 'home.stationNote', 'station'],
    kept: ['home.privacy', 'home.privacyNote', 'shield'],
    pair: ['home.pair', 'home.pairNote', 'key'],
};
const offered = {
    visitor: ['notices', 'album', 'crew', 'events', 'about', 'learn', 'map', 'sky', 'station', 'kept', 'pair'],
    collector: ['notices', 'trips', 'crew', 'specimens', 'album', 'map', 'view', 'look', 'events', 'about', 'learn', 'sky', 'station', 'kept'],
    ranger: ['notices', 'trips', 'crew', 'announce', 'compose', 'gallery', 'moderation', 'camera', 'calibrate', 'printer', 'begin', 'disk',
        'certificate', 'station', 'map', 'view', 'look', 'events', 'about', 'learn', 'sky', 'kept'],
    keeper: ['notices', 'trips', 'crew', 'announce', 'compose', 'gallery', 'moderation', 'camera', 'calibrate', 'devices', 'printer', 'begin',
        'disk', 'certificate', 'station',
        'map', 'view', 'look', 'events', 'about', 'learn', 'sky', 'kept'],
};
const narrow = matchMedia('(max-width: 640px)');

class TabletHome extends HTMLElement {
    #ended = null;
    #letters = new LargeLetters();
    #heading = lettersHeading(this.#letters);
    #waiting = h('p', { class: 'ribbon', role: 'status' });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        const { role, device } = station.session;
        this.#heading.tabIndex = -1;
        this.replaceChildren(
            h('header', { class: 'banner' }, h('calm-prairie'), this.#heading),
            ...(device ? [this.#who(device, role)] : []),
            h('ul', { class: 'tiles' }, this.#offered(role).map((name) => this.#tile(name))));
        this.querySelector('.tile').classList.add('primary');
        narrow.addEventListener('change', () => this.#greet(), { signal });
        words.addEventListener('languagechange', () => this.#greet(), { signal });
        this.#greet();
        if (role === 'keeper') this.#watch(signal);
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #offered(role) {
        const hasGallery = station.session.gallery !== 'off';
        return (offered[role] ?? offered.visitor).filter((name) => (hasGallery || !['album', 'moderation'].includes(name)) && (name !== 'crew' || station.session.crew)
            // A camera and a compass are had in a secure context alone; the station's own camera looks one way.
            && (name !== 'look' || (isSecureContext && !station.session.endsWhenIdle)));
    }

    #tile(name) {
        const [word, note, icon] = tiles[name];
        return h('li', {}, button(word, () => go(this, name), { icon, class: 'tile', 'data-screen': name }), h('p', { class: 'note', word: note }),
            name === 'devices' && this.#waiting);
    }

    #who(device, role) {
        return h('div', { class: 'who' },
            h('p', {}, h('span', { class: 'device', text: device }), h('span', { class: `role ${role}`, word: `role.${role}` })),
            button('session.end', () => this.#signOut(), { icon: 'leave' }));
    }

    #greet() {
        const place = station.session.place ?? station.session.station;
        this.#letters.show(place, narrow.matches && place.length > 8);
        this.#letters.greeting = text('attract.greeting');
        this.#heading.setAttribute('aria-label', `${text('attract.greeting')} ${place}`);
    }

    async #signOut() {
        if (!await ask('session.end', 'session.endDetail', 'session.end', { icon: 'leave' })) return;
        station.leaving = 'session.ended';
        try {
            await api.endSession();
            await station.askWho();
        } catch (failure) {
            // Whether it was done is not known when no answer came.
            if (failure.kind !== 'unreachable') station.leaving = null;
            this.dispatchEvent(new CustomEvent('say', { bubbles: true, detail: text('pair.unreachable') }));
        }
    }

    // How many devices ask to be let in.
    async #watch(signal) {
        let shown = 0;
        while (!signal.aborted) {
            const { requests } = await api.pairingRequests({ signal }).catch(() => ({ requests: [] }));
            const count = requests.filter(({ state }) => state === 'waiting').length;
            if (count !== shown) tell(this.#waiting, count > 0 && 'home.waiting', () => ({ count: words.number(count) }));
            shown = count;
            await pause(5000, signal);
        }
    }
}

customElements.define('tablet-home', TabletHome);
