// <live-picture>: frames pulled one at a time and drawn on a canvas. One request is in flight, none while the page is
// hidden, and each bitmap is closed at once. `state` is "waiting", "live" or "stalled" (no frame for two seconds more
// than was asked for).
import { h } from '../core/dom.js';
import { pause } from '../core/pause.js';

const stalledAfter = 2000;
let turn = Promise.resolve();

// Asks for a small picture of a list once those before it have come, of all lists of a screen: a station makes few cards at a time, and
// for everybody.
export function inTurn(ask) {
    const answer = turn.then(ask);
    // No picture is held by the next one's turn.
    turn = answer.then(() => {}, () => {});
    return answer;
}

export class LivePicture extends HTMLElement {
    #ended = null;
    #lastFrame = 0;
    #number = null;
    #canvas = h('canvas', { 'aria-hidden': 'true', width: 16, height: 9 });
    // A frame that was made for a place of another size is blurred in this one.
    #sizes = new ResizeObserver(() => { if (this.getAttribute('state') === 'live' && this.#canvas.width !== this.#width) this.refresh(); });

    // `pull({signal, after, width})` gives {blob, number}: a frame, newer than the one of the number, for a canvas that is
    // shown so many pixels wide; `interval` is the least time from one frame to the next, ms.
    constructor(pull, interval = 0) {
        super();
        this.pull = pull;
        this.interval = interval;
        this.fresh = null;
        // Whether frames are made as small as they are shown, with care: a canvas that is shrunk to a fraction looks rough.
        this.reduces = false;
    }

    connectedCallback() {
        if (this.childElementCount === 0) {
            this.append(this.#canvas, h('p', { class: 'stalled', word: 'preview.stalled' }));
        }
        this.setAttribute('state', 'waiting');
        this.#lastFrame = performance.now();
        this.#ended = new AbortController();
        this.#run(this.#ended.signal);
        if (this.reduces) this.#sizes.observe(this);
    }

    disconnectedCallback() {
        this.#ended?.abort();
        this.#sizes.disconnect();
        this.#canvas.width = this.#canvas.height = 1;
    }

    // Draws the next frame at once instead of after the interval: what is asked for has changed.
    refresh() {
        this.fresh?.();
    }

    // In pixels of the screen.
    get #width() {
        return Math.ceil(this.clientWidth * devicePixelRatio);
    }

    // Asks for no more frames; the last one stays.
    freeze() {
        this.#ended?.abort();
    }

    async #run(signal) {
        const watch = setInterval(() => this.#watch(), 500);
        while (!signal.aborted) {
            const begun = performance.now();
            let wait = this.interval;
            if (document.hidden) {
                this.#lastFrame = begun;
                wait = 250;
            } else {
                try {
                    await this.#draw(await this.pull({ signal, after: this.#number, width: this.#width }), signal);
                } catch (failure) {
                    wait = Math.max(1000 * (failure.retryAfter ?? 0), 500);
                }
            }
            const left = wait - (performance.now() - begun);
            if (left > 0) await Promise.race([pause(left, signal), new Promise((resume) => { this.fresh = resume; })]);
        }
        clearInterval(watch);
    }

    async #draw({ blob, number }, signal) {
        const width = this.reduces && this.#width;
        const bitmap = await createImageBitmap(blob, width ? { resizeWidth: width, resizeQuality: 'high' } : {});
        if (!signal.aborted) {
            if (this.#canvas.width !== bitmap.width || this.#canvas.height !== bitmap.height) {
                [this.#canvas.width, this.#canvas.height] = [bitmap.width, bitmap.height];
                this.style.setProperty('--ratio', bitmap.width / bitmap.height);
            }
            this.#canvas.getContext('2d', { alpha: false }).drawImage(bitmap, 0, 0);
            this.#number = number;
            this.#lastFrame = performance.now();
            if (this.getAttribute('state') !== 'live') this.setAttribute('state', 'live');
        }
        bitmap.close();
    }

    #watch() {
        if (performance.now() - this.#lastFrame < stalledAfter + (this.interval > 1000 ? this.interval : 0)) return;
        if (this.getAttribute('state') === 'live') this.setAttribute('state', 'stalled');
    }
}

customElements.define('live-picture', LivePicture);
