// <kiosk-map>: the ground, the trails and where the station is; what lies along a trail, and the way back.
import { button, go, h, icon } from '../core/dom.js';
import { bind, text, words } from '../core/words.js';
import { age, coordinates, distance, isRecorded, metres, named } from '../core/phrases.js';
import { OwnPosition } from '../core/own-position.js';
import { RockLayer } from '../core/rock-layer.js';
import { TrailMap } from '../core/trail-map.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';
import './map-rocks.js';
import './trail-profile.js';

const every = 2000;
// The scale bar is at most so many times as wide as its letters are high, and at least 0.4 of that.
const widest = 7;

class KioskMap extends HTMLElement {
    #ended = null;
    #map = null;
    #network = null;
    #drawn = [];
    #chosen = -1;
    #way = null;
    #position = null;
    #nearest = null;
    // Where this device is on the trails by its own position; null while that is not known.
    #ownNearest = null;
    #heardAt = 0;
    // Where a way is to end: {latitude, longitude} and a name where it has one; null for the trailhead.
    #end = null;
    #own = new OwnPosition(() => this.#followOwn());
    #whereabouts = h('ul', { class: 'whereabouts', label: 'map.whereabouts' });
    #mine = button('map.own', () => this.#own.toggle(), { icon: 'phone', class: 'lone', 'aria-pressed': 'false' });
    #board = h('div', { class: 'map-board', role: 'region', label: 'map.board' });
    #ribbon = h('p', { class: 'ribbon' });
    #sentence = h('p', { class: 'sentence', role: 'status' });
    #ownSentence = h('p', { class: 'sentence own', role: 'status', hidden: true });
    #detail = h('p', { class: 'detail' });
    #name = h('p', { class: 'trail-name' });
    #stepper = h('div', { class: 'stepper', role: 'group', label: 'map.trails' },
        button('map.former', () => this.#step(-1), { icon: 'left', class: 'lone' }), this.#name,
        button('map.next', () => this.#step(1), { icon: 'right', class: 'lone' }));
    #profile = h('trail-profile');
    #back = button('map.way', () => this.#showWay(), { icon: 'home', class: 'gold' });
    #along = button('map.along', () => go(this, 'along', { trail: this.#drawn[this.#chosen].name }), { icon: 'phone' });
    #credit = h('p', { class: 'credit' });
    #credits = null;
    #scale = h('span', { class: 'scale' });
    #key = h('ul', { class: 'map-key', label: 'map.key' },
        h('li', { class: 'north' }, h('span', { label: 'map.north', role: 'img', text: 'N' })), h('li', {}, this.#scale),
        ...['trail', 'closed'].map((kind) => h('li', { class: kind }, h('span', { class: 'mark', 'aria-hidden': 'true' }),
            h('span', { word: `map.key.${kind}` }))));
    #stones = button('map.rocks', () => this.#turnToRocks(!visit.rocks.isShown), { icon: 'stone', class: 'lone', 'aria-pressed': 'false' });
    #rocks = h('map-rocks');
    #layer = null;
    #found = null;
    #watch = new ResizeObserver(() => this.#map?.refresh());
    // The trail to begin with, and where a way is to end.
    chosen = null;
    end = null;

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        for (const part of [this.#stepper, this.#profile, this.#back, this.#along]) part.hidden = true;
        this.#mine.hidden = !OwnPosition.isOffered;
        this.replaceChildren(
            h('div', { class: 'map-frame' }, this.#board,
                h('div', { class: 'map-buttons', role: 'group', label: 'map.buttons' },
                    button('map.nearer', () => this.#map?.zoom(1), { icon: 'plus', class: 'lone' }),
                    button('map.farther', () => this.#map?.zoom(-1), { icon: 'minus', class: 'lone' }),
                    button('map.here', () => this.#map?.goTo(this.#position), { icon: 'place', class: 'lone' }),
                    this.#stones, this.#mine),
                this.#whereabouts, h('div', { class: 'map-foot' }, this.#key, this.#credit)),
            h('div', { class: 'map-side' },
                h('h1', { class: 'title', word: 'map.title', tabindex: -1 }), this.#ribbon,
                h('div', { class: 'sentences' }, this.#sentence, this.#ownSentence), this.#detail,
                this.#stepper, this.#profile, h('div', { class: 'map-actions' }, this.#back, this.#along), this.#rocks));
        words.addEventListener('languagechange', () => {
            this.#map?.rename();
            this.#measure();
            this.#tell();
        }, { signal });
        this.#sentence.textContent = text('map.loading');
        this.#open(signal);
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#own.stop();
        this.#watch.disconnect();
        this.#layer?.close();
        this.#map?.close();
    }

    async #open(signal) {
        const [ground, lines, network] = (await Promise.allSettled([api.map({ signal }), api.trailLines({ signal }), api.trails({ signal })]))
            .map(({ value }) => value ?? null);
        try {
            const map = await TrailMap.open(this.#board, ground?.ground, (name) => this.#choose(this.#drawn.findIndex((one) => one.name === name)),
                (place) => this.#aim(place));
            if (signal.aborted) return map.close();
            this.#map = map;
            map.moved = () => this.#measure();
            this.#watch.observe(this.#board);
        } catch {
            this.#sentence.textContent = text('map.failed');
            return;
        }
        this.#network = network;
        this.#credits = { ground: ground?.ground.attribution, trails: lines?.attribution };
        this.#credit.textContent = this.#creditWords();
        this.#measure();
        if (lines) this.#drawn = this.#map.showTrails(lines).filter(({ name }) => network?.trails.some((trail) => trail.name === name));
        this.#stepper.hidden = this.#drawn.length === 0;
        if (this.chosen) this.#choose(this.#drawn.findIndex(({ name }) => name === this.chosen));
        if (this.end) this.#aim(this.end);
        this.#turnToRocks(visit.rocks.isShown && !this.end);
        performance.mark('map-usable');
        while (!signal.aborted) {
            const own = this.#own.position;
            const [position, nearest, ownNearest] = (await Promise.allSettled([api.position({ signal }), network && api.nearestTrail({ signal }),
                network && own && api.nearestTrailTo(own, { signal })])).map(({ value }) => value ?? null);
            if (signal.aborted) return;
            this.#position = position;
            this.#nearest = nearest;
            this.#ownNearest = this.#own.position && ownNearest;
            this.#heardAt = performance.now();
            this.#map.showPosition(position);
            const stood = this.#whereabouts.offsetHeight;
            this.#tell();
            if (this.#whereabouts.offsetHeight !== stood) this.#map.refresh();
            await pause(every, signal);
        }
    }

    #tell() {
        if (!this.#map) return;
        const made = this.#network?.demonstration ? text('map.demonstration') : '';
        const source = isRecorded(this.#position) ? text(`source.position.${this.#position.source}`) : '';
        this.#ribbon.textContent = source || made;
        this.#tellWhere();
        this.#detail.textContent = this.#ahead();
        this.#credit.textContent = this.#creditWords();
        const drawn = this.#drawn[this.#chosen];
        const trail = this.#network?.trails.find(({ name }) => name === drawn?.name);
        this.#name.replaceChildren(...(trail ? this.#about(trail, drawn.ink) : [h('span', { text: text('map.choose') })]));
        this.#along.hidden = !drawn || !station.session.takeHome;
        this.#back.hidden = this.#drawn.length === 0 || !(this.#end || this.#trailhead);
        const { name } = this.#end ?? {};
        const word = !this.#end ? ['map.way'] : name ? ['map.wayTo', () => ({ place: named(name) })] : ['map.wayHere'];
        bind(this.#back.querySelector('span'), 'word', ...word);
        this.#back.querySelector('.icon').replaceWith(icon(this.#end ? 'flag' : 'home'));
        this.#tellWhereabouts();
    }

    // Whom the ground and the trails are from; what the station itself says of them in the visitor's language.
    #creditWords() {
        const ground = this.#credits?.ground?.replace(/^Elevation: /, () => text('map.elevation'));
        const trails = this.#network?.demonstration ? text('map.creditMadeUp') : this.#credits?.trails;
        return [ground, trails].filter(Boolean).join(' · ');
    }

    // The scale bar.
    #measure() {
        if (!this.#map) return;
        const { metres, pixels } = this.#map.scale(widest * (parseFloat(getComputedStyle(this.#scale).fontSize) || 16));
        this.#scale.textContent = metres < 1000 ? `${words.number(metres)} m` : `${words.number(metres / 1000)} km`;
        this.#scale.style.setProperty('--wide', `${pixels}px`);
    }

    // How good and how old each position is; the station's and this tablet's stand apart, each with its own mark.
    #tellWhereabouts() {
        const line = (kind, position, seconds) => h('li', { class: kind }, h('span', { class: 'mark', 'aria-hidden': 'true' }),
            text(`map.${kind === 'station' && isRecorded(position) ? 'recorded' : kind}At`, { accuracy: position.accuracy === undefined ? '?' : metres(position.accuracy), age: age(seconds) }));
        const { latitude, ageMs } = this.#position ?? {};
        const since = (performance.now() - this.#heardAt) / 1000;
        const own = this.#own.position;
        this.#whereabouts.replaceChildren(
            ...(latitude === undefined ? [] : [line('station', this.#position, (ageMs ?? 0) / 1000 + since)]),
            ...(own ? [line('own', own, (Date.now() - own.at) / 1000)] : []),
            ...(this.#own.failure ? [h('li', { class: 'own', text: text(`map.${this.#own.failure}`) })] : []));
        this.#whereabouts.hidden = !this.#whereabouts.childElementCount;
        const station = this.#whereabouts.querySelector('.station');
        station?.toggleAttribute('data-old', this.#position.state !== 'fix');
        station?.toggleAttribute('data-recorded', isRecorded(this.#position));
    }

    // Specimens and samples on the map in place of the trails' words, or back.
    #turnToRocks(isShown) {
        const wasShown = Boolean(this.#layer);
        visit.rocks.isShown = isShown;
        this.#stones.setAttribute('aria-pressed', String(isShown));
        this.toggleAttribute('data-rocks', isShown);
        this.#map?.refresh();
        if (!this.#map || isShown === wasShown) return;
        if (!isShown) {
            this.#layer.close();
            this.#layer = null;
            this.#map.bind(true);
            return this.#map.showAll();
        }
        this.#map.bind(false);
        this.#layer = this.#map.layer(RockLayer, (rocks) => (rocks.length === 1 ? go(this, 'rock', { rock: rocks[0], found: this.#found })
            : go(this, 'rocklist', { found: this.#found, rocks })));
        this.#rocks.wished = (wish) => {
            this.#layer?.show([]);
            this.#layer?.showArea(wish);
        };
        this.#rocks.told = (found) => {
            this.#found = found;
            this.#layer?.show(found.rocks);
        };
        this.#rocks.look();
    }

    #followOwn() {
        this.#mine.setAttribute('aria-pressed', String(this.#own.isOn));
        this.#map?.showOwn(this.#own.position);
        if (!this.#own.position) this.#ownNearest = null;
        this.#tellWhere();
        this.#tellWhereabouts();
    }

    // A place that was touched is where the next way ends; the same place once more takes it back.
    #aim(place) {
        if (visit.rocks.isShown && !this.end) {
            visit.rocks.center = { latitude: place.latitude, longitude: place.longitude };
            if (visit.rocks.shape === 'region') Object.assign(visit.rocks, { shape: 'circle', region: null });
            return this.#rocks.look();
        }
        this.end = null;
        const isSame = this.#end && Math.hypot(this.#end.latitude - place.latitude, this.#end.longitude - place.longitude) < 1e-6;
        this.#end = isSame ? null : place;
        this.#way = null;
        this.#map.showWay(null);
        this.#map.showEnd(this.#end);
        this.#tell();
    }

    get #trailhead() {
        return this.#network?.places.find(({ kind }) => kind === 'trailhead') ?? null;
    }

    // The station's sentence, and beside it this device's where it has a position of its own: then both say whose they are.
    #tellWhere() {
        const own = this.#own.position && this.#ownNearest;
        const mark = () => h('span', { class: 'mark', 'aria-hidden': 'true' });
        const said = this.#where(own ? 'station.' : '');
        this.#sentence.replaceChildren(...(own ? [mark(), h('span', { text: said })] : [said]));
        this.#sentence.classList.toggle('station', Boolean(own));
        this.#sentence.toggleAttribute('data-recorded', isRecorded(this.#position));
        this.#ownSentence.hidden = !own;
        if (own) this.#ownSentence.replaceChildren(mark(), h('span', { text: this.#onTrails(own, 'own.') ?? text('map.own.none') }));
    }

    // Where the station is on the trails, with no more certainty than there is.
    #where(whose) {
        const position = this.#position ?? { state: 'disconnected' };
        if (position.state !== 'fix') return text(`sky.${position.state}`);
        return this.#onTrails(this.#nearest, whose) ?? text('sky.fix', { accuracy: words.number(Math.ceil(position.accuracy ?? 0)) });
    }

    #onTrails(nearest, whose) {
        if (!nearest?.trail && !nearest?.candidates?.length) return null;
        if (nearest.state === 'unknown') {
            return text(`map.${whose}unknown`, { trails: (nearest.candidates ?? nearest.trails).map(named).join(', ') });
        }
        return text(`map.${whose}${nearest.state}`, {
            trail: named(nearest.trail), distance: distance(Math.abs(nearest.distance ?? 0)), along: distance(nearest.along ?? 0),
        });
    }

    // What comes next.
    #ahead() {
        const junction = this.#nearest?.junction;
        if (this.#way) return this.#wayWords();
        if (this.#end) return named(this.#end.name) ?? text('map.end', { place: coordinates(this.#end) });
        if (this.#nearest?.closed) return text('map.closed', { reason: this.#nearest.closed });
        if (junction?.turn) return text('map.junction', { distance: distance(junction.distance), turn: text(`turn.${junction.turn}`) });
        return '';
    }

    #about(trail, ink) {
        const swatch = h('span', { class: 'swatch', 'aria-hidden': 'true' });
        swatch.style.setProperty('--ink-of-trail', ink);
        return [swatch, h('span', { class: 'name', text: named(trail.name) }),
            h('span', { class: 'length', text: this.#length(trail) })];
    }

    #length({ length, closed, closedLength }) {
        if (!closed) return distance(length);
        if (closedLength >= length) return text('map.closed', { reason: closed });
        return text('map.partClosed', { distance: distance(length), closed: distance(closedLength), reason: closed });
    }

    #step(by) {
        const count = this.#drawn.length;
        this.#choose(this.#chosen < 0 ? (by > 0 ? 0 : count - 1) : (this.#chosen + by + count) % count);
    }

    async #choose(index) {
        if (index < 0) return;
        this.#chosen = index;
        this.#way = null;
        this.#map.showWay(null);
        const { name, ink } = this.#drawn[index];
        this.#map.choose(name);
        this.#tell();
        const profile = await api.trailProfile(name, { signal: this.#ended.signal }).catch(() => null);
        if (this.#chosen !== index || this.#ended.signal.aborted) return;
        const isOther = this.#profile.hidden !== !profile;
        this.#profile.hidden = !profile;
        if (profile) this.#profile.show(profile, ink);
        if (!isOther) return;
        // The profile takes room from the map.
        this.#map.refresh();
        this.#map.choose(name);
    }

    async #showWay() {
        const own = this.#own.position;
        try {
            this.#way = await api.way(this.#end ?? this.#trailhead.name, { from: own, signal: this.#ended.signal });
            this.#way.isOwn = Boolean(own);
        } catch (failure) {
            if (this.#ended.signal.aborted) return;
            // Why there is none, and where one gets out of a closure, are the station's words.
            this.#detail.replaceChildren(text(failure.kind === 'no-position' ? 'sky.disconnected' : 'map.noWay'),
                ...(['not-found', 'no-way'].includes(failure.kind) && failure.message ? [' ', h('span', { lang: 'en', text: failure.message })] : []));
            return;
        }
        this.#map.showWay(this.#way.geometry, this.#end);
        this.#detail.textContent = this.#wayWords();
    }

    #wayWords() {
        const minutes = Math.max(1, Math.ceil(this.#way.seconds / 60));
        const place = this.#end ? named(this.#end.name) ?? text('map.chosen') : named(this.#way.to.name);
        const far = this.#way.departure > 25 ? ` ${text('map.departure', { distance: distance(this.#way.departure) })}` : '';
        const said = text(this.#way.isOwn ? 'map.wayFromOwn' : 'map.wayIs',
            { place, distance: distance(this.#way.distance), time: words.amount(minutes, 'minute') }) + far;
        const before = this.#way.turnBackBefore ? ` ${text('map.turnBack', { time: words.time(this.#way.turnBackBefore) })}` : '';
        const over = this.#way.closed?.length ? ` ${text('map.overClosed', { distance: distance(this.#way.closedLength) })}` : '';
        const next = this.#way.closing?.map(({ from }) => Date.parse(from)).sort((one, other) => one - other)[0];
        const closing = next === undefined ? '' : ` ${text('map.closing', { time: words.time(next) })}`;
        return `${said}${over}${closing}${before}`;
    }
}

customElements.define('kiosk-map', KioskMap);
