// <learn-class>: a quiz for a whole class, led at the kiosk or a tablet: members join by a code, and the board shows how far all are
// together. It says of nobody how many were right, names nobody last, and nothing of it is kept.
import { code as qrCode } from '../core/codes.js';
import { button, h } from '../core/dom.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import * as sound from '../core/sound.js';
import { nameOf, sleep } from '../learning/game.js';
import { badge, profileName } from './learn-profile.js';
import './learn-bar.js';

const quizzes = ['continents', 'groups'];
const times = [60, 120, 300];
// How often the board is asked for, milliseconds.
const every = 1000;
// A member with the name beside the badge, in letters' heights; the sizes that are tried, the largest first.
const named = { width: 10, height: 3.3 };
const scales = [2, 1.6, 1.3, 1];
// A badge alone, pixels.
const largest = 112;
const least = 26;

class LearnClass extends HTMLElement {
    #ended = null;
    #bar = h('learn-bar');
    #stage = h('div', { class: 'stage' });
    #chosen = { quiz: quizzes[0], seconds: times[1] };
    #made = null;
    #board = null;
    #shown = '';
    #watch = new ResizeObserver(([{ target }]) => this.#fit(target));

    connectedCallback() {
        this.#ended = new AbortController();
        this.#bar.title = 'learn.class.title';
        this.replaceChildren(this.#bar, this.#stage);
        words.addEventListener('languagechange', () => { this.#shown = ''; this.#draw(); }, { signal: this.#ended.signal });
        this.#choose();
    }

    // A class without its board is nobody's.
    disconnectedCallback() {
        this.#ended.abort();
        this.#watch.disconnect();
        if (this.#made && this.#board?.state !== 'over') api.leadClass(this.#made.code, this.#made.key, 'over').catch(() => {});
    }

    #choose(problem = null) {
        const options = (name, values, key) => h('div', { class: 'options', role: 'radiogroup', label: `learn.class.${name}` }, values.map((value) => {
            const node = h('button', {
                type: 'button', role: 'radio', 'aria-checked': String(this.#chosen[name] === value), word: key(value), on: { click: () => {
                    this.#chosen[name] = value;
                    for (const other of node.parentElement.children) other.setAttribute('aria-checked', String(other === node));
                } },
            });
            return node;
        }));
        this.#made = null;
        this.#board = null;
        this.#bar.clear();
        this.#stage.replaceChildren(h('div', { class: 'sheet-start' }, h('p', { class: 'explained', word: 'learn.class.explain' }),
            options('quiz', quizzes, (value) => `learn.class.quiz.${value}`),
            options('seconds', times, (value) => ['learn.class.minutes', { minutes: value / 60 }]),
            problem && h('p', { class: 'problem', role: 'alert', word: problem }),
            button('learn.class.open', () => this.#open(), { class: 'primary', icon: 'people' })));
        this.#stage.querySelector('.primary').focus({ preventScroll: true });
    }

    async #open() {
        sound.prepare();
        try {
            this.#made = await api.openClass(this.#chosen.quiz, this.#chosen.seconds);
        } catch (failure) {
            return this.#choose(failure.kind === 'conflict' ? 'learn.class.many' : 'pages.failed');
        }
        if (this.#ended.signal.aborted) return this.disconnectedCallback();
        this.#board = this.#made.board;
        this.#draw();
        this.#follow(this.#made);
    }

    async #follow(made) {
        const { signal } = this.#ended;
        while (!signal.aborted && this.#made === made && this.#board.state !== 'over') {
            await sleep(every, signal);
            if (signal.aborted || this.#made !== made) return;
            this.#take(await api.classBoard(made.code, { signal }).catch((failure) => (failure.kind === 'not-found' ? { ...this.#board, state: 'over', secondsLeft: 0 } : null)), made);
        }
    }

    #take(board, made) {
        if (!board || this.#made !== made) return;
        if (board.state === 'over' && this.#board.state !== 'over') sound.fanfare();
        this.#board = board;
        this.#draw();
    }

    async #lead(state) {
        const made = this.#made;
        this.#take(await api.leadClass(made.code, made.key, state).catch(() => null), made);
    }

    #draw() {
        const board = this.#board;
        if (!board) return;
        this.#bar.time(board.state === 'over' ? 0 : board.secondsLeft, board.seconds, 0);
        // What has changed is drawn anew; the time alone is not.
        const shown = JSON.stringify({ ...board, secondsLeft: 0 });
        if (shown === this.#shown) return;
        this.#shown = shown;
        const held = this.#stage.contains(document.activeElement) ? document.activeElement.dataset.act : null;
        this.#stage.replaceChildren({ open: () => this.#waiting(), running: () => this.#running(), over: () => this.#over() }[board.state]());
        this.#watch.disconnect();
        const list = this.#stage.querySelector('.class-members');
        if (list) this.#watch.observe(list);
        const act = held ?? (this.#stage.contains(document.activeElement) ? null : 'first');
        if (act) (this.#stage.querySelector(`[data-act="${act}"]`) ?? this.#stage.querySelector('[data-act]'))?.focus({ preventScroll: true });
    }

    // Everybody is on the board: as large as there is room for, with their names as long as these fit.
    #fit(list) {
        // Not rounded: with a tenth of a pixel less there is a column less.
        const room = list.getBoundingClientRect();
        const fits = (width, height, gap) =>
            Math.floor((room.width + gap) / (width + gap)) * Math.floor((room.height + gap) / (height + gap)) >= list.childElementCount;
        const style = getComputedStyle(list);
        list.classList.remove('plain');
        const [wide, letter] = [parseFloat(style.columnGap), parseFloat(style.fontSize)];
        const scale = scales.find((one) => fits(named.width * letter * one, named.height * letter * one, wide));
        // Without names they stand closer.
        list.classList.toggle('plain', !scale);
        const close = parseFloat(style.columnGap);
        const way = list.querySelector('.class-way') ? 16 : 0;
        let badge = largest;
        while (!scale && badge > least && !fits(badge, badge + way, close)) badge -= 1;
        list.style.setProperty('--cell', `${scale ? named.width * letter * scale : badge}px`);
        list.style.setProperty('--scale', scale ?? 1);
    }

    #members(isRunning) {
        return h('ul', { class: 'class-members' }, this.#board.members.map(({ name, asked, of }) => {
            const node = h('li', { class: 'class-member' }, badge(name), h('span', { class: 'name', text: profileName(name) }),
                isRunning && h('span', { class: 'class-way', 'aria-hidden': 'true' }, h('span', { class: 'fill' })));
            node.querySelector('.fill')?.style.setProperty('--share', of ? asked / of : 0);
            return node;
        }));
    }

    #waiting() {
        const { code, link, qr } = this.#made;
        const count = this.#board.members.length;
        return h('div', { class: 'class-open' },
            h('div', { class: 'class-code' }, h('p', { class: 'hint', word: 'learn.class.join' }),
                h('p', { class: 'digits', text: code, 'aria-label': [...code].join(' ') }),
                qr.length > 0 && qrCode(qr, { label: 'learn.class.qr' }), h('p', { class: 'link', text: link.replace(/^https?:\/\//, '') })),
            h('div', { class: 'class-who' }, h('p', { class: 'question', role: 'status', text: text('learn.class.count', { count: words.number(count) }) }), this.#members(false),
                h('div', { class: 'choices' }, button('learn.class.start', () => this.#lead('running'), { class: 'primary', icon: 'right', 'data-act': 'first', disabled: count === 0 }))));
    }

    #running() {
        const { code } = this.#made;
        return h('div', { class: 'class-board' },
            h('div', { class: 'class-sum' }, h('p', { class: 'result', text: words.number(this.#board.right) }), h('p', { class: 'hint', word: 'learn.class.together' }),
                h('p', { class: 'detail', text: text('learn.class.code', { code }) }), button('learn.class.end', () => this.#lead('over'), { icon: 'stop', 'data-act': 'end' })),
            this.#members(true));
    }

    #over() {
        const { right, missed } = this.#board;
        return h('div', { class: 'sheet-end class-end' },
            h('p', { class: 'result', role: 'status', text: text('learn.class.found', { count: words.number(right) }) }),
            this.#members(false),
            missed.length > 0 && h('p', { class: 'missed', text: text('learn.missed', { names: missed.map(nameOf).join(', ') }) }),
            h('div', { class: 'choices' }, button('learn.again', () => this.#choose(), { class: 'primary', icon: 'again', 'data-act': 'first' }),
                button('learn.games', () => this.dispatchEvent(new CustomEvent('play', { bubbles: true, detail: { game: '' } })), { icon: 'back', 'data-act': 'games' })));
    }
}

customElements.define('learn-class', LearnClass);
