// How a device is held, and where things of the world are on its screen: from the orientation that the browser reports (W3C Device
// Orientation Events) to pixels of the camera's picture. Angles in degrees, unless a name says otherwise; east, north and up are
// those of a level plane where the device is. No element and no browser is needed here.
const radian = Math.PI / 180;

// The unit vector of a direction: [east, north, up].
export function direction(azimuth, elevation) {
    const [a, e] = [azimuth * radian, elevation * radian];
    return [Math.cos(e) * Math.sin(a), Math.cos(e) * Math.cos(a), Math.sin(e)];
}

const dot = (one, other) => one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
const sum = (one, a, other, b) => one.map((value, index) => a * value + b * other[index]);

// Which ways the screen's right side, its upper side and the rear camera point: Z-X'-Y'' of the specification, then the turn of the
// screen against the device (`screen.orientation.angle`).
export function attitude({ alpha, beta, gamma }, angle = 0) {
    const [a, b, c] = [alpha * radian, beta * radian, gamma * radian];
    const [sa, ca, sb, cb, sc, cc] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b), Math.sin(c), Math.cos(c)];
    const x = [ca * cc - sa * sb * sc, sa * cc + ca * sb * sc, -cb * sc];
    const y = [-sa * cb, ca * cb, sb];
    const z = [ca * sc + sa * sb * cc, sa * sc - ca * sb * cc, cb * cc];
    const [st, ct] = [Math.sin(angle * radian), Math.cos(angle * radian)];
    return { right: sum(x, ct, y, -st), up: sum(x, st, y, ct), forward: z.map((value) => -value) };
}

// An upright device that looks at a magnetic azimuth: what is taken where the browser does not say how it is held.
export function upright(azimuth = 0) {
    const [s, c] = [Math.sin(azimuth * radian), Math.cos(azimuth * radian)];
    return { right: [c, -s, 0], up: [0, 0, 1], forward: [s, c, 0] };
}

// Where a true azimuth and an elevation are in a picture: {x, y} from its middle, right and down, in the unit of `focal`; null
// behind the camera. `turn` and `tilt` are added to what the sensors say; `turn` has the declination in it.
export function project(held, { azimuth, elevation }, { turn, tilt, focal }) {
    const way = direction(azimuth - turn, elevation - tilt);
    const ahead = dot(held.forward, way);
    if (ahead < 0.05) return null;
    return { x: focal * dot(held.right, way) / ahead, y: -focal * dot(held.up, way) / ahead };
}

// The magnetic azimuth and the elevation that the camera looks at.
export function aim({ forward }) {
    return { azimuth: (Math.atan2(forward[0], forward[1]) / radian + 360) % 360, elevation: Math.asin(Math.max(-1, Math.min(1, forward[2]))) / radian };
}

// Turn, tilt and, from two pins on, the focal length by which pinned things are where they were put: least squares by Gauss and
// Newton. A pin is {held, azimuth, elevation, x, y}. Answers null where the pins do not tell: too close to one another for a focal
// length, or nothing that a camera could be.
export function align(pins, start) {
    const names = pins.length > 1 ? ['turn', 'tilt', 'focal'] : ['turn', 'tilt'];
    const scale = { turn: 1, tilt: 1, focal: start.focal / 100 };
    let now = { ...start };
    const residuals = (by) => {
        const all = pins.map((pin) => [project(pin.held, pin, by), pin]);
        return all.some(([at]) => !at) ? null : all.flatMap(([at, pin]) => [at.x - pin.x, at.y - pin.y]);
    };
    // A first turn brings a pin before the camera, from wherever it is.
    if (!residuals(now)) {
        const [pin] = pins;
        const looked = aim(pin.held);
        now.turn = pin.azimuth - looked.azimuth - Math.atan2(pin.x, now.focal) / radian;
        now.tilt = pin.elevation - looked.elevation + Math.atan2(pin.y, now.focal) / radian;
    }
    for (let step = 0; step < 20; step += 1) {
        const at = residuals(now);
        if (!at) return null;
        const columns = names.map((name) => {
            const moved = residuals({ ...now, [name]: now[name] + 0.01 * scale[name] });
            return moved?.map((value, index) => (value - at[index]) / (0.01 * scale[name]));
        });
        if (columns.some((column) => !column)) return null;
        const change = solve(columns.map((one) => columns.map((other) => sumOfProducts(one, other))), columns.map((one) => -sumOfProducts(one, at)), columns);
        if (!change) return null;
        names.forEach((name, index) => { now[name] += change[index]; });
        if (change.every((value, index) => Math.abs(value) < 1e-7 * scale[names[index]])) break;
    }
    const error = residuals(now);
    // A camera of 20 to 120 degrees: wider and narrower ones are no tablets'.
    if (!error || now.focal < 0.25 * start.focal || now.focal > 4 * start.focal || Math.abs(now.tilt) > 90) return null;
    now.turn = ((now.turn + 540) % 360) - 180;
    return { ...now, error: Math.hypot(...error) / Math.sqrt(pins.length) };
}

