// <tablet-calibrate>: tells the station how its fixed camera looks, by points in a picture that stands still. Nothing is kept before
// the result was seen.
import { button, go, h, s } from '../core/dom.js';
import { text, words } from '../core/words.js';
import { described, distinct, leaders, place } from '../core/labels.js';
import * as api from '../core/api.js';

const least = 3;
// What somebody wrote is no place: the page itself refuses it.
const noPlace = new api.Failure('no-place', '');
// The magnifier: pixels of the picture to each side, and how often larger.
const [reach, larger] = [12, 6];
const steps = { ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, 1] };

// Latitude and longitude as people write and copy them, as 39.1069, -96.6091 and 39.1069° N 96.6091° W. Both have decimals, since a
// camera's place has: 39,106 is one number, not two.
function degrees(words) {
    const one = String.raw`([-+]?\d{1,3}\.\d+)\s*°?\s*`;
    const [, latitude, north, longitude, east] = new RegExp(String.raw`^\s*${one}([NS]?)\s*[\s,;]\s*${one}([EWO]?)\s*$`, 'i')
        .exec(words.replaceAll('\u2212', '-')) ?? [];
    return [latitude * (/s/i.test(north) ? -1 : 1), longitude * (/[wo]/i.test(east) ? -1 : 1)];
}

