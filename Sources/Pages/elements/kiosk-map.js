// <kiosk-map>: the ground, the trails and where the station is; what lies along a trail, and the way back.
import { button, go, h, icon } from '../core/dom.js';
import { bind, text, words } from '../core/words.js';
import { age, coordinates, distance, isRecorded, metres, named, trailFacts } from '../core/phrases.js';
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
// The trails are asked for again so often, as they may be closed while somebody looks, and sooner at an event, but not more often than at
// least.
const renewed = { every: 15_000, least: 2000 };
// The scale bar is at most so many times as wide as its letters are high, and at least 0.4 of that.
const widest = 7;

class KioskMap extends HTMLElement {
    #ended = null;
    #map = null;
    #network = null;
    // The trails' lines as they are on the map, as text.
    #lines = null;
    #drawn = [];
    #chosen = -1;
    #way = null;
    // Why there is no way to where one was asked for last, until the visitor chooses something else.
    #refusal = null;
    // Whether the trails have changed since the way was asked for.
    #isWayOld = false;
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
    // In place of the ground, until that is drawn.
    #waiting = h('p', { class: 'map-waiting', 'aria-hidden': 'true', word: 'map.loading' });
    #ribbon = h('p', { class: 'ribbon' });
    #sentence = h('p', { class: 'sentence', role: 'status' });
    #ownSentence = h('p', { class: 'sentence own', role: 'status', hidden: true });
    #detail = h('p', { class: 'detail', role: 'status' });
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
            h('div', { class: 'map-frame' }, this.#board, this.#waiting,
                h('div', { class: 'map-buttons', role: 'group', label: 'map.buttons' },
                    button('map.nearer', () => this.#map?.zoom(1), { icon: 'plus', class: 'lone' }),
                    button('map.farther', () => this.#map?.zoom(-1), { icon: 'minus', class: 'lone' }),
                    button('map.here', () => this.#map?.goTo(this.#position), { icon: 'place', class: 'lone' }),
                    this.#stones, this.#mine),
                this.#whereabouts, h('div', { class: 'map-foot' }, this.#key, this.#credit)),
            h('div', { class: 'map-side' },
                h('h1', { class: 'title', word: 'map.title', tabindex: -1 }), this.#stepper, this.#profile, this.#ribbon,
                h('div', { class: 'sentences' }, this.#sentence, this.#ownSentence), this.#detail,
                h('div', { class: 'map-actions' }, this.#along, this.#back), this.#rocks));
        words.addEventListener('languagechange', () => {
            this.#map?.rename();
            this.#measure();
            this.#tell();
        }, { signal });
        this.#sentence.replaceChildren(h('span', { word: 'map.loading' }));
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
            map.drawn.then(() => this.#waiting.remove());
            map.moved = () => this.#measure();
            this.#watch.observe(this.#board);
        } catch {
            this.#sentence.replaceChildren(h('span', { word: 'map.failed' }));
            this.#waiting.remove();
            return;
        }
        this.#credits = { ground: ground?.ground.attribution };
        this.#network = network;
        if (lines && network) this.#take(lines, network);
        this.#tellTrail();
        this.#credit.textContent = this.#creditWords();
        this.#measure();
        if (this.chosen) this.#choose(this.#drawn.findIndex(({ name }) => name === this.chosen));
        if (this.end) this.#aim(this.end);
        this.#turnToRocks(visit.rocks.isShown && !this.end);
        performance.mark('map-usable');
        this.#renew(signal);
        while (!signal.aborted) {
            const own = this.#own.position;
            const [position, nearest, ownNearest] = (await Promise.allSettled([api.position({ signal }), this.#network && api.nearestTrail({ signal }),
                this.#network && own && api.nearestTrailTo(own, { signal })])).map(({ value }) => value ?? null);
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

    // Trails as they are now: their lines, and the list of them.
    #take(lines, network) {
        const chosen = this.#drawn[this.#chosen]?.name;
        this.#network = network;
        this.#lines = JSON.stringify(lines);
        this.#credits.trails = lines.attribution;
        this.#drawn = this.#map.showTrails(lines).filter(({ name }) => network.trails.some((trail) => trail.name === name));
        this.#stepper.hidden = this.#drawn.length === 0;
        this.#chosen = this.#drawn.findIndex(({ name }) => name === chosen);
        if (this.#chosen >= 0) this.#map.mark(chosen);
        else this.#profile.hidden = true;
    }

    // Asks for the trails again until the page is left. A visitor's device is told of no events.
    async #renew(signal) {
        let rest = new AbortController();
        const events = station.session.role === 'visitor' ? null : api.trailEvents(() => rest.abort());
        signal.addEventListener('abort', () => events?.close());
        while (!signal.aborted) {
            await pause(renewed.least, signal);
            await pause(renewed.every - renewed.least, AbortSignal.any([signal, rest.signal]));
            rest = new AbortController();
            const lines = await api.trailLines({ signal }).catch(() => null);
            if (lines && JSON.stringify(lines) !== this.#lines) {
                const network = await api.trails({ signal }).catch(() => null);
                if (signal.aborted) return;
                if (network) {
                    this.#take(lines, network);
                    this.#isWayOld = Boolean(this.#way);
                    this.#tell();
                }
            }
            if (this.#isWayOld && !signal.aborted) await this.#renewWay();
        }
    }

    // A way over what has changed is not one that is walked on.
    async #renewWay() {
        const former = this.#way;
        const outcome = await this.#ask();
        // The visitor wants something else by now, or nobody knows yet: it is asked again.
        if (!outcome || this.#way !== former || outcome.refusal?.kind === 'unreachable') return;
        this.#isWayOld = false;
        this.#refusal = outcome.refusal && { ...outcome.refusal, isChange: true };
        this.#way = outcome.way ?? null;
        if (this.#way) this.#way.isChange = !leadsAlong(this.#way, former);
        this.#map.drawWay(this.#way?.geometry);
        this.#tell();
    }

    #tell() {
        if (!this.#map) return;
        const made = this.#network?.demonstration ? text('map.demonstration') : '';
        const source = isRecorded(this.#position) ? text(`source.position.${this.#position.source}`) : '';
        this.#ribbon.textContent = source || made;
        this.#tellWhere();
        this.#tellAhead();
        this.#credit.textContent = this.#creditWords();
        this.#tellTrail();
        this.#tellWhereabouts();
    }

    // The trail that is chosen, and the buttons of what can be done with it.
    #tellTrail() {
        const drawn = this.#drawn[this.#chosen];
        const trail = this.#network?.trails.find(({ name }) => name === drawn?.name);
        this.#name.replaceChildren(...(trail ? this.#about(trail, drawn.ink) : [h('span', { text: text('map.choose') })]));
        this.#along.hidden = !drawn || !station.session.takeHome;
        this.#back.hidden = this.#drawn.length === 0 || !(this.#end || this.#trailhead);
        const { name } = this.#end ?? {};
        const word = !this.#end ? ['map.way'] : name ? ['map.wayTo', () => ({ place: named(name) })] : ['map.wayHere'];
        bind(this.#back.querySelector('span'), 'word', ...word);
        this.#back.querySelector('.icon').replaceWith(icon(this.#end ? 'flag' : 'home'));
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
        this.#forgetWay();
        this.#map.showEnd(this.#end);
        this.#tell();
    }

    #forgetWay() {
        this.#way = this.#refusal = null;
        this.#isWayOld = false;
        this.#map.showWay(null);
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
            const trails = (nearest.candidates ?? nearest.trails).map((trail) => (nearest.closedCandidates?.includes(trail)
                ? text('map.closedName', { trail: named(trail) }) : named(trail)));
            return text(`map.${whose}unknown`, { trails: new Intl.ListFormat(words.language, { type: 'disjunction' }).format(trails) });
        }
        return text(`map.${whose}${nearest.state}`, {
            trail: named(nearest.trail), distance: distance(Math.abs(nearest.distance ?? 0)), along: distance(nearest.along ?? 0),
        });
    }

    // What comes next, or why there is no way: words that are not said anew while they are the same.
    #tellAhead() {
        const { kind, message, isChange } = this.#refusal ?? {};
        const said = !this.#refusal ? this.#ahead()
            : text(isChange ? 'map.wayGone' : kind === 'no-position' ? 'sky.disconnected' : 'map.noWay');
        // Why, and where one gets out of a closure, are the station's words.
        const why = ['not-found', 'no-way'].includes(kind) && message ? message : '';
        if (this.#detail.textContent === [said, why].filter(Boolean).join(' ')) return;
        this.#detail.replaceChildren(said, ...(why ? [' ', h('span', { lang: 'en', text: why })] : []));
    }

    #ahead() {
        const junction = this.#nearest?.junction;
        if (this.#way) return this.#wayWords();
        const closed = this.#closedHere(this.#nearest);
        if (this.#end) return [named(this.#end.name) ?? text('map.end', { place: coordinates(this.#end) }), closed].filter(Boolean).join(' ');
        if (closed) return closed;
        if (junction?.turn) return text('map.junction', { distance: distance(junction.distance), turn: text(`turn.${junction.turn}`) });
        return '';
    }

    // What is closed where somebody stands: the stretch, or each trail that meets there, where it cannot be told which one it is.
    #closedHere(nearest) {
        if (nearest?.closed) return text('map.closed', { reason: nearest.closed });
        if (nearest?.state !== 'unknown') return '';
        const names = nearest.candidates ?? nearest.trails ?? [];
        return (this.#network?.trails ?? []).filter(({ name, closed, closedLength, length }) => names.includes(name) && closed && closedLength >= length)
            .map(({ name, closed }) => text('map.trailClosed', { trail: named(name), reason: closed })).join(' ');
    }

    #about(trail, ink) {
        const swatch = h('span', { class: 'swatch', 'aria-hidden': 'true' });
        swatch.style.setProperty('--ink-of-trail', ink);
        return [swatch, h('span', { class: 'name', text: named(trail.name) }),
            h('span', { class: 'length', text: trailFacts(trail) })];
    }

    #step(by) {
        const count = this.#drawn.length;
        this.#choose(this.#chosen < 0 ? (by > 0 ? 0 : count - 1) : (this.#chosen + by + count) % count);
    }

    async #choose(index) {
        if (index < 0) return;
        this.#chosen = index;
        this.#forgetWay();
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
        const lines = this.#lines;
        const outcome = await this.#ask();
        if (!outcome) return;
        this.#forgetWay();
        this.#way = outcome.way ?? null;
        // What changed while it was asked for, it may not know yet.
        this.#isWayOld = Boolean(this.#way) && this.#lines !== lines;
        this.#refusal = outcome.refusal ?? null;
        if (this.#way) this.#map.showWay(this.#way.geometry, this.#end);
        this.#tellAhead();
    }

    // The way to where it is to end: {way}, or {refusal} with its kind and the station's words; nothing where the visitor chose something
    // else meanwhile.
    async #ask() {
        const [own, end, chosen] = [this.#own.position, this.#end, this.#drawn[this.#chosen]?.name];
        const { signal } = this.#ended;
        const outcome = await api.way(end, { from: own, signal }).then((way) => ({ way: { ...way, isOwn: Boolean(own), at: performance.now() } }),
            ({ kind, message }) => ({ refusal: { kind, message } }));
        return signal.aborted || this.#end !== end || this.#drawn[this.#chosen]?.name !== chosen ? null : outcome;
    }

    #wayWords() {
        const minutes = Math.max(1, Math.ceil(this.#way.seconds / 60));
        const place = this.#end ? named(this.#end.name) ?? text('map.chosen') : named(this.#way.to.name);
        // One who is there is told all the same that it is closed.
        if (this.#way.distance < 25) return [text('map.there', { place }), this.#closedHere(this.#way.isOwn ? this.#ownNearest : this.#nearest)].filter(Boolean).join(' ');
        const far = this.#way.departure > 25 ? ` ${text('map.departure', { distance: distance(this.#way.departure) })}` : '';
        const first = this.#way.approach > 25 ? ` ${text('map.approach', { distance: distance(this.#way.approach) })}` : '';
        const said = text(this.#way.isOwn ? 'map.wayFromOwn' : 'map.wayIs',
            { place, distance: distance(this.#way.distance), time: words.amount(minutes, 'minute') }) + first + far;
        const { timestamp, at, turnBackBefore, dusk } = this.#way;
        // By the station's clock: a tablet's may be wrong.
        const isLate = Date.parse(timestamp) + performance.now() - at > Date.parse(turnBackBefore);
        const before = !turnBackBefore ? '' : ` ${isLate ? text('map.tooLate', { time: words.time(dusk) }) : text('map.turnBack', { time: words.time(turnBackBefore) })}`;
        const over = this.#way.closed?.length ? ` ${text('map.overClosed', { distance: distance(this.#way.closedLength) })}` : '';
        const next = this.#way.closing?.map(({ from }) => Date.parse(from)).sort((one, other) => one - other)[0];
        const closing = next === undefined ? '' : ` ${text('map.closing', { time: words.time(next) })}`;
        const way = `${said}${over}${closing}${before}`;
        return this.#way.isChange ? text('map.wayChanged', { way }) : way;
    }
}

// Whether a way goes where another one went: whoever has walked on begins elsewhere on it, at a place of their own and at the trail
// beside it.
function leadsAlong(way, former) {
    const known = new Set(former.geometry.coordinates.map(String));
    return way.geometry.coordinates.slice(2).every((point) => known.has(String(point)));
}

customElements.define('kiosk-map', KioskMap);
