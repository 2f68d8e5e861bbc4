// Every request of the pages is made here. A failure is a `Failure` with the stable kind of the problem that the
// station answered (RFC 9457), or the kind "unreachable" where there was no answer of the station.

// A key by which a repeated request is known.
export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const json = { 'Content-Type': 'application/json' };

export class Failure extends Error {
    // `path` is that of the member of the request that the station refuses, if it names one (RFC 6901).
    constructor(kind, detail, status = 0, retryAfter = 0, path = '') {
        super(detail);
        this.kind = kind;
        this.status = status;
        this.retryAfter = retryAfter;
        this.path = path;
    }
}

// Gateway statuses without a problem of konzad's own mean that konzad did not answer.
async function failure(response) {
    const problem = await response.json().catch(() => null);
    const ofStation = problem?.kind && response.status !== 502 && response.status !== 504;
    const kind = ofStation ? problem.kind : response.status >= 500 ? 'unreachable' : 'refused';
    const retryAfter = Number(response.headers.get('Retry-After')) || 0;
    return new Failure(kind, problem?.detail ?? '', response.status, retryAfter, problem?.errors?.[0]?.path ?? '');
}

async function request(path, { timeout = 8000, signal, ...options } = {}) {
    const limit = AbortSignal.timeout(timeout);
    let response;
    try {
        response = await fetch(path, {
            cache: 'no-store', credentials: 'same-origin', redirect: 'error', ...options,
            signal: signal ? AbortSignal.any([signal, limit]) : limit,
        });
    } catch (error) {
        if (signal?.aborted) throw error;
        // What the browser says of it is for programmers.
        throw new Failure('unreachable', '');
    }
    if (!response.ok) throw await failure(response);
    return response;
}

const read = async (path, options) => (await request(path, options)).json();

// Asks for something to be done. What the station answers is read all the same: the browser keeps an answer that nobody reads.
const act = async (path, options) => { await (await request(path, options)).arrayBuffer().catch(() => {}); };

const send = (method, body, options) => ({ method, headers: json, body: JSON.stringify(body), ...options });

export const session = () => read('/v1/session');
export const status = (options) => read('/v1/status', options);
export const position = (options) => read('/v1/position', options);
export const satellites = (options) => read('/v1/satellites', options);
export const templates = (options) => read('/v1/templates', options);

// The names in the picture of the fixed camera, as its pixels, in the words that its postcards have, too.
export const view = ({ language, ...options } = {}) => read(`/v1/view${language ? `?language=${language}` : ''}`, options);
// What is to be seen from it, and how it looks by points in one picture.
export const viewLandmarks = (language, { from, ...options } = {}) => read(
    `/v1/view/landmarks?${from ? `latitude=${from.latitude.toFixed(6)}&longitude=${from.longitude.toFixed(6)}&` : ''}language=${language}`, options);
export const sky = (options) => read('/v1/sky', options);
export const calibrateView = (wishes, language) => read(`/v1/view/calibration?language=${language}`, send('PUT', wishes, { timeout: 15000 }));

// The map: where the tiles of its ground are; the trails, in words and as GeoJSON (RFC 7946); where among them the station is.
export const map = (options) => read('/v1/map', options);
export const trails = (options) => read('/v1/trails', options);
export const trailLines = (options) => read('/v1/trails', { headers: { Accept: 'application/geo+json' }, ...options });
export const nearestTrail = (options) => read('/v1/trails/nearest', options);
// The same of another place, which is judged alone: {latitude, longitude} and how good it is, metres (95 %).
export const nearestTrailTo = ({ latitude, longitude, accuracy }, options) => read(
    `/v1/trails/nearest?latitude=${latitude.toFixed(6)}&longitude=${longitude.toFixed(6)}`
    + (accuracy === undefined ? '' : `&accuracy=${Math.min(100_000, Math.ceil(accuracy))}`), options);
