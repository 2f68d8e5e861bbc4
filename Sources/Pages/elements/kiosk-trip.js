// <kiosk-trip>: for the crew: all that is known of a party that is out, everybody by name, and what happened to it. `trip` is
// what the list has.
import { button, go, h } from '../core/dom.js';
import { onward } from '../core/onward.js';
import { coordinates, lateness, named, trailFacts } from '../core/phrases.js';
import { person } from '../core/person.js';
import { link } from '../core/reading.js';
import { Shown } from '../core/shown.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';

const every = 10_000;
const moment = { weekday: 'long', day: 'numeric', month: 'long', hour: 'numeric', minute: '2-digit' };
const short = { weekday: 'short', hour: 'numeric', minute: '2-digit' };

class KioskTrip extends Shown {
    trip = null;
    follows = ['trips', every];
    #shown = '';
    #trails = [];
    #heading = h('h1', { class: 'title', tabindex: -1 });
    #facts = h('div', { class: 'text', tabindex: 0, role: 'region' });

    begin() {
        if (!this.trip) return go(this, 'trips');
        this.replaceChildren(this.#heading, this.note, this.#facts,
            h('div', { class: 'turn' }, onward(this.#facts), button('trips.all', () => go(this, 'trips'), { icon: 'back' })));
        this.given = this.trip;
        this.draw(this.trip);
    }

    // What happened to a trip the kiosk is not told.
    async ask(signal) {
        if (!this.trip) return new Promise(() => {});
        const [trip] = await Promise.all([this.#askTrip(signal), this.trip.route?.length && this.#askTrails(signal)]);
        return trip;
    }

    async #askTrip(signal) {
        if (station.session.role !== 'kiosk') return api.trip(this.trip.id, { signal });
        const { trips } = await api.trips({ signal });
        const found = trips.find(({ id }) => id === this.trip.id);
        if (!found) throw new api.Failure('not-found', '', 404);
        // Where it goes is told to the crew alone: nobody is signed in any more.
        if (!found.destination) throw new api.Failure('forbidden', '', 403);
        return found;
    }

    // Trails are closed and opened while a party is out.
    async #askTrails(signal) {
        const network = await api.trails({ signal }).catch(() => null);
        if (network) this.#trails = network.trails;
    }

    gone() {
        this.say('trips.isBack');
        go(this, 'trips');
    }

    // Whoever was signed in sees nothing more: neither here nor where the list leads to.
    ended() {
        this.trip = null;
        this.#facts.replaceChildren();
        if (station.session.role === 'kiosk') person.ask().catch(() => {});
        else station.askWho().catch(() => {});
        this.say('account.again');
        go(this, 'trips');
    }

    changed() {
        this.#shown = '';
        super.changed();
    }

    // The closed ones of a route, each with the reason.
    #closed(route) {
        const same = (one, other) => one.trim().toLowerCase() === other.trim().toLowerCase();
        return route.flatMap((name) => this.#trails.filter((trail) => trail.closed && same(trail.name, name)))
            .map((trail) => h('strong', { text: `${named(trail.name)} · ${trailFacts(trail)}` }));
    }

    draw(trip) {
        // Lateness is said in minutes. What did not change is left as it is: somebody may be reading or about to touch it.
        const { lateSeconds: seconds, ...others } = trip;
        const shown = JSON.stringify([others, seconds === undefined ? null : Math.floor(seconds / 60), this.#closed(trip.route ?? []).map((one) => one.textContent)]);
        if (shown === this.#shown) return;
        this.#shown = shown;
        const { leader, party = [], destination, route = [], vehicle, contact, note, place, lateSeconds, overdue, acknowledgedBy } = trip;
        this.#heading.textContent = leader;
        this.#facts.setAttribute('aria-label', leader);
        const part = (key, ...lines) => (lines.some(Boolean) ? [h('h2', { text: text(key) }), ...lines.filter(Boolean).map((line) => h('p', {}, line))] : []);
        const phone = contact?.phone && this.#phone(contact.phone);
        const mail = contact?.email && h('span', { class: 'reach' }, link(`mailto:${contact.email}`, contact.email));
        const state = lateSeconds === undefined ? '' : acknowledgedBy ? text('trips.caredFor', { name: acknowledgedBy }) : text(`trips.do.${overdue}`);
        this.#facts.replaceChildren(
            h('p', { class: 'strong', text: trip.state === 'returned' ? text('trips.isBack') : text('trips.expected', { time: words.time(trip.expectedAt, moment) }) }),
            ...(lateSeconds === undefined ? [] : [h('p', { class: 'designation', text: [
                lateness(lateSeconds), state].filter(Boolean).join(' · ') })]),
            ...part('trips.is.party', [leader, ...party].join(', ')), ...part('trips.is.destination', destination),
            ...part('trips.is.route', route.map(named).join(', '), ...this.#closed(route)), ...part('trips.is.vehicle', vehicle),
            ...part('trips.is.contact', contact?.name, phone, mail), ...part('trips.is.note', note),
            ...part('trips.is.place', place && coordinates(place)),
            ...part('trips.is.events', ...(trip.events ?? []).map((event) => this.#event(event))));
    }

    // A number that a telephone can dial everywhere begins with + and its country.
    #phone(number) {
        const digits = number.replaceAll(/\D/g, '');
        return h('span', { class: 'reach' }, number.trim().startsWith('+') && digits ? link(`tel:+${digits}`, number) : number);
    }

    #event({ kind, at, who, detail, localDetail }) {
        const values = { who, step: kind === 'raised' ? text(`trips.do.${detail}`) : '', detail: localDetail ?? detail };
        return `${words.time(at, short)}: ${text(`trips.did.${kind}`, values)}`;
    }
}

customElements.define('kiosk-trip', KioskTrip);
