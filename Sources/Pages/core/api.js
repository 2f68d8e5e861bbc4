// Every request of the pages is made here. A failure is a `Failure` with the stable kind of the problem that the
// station answered (RFC 9457), or the kind "unreachable" where there was no answer of the station.

// A key by which a repeated request is known.
export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const json = { 'Content-Type': 'application/json' };

export class Failure extends Error {
    constructor(kind, detail, status = 0, retryAfter = 0) {
        super(detail);
        this.kind = kind;
        this.status = status;
        this.retryAfter = retryAfter;
    }
}

// Gateway statuses without a problem of konzad's own mean that konzad did not answer.
async function failure(response) {
    const problem = await response.json().catch(() => null);
    const ofStation = problem?.kind && response.status !== 502 && response.status !== 504;
    const kind = ofStation ? problem.kind : response.status >= 500 ? 'unreachable' : 'refused';
    const retryAfter = Number(response.headers.get('Retry-After')) || 0;
    return new Failure(kind, problem?.detail ?? '', response.status, retryAfter);
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
        throw new Failure('unreachable', String(error.message ?? error));
    }
    if (!response.ok) throw await failure(response);
    return response;
}

const read = async (path, options) => (await request(path, options)).json();

const send = (method, body, options) => ({ method, headers: json, body: JSON.stringify(body), ...options });

export const session = () => read('/v1/session');
export const status = (options) => read('/v1/status', options);
export const position = (options) => read('/v1/position', options);
export const satellites = (options) => read('/v1/satellites', options);
export const templates = (options) => read('/v1/templates', options);

// Says that the kiosk's page runs; answers which pages the portal has.
export const heartbeat = (state) => read('/v1/kiosk/heartbeat', {
    method: 'POST', headers: json, body: JSON.stringify(state), timeout: 5000,
});

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

// Takes a postcard. The same key never makes two. Answers a postcard, or a pending one with its countdown.
export const takePostcard = (wishes, key) => read('/v1/postcards', {
    method: 'POST', headers: { ...json, 'Idempotency-Key': key }, body: JSON.stringify(wishes), timeout: 15000,
});

export const postcard = (id, options) => read(`/v1/postcards/${id}`, options);

export async function deletePostcard(id) {
    await request(`/v1/postcards/${id}`, { method: 'DELETE' });
}

// A link by which a postcard goes home, with its QR code and that of the network to join first.
export const sharePostcard = (id) => read('/v1/shares', { method: 'POST', headers: json, body: JSON.stringify({ postcard: id }) });

// The station's printer: `configured: false` where there is none.
export const printer = (options) => read('/v1/printer', options);

// Has copies of a postcard printed. The same key never makes two wishes of one.
export const makePrint = (card, copies, key) => read('/v1/prints', {
    method: 'POST', headers: { ...json, 'Idempotency-Key': key }, body: JSON.stringify({ postcard: card.id, copies }), timeout: 15000,
});

export const print = (id, options) => read(`/v1/prints/${id}`, options);

// Ends what has not come out yet, and answers how it is then.
export const cancelPrint = (id) => read(`/v1/prints/${id}`, { method: 'DELETE' });

// The operator's door at the kiosk: this browser becomes a ranger's for a while.
export const openDoor = (pin) => read('/v1/kiosk/door', { method: 'POST', headers: json, body: JSON.stringify({ pin }) });

// The picture of a postcard, byte for byte as it lies on the disk.
export const picture = async (card, options) => (await request(card.links.image, options)).blob();

// Calls `heard(data)` for each postcard event until `close()`. The browser reconnects by itself.
export function postcardEvents(heard) {
    const source = new EventSource('/v1/events?types=postcard');
    source.addEventListener('postcard', (event) => heard(JSON.parse(event.data)));
    return source;
}

// A page of postcards, newest first; `cursor` is the member `next` of the page before.
export const postcards = ({ cursor, limit = 24, ...options } = {}) =>
    read(`/v1/postcards?${new URLSearchParams({ limit, ...(cursor && { cursor }) })}`, options);
export const specimens = ({ cursor, limit = 24, ...options } = {}) =>
    read(`/v1/specimens?${new URLSearchParams({ limit, ...(cursor && { cursor }) })}`, options);

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
    await request('/v1/session', { method: 'DELETE', timeout: slow });
}

// What keepers do.
export const devices = (options) => read('/v1/devices', options);
export const changeDevice = (id, values) => read(`/v1/devices/${encodeURIComponent(id)}`, send('PATCH', values));
export const pairingRequests = (options) => read('/v1/pairing-requests', options);
export const invite = (role) => read('/v1/invitations', send('POST', { role }));

export async function revokeDevice(id) {
    await request(`/v1/devices/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

// Lets the device of the letters in as a role, or turns it away without one.
export async function decide(letters, role) {
    await request(`/v1/pairing-requests/${encodeURIComponent(letters)}`, role ? send('POST', { role }) : { method: 'DELETE' });
}