export const trailProfile = (trail, options) => read(`/v1/trails/profile?trail=${encodeURIComponent(trail)}`, options);
// Where a telephone finds a trail, with the QR code and that of the network to join first.
export const trailLink = (trail, options) => read(`/v1/trail-link?trail=${encodeURIComponent(trail)}`, options);
// The way to a place, {latitude, longitude}, or without one to the trailhead that the station finds the best; from the station, or from
// another place.
export const way = (to, { from, ...options } = {}) => {
    const query = new URLSearchParams({ ...(to && { to: `${to.latitude.toFixed(6)},${to.longitude.toFixed(6)}` }),
        ...(from && { latitude: from.latitude.toFixed(6), longitude: from.longitude.toFixed(6) }) });
    return read(`/v1/trails/way${query.size ? `?${query}` : ''}`, options);
};

// Specimens of the station and samples of MetPetDB, by the path of their list; one of them.
export const rocks = (path, query, options) => read(`${path}?${query.join('&')}`, { timeout: 15000, ...options });
export const rock = (path, id, options) => read(`${path}/${encodeURIComponent(id)}`, { timeout: 25000, ...options });
// A picture of a sample, by its path: asking for it has the station fetch it, if need be.
export const rockPicture = async (path, options) => (await request(path, { timeout: 25000, ...options })).blob();

// What the station's people wrote: what is on, whom to ask, the pages about the place.
export const calendar = ({ cursor, limit, to, ...options } = {}) => {
    const query = new URLSearchParams({ ...(cursor && { cursor }), ...(limit && { limit }), ...(to && { to }) });
    return read(`/v1/calendar${query.size ? `?${query}` : ''}`, options);
};
export const calendarEvent = (id, options) => read(`/v1/calendar/${encodeURIComponent(id)}`, options);
export const personnel = (options) => read('/v1/personnel', options);
export const person = (id, options) => read(`/v1/personnel/${encodeURIComponent(id)}`, options);
export const stationPages = (language, options) => read(`/v1/pages?language=${encodeURIComponent(language)}`, options);
export const stationPage = (name, language, options) =>
    read(`/v1/pages/${encodeURIComponent(name)}?language=${encodeURIComponent(language)}`, options);

// Announcements: in the order of the list; one of them is read by being asked for, where whoever asks is known.
export const announcements = (language, options) => read(`/v1/announcements?language=${encodeURIComponent(language)}`, options);
export const announcement = (id, language, options) =>
    read(`/v1/announcements/${encodeURIComponent(id)}?language=${encodeURIComponent(language)}`, options);
// As it was written, with the words of every language.
export const writtenAnnouncement = (id, options) => read(`/v1/announcements/${encodeURIComponent(id)}`, options);
export const announce = (wishes) => read('/v1/announcements', send('POST', wishes));
export const changeAnnouncement = (id, wishes) => read(`/v1/announcements/${encodeURIComponent(id)}`, send('PATCH', wishes));

