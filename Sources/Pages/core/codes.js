// QR codes as the station gives them: a text of 0 and 1 for each row.
import { h, s } from './dom.js';
import { text } from './words.js';

const quietZone = 4;

// A picture of a code, dark on white in every scheme, with the free space around it that readers need. Its name is a `label` of the
// catalogue, or an `aria-label` that its screen draws again in another language.
export function code(rows, name) {
    const edge = rows.length + 2 * quietZone;
    const path = rows.map((row, y) => [...row.matchAll(/1+/g)]
        .map((run) => `M${run.index + quietZone} ${y + quietZone}h${run[0].length}v1h-${run[0].length}z`).join('')).join('');
    return s('svg', { class: 'code', viewBox: `0 0 ${edge} ${edge}`, role: 'img', ...name, 'shape-rendering': 'crispEdges' },
        s('rect', { width: edge, height: edge, fill: '#fff' }), s('path', { d: path, fill: '#000' }));
}

// The steps by which a telephone gets something: the network to join, if there is one, then the link, named `then` or `alone`.
export function steps({ link, network }, then, alone) {
    const step = (name, heading, lines) => h('li', {}, h('h2', { text: heading }), code(name.qr, { 'aria-label': heading }),
        h('p', { class: 'address' }, ...lines.flatMap((line, index) => (index ? [h('br'), line] : [line]))));
    return [
        network && step(network.code, text('take.network'),
            [text('take.networkName', { name: network.name }), ...(network.password ? [text('take.password', { password: network.password })] : [])]),
        step(link, text(network ? then : alone), [link.text.replace('http://', '')]),
    ].filter(Boolean);
}
