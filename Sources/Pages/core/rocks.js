// The station's specimens and the samples of MetPetDB that are kept: what is looked for, and what there is of it. Nothing leaves the
// station but what its people have the courier ask.
import * as api from './api.js';
import { distance } from './phrases.js';
import { station } from './station.js';
import { text, words } from './words.js';

// Of a list, at most; it says when there are more.
const most = 1000;
const page = 200;
export const radii = [500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000];
export const kinds = ['rockType', 'mineral', 'grade', 'owner'];
const counts = { rockType: 'rockTypes', mineral: 'minerals', grade: 'metamorphicGrades', owner: 'owners' };

// What is looked for at first: what others have asked for is not known.
export const fresh = () => ({
    isShown: false, layers: { station: true, metpetdb: true }, shape: 'circle', center: null, radius: 10_000, region: null,
    names: { rockType: [], mineral: [], grade: [], owner: [] }, access: null,
});

// Whether private ones are shown to this device.
export const seesPrivate = () => ['collector', 'ranger', 'keeper'].includes(station.session.role);

// Where is looked: a chosen place, else where the station is; null while neither is known.
export function middle(wish) {
    const { latitude, longitude } = wish.center ?? station.position ?? {};
    return latitude === undefined ? null : { latitude, longitude };
}

// Whether it is known where to look: in a region, or around a place.
export const isPlaced = (wish) => wish.shape === 'region' || middle(wish) !== null;

// How many there are where is looked.
export const told = (wish, count) => (wish.shape === 'region' ? text('rocks.countIn', { count: words.number(count), region: wish.region })
    : text('rocks.count', { count: words.number(count), distance: distance(wish.radius) }));

// The box of the circle: west, south, east, north, degrees.
export function box(wish) {
    const { latitude, longitude } = middle(wish);
    const high = wish.radius / 111_320;
    const wide = high / Math.max(0.01, Math.cos(latitude * Math.PI / 180));
    return [longitude - wide, Math.max(-90, latitude - high), longitude + wide, Math.min(90, latitude + high)];
}

function query(wish, layer) {
    const found = [];
    const add = (name, value) => found.push(`${name}=${encodeURIComponent(value)}`);
    const { latitude, longitude } = middle(wish) ?? {};
    if (wish.shape === 'region') {
        add('region', wish.region);
    } else if (wish.shape === 'circle') {
        add('near', `${latitude.toFixed(5)},${longitude.toFixed(5)}`);
        add('radius', wish.radius);
    } else {
        add(layer === 'station' ? 'box' : 'bbox', box(wish).map((edge) => edge.toFixed(5)).join());
    }
    for (const kind of kinds) for (const name of wish.names[kind]) add(kind, name);
    if (wish.access) add('access', wish.access);
    // Only people of the station wait for MetPetDB; others are answered from what is kept.
    if (layer === 'metpetdb' && seesPrivate()) add('wait', 5);
    return found;
}

const ofStation = (one) => ({
    layer: 'station', id: one.id, number: one.number, rockType: one.rockType, place: one.position && { latitude: one.position.latitude, longitude: one.position.longitude },
    error: one.position?.accuracy, owner: one.collector, collector: one.collector, date: one.collectionDate, country: one.country, minerals: one.minerals.map(({ name }) => name),
    grades: one.metamorphicGrades, regions: one.regions, isPublic: one.isPublic, description: one.description, state: one.state,
    remote: one.submissions.find(({ target }) => target === 'metpetdb'),
    pictures: one.photographs.map((picture) => ({
        thumbnail: `/v1/specimens/${one.id}/photographs/${picture.id}/thumbnail.jpg`, file: `/v1/specimens/${one.id}/photographs/${picture.id}/file`,
        kind: picture.imageType, description: picture.description, takenAt: picture.takenAt, scale: picture.scale, width: picture.width, height: picture.height,
    })),
});

const ofMetPetDB = (one) => ({
    layer: 'metpetdb', id: one.id, number: one.number, rockType: one.rockType, place: one.place, error: one.locationError, owner: one.owner, collector: one.collector,
    date: one.collectionDate, country: one.country, minerals: one.minerals, grades: one.metamorphicGrades, regions: one.regions, isPublic: one.isPublic,
    pictureCount: one.imageCount, pictures: [],
});

// All pages of a layer, up to a bound.
async function all(layer, wish, signal) {
    const found = { rocks: [], isWhole: true, origin: null, failure: null };
    const [path, member, make] = layer === 'station' ? ['/v1/specimens', 'specimens', ofStation] : ['/v1/samples', 'samples', ofMetPetDB];
    let cursor = null;
    try {
        do {
            const parts = [...query(wish, layer), `limit=${page}`, ...(cursor ? [`cursor=${encodeURIComponent(cursor)}`] : [])];
            const answer = await api.rocks(path, parts, { signal });
            found.rocks.push(...answer[member].map(make));
            found.origin ??= answer;
            cursor = answer.next;
        } while (cursor && found.rocks.length < most);
        found.isWhole = !cursor && found.origin.isComplete !== false;
    } catch (failure) {
        if (signal?.aborted) throw failure;
        found.failure = failure.kind ?? 'unreachable';
    }
    return found;
}

const nothing = { rocks: [], isWhole: true, origin: null, failure: null };

