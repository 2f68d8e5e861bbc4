// <kiosk-sky>: where the station is, how well that is known, and the satellites that say so.
import { h, s } from '../core/dom.js';
import { text, words } from '../core/words.js';
import { coordinates, isRecorded, metres } from '../core/phrases.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';

const every = 2000;
const radius = 100;

// Azimuth and elevation on a disc: north up, the zenith in the middle.
function onDisc({ azimuth, elevation }) {
    const distance = radius * (90 - elevation) / 90;
    const angle = azimuth * Math.PI / 180;
    return [distance * Math.sin(angle), -distance * Math.cos(angle)];
}

class KioskSky extends HTMLElement {
    #ended = null;
    #position = null;
    #sky = null;
    #plot = h('div', { class: 'plot', role: 'img' });
    #ribbon = h('p', { class: 'ribbon' });
    #accuracy = h('p', { class: 'accuracy' });
    #sentence = h('p', { class: 'sentence' });
    #facts = h('dl', { class: 'facts' });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'sky.title', tabindex: -1 }), this.#plot,
            h('div', { class: 'answer' }, this.#ribbon, this.#accuracy, this.#sentence, this.#facts));
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        this.#ask(signal);
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    async #ask(signal) {
        while (!signal.aborted) {
            const answers = await Promise.allSettled([api.position({ signal }), api.satellites({ signal })]);
            [this.#position, this.#sky] = answers.map(({ value }) => value ?? null);
            if (!signal.aborted) this.#tell();
            await pause(every, signal);
        }
    }

    #tell() {
        const position = this.#position ?? { state: 'disconnected' };
        const fixed = position.state === 'fix' && position.accuracy !== undefined;
        this.#ribbon.textContent = isRecorded(position) ? text(`source.position.${position.source}`) : '';
        this.#accuracy.textContent = fixed ? metres(position.accuracy) : '?';
        this.#sentence.textContent = text(fixed ? 'sky.fix' : `sky.${position.state}`, {
            accuracy: words.number(Math.ceil(position.accuracy ?? 0)),
        });
        this.#facts.replaceChildren(...this.#rows(position).flatMap(([key, value]) =>
            [h('dt', { text: text(key) }), h('dd', { text: value })]));
        this.#draw(this.#sky?.satellites ?? []);
    }

    #rows(position) {
        const rows = [];
        if (coordinates(position)) rows.push(['sky.coordinates', coordinates(position)]);
        if (position.altitudeMSL !== undefined) {
            rows.push(['sky.height', text('sky.metres', { metres: words.number(position.altitudeMSL) })]);
        }
        if (position.ageMs !== undefined) {
            rows.push(['sky.age', text('sky.seconds', { seconds: words.number(position.ageMs / 1000, 1) })]);
        }
        if (this.#sky) rows.push(['sky.satellites', text('sky.used', { used: this.#sky.used, visible: this.#sky.visible })]);
        return rows;
    }

    #draw(satellites) {
        const rings = [0, 30, 60].map((elevation) => s('circle', { class: 'ring', r: radius * (90 - elevation) / 90 }));
        const marks = ['north', 'east', 'south', 'west'].map((name, index) => s('text', {
            class: 'quarter', x: [0, 111, 0, -111][index], y: [-107, 4, 116, 4][index], text: text(`compass.${name}`),
        }));
        const dots = satellites.filter(({ azimuth, elevation }) => azimuth !== undefined && elevation >= 0).map((satellite) => {
            const [cx, cy] = onDisc(satellite);
            return s('circle', { class: satellite.used ? 'used' : 'seen', cx, cy, r: satellite.used ? 6 : 4 });
        });
        this.#plot.setAttribute('aria-label', text('sky.plot', { used: this.#sky?.used ?? 0, visible: this.#sky?.visible ?? 0 }));
        this.#plot.replaceChildren(s('svg', { viewBox: '-122 -122 244 244', 'aria-hidden': 'true' },
            s('circle', { class: 'disc', r: radius }), rings, marks, dots));
    }
}

customElements.define('kiosk-sky', KioskSky);
