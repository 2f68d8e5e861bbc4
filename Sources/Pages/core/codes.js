// QR codes as the station gives them: a text of 0 and 1 for each row.
import { s } from './dom.js';

const quietZone = 4;

// A picture of a code, dark on white in every scheme, with the free space around it that readers need.
export function code(rows, name) {
    const edge = rows.length + 2 * quietZone;
    const path = rows.map((row, y) => [...row.matchAll(/1+/g)]
        .map((run) => `M${run.index + quietZone} ${y + quietZone}h${run[0].length}v1h-${run[0].length}z`).join('')).join('');
    return s('svg', { class: 'code', viewBox: `0 0 ${edge} ${edge}`, role: 'img', 'aria-label': name, 'shape-rendering': 'crispEdges' },
        s('rect', { width: edge, height: edge, fill: '#fff' }), s('path', { d: path, fill: '#000' }));
}