// What is there: `rocks` of the layers that are on, a specimen that MetPetDB has as well once; and `station` and `metpetdb`, how each was had.
export async function load(wish, signal) {
    if (!isPlaced(wish)) return { rocks: [], station: nothing, metpetdb: nothing };
    const [own, others] = await Promise.all(['station', 'metpetdb'].map((layer) => (wish.layers[layer] ? all(layer, wish, signal) : nothing)));
    const sent = new Set(own.rocks.map(({ remote }) => remote?.remoteID).filter(Boolean));
    return { rocks: [...own.rocks, ...others.rocks.filter(({ id }) => !sent.has(id))], station: own, metpetdb: others };
}

// Why the rocks of a layer are not there; empty where all are that are asked for.
export function uncounted({ station: specimens, metpetdb: samples }) {
    if (specimens) return text('rocks.noSpecimens');
    return samples ? text(samples === 'unavailable' ? 'rocks.nothingKept' : 'rocks.noSamples') : '';
}

// What there is to narrow by, without the rocks: the total, the extent, the names of each kind with their counts, and why a layer is not
// in them.
export async function summarise(wish, signal) {
    const sums = { total: 0, extent: null, names: Object.fromEntries(kinds.map((kind) => [kind, new Map()])), failures: {} };
    if (!isPlaced(wish)) return sums;
    const paths = [wish.layers.station && ['station', '/v1/specimens/summary'], wish.layers.metpetdb && ['metpetdb', '/v1/samples/summary']].filter(Boolean);
    const answers = await Promise.all(paths.map(([layer, path]) => api.rocks(path, query(wish, layer), { signal }).catch((failure) => {
        if (signal?.aborted) throw failure;
        sums.failures[layer] = failure.kind ?? 'unreachable';
        return null;
    })));
    for (const answer of answers.filter(Boolean)) {
        sums.total += answer.total;
        const { extent } = answer;
        if (extent) {
            sums.extent = sums.extent === null ? { ...extent } : {
                west: Math.min(sums.extent.west, extent.west), south: Math.min(sums.extent.south, extent.south),
                east: Math.max(sums.extent.east, extent.east), north: Math.max(sums.extent.north, extent.north),
            };
        }
        for (const kind of kinds) {
            for (const { name, count } of answer[counts[kind]]) sums.names[kind].set(name, (sums.names[kind].get(name) ?? 0) + (count ?? 0));
        }
    }
    return sums;
}

// One with all that is known of it.
export async function one(layer, id, signal) {
    if (layer === 'station') return ofStation(await api.rock('/v1/specimens', id, { signal }));
    const details = await api.rock('/v1/samples', id, { signal });
    const path = (image) => `/v1/samples/${encodeURIComponent(id)}/images/${encodeURIComponent(image)}`;
    return {
        ...ofMetPetDB(details.sample), description: details.description, presentLocation: details.presentLocation, references: details.references, subsamples: details.subsamples,
        analyses: details.analyses, comments: details.comments, origin: details,
        pictures: details.images.map((image) => ({
            kind: image.imageType, description: image.description, scale: image.scale, address: image.fullSizeURL,
            thumbnail: details.keptThumbnails.includes(image.id) ? `${path(image.id)}/thumbnail.jpg` : null,
            file: details.keptFiles.includes(image.id) ? `${path(image.id)}/file` : null,
            // What the station does not keep, its people have it fetch.
            elsewhere: seesPrivate() ? path(image.id) : null,
        })),
    };
}

// Has the station fetch a copy of a picture that it does not keep yet: 'thumbnail' or 'file'. Whether it has it now.
export async function fetchPicture(picture, copy, signal) {
    const path = picture.elsewhere && `${picture.elsewhere}/${copy === 'thumbnail' ? 'thumbnail.jpg' : copy}`;
    if (!path || picture.missing?.has(copy)) return false;
    try {
        await api.rockPicture(path, { signal });
    } catch (failure) {
        // What MetPetDB does not give is not asked for again.
        if (failure.status === 404 || failure.status === 422) (picture.missing ??= new Set()).add(copy);
        return false;
    }
    picture[copy] = path;
    picture.thumbnail ??= `${picture.elsewhere}/thumbnail.jpg`;
    return true;
}

// The names of regions that samples can be looked for in, in the order of an index.
export async function regions(signal) {
    return (await api.rocks('/v1/regions', seesPrivate() ? ['wait=5'] : [], { signal })).regions;
}

// Rocks at one place together: the same in five decimals, as MetPetDB rounds.
export function places(rocks) {
    const found = new Map();
    for (const rock of rocks) {
        if (!rock.place) continue;
        const key = `${rock.place.latitude.toFixed(5)} ${rock.place.longitude.toFixed(5)}`;
        if (!found.has(key)) found.set(key, { place: rock.place, rocks: [] });
        found.get(key).rocks.push(rock);
    }
    return [...found.values()];
}

// The distance of a place from the middle, metres: enough for a list.
export function away(wish, place) {
    const from = middle(wish);
    if (!from || !place) return null;
    const radians = Math.PI / 180;
    const across = (place.longitude - from.longitude) * Math.cos((place.latitude + from.latitude) / 2 * radians);
    return Math.hypot(place.latitude - from.latitude, across) * 111_195;
}

// An address under which one is found again: MetPetDB's where it has one, else the station's.
export const link = (rock) => rock.remote?.remoteURL
    ?? `${location.origin}/#${rock.layer === 'station' ? 'specimen' : 'sample'}=${encodeURIComponent(rock.id)}`;