const sumOfProducts = (one, other) => one.reduce((total, value, index) => total + value * other[index], 0);

// Gauss's elimination; null where the columns are all but dependent.
function solve(matrix, right, columns) {
    const count = right.length;
    const rows = matrix.map((row, index) => [...row, right[index]]);
    const size = columns.map((column) => sumOfProducts(column, column));
    for (let column = 0; column < count; column += 1) {
        let best = column;
        for (let row = column + 1; row < count; row += 1) if (Math.abs(rows[row][column]) > Math.abs(rows[best][column])) best = row;
        [rows[column], rows[best]] = [rows[best], rows[column]];
        if (Math.abs(rows[column][column]) < 1e-6 * Math.max(...size.map((one, index) => (index === column ? one : 0)))) return null;
        for (let row = column + 1; row < count; row += 1) {
            const factor = rows[row][column] / rows[column][column];
            for (let index = column; index <= count; index += 1) rows[row][index] -= factor * rows[column][index];
        }
    }
    const found = Array(count).fill(0);
    for (let row = count - 1; row >= 0; row -= 1) {
        found[row] = (rows[row][count] - sumOfProducts(rows[row].slice(row + 1, count), found.slice(row + 1))) / rows[row][row];
    }
    return found;
}

// Metres east and north from one place to another, over a few kilometres.
export function metres(from, to) {
    return { east: (to.longitude - from.longitude) * 111_320 * Math.cos(from.latitude * radian), north: (to.latitude - from.latitude) * 110_950 };
}

// The band of a way on the ground ahead: for each metre mark along it, its left and its right edge as true azimuth and elevation,
// seen by an eye above the ground. `line` is [[longitude, latitude], …].
export function band(line, from, { eye = 1.5, half = 0.5, near = 2, far = 40, step = 2 } = {}) {
    const points = [{ east: 0, north: 0 }, ...line.map(([longitude, latitude]) => metres(from, { latitude, longitude }))];
    const marks = [];
    let walked = 0;
    let next = near;
    for (let index = 1; index < points.length && next <= far; index += 1) {
        const [one, other] = [points[index - 1], points[index]];
        const [de, dn] = [other.east - one.east, other.north - one.north];
        const length = Math.hypot(de, dn);
        if (length < 0.01) continue;
        for (; next <= walked + length && next <= far; next += step) {
            const share = (next - walked) / length;
            const [east, north] = [one.east + share * de, one.north + share * dn];
            marks.push([-half, half].map((aside) => seen(east + aside * dn / length, north - aside * de / length, eye)));
        }
        walked += length;
    }
    return marks;
}

const seen = (east, north, eye) => ({
    azimuth: (Math.atan2(east, north) / radian + 360) % 360, elevation: -Math.atan2(eye, Math.hypot(east, north)) / radian,
});
