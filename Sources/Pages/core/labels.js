// Where names stand in a picture, whole and within it: each in the lowest row above its point where it covers no other, or below a
// point at the upper edge. The station's postcards place them by much the same rules (PictureLabel.swift).
import { s } from './dom.js';

const most = 12;
const rows = 8;

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
    const taken = [];
    const placed = [];
    for (const label of [...known.filter(({ kind }) => kind !== 'satellite'), ...known.filter(({ kind }) => kind === 'satellite')]) {
        if (placed.length >= most) break;
        const [x, y] = [label.x * scale, label.y * scale];
        if (!(x >= 0 && x <= width && y >= 0 && y <= height)) continue;
        // Points so near to each other are one spot, which has one name.
        if (placed.some((other) => Math.hypot(other.x - x, other.y - y) < 0.25 * letters)) continue;
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
