// <trail-profile>: the height of the ground along a trail, and where the station is on it.
import { h, s } from '../core/dom.js';
import { distance } from '../core/phrases.js';
import { text, words } from '../core/words.js';

const width = 400;
const height = 120;
const room = 14;

class TrailProfile extends HTMLElement {
    #profile = null;
    #ink = '';
    #ended = null;

    connectedCallback() {
        this.#ended = new AbortController();
        words.addEventListener('languagechange', () => this.#draw(), { signal: this.#ended.signal });
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // `profile` is what the station answers; `ink` the colour of the trail.
    show(profile, ink) {
        this.#profile = profile;
        this.#ink = ink;
        this.#draw();
    }

    #draw() {
        const points = this.#profile?.points.filter((point) => point.height !== undefined && point.height !== null) ?? [];
        if (points.length < 2) return this.replaceChildren(h('p', { class: 'detail', text: text('map.noHeights') }));
        const { length, ascent, here } = this.#profile;
        const heights = points.map((point) => point.height);
        const least = Math.min(...heights);
        // Level ground is not drawn as a mountain.
        const span = Math.max(40, Math.max(...heights) - least);
        const place = ({ along, height: metres }) => [along / length * width, room + (1 - (metres - least) / span) * (height - 2 * room)];
        const line = points.map(place).map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`);
        const marks = [];
        const nearest = here === undefined || here === null ? null
            : points.reduce((best, point) => (Math.abs(point.along - here) < Math.abs(best.along - here) ? point : best));
        if (nearest) {
            const [x, y] = place(nearest);
            marks.push(s('line', { class: 'here-line', x1: x, x2: x, y1: 0, y2: height }), ...['here-rim', 'here'].map((name) => s('path', { class: name, d: `M${x} ${y}h0.01` })));
        }
        const figures = { ascent: words.number(ascent ?? 0), low: words.number(least), high: words.number(Math.max(...heights)) };
        const said = text('map.profile', { length: distance(length), ...figures });
        const brief = text('map.profileBrief', figures);
        this.style.setProperty('--ink-of-trail', this.#ink);
        this.replaceChildren(
            s('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': said },
                s('path', { class: 'ground', d: `M0 ${height}L${line.join('L')}L${width} ${height}z` }),
                s('path', { class: 'line', d: `M${line.join('L')}` }), marks),
            h('p', { class: 'brief', 'aria-hidden': 'true', text: brief }),
            h('p', { class: 'detail', text: nearest ? `${said} ${text('map.profileHere', { along: distance(here) })}` : said }));
    }
}

customElements.define('trail-profile', TrailProfile);
