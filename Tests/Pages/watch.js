// Runs before the page's own scripts: records what the tests ask about, and stands in for a station that fails.
(() => {
    const kept = globalThis.konza = { violations: [], blobs: new Map(), frames: 0, framesNow: 0, framesMost: 0, session: {}, down: false, answers: null, status: null, build: null, taken: [], shots: [], posted: [], camera: null, printer: null, catalogues: {} };
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
            kept[path.startsWith('/v1/events') ? 'events' : 'changes'] = new WeakRef(this);
        }
    };
    // A camera with controls, which refuses what is out of their range, as a driver does.
    const camera = (options) => {
        for (const [name, value] of Object.entries(options?.body ? JSON.parse(options.body) : {})) {
            const control = kept.camera.controls.find((one) => one.name === name);
            if (value > (control.most ?? control.maximum)) {
                const problem = { kind: 'camera-control', detail: `cannot set ${name} to ${value}: the driver refuses it` };
                return new Response(JSON.stringify(problem), { status: 422 });
            }
            control.value = value;
        }
        return new Response(JSON.stringify(kept.camera));
    };
    const { fetch } = globalThis;
    const changed = async (reply, change) => new Response(JSON.stringify(change(await reply.json())), { headers: { 'Content-Type': 'application/json' } });
    globalThis.fetch = async (path, options) => {
        if (kept.down && path.startsWith('/v1/')) throw new TypeError('Failed to fetch');
        if (options?.method && options.method !== 'GET') kept.posted.push(`${options.method} ${path}`);
        // Answers a request in the station's place, or gives nothing.
        const answer = kept.answers?.(path, options);
        if (answer) return answer;
        if (kept.camera && path.startsWith('/v1/camera') && !path.startsWith('/v1/camera/frame')) return camera(options);
        // A stopped queue that goes on when it is told to: ippeveprinter knows no Resume-Printer.
        if (kept.printer && path === '/v1/printer/resume') {
            kept.printer = null;
            return fetch('/v1/printer');
        }
        const isFrame = path.startsWith('/v1/camera/frame.jpg');
        if (isFrame) {
            kept.frames += 1;
            kept.framesNow += 1;
            kept.framesMost = Math.max(kept.framesMost, kept.framesNow);
        }
        try {
            const reply = await fetch(path, options);
            if (path === '/v1/shots' && reply.ok) kept.shots.push((await reply.clone().json()).id);
            if (path.startsWith('/pages/words/')) kept.catalogues[path.match(/(\w+)\.json/)[1]] = await reply.clone().json();
            if (path === '/v1/postcards') kept.taken.push((await reply.clone().json()).id);
            if (path === '/v1/session' && reply.ok) return changed(reply, (session) => ({ ...session, ...kept.session }));
            if (path === '/v1/kiosk/heartbeat' && kept.build) return changed(reply, (answer) => ({ ...answer, build: kept.build }));
            if (path === '/v1/printer' && kept.printer) return changed(reply, (printer) => ({ ...printer, ...kept.printer }));
            if (path === '/v1/status' && kept.status) return changed(reply, (status) => ({ ...status, ...kept.status }));
            return reply;
        } finally {
            if (isFrame) kept.framesNow -= 1;
        }
    };

    // Controls that moved on a screen without a touch of it that would explain it: none since they came, or none for so many
    // milliseconds. Rows of a list are moved by others that come and go, the button that asks for more of one by what it asked for,
    // the first screen's button by what is on while nobody has touched anything, and the operator's who aligns the camera by what is
    // said of the points.
    const answered = 5000;
    const slack = 8;
    kept.moved = [];
    let touchedAt = -Infinity;
    const came = new WeakMap();
    let stood = new Map();
    let stoodIn = '';
    let isDue = false;
    const look = () => {
        isDue = false;
        const now = performance.now();
        const screen = document.querySelector('kiosk-app')?.getAttribute('screen');
        // Letters of another face are of another width.
        const room = document.fonts.status !== 'loaded' ? '' : [screen, innerWidth, innerHeight, document.documentElement.lang, document.documentElement.dataset.role].join(' ');
        const stands = new Map();
        for (const node of document.querySelectorAll('main :is(button, a, input, select), .band button')) {
            const { left, top, width, height } = node.getBoundingClientRect();
            if (!width || !node.checkVisibility({ visibilityProperty: true }) || node.closest('ul:not(.tiles) li, .more, .leaflet-container')) continue;
            const before = room && room === stoodIn ? stood.get(node) : undefined;
            const at = { x: left + width / 2, y: top + height / 2 };
            stands.set(node, at);
            if (!came.has(node)) came.set(node, now);
            const isAnswer = touchedAt >= came.get(node) && now - touchedAt < answered;
            if (!before || isAnswer || Math.hypot(at.x - before.x, at.y - before.y) < slack || (screen === 'attract' && touchedAt < 0) || screen === 'calibrate') continue;
            const name = (node.getAttribute('aria-label') ?? node.textContent).trim();
            kept.moved.push(`${room}: ${name} from ${Math.round(before.x)},${Math.round(before.y)} to ${Math.round(at.x)},${Math.round(at.y)}`);
        }
        stood = stands;
        stoodIn = room;
    };
    const lookSoon = () => {
        if (isDue) return;
        isDue = true;
        requestAnimationFrame(() => requestAnimationFrame(look));
    };
    for (const kind of ['pointerdown', 'pointerup', 'click', 'keydown', 'input', 'change']) addEventListener(kind, () => { touchedAt = performance.now(); }, { capture: true });
    // What is scrolled is where it was.
    addEventListener('scroll', () => { stood = new Map(); }, { capture: true });
    addEventListener('load', lookSoon, { capture: true });
    new MutationObserver(lookSoon).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
})();
