// Specimens and samples on the map: pins grouped at one place, or where they would cover one another, with their count; and where is
// looked, as a circle or a box with its corners.
import { h, icon } from './dom.js';
import { rockName } from './phrases.js';
import { box, middle, places } from './rocks.js';
import { words } from './words.js';

const inks = { day: '#8c2f17', night: '#f2b63c' };

export class RockLayer {
    #leaflet;
    #map;
    #chosen;
    #area = [];
    #pins = [];
    #places = [];
    #trails;
    // A region has no edges here: what was found in it is looked at.
    #fitsPins = false;

    // `trails.see(bounds)` shows an area whole, `trails.grown(look)` is how a line is drawn; `chosen(rocks)` hears which were touched: all
    // of one place.
    constructor(leaflet, map, trails, chosen) {
        this.#leaflet = leaflet;
        this.#map = map;
        this.#trails = trails;
        this.#chosen = chosen;
        this.draw = this.draw.bind(this);
        map.on('zoomend moveend resize', this.draw);
    }

    close() {
        this.#map.off('zoomend moveend resize', this.draw);
        this.clear();
    }

    clear() {
        for (const one of [...this.#area, ...this.#pins]) one.remove();
        this.#area = [];
        this.#pins = [];
        this.#places = [];
    }

    // Where is looked.
    showArea(wish) {
        const { circle, latLngBounds, polyline, rectangle } = this.#leaflet;
        for (const one of this.#area) one.remove();
        this.#area = [];
        this.#fitsPins = wish.shape === 'region';
        const center = middle(wish);
        if (this.#fitsPins || !center) return;
        const ink = inks[document.documentElement.dataset.scheme] ?? inks.day;
        const [west, south, east, north] = box(wish);
        const bounds = latLngBounds([south, west], [north, east]);
        const { grown, see } = this.#trails;
        const line = grown({ color: ink, fillColor: ink, fillOpacity: 0.06, weight: 3, interactive: false });
        const add = (one) => this.#area.push(one.addTo(this.#map));
        add(wish.shape === 'circle' ? circle([center.latitude, center.longitude], { ...line, radius: wish.radius }) : rectangle(bounds, line));
        const [high, wide] = [(north - south) * 0.09, (east - west) * 0.09];
        for (const [latitude, up] of [[north, -1], [south, 1]]) {
            for (const [longitude, right] of [[west, 1], [east, -1]]) {
                const bracket = [[latitude + up * high, longitude], [latitude, longitude], [latitude, longitude + right * wide]];
                add(polyline(bracket, grown({ color: '#2a120c', weight: 9, interactive: false })));
                add(polyline(bracket, grown({ color: ink, weight: 5, interactive: false })));
            }
        }
        see(bounds);
    }

    show(rocks) {
        this.#places = places(rocks);
        if (this.#fitsPins && this.#places.length) {
            // Pins stand out beyond their places.
            this.#trails.see(this.#leaflet.latLngBounds(this.#places.map(({ place }) => [place.latitude, place.longitude])), { around: 64 });
        }
        this.draw();
    }

    // Pins that have room: a target apart, wholly on the board, beside what lies on it.
    draw() {
        for (const one of this.#pins) one.remove();
        this.#pins = [];
        const board = this.#map.getContainer().getBoundingClientRect();
        if (!this.#places.length || !board.width) return;
        const style = getComputedStyle(document.documentElement);
        const probe = this.#map.getContainer().parentElement.querySelector('.map-buttons button')?.getBoundingClientRect();
        const size = Math.max(44, Math.min(probe?.width || 64, 84 * this.#trails.growth));
        const gap = Math.max(16, parseFloat(style.getPropertyValue('--gap')) || 16);
        const taken = [...this.#map.getContainer().parentElement.querySelectorAll('.map-buttons button, .credit, .whereabouts')]
            .map((node) => node.getBoundingClientRect()).filter(({ width }) => width);
        const waiting = this.#places.map((one) => ({ ...one, at: this.#map.latLngToContainerPoint([one.place.latitude, one.place.longitude]) }))
            .filter(({ at }) => at.x >= size / 2 && at.y >= size / 2 && at.x <= board.width - size / 2 && at.y <= board.height - size / 2)
            .sort((one, other) => other.rocks.length - one.rocks.length);
        while (waiting.length) {
            const first = waiting.shift();
            const group = [first];
            for (let index = waiting.length - 1; index >= 0; index -= 1) {
                const { at } = waiting[index];
                if (Math.abs(at.x - first.at.x) < size + gap && Math.abs(at.y - first.at.y) < size + gap) group.push(...waiting.splice(index, 1));
            }
            const [x, y] = [board.left + first.at.x, board.top + first.at.y];
            const room = size / 2 + gap;
            if (taken.some(({ left, right, top, bottom }) => left < x + room && x - room < right && top < y + room && y - room < bottom)) continue;
            this.#pin(group, size);
        }
    }

    #pin(group, size) {
        const rocks = group.flatMap((one) => one.rocks);
        const [only] = rocks;
        const layers = new Set(rocks.map(({ layer }) => layer));
        const kind = layers.size > 1 ? 'both' : only.layer;
        const count = h('span', { class: `rock-mark ${kind}` }, rocks.length > 1 ? words.number(rocks.length) : icon('stone'));
        const name = rocks.length > 1 ? { label: ['rocks.pin', () => ({ count: words.number(rocks.length) })] } : { 'aria-label': rockName(only) };
        const node = h('button', { type: 'button', ...name, on: { click: (event) => { event.stopPropagation(); this.#press(group, rocks); } } }, count);
        node.style.setProperty('--pin', `${size}px`);
        for (const name of ['dblclick', 'pointerdown', 'mousedown', 'touchstart', 'keydown', 'keypress']) node.addEventListener(name, (event) => event.stopPropagation());
        const shown = this.#leaflet.divIcon({ className: 'rock-pin', html: node, iconSize: [size, size] });
        const { latitude, longitude } = group[0].place;
        this.#pins.push(this.#leaflet.marker([latitude, longitude], { icon: shown, interactive: false, keyboard: false }).addTo(this.#map));
    }

    // One place is opened; several are looked at from nearer, while that parts them.
    #press(group, rocks) {
        const bounds = this.#leaflet.latLngBounds(group.map(({ place }) => [place.latitude, place.longitude]));
        if (group.length === 1 || this.#map.getZoom() >= this.#map.getMaxZoom()) return this.#chosen(rocks);
        const zoom = Math.min(this.#map.getMaxZoom(), Math.max(this.#map.getZoom() + 1, this.#map.getBoundsZoom(bounds.pad(0.4))));
        this.#map.setView(bounds.getCenter(), zoom, { animate: false });
    }
}
