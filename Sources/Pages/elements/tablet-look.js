// <tablet-look>: the device's own camera, with the names of what it sees and the way home on the ground. Nothing is recorded, and no
// picture leaves the device. A name that is dragged onto its place corrects the compass; two of them tell the camera's angle.
import { button, h, s } from '../core/dom.js';
import { distinct, leaders, place } from '../core/labels.js';
import { age, distance, named } from '../core/phrases.js';
import { text, words } from '../core/words.js';
import { OwnPosition } from '../core/own-position.js';
import { align, attitude, band, metres, project, upright } from '../core/orientation.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';

// The longer side of a picture in focal lengths, of most telephones and tablets: 66 degrees.
const usualFocal = 0.77;
const kept = 'konza.look.focal';
// As much of the way to a new reading is gone with each frame: sensors tremble.
const share = 0.3;
const moved = 30;
const refreshEvery = 60_000;
const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

class TabletLook extends HTMLElement {
    #ended = null;
    #stream = null;
    #own = new OwnPosition(() => this.#findOut());
    #held = upright();
    // The last reading, which the names go to bit by bit.
    #read = null;
    // What tells how the device is held: "absolute", "relative" or "none"; null before the first reading.
    #sensor = null;
    #declination = 0;
    #turn = 0;
    #tilt = 0;
    #focal = Number(localStorage.getItem(kept)) || usualFocal;
    // The last two names that were put into place.
    #pins = [];
    #alignedAt = null;
    #asked = null;
    #landmarks = [];
    #from = null;
    #way = null;
    #dragged = null;
    #placed = [];
    #isDue = false;
    #video = h('video', { playsinline: true, muted: true, autoplay: true, 'aria-hidden': 'true' });
    #lines = s('svg', { class: 'leaders', 'aria-hidden': 'true' });
    #names = h('ul', { class: 'names', label: 'view.names' });
    #aside = h('p', { class: 'aside', role: 'status', hidden: true });
    #frame = h('div', { class: 'look-picture', role: 'group', tabindex: 0, label: 'look.picture' }, this.#video, this.#lines, this.#names, this.#aside);
    #sentence = h('p', { class: 'sentence', role: 'status' });
    #where = h('p', { class: 'where' });
    #begin = button('look.begin', () => this.#start(), { class: 'primary', icon: 'camera' });
    #home = button('look.home', () => this.#toggleWay(), { icon: 'home', 'aria-pressed': 'false', hidden: true });
    #forget = button('look.forget', () => this.#reset(), { icon: 'again', hidden: true });
    #resized = new ResizeObserver(() => this.#changed());

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'look.title', tabindex: -1 }), this.#frame,
            h('div', { class: 'look-words' }, this.#sentence, this.#where), h('div', { class: 'choices' }, this.#begin, this.#home, this.#forget));
        this.#frame.addEventListener('pointerdown', (event) => this.#take(event), { signal });
        this.#frame.addEventListener('pointermove', (event) => this.#drag(event), { signal });
        for (const end of ['pointerup', 'pointercancel']) this.#frame.addEventListener(end, () => this.#drop(), { signal });
        this.#frame.addEventListener('keydown', (event) => this.#key(event), { signal });
        this.#video.addEventListener('resize', () => this.#changed(), { signal });
        words.addEventListener('languagechange', () => {
            this.#tell();
            if (!this.#from) return;
            this.#from = null;
            this.#findOut();
        }, { signal });
        this.#resized.observe(this.#frame);
        this.#tell();
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#resized.disconnect();
        this.#own.stop();
        for (const track of this.#stream?.getTracks() ?? []) track.stop();
    }

    // All of it needs a touch first, and may be refused.
    async #start() {
        const { signal } = this.#ended;
        this.#begin.hidden = true;
        const allowed = globalThis.DeviceOrientationEvent?.requestPermission?.() ?? Promise.resolve('granted');
        if (OwnPosition.isOffered && !this.#own.isOn) this.#own.toggle();
        const wish = { audio: false, video: { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 720 } } };
        this.#stream = await navigator.mediaDevices?.getUserMedia(wish).catch(() => null) ?? null;
        if (signal.aborted) return this.disconnectedCallback();
        if (this.#stream) this.#video.srcObject = this.#stream;
        if (await allowed.catch(() => 'denied') === 'granted') {
            // Chrome's plain event knows no north; the other one may never come.
            addEventListener('deviceorientationabsolute', (event) => this.#hold(event, 'absolute'), { signal });
            addEventListener('deviceorientation', (event) => this.#hold(event, event.absolute ? 'absolute' : 'relative'), { signal });
        }
        setTimeout(() => { this.#sensor ??= 'none'; this.#tell(); }, 2000);
        this.#home.hidden = false;
        const { declination } = await api.sky({ signal }).catch(() => ({}));
        this.#declination = declination?.degrees ?? 0;
        this.#turn += this.#declination;
        this.#findOut();
        while (!signal.aborted) {
            await pause(refreshEvery, signal);
            if (signal.aborted) return;
            this.#from = null;
            this.#findOut();
        }
    }

    #hold(event, kind) {
        const { alpha, beta, gamma } = event;
        if ([alpha, beta, gamma].some((value) => value === null) || (kind === 'relative' && this.#sensor === 'absolute')) return;
        const now = attitude(event, screen.orientation?.angle ?? 0);
        const isFirst = this.#sensor !== kind;
        this.#sensor = kind;
        // Where the reading jumps there is nothing to smooth.
        const jumps = isFirst || now.forward.reduce((total, value, index) => total + value * this.#held.forward[index], 0) < 0.9;
        this.#read = now;
        if (jumps) this.#held = now;
        if (isFirst) this.#tell();
        this.#changed();
    }

    // Goes a part of the way to what was read last; whether there is more of it to go.
    #follow() {
        if (!this.#read || this.#held === this.#read) return false;
        let left = 0;
        const next = {};
        for (const way of ['right', 'up', 'forward']) {
            const mixed = this.#held[way].map((value, index) => (1 - share) * value + share * this.#read[way][index]);
            const size = Math.hypot(...mixed);
            next[way] = mixed.map((value) => value / size);
            left += Math.hypot(...next[way].map((value, index) => value - this.#read[way][index]));
        }
        this.#held = left < 1e-4 ? this.#read : next;
        return left >= 1e-4;
    }

    // What is to be seen from here, asked for again after some steps.
    async #findOut() {
        const { signal } = this.#ended;
        const own = this.#own.position;
        const isSame = (one, other) => one && other && Math.hypot(...Object.values(metres(one, other))) < moved;
        if (this.#asked || (this.#from && (own ? this.#from.isOwn && isSame(this.#from, own) : !this.#from.isOwn))) return;
        const { language } = words;
        this.#asked = api.viewLandmarks(language, { from: own, signal });
        const list = await this.#asked.catch(() => null);
        this.#asked = null;
        if (signal.aborted) return;
        if (list) {
            const names = distinct(list.landmarks);
            this.#landmarks = list.landmarks.map((one) => ({ ...one, name: names.get(one.id) }));
            this.#from = { latitude: own?.latitude ?? list.latitude, longitude: own?.longitude ?? list.longitude, isOwn: Boolean(own) };
            if (this.#way) await this.#findWay();
        }
        this.#tell();
    }

    async #toggleWay() {
        const isOn = this.#home.getAttribute('aria-pressed') === 'true';
        this.#home.setAttribute('aria-pressed', String(!isOn));
        this.#way = null;
        if (!isOn) await this.#findWay();
        this.#tell();
    }

    async #findWay() {
        const { signal } = this.#ended;
        const from = this.#from?.isOwn ? this.#from : undefined;
        const way = await api.way(null, { from, signal }).catch(() => null);
        // Without a trailhead the station leads to where a trail begins.
        this.#way = way?.to.kind === 'trailhead' ? way : null;
        if (!this.#way) this.#home.setAttribute('aria-pressed', 'false');
    }

    // Pixels of the screen for a picture whose longer side is one.
    get #scale() {
        const { clientWidth: width, clientHeight: height } = this.#frame;
        const [wide, high] = [this.#video.videoWidth || width || 1, this.#video.videoHeight || height || 1];
        return Math.max(width / wide, height / high) * Math.max(wide, high);
    }

    get #by() {
        return { turn: this.#turn, tilt: this.#tilt, focal: this.#focal };
    }

    #take(event) {
        const { left, top } = this.#frame.getBoundingClientRect();
        const [x, y] = [event.clientX - left, event.clientY - top];
        const near = this.#placed.map((one) => [Math.min(Math.hypot(one.x - x, one.y - y),
            x >= one.left && x <= one.left + one.wide && y >= one.top && y <= one.bottom ? 0 : Infinity), one]).sort(([one], [other]) => one - other)[0];
        if (!near || near[0] > 48) return;
        event.preventDefault();
        this.#frame.setPointerCapture(event.pointerId);
        const { label } = near[1];
        this.#dragged = { id: label.id, azimuth: label.azimuth, elevation: label.elevation, dx: near[1].x - x, dy: near[1].y - y };
        this.#pins = [...this.#pins.filter(({ id }) => id !== label.id).slice(-1), null];
    }

    #drag(event) {
        if (!this.#dragged) return;
        const { left, top, width, height } = this.#frame.getBoundingClientRect();
        const { id, azimuth, elevation, dx, dy } = this.#dragged;
        const scale = this.#scale;
        const pin = {
            id, azimuth, elevation, held: structuredClone(this.#held), x: (event.clientX - left + dx - width / 2) / scale,
            y: (event.clientY - top + dy - height / 2) / scale,
        };
        this.#pins = [...this.#pins.slice(0, -1), pin];
        this.#align();
    }

    #drop() {
        if (!this.#dragged) return;
        this.#dragged = null;
        this.#pins = this.#pins.filter(Boolean);
        if (this.#pins.length === 2) localStorage.setItem(kept, String(this.#focal));
        this.#tell();
    }

    // By both names, if they tell the angle, too; otherwise by the last one.
    #align() {
        const pins = this.#pins.filter(Boolean);
        const isWide = pins.length === 2 && Math.abs(((pins[0].azimuth - pins[1].azimuth + 540) % 360) - 180) > 8;
        const found = (isWide && align(pins, this.#by)) || align(pins.slice(-1), this.#by);
        if (!found) return;
        ({ turn: this.#turn, tilt: this.#tilt, focal: this.#focal } = found);
        this.#alignedAt = Date.now();
        this.#forget.hidden = false;
        this.#changed();
    }

    // By keyboard all names are moved together, a degree at a time.
    #key(event) {
        const way = turns[event.key];
        if (!way) return;
        event.preventDefault();
        this.#turn = ((this.#turn + way[0] + 540) % 360) - 180;
        this.#tilt = Math.min(90, Math.max(-90, this.#tilt + way[1]));
        this.#alignedAt = Date.now();
        this.#forget.hidden = false;
        this.#changed();
        this.#tell();
    }

    #reset() {
        localStorage.removeItem(kept);
        this.#pins = [];
        [this.#turn, this.#tilt, this.#focal, this.#alignedAt] = [this.#declination, 0, usualFocal, null];
        this.#forget.hidden = true;
        this.#changed();
        this.#tell();
    }

    #tell() {
        const hasBegun = this.#begin.hidden;
        const told = !hasBegun ? 'look.note' : !this.#stream && this.#sensor ? 'look.noCamera' : this.#alignedAt ? null : `look.${this.#sensor ?? 'waiting'}`;
        this.#sentence.textContent = told ? text(told) : text('look.aligned', { age: age((Date.now() - this.#alignedAt) / 1000) });
        this.#sentence.classList.toggle('doubt', hasBegun && !this.#alignedAt);
        const from = !this.#from ? '' : this.#from.isOwn
            ? text('look.fromOwn', { metres: words.number(Math.max(1, Math.round(this.#own.position?.accuracy ?? 0))) }) : text('look.fromStation');
        const way = this.#way ? text('look.way', { place: named(this.#way.to.name), distance: distance(this.#way.distance) }) : '';
        const closed = this.#way?.closed?.length ? text('map.overClosed', { distance: distance(this.#way.closedLength) }) : '';
        this.#where.textContent = [from, way, closed].filter(Boolean).join(' ');
        this.#changed();
    }

    #changed() {
        if (this.#isDue) return;
        this.#isDue = true;
        requestAnimationFrame(() => {
            this.#isDue = false;
            if (this.#ended.signal.aborted) return;
            const isOnTheWay = this.#follow();
            this.#draw();
            if (isOnTheWay) this.#changed();
        });
    }

    #draw() {
        const { clientWidth: width, clientHeight: height } = this.#frame;
        const scale = this.#scale;
        const at = (one) => {
            const found = project(this.#held, one, this.#by);
            return found && { x: width / 2 + scale * found.x, y: height / 2 + scale * found.y };
        };
        const letters = parseFloat(getComputedStyle(this.#names).fontSize) || 16;
        const labels = this.#landmarks.flatMap((one) => {
            const found = at(one);
            return found ? [{ ...one, ...found, sigma: 0 }] : [];
        });
        this.#placed = place(labels, { scale: 1, width, height, letters });
        this.#lines.setAttribute('viewBox', `0 0 ${width || 1} ${height || 1}`);
        this.#lines.replaceChildren(...this.#ground(at, width), ...leaders(this.#placed, 4));
        this.#names.replaceChildren(...this.#placed.map(({ label, left, top, wide }) => {
            const name = h('li', { text: label.name, class: label.kind, 'data-id': label.id });
            name.style.setProperty('--left', `${left}px`);
            name.style.setProperty('--top', `${top}px`);
            name.style.setProperty('--wide', `${wide}px`);
            return name;
        }));
    }

    // The way as a band on the ground; where it begins outside of the picture, which way to turn.
    #ground(at, width) {
        this.#aside.hidden = true;
        const marks = this.#way && this.#from ? band(this.#way.geometry.coordinates, this.#from) : [];
        if (!marks.length) return [];
        const seen = marks.map((mark) => mark.map(at));
        const middle = (mark) => mark[0] && mark[1] && (mark[0].x + mark[1].x) / 2;
        const inView = seen.filter((mark) => mark[0] && mark[1]);
        const starts = middle(seen[0]);
        if (inView.length < 2 || starts === null || starts < 0 || starts > width) {
            const looked = (Math.atan2(this.#held.forward[0], this.#held.forward[1]) * 180) / Math.PI + this.#turn;
            const off = ((marks[Math.min(2, marks.length - 1)][0].azimuth - looked + 900) % 360) - 180;
            this.#aside.hidden = Math.abs(off) < 20;
            this.#aside.textContent = text(off < 0 ? 'look.turnLeft' : 'look.turnRight');
            this.#aside.className = `aside ${off < 0 ? 'left' : 'right'}`;
            if (inView.length < 2) return [];
        }
        const corners = [...inView.map(([one]) => one), ...inView.map(([, other]) => other).reverse()];
        const tip = inView[inView.length - 1];
        const points = corners.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
        const wide = 1.6 * Math.hypot(tip[0].x - tip[1].x, tip[0].y - tip[1].y) + 6;
        const top = { x: (tip[0].x + tip[1].x) / 2, y: (tip[0].y + tip[1].y) / 2 };
        return [s('polygon', { class: 'way', points }),
            s('polygon', { class: 'way', points: `${top.x - wide},${top.y} ${top.x + wide},${top.y} ${top.x},${top.y - 1.6 * wide}` })];
    }
}

customElements.define('tablet-look', TabletLook);
