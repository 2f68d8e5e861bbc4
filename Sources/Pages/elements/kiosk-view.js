// <kiosk-view>: what the fixed camera sees now, with the names of hills, towers, trails, sun and moon at their places.
import { button, h, s } from '../core/dom.js';
import { text, words } from '../core/words.js';
import { leaders, pages } from '../core/labels.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';
import { sourceOf } from '../core/phrases.js';
import { station } from '../core/station.js';
import { LivePicture } from './live-picture.js';

const every = 5000;

class KioskView extends HTMLElement {
    #ended = null;
    #view = null;
    #picture = new LivePicture((options) => api.frame(options), 100);
    #lines = s('svg', { class: 'leaders', 'aria-hidden': 'true' });
    #names = h('ul', { class: 'names', label: 'view.names' });
    // Where the picture comes from, unless it is the camera's.
    #source = h('p', { class: 'ribbon' });
    #frame = h('div', { class: 'view-picture', role: 'group', label: 'view.picture' }, this.#picture, this.#lines, this.#names, this.#source);
    #sentence = h('p', { class: 'sentence', role: 'status' });
    // Where not all names have room in one picture, they are turned over.
    #at = 0;
    #count = h('p', { class: 'count' });
    #others = button('view.others', () => this.#turn(), { icon: 'again' });
    #more = h('div', { class: 'turned', hidden: true }, this.#count, this.#others);
    // What turns the names over takes room from the picture: it comes with another size, and goes with other names alone.
    #resized = new ResizeObserver(() => this.#draw(true));

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'view.title', tabindex: -1 }),
            h('div', { class: 'view-stage' }, this.#frame), this.#sentence, this.#more);
        this.#resized.observe(this.#frame);
        words.addEventListener('languagechange', () => this.#look(signal), { signal });
        this.#ask(signal);
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#resized.disconnect();
    }

    async #ask(signal) {
        while (!signal.aborted) {
            if (!document.hidden) await this.#look(signal);
            await pause(every, signal);
        }
    }

    async #look(signal) {
        const view = await api.view({ language: words.language, signal }).catch(() => null);
        if (signal.aborted) return;
        this.#view = view;
        this.#tell();
    }

    #turn() {
        this.#at += 1;
        this.#draw();
    }

    #tell() {
        this.#source.textContent = sourceOf(station.status?.camera?.source);
        const { state, labels = [], width, height } = this.#view ?? {};
        if (width) this.#frame.style.setProperty('--ratio', width / height);
        const known = ['calibrated', 'unverified', 'uncalibrated'].includes(state) ? state : 'failed';
        this.#sentence.textContent = text(known === 'calibrated' && labels.length === 0 ? 'view.empty' : `view.${known}`);
        this.#sentence.classList.toggle('doubt', known === 'unverified');
        this.#draw();
    }

    // Names that would be wrong are not drawn: the sentence below says why.
    #draw(isResized = false) {
        const { state, labels = [], width: full, height: high } = this.#view ?? {};
        const { clientWidth: width, clientHeight: height } = this.#frame;
        const letters = parseFloat(getComputedStyle(this.#names).fontSize) || 16;
        const made = state === 'calibrated' && width && full
            ? pages(labels, { scale: width / full, width, height: Math.min(height, high * width / full), letters }) : [];
        const count = made.reduce((sum, page) => sum + page.length, 0);
        const placed = made[this.#at % made.length] ?? [];
        if (made.length > 1 || !isResized) this.#more.hidden = made.length < 2;
        this.#count.textContent = text('view.some', { shown: words.number(placed.length), count: words.number(count) });
        this.#lines.setAttribute('viewBox', `0 0 ${width || 1} ${height || 1}`);
        this.#lines.replaceChildren(...leaders(placed, 4));
        this.#names.replaceChildren(...placed.map(({ label, left, top, wide }) => {
            const name = h('li', { text: label.name, class: label.kind });
            name.style.setProperty('--left', `${left}px`);
            name.style.setProperty('--top', `${top}px`);
            name.style.setProperty('--wide', `${wide}px`);
            return name;
        }));
    }
}

customElements.define('kiosk-view', KioskView);
