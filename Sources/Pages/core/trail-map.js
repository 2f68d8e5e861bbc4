// The map itself: Leaflet, as Debian has it, drawn on a canvas. It is loaded with the first map, not with the page.
// What it shows is made of elements, never of markup: the policy of the pages has no innerHTML.
import { growth, h, icon } from './dom.js';
import { isRecorded, named } from './phrases.js';

const inks = ['#8c2f17', '#1f5f8b', '#6b3fa0', '#0f6b4f', '#a3186b', '#3d3d3d'];
const casing = { color: '#fffaf0', weight: 10, opacity: 0.9, interactive: false };
const closedInk = '#b3261e';
// Widths, radii and distances are in `--px` of the style sheets: lines and marks grow with the names beside them.
// Where a name may stand beside its mark, the best place first: the side, and how far away.
const sides = [['right', 10, 0], ['left', -10, 0], ['top', 0, -8], ['bottom', 0, 8],
    ['right', 6, -18], ['right', 6, 18], ['left', -6, -18], ['left', -6, 18], ['top', 40, -8], ['top', -40, -8], ['bottom', 40, 8], ['bottom', -40, 8]];
// How far a name keeps from the marks of others, which it could be taken for.
const clear = 8;
// How near to a place's mark a touch means the place.
const near = 26;
const home = [39.1, -96.58];
const [smallest, largest] = [10, 18];

let loading = null;

// Leaflet and its style sheet, once.
function load() {
    loading ??= new Promise((done, failed) => {
        const style = h('link', { rel: 'stylesheet', href: '/pages/leaflet/leaflet.css', on: { load: done, error: failed } });
        document.head.append(style);
    }).then(() => import('/pages/leaflet/leaflet.js'));
    return loading.catch((error) => {
        loading = null;
        throw error;
    });
}

// Tiles as pictures. Leaflet's own layer empties a picture by an address with the data in it, which the policy refuses.
function groundLayer(leaflet, tiles, options) {
    const Ground = leaflet.GridLayer.extend({
        createTile({ x, y, z }, done) {
            const picture = h('img', { alt: '', on: { load: () => done(null, picture), error: () => done(new Error('no tile'), picture) } });
            picture.src = tiles.replace('{z}', z).replace('{x}', x).replace('{y}', y);
            return picture;
        },
    });
    return new Ground(options);
}

