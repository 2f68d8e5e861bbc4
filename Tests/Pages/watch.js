// Runs before the page's own scripts: records what the tests ask about, and stands in for a station that fails.
(() => {
    const kept = globalThis.konza = { violations: [], blobs: new Map(), frames: 0, framesNow: 0, framesMost: 0, session: {}, down: false, status: null, build: null, taken: [] };
    addEventListener('securitypolicyviolation', (event) => kept.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = (blob) => {
        const url = createObjectURL.call(URL, blob);
        kept.blobs.set(url, blob);
        return url;
    };
    URL.revokeObjectURL = (url) => {
        kept.blobs.delete(url);
        revokeObjectURL.call(URL, url);
    };
    const { EventSource } = globalThis;
    globalThis.EventSource = class extends EventSource {
        constructor(path) {
            super(path);
            kept.events = new WeakRef(this);
        }
    };
    const { fetch } = globalThis;
    const changed = async (reply, change) => new Response(JSON.stringify(change(await reply.json())), { headers: { 'Content-Type': 'application/json' } });
    globalThis.fetch = async (path, options) => {
        if (kept.down && path.startsWith('/v1/')) throw new TypeError('Failed to fetch');
        const isFrame = path.startsWith('/v1/camera/frame.jpg');
        if (isFrame) {
            kept.frames += 1;
            kept.framesNow += 1;
            kept.framesMost = Math.max(kept.framesMost, kept.framesNow);
        }
        try {
            const reply = await fetch(path, options);
            if (path === '/v1/postcards') kept.taken.push((await reply.clone().json()).id);
            if (path === '/v1/session') return changed(reply, (session) => ({ ...session, ...kept.session }));
            if (path === '/v1/kiosk/heartbeat' && kept.build) return changed(reply, (answer) => ({ ...answer, build: kept.build }));
            if (path === '/v1/status' && kept.status) return changed(reply, (status) => ({ ...status, ...kept.status }));
            return reply;
        } finally {
            if (isFrame) kept.framesNow -= 1;
        }
    };
})();
