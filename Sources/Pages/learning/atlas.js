// The prepared geography and the prairie deck, fetched once and made ready for the games.
import { area, bounds, decode, pathText, ringPoints } from './geometry.js';
import * as api from '../core/api.js';

// The rules and decks by which scores are compared; one more when any of them changes.
export const ruleVersion = 1;
export const continents = ['Africa', 'Asia', 'Europe', 'North America', 'Oceania', 'South America'];
// A continent as it stands in addresses, keys of words and progress.
export const slug = (name) => name.toLowerCase().replaceAll(' ', '-');

const kept = new Map();
const once = (name, make) => {
    if (!kept.has(name)) {
        const promise = api.learningData(name).then(make);
        promise.catch(() => kept.delete(name));
        kept.set(name, promise);
    }
    return kept.get(name);
};

// Items get `rings` (flat lists of points), `path`, `bounds` of all parts, and `size`.
function shaped(map) {
    const arcs = map.arcs.map(decode);
    for (const item of map.items) {
        item.rings = item.shape.flat().map((ring) => ringPoints(ring, arcs));
        item.path = pathText(item.rings);
        item.bounds = bounds(item.rings);
        item.size = Math.abs(item.rings.reduce((sum, ring) => sum + area(ring), 0));
    }
    map.byID = new Map(map.items.map((item) => [item.id, item]));
    return map;
}

export const world = () => once('world', (map) => {
    shaped(map);
    map.lines = map.lines.map((one) => ({ ...one, path: one.lines.map((line) => openPath(decode(line))).join('') }));
    map.members = map.items.filter((item) => item.quiz);
    map.deck = map.items.filter((item) => item.deck);
    return map;
});

export const states = () => once('states', (map) => {
    shaped(map);
    map.fifty = map.items.filter((item) => item.kind === 'state');
    return map;
});

export const prairie = () => once('prairie', (deck) => deck);

function openPath(points) {
    let text = `M${points[0]} ${points[1]}`;
    for (let at = 2; at < points.length; at += 2) text += `L${points[at]} ${points[at + 1]}`;
    return text;
}

// The continents that are right for a country: some lie in two.
export const continentsOf = (item) => [item.continent, ...(item.continentAlso ?? [])];

// The frame of a map, a little larger than what is in it.
export function padded([left, top, right, bottom], share = 0.04) {
    const margin = share * Math.max(right - left, bottom - top);
    return [left - margin, top - margin, right + margin, bottom + margin];
}
