// Runs before the page's own scripts: notes when things happened, by the browser's own clock (High Resolution Time).
(() => {
    const kept = globalThis.marks = { screens: [], drawn: [], cards: [], session: {} };
    let click = 0;
    let asked = 0;
    addEventListener('click', (event) => { click = event.timeStamp; }, { capture: true });
    // After the frame in which something changed was handed over to be shown.
    const painted = (tell) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => tell(performance.now());
        port2.postMessage(null);
    });
    addEventListener('DOMContentLoaded', () => new MutationObserver(([{ target }]) => {
        const screen = target.getAttribute('screen');
        const began = click;
        painted((at) => kept.screens.push({ screen, at, after: at - began }));
        const card = screen === 'card' && target.querySelector('kiosk-card img');
        // Nothing is touched between the shutter, or the button that makes a card of several pictures, and the card.
        if (card) card.decode().then(() => painted((at) => kept.cards.push({ after: at - began })));
    }).observe(document.querySelector('kiosk-app'), { attributes: true, attributeFilter: ['screen'] }));
    const { fetch } = globalThis;
    globalThis.fetch = async (path, options) => {
        const isFrame = path.startsWith('/v1/camera/frame.jpg');
        if (isFrame) asked = performance.now();
        const reply = await fetch(path, options);
        if (isFrame) kept.answered = performance.now();
        if (path === '/v1/session') return new Response(JSON.stringify({ ...await reply.json(), ...kept.session }));
        return reply;
    };
    const { drawImage } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.drawImage = function (...values) {
        drawImage.apply(this, values);
        const now = performance.now();
        if (values[0] instanceof ImageBitmap) kept.drawn.push({ at: now, sinceAsked: now - asked, sinceAnswered: now - kept.answered });
    };
})();
