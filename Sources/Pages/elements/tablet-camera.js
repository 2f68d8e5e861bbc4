// <tablet-camera>: the live picture, and the camera's controls, which are sent as they are moved.
import { h } from '../core/dom.js';
import { unanswered } from '../core/phrases.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';
import { LivePicture } from './live-picture.js';

const settle = 150;
const every = 4000;
const width = 960;
// The driver's name in the words of the catalogue, else as it is, without its underscores.
const named = (name) => (words.has(`control.${name}`) ? text(`control.${name}`) : name.replaceAll('_', ' '));
const shown = ({ menu }, value) => menu?.[value] ?? words.number(value);

class TabletCamera extends HTMLElement {
    #ended = null;
    #list = h('ul', { class: 'controls-list' });
    #note = h('p', { class: 'note', role: 'status' });
    #rows = new Map();

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        const picture = new LivePicture((options) => api.frame({ width, ...options }), 100);
        this.replaceChildren(h('h1', { class: 'title', word: 'camera.title', tabindex: -1 }),
            this.#note, h('div', { class: 'picture', role: 'img', label: 'camera.picture' }, picture), this.#list);
        words.addEventListener('languagechange', () => { this.#rows.clear(); this.#ask(signal); }, { signal });
        this.#follow(signal);
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // One control changes what another may be; somebody else may change them, too.
    async #follow(signal) {
        while (!signal.aborted) {
            if (!document.hidden) await this.#ask(signal);
            await pause(every, signal);
        }
    }

    async #ask(signal) {
        try {
            this.#take(await api.camera({ signal }));
        } catch (failure) {
            if (signal.aborted) return;
            tell(this.#note, unanswered(this.#rows.size));
            if (failure.kind === 'forbidden') station.ask();
        }
    }

    #take({ controls }) {
        const usable = controls.filter(({ type, value }) => ['integer', 'boolean', 'menu'].includes(type) && value !== undefined);
        tell(this.#note, !usable.length && 'camera.none');
        const names = usable.map(({ name }) => name).join();
        if (names !== [...this.#rows.keys()].join()) {
            this.#rows = new Map(usable.map((control) => [control.name, this.#row(control)]));
            this.#list.replaceChildren(...[...this.#rows.values()].map(({ node }) => node));
        }
        for (const control of usable) this.#rows.get(control.name).show(control);
    }

    // A row shows what the station says but while its user moves it.
    #row(first) {
        const id = `control-${first.name}`;
        let control = first;
        let timer = 0;
        let isMoved = false;
        const value = h('output', { for: id });
        const problem = h('p', { class: 'problem', role: 'alert', lang: 'en' });
        const input = this.#input(first, id);
        const read = () => (first.type === 'boolean' ? Number(input.checked) : Number(input.value));
        const put = (number) => {
            if (first.type === 'boolean') input.checked = number !== 0;
            else input.value = String(number);
            value.textContent = first.type === 'integer' ? shown(control, number) : '';
        };
        const send = async () => {
            const sent = read();
            try {
                const camera = await api.setControls({ [first.name]: sent });
                problem.textContent = '';
                if (read() === sent) isMoved = false;
                this.#take(camera);
            } catch (failure) {
                isMoved = false;
                put(control.value);
                problem.textContent = failure.kind === 'unreachable' ? text('pair.unreachable') : failure.message;
            }
        };
        const move = () => {
            isMoved = true;
            if (first.type === 'integer') value.textContent = shown(control, read());
            clearTimeout(timer);
            timer = setTimeout(send, settle);
        };
        input.addEventListener('input', move);
        const standard = h('button', { type: 'button', class: 'quiet', label: ['camera.reset', { control: named(first.name) }], on: { click: () => {
            put(control.defaultValue);
            move();
        } } }, h('span', { word: 'camera.default' }));
        const range = first.type === 'integer'
            && h('p', { class: 'range', text: text('camera.range', { from: words.number(first.minimum), to: words.number(first.maximum) }) });
        const node = h('li', { class: first.type }, h('label', { for: id, text: named(first.name) }), value, input, range,
            first.defaultValue !== undefined && standard, problem);
        return { node, show: (now) => {
            control = now;
            input.disabled = standard.disabled = !now.writable;
            standard.hidden = now.value === now.defaultValue && !isMoved;
            if (!isMoved) put(now.value);
        } };
    }

    #input({ type, minimum, maximum, step, menu }, id) {
        if (type === 'boolean') return h('input', { id, type: 'checkbox', role: 'switch' });
        if (type === 'menu') {
            return h('select', { id }, Object.entries(menu ?? {}).map(([value, word]) => h('option', { value, text: word })));
        }
        return h('input', { id, type: 'range', min: minimum, max: maximum, step: step || 1 });
    }
}

customElements.define('tablet-camera', TabletCamera);
