// Shapes: the arcs of the prepared maps, outlines as paths, what lies inside what, and what a finger meant.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const values = new Map([...digits].map((digit, value) => [digit, value]));

// The points of an arc, a flat list of x and y in grid units (make-world tells the form).
export function decode(text) {
    const points = [];
    let [x, y, value, shift, isX] = [0, 0, 0, 0, true];
    for (const digit of text) {
        const five = values.get(digit);
        value += (five & 31) << shift;
        shift += 5;
        if (five > 31) continue;
        const difference = value & 1 ? -(value + 1) / 2 : value / 2;
        if (isX) x += difference;
        else points.push(x, y += difference);
        [value, shift, isX] = [0, 0, !isX];
    }
    return points;
}

// The points of a ring, the last not repeated; a negative number of an arc is the arc ~number from its end.
export function ringPoints(ring, arcs) {
    const points = [];
    for (const number of ring) {
        const arc = arcs[number < 0 ? ~number : number];
        const count = arc.length / 2;
        // An arc ends where the next begins.
        for (let index = 0; index < count - 1; index += 1) {
            const at = 2 * (number < 0 ? count - 1 - index : index);
            points.push(arc[at], arc[at + 1]);
        }
    }
    return points;
}

// An outline for SVG and Path2D.
export function pathText(rings) {
    return rings.map((ring) => {
        let text = `M${ring[0]} ${ring[1]}`;
        for (let at = 2; at < ring.length; at += 2) text += `l${ring[at] - ring[at - 2]} ${ring[at + 1] - ring[at - 1]}`;
        return `${text}z`;
    }).join('');
}

export function area(ring) {
    let sum = 0;
    for (let at = 0, before = ring.length - 2; at < ring.length; before = at, at += 2) sum += ring[before] * ring[at + 1] - ring[at] * ring[before + 1];
    return sum / 2;
}

// Whether a point lies inside rings, by the even-odd rule: lakes and enclaves are outside.
export function isInside(rings, x, y) {
    let inside = false;
    for (const ring of rings) {
        for (let at = 0, before = ring.length - 2; at < ring.length; before = at, at += 2) {
            const [x1, y1, x2, y2] = [ring[at], ring[at + 1], ring[before], ring[before + 1]];
            if ((y1 > y) !== (y2 > y) && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
        }
    }
    return inside;
}

// How far a point is from the outline of rings.
export function distance(rings, x, y) {
    let least = Infinity;
    for (const ring of rings) {
        for (let at = 0, before = ring.length - 2; at < ring.length; before = at, at += 2) {
            const [x1, y1] = [ring[before], ring[before + 1]];
            const [dx, dy] = [ring[at] - x1, ring[at + 1] - y1];
            const along = dx || dy ? Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy))) : 0;
            least = Math.min(least, Math.hypot(x - x1 - along * dx, y - y1 - along * dy));
        }
    }
    return least;
}

// What a touch means: the item under it, else the nearest one within reach. Items have `rings` and `frame` (bounds of all of them).
export function touched(items, x, y, reach) {
    const near = items.filter(({ bounds: [left, top, right, bottom] }) =>
        x >= left - reach && x <= right + reach && y >= top - reach && y <= bottom + reach);
    const under = near.filter((item) => isInside(item.rings, x, y));
    if (under.length) return under.reduce((one, other) => (one.size <= other.size ? one : other));
    let [best, least] = [null, reach];
    for (const item of near) {
        const far = distance(item.rings, x, y);
        if (far <= least) [best, least] = [item, far];
    }
    return best;
}

export function bounds(rings) {
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (const ring of rings) {
        for (let at = 0; at < ring.length; at += 2) {
            box[0] = Math.min(box[0], ring[at]);
            box[1] = Math.min(box[1], ring[at + 1]);
            box[2] = Math.max(box[2], ring[at]);
            box[3] = Math.max(box[3], ring[at + 1]);
        }
    }
    return box;
}

// Where a point lies in a frame, in the words of a map: "north-west", "middle".
export function direction([left, top, right, bottom], [x, y]) {
    const third = (value, low, high) => Math.min(2, Math.max(0, Math.floor((3 * (value - low)) / (high - low))));
    const name = ['north', '', 'south'][third(y, top, bottom)] + ['west', '', 'east'][third(x, left, right)];
    return name || 'middle';
}