class TabletCalibrate extends HTMLElement {
    #ended = null;
    #list = null;
    // Where the camera stands, where the station cannot tell: from the list, or as somebody says.
    #from = null;
    #named = new Map();
    #size = null;
    // By landmark: { id, x, y }, in the order in which they were set.
    #points = [];
    #current = '';
    #result = null;
    // What the station refused last.
    #failure = null;
    #canvas = h('canvas', {});
    #lens = h('canvas', { class: 'lens', width: 2 * reach * larger, height: 2 * reach * larger, 'aria-hidden': 'true' });
    #marks = s('svg', { class: 'leaders', 'aria-hidden': 'true' });
    #names = h('ul', { class: 'names', label: 'view.names' });
    #frame = h('div', { class: 'view-picture', role: 'group', tabindex: 0, label: 'calibrate.picture' }, this.#canvas, this.#marks, this.#names);
    #which = h('select', { id: 'calibrate-which' });
    #whichLabel = h('label', { for: 'calibrate-which', word: 'calibrate.which' });
    #place = h('input', { id: 'calibrate-place', type: 'text', autocomplete: 'off', spellcheck: 'false', maxlength: 40, placeholder: '39.106900, -96.609100' });
    #where = h('form', { class: 'place', hidden: true }, h('label', { for: 'calibrate-place', word: 'calibrate.place' }), this.#place,
        h('button', { class: 'primary', word: 'calibrate.usePlace' }));
    #rows = h('ul', { class: 'points', label: 'calibrate.points' });
    #note = h('p', { class: 'finding', role: 'status' });
    #problem = h('p', { class: 'problem', role: 'alert' });
    #solve = button('calibrate.solve', () => this.#work(), { class: 'primary', icon: 'check' });
    #keep = button('calibrate.keep', () => this.#accept(), { class: 'primary', icon: 'check' });
    #discard = button('calibrate.discard', () => this.#drop(), { icon: 'back' });
    #fresh = button('calibrate.fresh', () => this.#begin(), { icon: 'again' });
    #pad = h('div', { class: 'arrows', role: 'group', label: 'calibrate.move' });
    #resized = new ResizeObserver(() => this.#draw());

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        for (const [key, name, icon] of [['ArrowUp', 'up', 'up'], ['ArrowLeft', 'left', 'left'], ['ArrowRight', 'right', 'right'], ['ArrowDown', 'down', 'up']]) {
            const one = button(`calibrate.${name}`, () => this.#move(...steps[key]), { icon, class: `arrow ${name}` });
            this.#pad.append(one);
        }
        this.#pad.append(this.#lens);
        this.replaceChildren(h('h1', { class: 'title', word: 'calibrate.title', tabindex: -1 }),
            h('div', { class: 'view-stage' }, this.#frame),
            h('div', { class: 'beside' }, this.#note, this.#problem, this.#where,
                this.#whichLabel, this.#which, this.#pad,
                h('div', { class: 'decide' }, this.#solve, this.#keep, this.#discard, this.#fresh), this.#rows));
        this.#frame.addEventListener('click', (event) => this.#touch(event), { signal });
        this.#frame.addEventListener('keydown', (event) => {
            if (!steps[event.key]) return;
            event.preventDefault();
            const [x, y] = steps[event.key];
            this.#move(...(event.shiftKey ? [10 * x, 10 * y] : [x, y]));
        }, { signal });
        this.#where.addEventListener('submit', (event) => { event.preventDefault(); this.#stand(); }, { signal });
        this.#which.addEventListener('change', () => { this.#current = this.#which.value; this.#show(); }, { signal });
        words.addEventListener('languagechange', () => this.#rename(), { signal });
        this.#resized.observe(this.#frame);
        this.#begin();
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#resized.disconnect();
    }

    // Another picture, and what is to be seen at its instant. The points are of one picture.
    async #begin() {
        const { signal } = this.#ended;
        [this.#points, this.#result, this.#list] = [[], null, null];
        this.#say(null);
        this.#show();
        try {
            const [{ blob }, list] = await Promise.all([api.frame({ signal }), api.viewLandmarks(words.language, { from: this.#from, signal })]);
            const bitmap = await createImageBitmap(blob);
            [this.#canvas.width, this.#canvas.height] = [bitmap.width, bitmap.height];
            this.#canvas.getContext('2d', { alpha: false }).drawImage(bitmap, 0, 0);
            this.#size = { width: bitmap.width, height: bitmap.height };
            this.#frame.style.setProperty('--ratio', bitmap.width / bitmap.height);
            bitmap.close();
            // A camera does not stand where a recording walks.
            this.#where.hidden = !this.#from && list.source !== 'recorded';
            this.#list = list.source === 'recorded' ? null : list;
        } catch (failure) {
            if (signal.aborted) return;
            this.#where.hidden = failure.kind !== 'no-position';
            this.#say(failure);
        }
        this.#current = this.#list?.landmarks[0]?.id ?? '';
        this.#choose();
        this.#show();
    }

    // What the station says is for programs, and in English.
    #say(failure) {
        this.#failure = failure;
        const index = /^\/clicks\/(\d+)\//.exec(failure?.path)?.[1];
        const point = this.#points[index];
        const key = `calibrate.refused.${failure?.kind}`;
        this.#problem.textContent = !failure ? '' : failure === noPlace ? text('calibrate.noPlace')
            : failure.kind === 'unreachable' ? text('pair.unreachable')
                : point ? text('calibrate.badPoint', { number: Number(index) + 1, name: this.#nameOf(point.id) })
                    : text(words.has(key) ? key : 'calibrate.refused');
    }

    // Where the camera is, as somebody says: decimal degrees, WGS 84.
    #stand() {
        const [latitude, longitude] = degrees(this.#place.value);
        if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
            this.#say(noPlace);
            this.#place.focus();
            return;
        }
        this.#from = { latitude, longitude };
        this.#begin();
    }

    // In another language: the page's own words at once, the names with the station's answer. What was chosen and pointed at stays.
    async #rename() {
        const { signal } = this.#ended;
        this.#retell();
        const list = this.#list && await api.viewLandmarks(words.language, { from: this.#from, signal }).catch(() => null);
        if (signal.aborted) return;
        const names = new Map(list?.landmarks.map(({ id, name }) => [id, name]));
        for (const one of this.#list?.landmarks ?? []) one.name = names.get(one.id) ?? one.name;
        if (this.#result) await this.#solveAgain();
        this.#retell();
    }

    #retell() {
        this.#choose();
        this.#say(this.#failure);
        this.#show();
    }

    #nameOf(id) {
        return this.#named.get(id) ?? id;
    }

    #choose() {
        const landmarks = this.#list?.landmarks ?? [];
        this.#named = distinct(landmarks);
        this.#which.replaceChildren(...landmarks.map((one) => h('option', { value: one.id, text: described(one) })));
        this.#which.value = this.#current;
    }

    get #point() {
        return this.#points.find(({ id }) => id === this.#current);
    }

    #touch({ clientX, clientY }) {
        if (!this.#list || !this.#current || this.#result) return;
        const { left, top, width, height } = this.#frame.getBoundingClientRect();
        this.#put((clientX - left) / width * this.#size.width, (clientY - top) / height * this.#size.height);
        this.#frame.focus({ preventScroll: true });
    }

    #put(x, y) {
        const at = { x: Math.min(Math.max(x, 0), this.#size.width), y: Math.min(Math.max(y, 0), this.#size.height) };
        if (this.#point) Object.assign(this.#point, at);
        else this.#points.push({ id: this.#current, ...at });
        this.#show();
    }

    // By pixels of the picture; a first point begins in its middle.
    #move(x, y) {
        if (!this.#list || !this.#current || this.#result) return;
        const from = this.#point ?? { x: this.#size.width / 2, y: this.#size.height / 2 };
        this.#put(from.x + x, from.y + y);
    }

    get #wishes() {
        const { latitude, longitude, accuracy, cameraHeight, time } = this.#list;
        return {
            ...this.#size, latitude, longitude, cameraHeight, ...(accuracy && { accuracy }),
            clicks: this.#points.map(({ id, x, y }) => ({ x, y, ...(['sun', 'moon'].includes(id) ? { body: id, time } : { landmark: id }) })),
        };
    }

    // The names in the result are the station's words.
    async #solveAgain() {
        const result = await api.calibrateView({ ...this.#wishes, dryRun: true }, words.language).catch(() => null);
        if (this.#result && result) this.#result = result;
    }

    async #work() {
        this.#say(null);
        try {
            this.#result = await api.calibrateView({ ...this.#wishes, dryRun: true }, words.language);
        } catch (failure) {
            this.#say(failure);
        }
        this.#show();
        if (this.#result) this.#keep.focus({ preventScroll: true });
    }

    async #accept() {
        try {
            await api.calibrateView(this.#wishes, words.language);
            go(this, 'view');
        } catch (failure) {
            this.#say(failure);
        }
    }

    #drop() {
        this.#result = null;
        this.#show();
        this.#frame.focus({ preventScroll: true });
    }

    #show() {
        const isDone = Boolean(this.#result);
        const missing = least - this.#points.length;
        this.#which.disabled = isDone || !this.#list;
        for (const one of this.#pad.querySelectorAll('button')) one.disabled = isDone || !this.#list;
        this.#whichLabel.hidden = this.#which.hidden = !this.#list;
        this.#pad.hidden = this.#solve.hidden = isDone || !this.#list;
        if (isDone) this.#where.hidden = true;
        else if (this.#from) this.#where.hidden = false;
        this.#fresh.hidden = isDone || (!this.#list && !this.#failure);
        this.#keep.hidden = this.#discard.hidden = !isDone;
        this.#solve.disabled = missing > 0;
        const suspect = this.#result?.clicks.findIndex(({ isSuspect }) => isSuspect) ?? -1;
        const sentences = isDone
            ? [text('calibrate.result', { median: words.number(this.#result.errorMedian), most: words.number(this.#result.error95) }),
                suspect >= 0 && text('calibrate.suspect', { name: this.#nameOf(this.#points[suspect].id) })]
            : [text(!this.#where.hidden && !this.#list ? 'calibrate.recorded' : this.#list && this.#list.landmarks.length < least ? 'calibrate.none' : missing > 0 ? 'calibrate.choose' : 'calibrate.ready')];
        this.#note.textContent = sentences.filter(Boolean).join(' ');
        this.#note.classList.toggle('doubt', suspect >= 0);
        this.#rows.replaceChildren(...this.#points.map(({ id }, index) => {
            const off = this.#result?.clicks[index]?.residual;
            return h('li', { class: index === suspect ? 'suspect' : '' },
                h('button', { type: 'button', class: 'point', 'aria-pressed': String(id === this.#current), text: `${index + 1} ${this.#nameOf(id)}`,
                    on: { click: () => { this.#current = this.#which.value = id; this.#show(); } } }),
                off === undefined
                    ? h('button', { type: 'button', class: 'quiet', label: ['calibrate.remove', { name: this.#nameOf(id) }], text: '×', on: { click: () => {
                        this.#points.splice(index, 1);
                        this.#show();
                    } } })
                    : h('span', { class: 'off', text: text('calibrate.off', { pixels: words.number(off) }) }));
        }));
        this.#draw();
    }

    #draw() {
        const { clientWidth: width, clientHeight: height } = this.#frame;
        if (!this.#size || !width) return;
        const scale = width / this.#size.width;
        this.#marks.setAttribute('viewBox', `0 0 ${width} ${height}`);
        const crosses = this.#points.flatMap(({ id, x, y }, index) => {
            const [left, top] = [x * scale, y * scale];
            const cross = `M${left - 14} ${top}h10M${left + 4} ${top}h10M${left} ${top - 14}v10M${left} ${top + 4}v10`;
            return [s('path', { class: 'under', d: cross }), s('path', { class: id === this.#current ? 'now' : '', d: cross }),
                s('text', { x: Math.min(left + 8, width - 20), y: Math.max(top - 8, 20), text: String(index + 1) })];
        });
        const letters = parseFloat(getComputedStyle(this.#names).fontSize) || 16;
        const placed = this.#result ? place(this.#result.labels ?? [], { scale, width, height, letters }) : [];
        this.#marks.replaceChildren(...leaders(placed, 5), ...crosses);
        this.#names.replaceChildren(...placed.map(({ label, left, top, wide }) => {
            const name = h('li', { text: label.name });
            name.style.setProperty('--left', `${left}px`);
            name.style.setProperty('--top', `${top}px`);
            name.style.setProperty('--wide', `${wide}px`);
            return name;
        }));
        this.#magnify();
    }

    #magnify() {
        const pen = this.#lens.getContext('2d', { alpha: false });
        const side = this.#lens.width;
        pen.fillStyle = '#16241d';
        pen.fillRect(0, 0, side, side);
        if (!this.#point) return;
        pen.imageSmoothingEnabled = false;
        const { x, y } = this.#point;
        pen.drawImage(this.#canvas, x - reach, y - reach, 2 * reach, 2 * reach, 0, 0, side, side);
        for (const [colour, wide] of [['#16241d', 4], ['#fffaf0', 2]]) {
            pen.strokeStyle = colour;
            pen.lineWidth = wide;
            pen.beginPath();
            for (const [a, b] of [[0, side / 2 - 8], [side / 2 + 8, side]]) {
                pen.moveTo(a, side / 2);
                pen.lineTo(b, side / 2);
                pen.moveTo(side / 2, a);
                pen.lineTo(side / 2, b);
            }
            pen.stroke();
        }
    }
}

customElements.define('tablet-calibrate', TabletCalibrate);
