// Where names stand in a picture, whole and within it: each in the lowest row above its point where it covers no other, or below a
// point at the upper edge. The station's postcards place them by much the same rules (PictureLabel.swift).
import { s } from './dom.js';
import { text, words } from './words.js';

const most = 12;
const rows = 8;
// Points that are nearer to each other than this part of the picture's width are one spot, which has one name (Surroundings.swift).
const spot = 0.005;

// A canvas measures words as they will be drawn.
const pen = document.createElement('canvas').getContext('2d');

function wideness(name, letters) {
    pen.font = `600 ${letters}px ${getComputedStyle(document.documentElement).getPropertyValue('--plain') || 'sans-serif'}`;
    return pen.measureText(name).width + letters;
}

// `labels` as GET /v1/view gives them; `scale` from its pixels to those of the screen; `letters` the size of the type. Answers the
// labels that have room, each with its point, the name's left, upper and lower edge and its width, and `edge`, which is the one near the point.
export function place(labels, { scale, width, height, letters }) {
    const row = 1.6 * letters;
    const known = labels.filter(({ sigma }) => 2 * sigma * scale < 0.04 * width);
    const spots = [];
    const taken = [];
    const placed = [];
    for (const label of [...known.filter(({ kind }) => kind !== 'satellite'), ...known.filter(({ kind }) => kind === 'satellite')]) {
        if (placed.length >= most) break;
        const [x, y] = [label.x * scale, label.y * scale];
        if (!(x >= 0 && x <= width && y >= 0 && y <= height)) continue;
        if (spots.some((other) => Math.hypot(other[0] - x, other[1] - y) < spot * width)) continue;
        spots.push([x, y]);
        const wide = Math.min(wideness(label.name, letters), width - 8);
        const left = Math.min(Math.max(x - wide / 2, 4), width - wide - 4);
        const above = Array.from({ length: rows }, (_, step) => y - letters * (1.2 + 1.76 * step) - row);
        const below = Array.from({ length: rows }, (_, step) => y + letters * (1.2 + 1.76 * step));
        const isFree = (top) => {
            const [upper, lower] = top < y ? [top, y] : [y, top + row];
            const bottom = top + row;
            return top >= 4 && bottom <= height - 4 && !taken.some((other) => (other.left < left + wide && left < other.right && other.top < bottom && top < other.bottom)
                || (Math.abs(other.x - x) > letters && other.left < x && x < other.right && other.top < lower && upper < other.bottom));
        };
        const top = above.find(isFree) ?? (above[0] < 4 ? below.find(isFree) : undefined);
        if (top === undefined) continue;
        const [bottom, edge] = [top + row, top < y ? top + row : top];
        taken.push({ left, right: left + wide, top, bottom, x },
            { left: x - 0.4 * letters, right: x + 0.4 * letters, top: Math.min(edge, y), bottom: Math.max(edge, y), x });
        placed.push({ label, x, y, left, top, bottom, edge, wide });
    }
    return placed;
}

// The lines from the names to their points, and the points.
export const leaders = (placed, radius) => placed.flatMap(({ x, y, edge }) => [
    s('line', { class: 'under', x1: x, x2: x, y1: edge, y2: y }), s('line', { x1: x, x2: x, y1: edge, y2: y }),
    s('circle', { cx: x, cy: y, r: radius })]);

// All that have room, as pages of one picture: those that found none on a page are on the next ones.
export function pages(labels, options) {
    const made = [];
    let left = labels;
    while (left.length) {
        const placed = place(left, options);
        if (!placed.length) break;
        made.push(placed);
        const shown = new Set(placed.map(({ label }) => label));
        left = left.filter((label) => !shown.has(label));
    }
    return made;
}

// What a landmark is called where it is chosen from many: with its direction and how far it is.
export function described({ name, azimuth, distance }) {
    const values = { name, azimuth: words.number(Math.round(azimuth)) };
    return distance === undefined ? text('calibrate.inSky', values)
        : text('calibrate.onGround', { ...values, distance: words.number(Math.round(distance / 100) / 10) });
}

// The names of landmarks by their ids: those of one name are told apart.
export function distinct(landmarks) {
    const same = (name) => landmarks.filter((one) => one.name === name).length > 1;
    return new Map(landmarks.map((one) => [one.id, same(one.name) ? described(one) : one.name]));
}
