// Sentences with values in them that more than one screen says.
import { h } from './dom.js';
import { station } from './station.js';
import { text, words } from './words.js';

// Where a picture comes from, if it is not the camera's of here and now; else nothing.
export const sourceOf = (source = 'live') => (source === 'live' ? '' : text(`source.${source}`));

// The key of what is said where nothing came of what is asked for again by itself; `isShown`: an older answer is still on the screen.
export const unanswered = (isShown) => (isShown ? 'events.old' : 'events.failed');

// For how long a postcard is kept; `days` is null where only the operator's limits end it.
export function keptFor(days) {
    return days ? text('kept.days', { time: words.amount(Math.round(10 * days) / 10, 'day') }) : text('kept.open');
}

const degrees = (value, positive, negative) =>
    `${words.number(Math.abs(value), 5)}° ${text(value < 0 ? negative : positive)}`;

// The coordinates of a position, or null.
export function coordinates(position) {
    if (position?.latitude === undefined) return null;
    const { latitude, longitude } = position;
    return `${degrees(latitude, 'compass.north', 'compass.south')}, ${degrees(longitude, 'compass.east', 'compass.west')}`;
}

// The error in whole metres, rounded up: a position is never said to be better than it is.
export const metres = (accuracy) => `±\u00a0${words.number(Math.ceil(accuracy))}\u00a0m`;

// A list of facts: `facts` are [name, value], with true behind them for a value in words.
export const factList = (facts) => facts.map(([name, value, isText]) => h('div', {}, h('dt', { text: name }), h('dd', { text: value, class: isText && 'plain' })));

// How long ago something was measured: seconds, then minutes, hours or days.
export const age = (seconds) => (seconds < 60 ? text('sky.seconds', { seconds: words.number(Math.floor(Math.max(0, seconds))) })
    : text('map.ago', { time: duration(seconds) }));

// A length along the ground: whole metres, then kilometres.
export function distance(value) {
    return value < 995 ? `${words.number(Math.round(value / 5) * 5)} m` : `${words.number(value / 1000, value < 9950 ? 1 : 0)} km`;
}

// Whether a position is another's than the station's own receiver's: recorded, or made up for a test.
export const isRecorded = (position) => Boolean(position?.source) && position.source !== 'live';

const madeUp = ' (made up)';

// The name of a trail or a place: the station says in English which ones are made up.
export const named = (name) => (name?.endsWith(madeUp) ? `${name.slice(0, -madeUp.length)} (${text('map.madeUp')})` : name);

// A type of rock, where the pages have a word for it: MetPetDB names them in English.
export function rockType(name) {
    const key = `rocks.type.${name?.toLowerCase()}`;
    return words.has(key) ? text(key) : name;
}

// What a rock is called: its number and its type.
export const rockName = (rock) => [rock.number, rockType(rock.rockType)].filter(Boolean).join(', ');

// A time in whole minutes, hours or days, whichever says enough.
export function duration(seconds) {
    const [size, unit] = [[86_400, 'day'], [3600, 'hour'], [60, 'minute']].find(([size]) => seconds >= 2 * size) ?? [60, 'minute'];
    return words.amount(Math.floor(seconds / size), unit);
}

// How late a party is that is still out.
export const lateness = (seconds) => (seconds < 60 ? text('trips.now') : text('trips.late', { time: duration(seconds) }));

// How long a trail is, and what of it is closed, and why.
export function trailFacts({ length, closed, closedLength }) {
    if (!closed) return distance(length);
    if (closedLength >= length) return text('map.closed', { reason: closed });
    return text('map.partClosed', { distance: distance(length), closed: distance(closedLength), reason: closed });
}

// What the station says, in English, of a fault and its remedy, for those who can do something about it. Nodes; none without it.
export const forRanger = (detail) => (detail && station.isTold ? [h('span', { word: 'closed.ranger' }), ' ', h('span', { lang: 'en', text: detail })] : []);