export async function retireAnnouncement(id) {
    await act(`/v1/announcements/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

// Who is still out. The same key never signs a party out twice.
export const trips = (options) => read('/v1/trips', options);
export const trip = (id, options) => read(`/v1/trips/${encodeURIComponent(id)}`, options);
export const startTrip = (wishes, key) => read('/v1/trips', {
    method: 'POST', headers: { ...json, 'Idempotency-Key': key }, body: JSON.stringify(wishes), timeout: 15000,
});
export const extendTrip = (id, expectedAt) => read(`/v1/trips/${encodeURIComponent(id)}/extend`, send('POST', { expectedAt }));
export const endTrip = (id) => read(`/v1/trips/${encodeURIComponent(id)}/return`, send('POST', {}));
// By the name of whoever does, where nobody signed in.
export const acknowledgeTrip = (id, by) => read(`/v1/trips/${encodeURIComponent(id)}/acknowledge`, send('POST', { ...(by && { by }) }));

// Says that the kiosk's page runs; answers which pages the portal has.
export const heartbeat = (state) => read('/v1/kiosk/heartbeat', {
    method: 'POST', headers: json, body: JSON.stringify(state), timeout: 5000,
});

// How the portal and konzad are; `faults` say what is wrong and what to do, to people of the station alone.
export const health = (options) => read('/health', options);

// The language and the template that visitors begin with.
export const kioskChoices = () => read('/v1/kiosk/choices');
export const chooseForKiosk = (choices) => read('/v1/kiosk/choices', { method: 'PUT', headers: json, body: JSON.stringify(choices) });

// A catalogue of words, by its language.
export const catalogue = (language) => read(`/pages/words/${encodeURIComponent(language)}.json`, { cache: 'no-cache' });

// A frame of the camera, unmirrored: its picture and its number. With the number of the last one, the station answers as
// soon as there is a newer one; with a width, it may give a smaller picture that has as many pixels across.
export async function frame({ after, width, ...options } = {}) {
    const query = new URLSearchParams({ ...(after && { after }), ...(width && { width }) });
    const response = await request(`/v1/camera/frame.jpg${query.size ? `?${query}` : ''}`, { timeout: 5000, ...options });
    return { blob: await response.blob(), number: response.headers.get('konza-frame') };
}

// A frame of now with the overlay as it will be stamped; nothing is kept.
export async function stampedFrame(wishes, options) {
    const response = await request('/v1/postcards/preview', {
        method: 'POST', headers: json, body: JSON.stringify(wishes), timeout: 5000, ...options,
    });
    return { blob: await response.blob(), number: null };
}

// Takes a postcard, which is kept only if `seeCard` follows. The same key never makes two. Answers a postcard, or a pending one with
// its countdown.
export const takePostcard = (wishes, key) => read('/v1/postcards', {
    method: 'POST', headers: { ...json, 'Idempotency-Key': key, 'Konza-Keep': 'when-seen' }, body: JSON.stringify(wishes), timeout: 15000,
});

// The visitor has seen the card that was asked for with a key; or nobody does any more, and the station deletes it.
export const seeCard = (key) => act(`/v1/kiosk/cards/${key}/seen`, { method: 'PUT' });
export const giveUpCard = (key) => act(`/v1/kiosk/cards/${key}`, { method: 'DELETE' });

export const postcard = (id, options) => read(`/v1/postcards/${id}`, options);

export async function deletePostcard(id) {
    await act(`/v1/postcards/${id}`, { method: 'DELETE' });
}

// A picture for a collage: taken after a countdown, and held by the station for five minutes.
export const takeShot = (countdownSeconds) => read('/v1/shots', {
    method: 'POST', headers: json, body: JSON.stringify({ countdownSeconds }), timeout: 15000,
});

export const shot = (id, options) => read(`/v1/shots/${id}`, options);

export const shotPicture = async (id, options) => (await request(`/v1/shots/${id}/image.jpg`, options)).blob();

export async function deleteShot(id) {
    await act(`/v1/shots/${id}`, { method: 'DELETE' });
}

// A link by which a postcard goes home, with its QR code and that of the network to join first.
export const sharePostcard = (id) => read('/v1/shares', { method: 'POST', headers: json, body: JSON.stringify({ postcard: id }) });

// The link by which a postcard is on the internet, its QR code, and whether it leads anywhere yet. Fails with not-found without one.
export const publicLink = (id, options) => read(`/v1/postcards/${id}/public-link`, options);

export const publishPostcard = (id, days) => read(`/v1/postcards/${id}/public-link`, { method: 'PUT', headers: json, body: JSON.stringify({ days }) });

export const unpublishPostcard = (id) => act(`/v1/postcards/${id}/public-link`, { method: 'DELETE' });

// The visitor agrees that others see a postcard in the gallery; answers whether they do, or a ranger decides first.
export const showPostcard = (id) => read(`/v1/gallery/${id}`, { method: 'PUT' });

// Takes that back; answers how it is then, in the words of the other.
export const unshowPostcard = (id) => act(`/v1/gallery/${id}`, { method: 'DELETE' }).then(() => 'private');

const page = (path) => ({ cursor, limit = 24, ...options } = {}) =>
    read(`${path}?${new URLSearchParams({ limit, ...(cursor && { cursor }) })}`, options);

// A page of the gallery: of what visitors agreed to show.
export const gallery = page('/v1/gallery');
// Whether others still see a postcard of the gallery.
export const isInGallery = (card, options) => request(card.links.thumbnail, { method: 'HEAD', ...options })
    .then(() => true, (failure) => failure.status !== 404);

// What rangers do with the gallery: all of it, and whether others see a postcard.
export const moderation = page('/v1/moderation');
export const moderate = (id, state) => read(`/v1/moderation/${id}`, send('PATCH', { state }));

// The station's printer: `configured: false` where there is none.
export const printer = (options) => read('/v1/printer', options);

// Has a stopped printer go on; answers how it is then.
export const resumePrinter = () => read('/v1/printer/resume', { method: 'POST', timeout: 15000 });

// What devices trust the station by.
export const certificate = (options) => read('/v1/certificate', options);

// Has copies of a postcard printed. The same key never makes two wishes of one.
export const makePrint = (card, copies, key) => read('/v1/prints', {
    method: 'POST', headers: { ...json, 'Idempotency-Key': key }, body: JSON.stringify({ postcard: card.id, copies }), timeout: 15000,
});

// The prints that have not ended, for rangers.
export const prints = (options) => read('/v1/prints', options);

export const print = (id, options) => read(`/v1/prints/${id}`, options);

// Ends what has not come out yet, and answers how it is then.
export const cancelPrint = (id) => read(`/v1/prints/${id}`, { method: 'DELETE' });

// The operator's door at the kiosk: this browser becomes a ranger's for a while.
export const openDoor = (pin) => read('/v1/kiosk/door', { method: 'POST', headers: json, body: JSON.stringify({ pin }) });

// The picture of a postcard, byte for byte as it lies on the disk.
export const picture = async (card, options) => (await request(card.links.image, options)).blob();

// Calls `heard(data)` for each event of a kind until `close()`. The browser reconnects by itself.
function events(kind, heard) {
    const source = new EventSource(`/v1/events?types=${kind}`);
    source.addEventListener(kind, (event) => heard(JSON.parse(event.data)));
    return source;
}

export const postcardEvents = (heard) => events('postcard', heard);
export const shotEvents = (heard) => events('shot', heard);
// The station is on another trail, or its closures have changed. Not for visitors' devices.
export const trailEvents = (heard) => events('trail', heard);

// What changes in the life of the station, as far as whoever asks may know: `heard(kind)`; without a kind, anything may have.
// `failed(isOver)` says whether the browser tries again by itself.
export function changeStream({ opened, failed, heard }) {
    const source = new EventSource('/v1/station/events');
    source.addEventListener('open', opened);
    source.addEventListener('error', () => failed(source.readyState === EventSource.CLOSED));
    for (const kind of ['announcements', 'trips', 'muster']) source.addEventListener(kind, () => heard(kind));
    for (const kind of ['session', 'gap']) source.addEventListener(kind, () => heard());
    return source;
}

// A page of postcards, newest first; `cursor` is the member `next` of the page before.
export const postcards = page('/v1/postcards');
export const specimens = page('/v1/specimens');

export const camera = (options) => read('/v1/camera', options);
// Sets controls by name; answers the camera as it is then.
export const setControls = (values, options) => read('/v1/camera/controls', send('PATCH', values, options));

// What waits for the station's disk.
const slow = 20000;

// Pairing: by the secret of a link, or by letters that a keeper approves.
export const pairByLink = (token, name) => read('/v1/session', send('POST', { token, ...(name && { name }) }, { timeout: slow }));
export const askToBePaired = (name) => read('/v1/pairing-requests', send('POST', { name }, { timeout: slow }));
export const collectSession = (token, options) => read('/v1/pairing-requests/session', send('POST', { token }, { timeout: slow, ...options }));

export async function endSession() {
    await act('/v1/session', { method: 'DELETE', timeout: slow });
}

// What keepers do.
export const devices = (options) => read('/v1/devices', options);
export const changeDevice = (id, values) => read(`/v1/devices/${encodeURIComponent(id)}`, send('PATCH', values));
export const pairingRequests = (options) => read('/v1/pairing-requests', options);
export const invite = (role) => read('/v1/invitations', send('POST', { role }));

export async function revokeDevice(id) {
    await act(`/v1/devices/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

// Lets the device of the letters in as a role, or turns it away without one.
export async function decide(letters, role) {
    await act(`/v1/pairing-requests/${encodeURIComponent(letters)}`, role ? send('POST', { role }) : { method: 'DELETE' });
}

// The learning games: their data; what a player has reached, by the profile or, without one, by everybody at this device; how a
// round went; the decks of the station.
export const learningData = (name) => read(`/pages/learning/data/${name}.json`, { cache: 'no-cache', timeout: 30000 });
const ofProfile = (profile) => (profile ? `?profile=${encodeURIComponent(profile)}` : '');
export const learningProgress = (profile) => read(`/v1/learning/progress${ofProfile(profile)}`);
export const addRound = (round) => read('/v1/learning/rounds', send('POST', round));
export const resetLearning = (profile) => act(`/v1/learning/progress${ofProfile(profile)}`, { method: 'DELETE' });
// A class: opened and led by its key, joined by its code; what a member is asked, and answers.
export const openClass = (quiz, seconds) => read('/v1/learning/classes', send('POST', { quiz, seconds }));
export const classBoard = (code, options) => read(`/v1/learning/classes/${code}`, options);
export const leadClass = (code, key, state) => read(`/v1/learning/classes/${code}`, send('PATCH', { key, state }));
// `pass` is what the class's QR code says beside the digits.
export const joinClass = (code, pass) => read(`/v1/learning/classes/${code}/members`, pass ? send('POST', { pass }) : { method: 'POST' });
export const classTurn = (code, turn) => read(`/v1/learning/classes/${code}/turns`, send('POST', turn));
export const decks = (options) => read('/v1/learning/decks', options);
export const deck = (name, options) => read(`/v1/learning/decks/${encodeURIComponent(name)}`, options);

// People: who is signed in on this device, and the muster of today.
export const personSession = (options) => read('/v1/people/session', options);
export const signIn = (proof) => read('/v1/people/session', send('POST', proof, { timeout: slow }));
export const signOut = () => act('/v1/people/session', { method: 'DELETE', timeout: slow });
// One's own account.
export const setOwnPassphrase = (current, passphrase) => act('/v1/people/me/passphrase', send('PUT', { current, passphrase }, { timeout: slow }));
export const renewPIN = () => read('/v1/people/me/pin', { method: 'POST', timeout: slow });
export const renewBadge = () => read('/v1/people/me/badge', { method: 'POST', timeout: slow });
export const ownSessions = (options) => read('/v1/people/me/sessions', options);
export const endOwnSession = (id) => act(`/v1/people/me/sessions/${encodeURIComponent(id)}`, { method: 'DELETE', timeout: slow });
export const muster = (language, options) => read(`/v1/muster?language=${encodeURIComponent(language)}`, options);
export const makeMuster = (body, language) => read(`/v1/muster?language=${encodeURIComponent(language)}`, send('POST', body, { timeout: slow }));
export const correctMuster = (correction) => read('/v1/muster/corrections', send('POST', correction));
// Leave that is not over; {person, first, last, reason} is another one.
export const leave = (options) => read('/v1/muster/leave', options);
export const giveLeave = (leave) => read('/v1/muster/leave', send('POST', leave));
export const takeBackLeave = (number) => act(`/v1/muster/leave/${number}`, { method: 'DELETE' });
export const musterChallenge = (options) => read('/v1/muster/challenge', options);
export const musterTicket = (code) => read('/v1/muster/tickets', send('POST', { code }));
export const roster = (options) => read('/v1/muster/roster', options);