const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class TrailMap {
    #leaflet;
    #map;
    #chosen;
    #trails = [];
    #labels = [];
    #circle = null;
    #dot = null;
    // Where the dot was when names were placed beside it.
    #dotStood = null;
    #way = null;
    #isPlaced = false;
    #points = [];
    // All that is drawn of the trails.
    #drawn = [];
    #end = null;
    #own = null;
    #ownCircle = null;
    #touched;
    #bounds = null;
    // The area that is to be seen whole until somebody moves the map, and how far from its edges.
    #sight = null;
    // So many pixels were `--px` when the map was opened.
    #growth;
    // Whether an animation of a zoom is under way, which other zooms may end in between.
    #isZooming = false;
    // Once the first of the ground is drawn; at once without one.
    drawn = Promise.resolve();
    // Is called when the map shows another part of the ground.
    moved = () => {};

    // `ground` says where the tiles are, or is absent; `chosen(name)` hears which trail was touched, `touched(place)` which
    // place: {latitude, longitude} with the name of a mark that is there.
    static async open(board, ground, chosen, touched) {
        return new TrailMap(await load(), board, ground, chosen, touched);
    }

    constructor(leaflet, board, ground, chosen, touched) {
        this.#leaflet = leaflet;
        this.#chosen = chosen;
        this.#touched = touched;
        this.#growth = growth(board);
        this.#map = leaflet.map(board, {
            preferCanvas: true, zoomControl: false, attributionControl: false, tap: false, zoomSnap: 0.5, minZoom: smallest, maxZoom: largest,
            fadeAnimation: !still(), zoomAnimation: !still(), inertia: !still(), renderer: leaflet.canvas({ padding: 0.3, tolerance: 16 * this.#growth }),
        }).setView(home, 13);
        this.#map.on('zoomend moveend resize viewreset', this.#follow);
        this.#map.on('zoomanim', () => (this.#isZooming = true));
        this.#map.on('zoomend', () => {
            const wasZooming = this.#isZooming;
            this.#isZooming = this.#map.getPane('mapPane').classList.contains('leaflet-zoom-anim');
            // Leaflet lets nothing change where an animated zoom ends: neither another size of the board nor another area that was asked
            // for meanwhile. What is to be seen whole is so afterwards.
            if (wasZooming && !this.#isZooming) this.#fit();
        });
        this.#map.on('click', ({ latlng }) => this.#touch(latlng));
        for (const kind of ['pointerdown', 'wheel', 'keydown']) board.addEventListener(kind, () => (this.#sight = null), { passive: true, capture: true });
        board.addEventListener('keydown', (event) => {
            if (event.key !== 'Enter' || event.target !== board) return;
            event.preventDefault();
            this.#touch(this.#map.getCenter());
        });
        if (!ground) return;
        const bounds = ground.bounds && leaflet.latLngBounds([ground.bounds[1], ground.bounds[0]], [ground.bounds[3], ground.bounds[2]]);
        const layer = groundLayer(leaflet, ground.tiles, {
            bounds, minNativeZoom: ground.minimumZoom, maxNativeZoom: ground.maximumZoom, minZoom: smallest, maxZoom: largest,
        });
        this.drawn = new Promise((done) => { layer.once('load', done); });
        layer.addTo(this.#map);
        if (!bounds) return;
        this.#bounds = bounds;
        this.#map.on('resize', () => this.#map.options.maxBounds && this.#fill());
        this.#fill();
        this.#clip();
    }

    // The ground fills the board: beyond it is nothing to see.
    #fill() {
        if (!this.#bounds) return;
        // Leaflet counts the least zoom in, which was another one on a larger board.
        this.#map.setMinZoom(smallest);
        const least = Math.min(largest, this.#map.getBoundsZoom(this.#bounds, true));
        // Without an animation, which would end where the map was to be before.
        if (this.#map.getZoom() < least) this.#map.setZoom(least, { animate: false });
        this.#map.setMaxBounds(this.#bounds);
        this.#map.setMinZoom(least);
    }

    // Tiles at the edge of the ground hold what is none: it is cut off.
    #clip() {
        if (!this.#bounds) return;
        const corners = ['getNorthWest', 'getNorthEast', 'getSouthEast', 'getSouthWest'].map((corner) => this.#map.latLngToLayerPoint(this.#bounds[corner]()));
        this.#map.getPane('tilePane').style.clipPath = `polygon(${corners.map(({ x, y }) => `${x}px ${y}px`).join()})`;
    }

    // What was touched: a mark with a name where one is near, else the place itself.
    #touch(latlng) {
        const at = this.#map.latLngToContainerPoint(latlng);
        const away = ({ place }) => this.#map.latLngToContainerPoint(place).distanceTo(at);
        const mark = this.#points.filter((one) => away(one) <= near * this.#growth).sort((one, other) => away(one) - away(other))[0];
        const { lat, lng } = mark ? this.#leaflet.latLng(mark.place) : latlng.wrap();
        this.#touched({ latitude: lat, longitude: lng, ...(mark && { name: mark.name }) });
    }

    // Something else that is drawn on the map: `Layer` is made with Leaflet, its map, `growth`, how a line is drawn here and what sees an
    // area whole, and what follows.
    layer(Layer, ...more) {
        return new Layer(this.#leaflet, this.#map, { growth: this.#growth, grown: (look) => this.#grown(look), see: (...area) => this.#see(...area) }, ...more);
    }

    // The board has another size now, or something else stands on it: what was seen whole is so again, else the middle stays.
    refresh() {
        this.#map.invalidateSize({ animate: false });
        this.#fit();
    }

    // Whether the map stays where its ground is.
    bind(isBound) {
        this.#sight = null;
        if (!this.#bounds) return;
        if (isBound) return this.#fill();
        this.#map.setMaxBounds(null);
        this.#map.setMinZoom(4);
    }

    // What stands on the map follows it.
    #follow = () => {
        this.moved();
        this.#place();
        this.#clip();
    };

    // Leaflet's timers know nothing of a map that was removed meanwhile: an animated zoom is waited for.
    close() {
        this.#map.off('zoomend moveend resize viewreset', this.#follow);
        // What Leaflet still tells after a change of the window would look at the bounds of a map that is gone.
        this.#map.setMaxBounds(null);
        if (this.#isZooming) return this.#map.once('zoomend', () => this.#map.remove());
        this.#map.remove();
    }

    zoom(steps) {
        this.#sight = null;
        this.#map.setZoom(this.#map.getZoom() + steps, { animate: !still() });
    }

    goTo(position) {
        if (position?.latitude === undefined) return;
        this.#isPlaced = true;
        this.#sight = null;
        this.#map.setView([position.latitude, position.longitude], Math.max(this.#map.getZoom(), 16), { animate: !still() });
    }

    // The longest round length that is at most so many pixels wide in the middle of the map: metres, and pixels.
    scale(most) {
        const size = this.#map.getSize();
        const at = (x) => this.#map.containerPointToLatLng([x, size.y / 2]);
        const metre = 100 / this.#map.distance(at(size.x / 2 - 50), at(size.x / 2 + 50));
        const power = 10 ** Math.floor(Math.log10(most / metre));
        const metres = [5, 2, 1].find((step) => step * power * metre <= most) * power;
        return { metres, pixels: metres * metre };
    }

    // Sees an area whole, and so many pixels around it where there is room for them.
    #see(bounds, { around = 0, animate = false } = {}) {
        this.#sight = { bounds, around };
        this.#fit(animate);
    }

    #seeLines(lines, options) {
        if (lines.length) this.#see(this.#leaflet.featureGroup(lines).getBounds().pad(0.03), options);
    }

    // What is to be seen whole is so, beside what stands on the map.
    #fit(animate = false) {
        if (!this.#sight) return;
        const frame = this.#map.getContainer().parentElement;
        const board = frame.getBoundingClientRect();
        const box = (name) => frame.querySelector(name)?.getBoundingClientRect();
        const [buttons, foot, told] = [box('.map-buttons'), box('.map-foot'), box('.whereabouts')];
        const isColumn = buttons && buttons.height > 1.5 * buttons.width;
        const top = Math.max(told?.height ? told.bottom - board.top : 0, buttons && !isColumn ? buttons.bottom - board.top : 0);
        const [right, bottom] = [isColumn ? board.right - buttons.left : 0, foot ? board.bottom - foot.top : 0];
        // Whatever stands there, a part of the board is left for what is to be seen.
        const [high, low] = [top, bottom].map((pixels) => 12 + Math.min(pixels, 0.4 * board.height));
        const edge = Math.min(this.#sight.around, 0.4 * (board.width - right - 24), 0.4 * (board.height - high - low));
        this.#map.fitBounds(this.#sight.bounds, { animate, paddingTopLeft: [12 + edge, high + edge], paddingBottomRight: [right + 12 + edge, low + edge] });
    }

    // The names in another language.
    rename() {
        for (const { mark, name } of this.#labels) mark.getTooltip().getContent().textContent = named(name);
        this.#place();
    }

    // A FeatureCollection: lines with the names of their trails and whether they are open, points with a name and a kind. They take the
    // place of those that are drawn, and are seen whole where none of them was there before.
    showTrails(collection) {
        const { polyline, circleMarker } = this.#leaflet;
        const names = [...new Set(collection.features.flatMap(({ properties }) => properties.trails ?? []))];
        const isKnown = this.#trails.some((trail) => trail.names.some((name) => names.includes(name)));
        for (const one of this.#drawn) one.remove();
        [this.#drawn, this.#trails, this.#labels, this.#points] = [[], [], [], []];
        const lines = collection.features.filter(({ geometry }) => geometry?.type === 'LineString');
        const point = ([longitude, latitude]) => [latitude, longitude];
        const drawn = [];
        for (const { geometry } of lines) drawn.push(polyline(geometry.coordinates.map(point), this.#grown(casing)).addTo(this.#map));
        for (const { geometry, properties } of lines) {
            const name = properties.trails?.[0];
            const isClosed = properties.status === 'closed';
            const line = polyline(geometry.coordinates.map(point), this.#grown({
                color: isClosed ? closedInk : inks[Math.max(0, names.indexOf(name)) % inks.length], weight: 5,
                dashes: isClosed ? [2, 10] : [],
            })).addTo(this.#map);
            line.on('click', () => name && this.#chosen(name));
            this.#trails.push({ names: properties.trails ?? [], line });
            this.#drawn.push(line);
        }
        for (const { geometry, properties } of collection.features.filter(({ geometry }) => geometry?.type === 'Point')) {
            const isHead = properties.kind === 'trailhead';
            const mark = circleMarker(point(geometry.coordinates), this.#grown({
                radius: isHead ? 9 : 6, color: '#2a120c', weight: 2, fillColor: isHead ? '#f2b63c' : '#fffaf0', fillOpacity: 1,
            })).addTo(this.#map);
            this.#drawn.push(mark);
            if (!properties.name) continue;
            this.#label(mark, properties.name, isHead);
            this.#points.push({ place: point(geometry.coordinates), name: properties.name });
        }
        this.#drawn.push(...drawn);
        for (const one of [this.#way, this.#circle, this.#ownCircle, this.#dot]) one?.bringToFront();
        this.#place();
        if (drawn.length && !isKnown) {
            this.#isPlaced = true;
            this.#seeLines(drawn);
        }
        return names.map((name, index) => ({ name, ink: inks[index % inks.length] }));
    }

    #label(mark, name, isHead) {
        mark.bindTooltip(h('span', { text: named(name) }), { permanent: true, direction: 'right', className: 'map-name' });
        this.#labels.push({ mark, name, isHead });
    }

    // How a line or mark is drawn, at the size of this screen.
    #grown({ weight, radius, dashes = [], ...look }) {
        const dashArray = dashes.length ? dashes.map((pixels) => pixels * this.#growth).join(' ') : null;
        return { ...look, weight: weight * this.#growth, dashArray, ...(radius && { radius: radius * this.#growth }) };
    }

    // A name stands at the first place beside its mark where it covers no other, nor a mark or the station's dot, and is not under what
    // stands on the map; one without room waits until the map is nearer. Trailheads come first, and may cover marks.
    #place() {
        const apart = (one, other) => one.right < other.left || other.right < one.left || one.bottom < other.top || other.bottom < one.top;
        const frame = this.#map.getContainer().parentElement;
        const board = this.#map.getContainer().getBoundingClientRect();
        const taken = [...frame.querySelectorAll('button, .map-key, .credit, .whereabouts')].map((node) => node.getBoundingClientRect());
        this.#dotStood = this.#dot && this.#map.latLngToContainerPoint(this.#dot.getLatLng());
        const spots = new Map([...this.#labels.map(({ mark }) => mark), ...(this.#dot ? [this.#dot] : [])].map((mark) => {
            const { x, y } = this.#map.latLngToContainerPoint(mark.getLatLng());
            const [left, top, radius] = [board.left + x, board.top + y, mark.options.radius];
            return [mark, { left: left - radius, right: left + radius, top: top - radius, bottom: top + radius }];
        }));
        const isFree = (box) => box.left >= board.left && box.right <= board.right && box.top >= board.top && box.bottom <= board.bottom
            && taken.every((other) => apart(box, other));
        const isOffMarks = (box, own) => [...spots].every(([mark, { left, right, top, bottom }]) => {
            // The dot has no name that another could be taken for.
            const by = mark === this.#dot ? 0 : clear * this.#growth;
            return mark === own || apart(box, { left: left - by, right: right + by, top: top - by, bottom: bottom + by });
        });
        for (const { mark, isHead } of [...this.#labels].sort((one, other) => other.isHead - one.isHead)) {
            const tooltip = mark.getTooltip();
            const node = tooltip.getElement();
            if (!node) continue;
            const stand = (isRight) => sides.find(([direction, ...away]) => {
                Object.assign(tooltip.options, { direction, offset: away.map((pixels) => pixels * this.#growth) });
                tooltip.update();
                return isRight(node.getBoundingClientRect());
            });
            const side = stand((box) => isFree(box) && isOffMarks(box, mark)) ?? (isHead ? stand(isFree) : null);
            node.style.visibility = side ? 'visible' : 'hidden';
            if (side) taken.push(node.getBoundingClientRect());
        }
    }

    // All trails.
    showAll() {
        this.#seeLines(this.#trails.map(({ line }) => line));
    }

    // The chosen trail, broad; nil for all alike.
    choose(name) {
        this.mark(name);
        this.#seeLines(this.#trails.filter(({ names }) => names.includes(name)).map(({ line }) => line), { animate: !still() });
    }

    // The same, and the map stays where it is.
    mark(name) {
        for (const { names, line } of this.#trails) {
            line.setStyle({ weight: (names.includes(name) ? 9 : 5) * this.#growth, opacity: !name || names.includes(name) ? 1 : 0.55 });
            if (names.includes(name)) line.bringToFront();
        }
        this.#way?.bringToFront();
    }

    // A way as GeoJSON, or nothing; it is seen with the place to which it was asked.
    showWay(geometry, end) {
        this.drawWay(geometry);
        if (!geometry) return;
        const bounds = this.#way.getBounds();
        if (end) bounds.extend([end.latitude, end.longitude]);
        this.#see(bounds.pad(0.13), { animate: !still() });
    }

    // The same, and the map stays where it is.
    drawWay(geometry) {
        this.#way?.remove();
        this.#way = null;
        if (!geometry) return;
        const points = geometry.coordinates.map(([longitude, latitude]) => [latitude, longitude]);
        const look = this.#grown({ color: '#f2b63c', weight: 8, opacity: 0.95, dashes: [1, 14], lineCap: 'round', interactive: false });
        this.#way = this.#leaflet.polyline(points, look).addTo(this.#map);
    }

    // Where a way is to end, as a flag; null for nowhere.
    showEnd(place) {
        this.#end?.remove();
        this.#end = null;
        if (!place) return;
        this.#end = this.#mark(place, 'end-mark', icon('flag'), [40, 40], [10, 38]);
    }

    #mark(place, name, content, size, anchor) {
        const [iconSize, iconAnchor] = [size, anchor].map((at) => at.map((pixels) => pixels * this.#growth));
        const html = h('span', { 'aria-hidden': 'true' }, content);
        html.style.setProperty('--px', `${this.#growth}px`);
        const shown = this.#leaflet.divIcon({ className: name, html, iconSize, iconAnchor });
        return this.#leaflet.marker([place.latitude, place.longitude], { icon: shown, interactive: false, keyboard: false }).addTo(this.#map);
    }

    // Where this tablet is by its own receiver: a diamond and a broken circle, never the station's dot. Null takes it away.
    showOwn(place) {
        if (!place) {
            this.#own?.remove();
            this.#ownCircle?.remove();
            this.#own = this.#ownCircle = null;
            return;
        }
        const at = [place.latitude, place.longitude];
        const look = this.#grown({ weight: 2, color: '#b3520a', fillColor: '#e8801a', fillOpacity: 0.12, dashes: [6, 6], interactive: false });
        this.#ownCircle ??= this.#leaflet.circle(at, { ...look, radius: 1 }).addTo(this.#map);
        if (!this.#own) {
            this.#own = this.#mark(place, 'own-mark', [], [22, 22], [11, 11]);
            if (!this.#map.getBounds().contains(at)) this.#map.panTo(at, { animate: !still() });
        }
        this.#own.setLatLng(at);
        this.#ownCircle.setLatLng(at).setRadius(place.accuracy);
    }

    // Where the station is: a dot, which is hollow where the position is not its own receiver's, and a circle as wide as its error.
    showPosition(position) {
        const { circle, circleMarker } = this.#leaflet;
        if (position?.latitude === undefined) {
            this.#dot?.remove();
            this.#circle?.remove();
            this.#dot = this.#circle = null;
            return;
        }
        const place = [position.latitude, position.longitude];
        const isNow = position.state === 'fix';
        if (!this.#dot) {
            this.#circle = circle(place, { ...this.#grown({ weight: 1, interactive: false }), radius: 1 }).addTo(this.#map);
            this.#dot = circleMarker(place, this.#grown({ radius: 9, weight: 3, color: '#fffaf0', fillOpacity: 1, interactive: false })).addTo(this.#map);
        }
        const ink = isNow ? '#0b5fff' : '#6b6b6b';
        if (!this.#isPlaced) {
            this.#isPlaced = true;
            this.#map.setView(place, 14, { animate: false });
        }
        this.#dot.setLatLng(place).setStyle(isRecorded(position) ? { fillColor: '#fffaf0', color: ink } : { fillColor: ink, color: '#fffaf0' }).bringToFront();
        this.#circle.setLatLng(place).setRadius(position.accuracy ?? 0).setStyle({ color: ink, fillColor: ink, fillOpacity: 0.15 });
        const at = this.#map.latLngToContainerPoint(place);
        if (!this.#dotStood || at.distanceTo(this.#dotStood) >= clear) this.#place();
    }
}
