// Cuts a board into interlocking pieces. Each inner edge is made once, from the seed and its own number, and its neighbour goes
// along it the other way round: no gap and no overlap. The curve is that of Draradech's jigsaw generator.
import { seeded } from './random.js';

const tab = 0.1;
const jitter = 0.04;
// How far a tab may reach beyond its cell, as a share of the cell's longer side.
export const overhang = 0.35;

// The ten control points of three cubic Béziers along an edge of length 1, from (0, 0) to (1, 0).
function edge(random, before) {
    const wobble = () => (random() * 2 - 1) * jitter;
    const side = random() < 0.5 ? 1 : -1;
    // It begins with the slope that the edge before ended with: lines pass corners smoothly.
    const a = before === undefined ? wobble() : -before * side;
    const [b, c, d, e] = [wobble(), wobble(), wobble(), wobble()];
    const t = tab;
    const points = [[0, 0], [0.2, a], [0.5 + b + d, -t + c], [0.5 - t + b, t + c], [0.5 - 2 * t + b - d, 3 * t + c],
        [0.5 + 2 * t + b - d, 3 * t + c], [0.5 + t + b, t + c], [0.5 + b + d, -t + c], [0.8, e], [1, 0]];
    return { points: points.map(([along, across]) => [along, across * side]), end: e * side };
}

// The pieces of a board: `path` in units of the board, `cell` its cell, `neighbours` the numbers beside it.
export function cut({ columns, rows, width, height, seed }) {
    const [across, down] = [width / columns, height / rows];
    const horizontal = [];
    for (let row = 1; row < rows; row += 1) {
        let before;
        horizontal[row] = [];
        for (let column = 0; column < columns; column += 1) {
            const made = edge(seeded(`${seed} h ${row} ${column}`), before);
            before = made.end;
            horizontal[row][column] = made.points.map(([along, off]) => [(column + along) * across, row * down + off * Math.min(across, down)]);
        }
    }
    const vertical = [];
    for (let column = 1; column < columns; column += 1) {
        let before;
        vertical[column] = [];
        for (let row = 0; row < rows; row += 1) {
            const made = edge(seeded(`${seed} v ${column} ${row}`), before);
            before = made.end;
            vertical[column][row] = made.points.map(([along, off]) => [column * across + off * Math.min(across, down), (row + along) * down]);
        }
    }
    const pieces = [];
    for (let row = 0; row < rows; row += 1) {
        for (let column = 0; column < columns; column += 1) {
            const [left, top, right, bottom] = [column * across, row * down, (column + 1) * across, (row + 1) * down];
            const straight = (...points) => points;
            const sides = [
                horizontal[row]?.[column] ?? straight([left, top], [right, top]),
                vertical[column + 1]?.[row] ?? straight([right, top], [right, bottom]),
                (horizontal[row + 1]?.[column] ?? straight([left, bottom], [right, bottom])).toReversed(),
                (vertical[column]?.[row] ?? straight([left, top], [left, bottom])).toReversed(),
            ];
            const at = (toRow, toColumn) => toRow * columns + toColumn;
            pieces.push({
                row, column, cell: [left, top, right, bottom], sides, path: pathOf(sides),
                neighbours: [row > 0 && at(row - 1, column), column + 1 < columns && at(row, column + 1), row + 1 < rows && at(row + 1, column),
                    column > 0 && at(row, column - 1)].filter((one) => one !== false),
            });
        }
    }
    return pieces;
}

function pathOf(sides) {
    let text = `M${sides[0][0].join(' ')}`;
    for (const points of sides) {
        if (points.length === 2) text += `L${points[1].join(' ')}`;
        else for (let at = 1; at < 10; at += 3) text += `C${points.slice(at, at + 3).flat().join(' ')}`;
    }
    return `${text}Z`;
}

// An edge as points close to one another, to be measured.
export function flattened(points, steps = 24) {
    if (points.length === 2) return points;
    const out = [points[0]];
    for (let at = 0; at < 9; at += 3) {
        const [p, q, r, s] = points.slice(at, at + 4);
        for (let step = 1; step <= steps; step += 1) {
            const t = step / steps;
            const u = 1 - t;
            out.push([0, 1].map((axis) => u ** 3 * p[axis] + 3 * u * u * t * q[axis] + 3 * u * t * t * r[axis] + t ** 3 * s[axis]));
        }
    }
    return out;
}
