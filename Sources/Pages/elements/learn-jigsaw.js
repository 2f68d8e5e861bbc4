// <learn-jigsaw>: the map of the world, or the visitor's own postcard, in pieces that interlock. A piece is dragged, or touched and
// then its place is; by keyboard Enter lifts it, the arrows choose the place, Enter lets it go and Escape puts it back.
import { button, go, h } from '../core/dom.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import { text, words } from '../core/words.js';
import * as sound from '../core/sound.js';
import { world } from '../learning/atlas.js';
import { Board } from '../learning/board.js';
import { cut, overhang } from '../learning/cutter.js';
import { leave, nextSeed } from '../learning/game.js';
import { player } from '../learning/player.js';
import { seeded } from '../learning/random.js';
import { paintWorld } from '../learning/world-picture.js';
import './learn-bar.js';

const levels = {
    youngest: { columns: 3, rows: 2, reach: 0.5, outlines: true },
    easy: { columns: 4, rows: 3, reach: 0.35, outlines: true },
    hard: { columns: 8, rows: 5, reach: 0.2, outlines: false, joins: true },
};

class LearnJigsaw extends HTMLElement {
    isPostcard = false;
    // For one that begins at once.
    level = null;
    #ended = null;
    #bar = h('learn-bar');
    #stage = h('div', { class: 'stage' });
    #table = h('div', { class: 'table', role: 'application', label: 'learn.jigsaw.table' });
    #ghost = h('canvas', { class: 'ghost', 'aria-hidden': 'true' });
    #picture = null;
    #level = 'easy';
    #pieces = [];
    #nodes = [];
    #board = null;
    #geometry = null;
    #held = null;
    #drag = null;
    #cell = 0;
    #begun = 0;
    #lost = 0;
    #hidden = null;
    #timer = 0;
    #isOver = true;

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        if (this.isPostcard && !visit.card) return leave(this);
        this.#bar.title = this.isPostcard ? 'learn.postcard' : 'learn.game.jigsaw';
        this.replaceChildren(this.#bar, this.#stage);
        words.addEventListener('languagechange', () => this.#name(), { signal });
        addEventListener('visibilitychange', () => this.#pause(document.hidden), { signal });
        addEventListener('resize', () => this.#fit(), { signal });
        this.#table.addEventListener('click', (event) => this.#tap(event), { signal });
        this.#timer = setInterval(() => this.#tick(), 250);
        if (this.level) this.#begin(this.level);
        else this.#showStart();
    }

    disconnectedCallback() {
        clearInterval(this.#timer);
        this.#ended?.abort();
        for (const node of [...this.#nodes, this.#ghost]) node.width = 0;
        this.#picture?.close?.();
    }

    #showStart() {
        this.#isOver = true;
        this.#bar.clear();
        this.#stage.replaceChildren(h('div', { class: 'sheet-start' },
            h('p', { class: 'explained', word: 'learn.explain.jigsaw' }),
            h('div', { class: 'levels' }, Object.entries(levels).map(([level, { columns, rows }]) => {
                const { state } = player.part(`jigsaw/${level}`);
                const node = button(`learn.level.${level}`, () => this.#begin(level), { class: `continent ${this.isPostcard ? '' : state}` });
                node.append(h('span', { class: 'score', word: ['learn.pieces', { count: columns * rows }] }));
                if (!this.isPostcard) node.append(h('span', { class: `mark ${state}`, 'aria-hidden': 'true' }));
                return node;
            }))));
        this.#stage.querySelector('.levels button:nth-child(2)').focus({ preventScroll: true });
    }

    async #begin(level) {
        sound.prepare();
        this.#level = level;
        this.#picture?.close?.();
        this.#picture = this.isPostcard ? await this.#postcard() : await world().then(paintWorld);
        if (this.#ended.signal.aborted) return;
        const { columns, rows, reach, joins } = levels[level];
        const ratio = this.#picture.width / this.#picture.height;
        const seed = nextSeed();
        this.#pieces = cut({ columns, rows, width: 1000 * ratio, height: 1000, seed });
        this.#board = new Board(this.#pieces, { reach, joins });
        this.#nodes = this.#pieces.map((_, number) => this.#pieceNode(number));
        this.#stage.replaceChildren(this.#table);
        this.#table.replaceChildren(this.#ghost, ...this.#shuffledNodes(seed));
        this.#fit();
        this.#deal(seed);
        this.#begun = performance.now();
        this.#lost = 0;
        this.#hidden = null;
        this.#isOver = false;
        this.#name();
        this.#nodes[0].focus({ preventScroll: true });
    }

    // The order of the document says nothing of the order of the board.
    #shuffledNodes(seed) {
        const random = seeded(`${seed} order`);
        return this.#nodes.map((node) => [random(), node]).sort(([one], [other]) => one - other).map(([, node]) => node);
    }

    // The picture that the page has already: nothing is asked for again, sent, or kept.
    async #postcard() {
        const image = new Image();
        image.src = visit.cardURL;
        await image.decode();
        return createImageBitmap(image);
    }

    #pieceNode(number) {
        const node = h('canvas', {
            class: 'piece', role: 'button', tabindex: 0, on: {
                pointerdown: (event) => this.#lift(event, number), pointermove: (event) => this.#carry(event), pointerup: (event) => this.#let(event),
                pointercancel: (event) => this.#let(event), keydown: (event) => this.#key(event, number),
            },
        });
        return node;
    }

    // Sizes of the board on the screen; the pieces are painted once for it.
    #fit() {
        if (!this.#table.isConnected || !this.#pieces.length) return;
        const { width, height } = this.#table.getBoundingClientRect();
        const ratio = this.#picture.width / this.#picture.height;
        const isWide = width > height * 1.1;
        const gap = 16;
        const share = 0.66;
        const [roomX, roomY] = isWide ? [width * share, height - 2 * gap] : [width - 2 * gap, height * share];
        const scale = Math.min(roomX / ratio, roomY) / 1000;
        const before = this.#geometry;
        const left = isWide ? gap : (width - 1000 * ratio * scale) / 2;
        const top = isWide ? (height - 1000 * scale) / 2 : gap;
        const tray = isWide ? [left + 1000 * ratio * scale + gap, gap, width - gap, height - gap] : [gap, top + 1000 * scale + gap, width - gap, height - gap];
        this.#geometry = { scale, left, top, tray, isWide };
        this.#paint();
        // Loose pieces stay inside the tray.
        if (before) for (const [number, place] of this.#board.places.entries()) if (!place.isHome) this.#toTray(number, Math.random);
        this.#nodes.forEach((_, number) => this.#put(number));
    }

    #paint() {
        const { scale, left, top } = this.#geometry;
        const dense = Math.min(2, devicePixelRatio || 1);
        const ratio = this.#picture.width / this.#picture.height;
        const [width, height] = [1000 * ratio * scale, 1000 * scale];
        Object.assign(this.#ghost, { width: width * dense, height: height * dense });
        for (const [name, value] of Object.entries({ '--left': left, '--top': top, '--width': width, '--height': height })) this.#ghost.style.setProperty(name, `${value}px`);
        const ghost = this.#ghost.getContext('2d');
        ghost.scale(scale * dense, scale * dense);
        if (levels[this.#level].outlines) {
            ghost.globalAlpha = 0.28;
            ghost.drawImage(this.#picture, 0, 0, 1000 * ratio, 1000);
            ghost.globalAlpha = 0.7;
            ghost.strokeStyle = '#2a120c';
            ghost.lineWidth = 2 / scale;
            for (const { path } of this.#pieces) ghost.stroke(new Path2D(path));
        }
        const [, , across, down] = this.#pieces[0].cell;
        const pad = overhang * Math.max(across, down);
        this.#pieces.forEach(({ path, cell }, number) => {
            const node = this.#nodes[number];
            const [w, tall] = [(across + 2 * pad) * scale, (down + 2 * pad) * scale];
            Object.assign(node, { width: Math.ceil(w * dense), height: Math.ceil(tall * dense) });
            node.style.setProperty('--width', `${w}px`);
            node.style.setProperty('--height', `${tall}px`);
            // A touch counts on the piece itself, not on the room for its tabs.
            const inset = Math.max(0, pad * scale - 8);
            node.style.setProperty('--inset', `${inset}px`);
            const context = node.getContext('2d');
            context.scale(scale * dense, scale * dense);
            context.translate(pad - cell[0], pad - cell[1]);
            const shape = new Path2D(path);
            context.save();
            context.clip(shape);
            context.drawImage(this.#picture, 0, 0, 1000 * ratio, 1000);
            context.restore();
            context.strokeStyle = '#2a120c';
            context.lineWidth = 1.6 / scale;
            context.stroke(shape);
        });
    }

    #deal(seed) {
        const random = seeded(`${seed} deal`);
        this.#pieces.forEach((_, number) => this.#toTray(number, random));
        this.#nodes.forEach((_, number) => this.#put(number));
    }

    // Somewhere in the tray, wholly inside it.
    #toTray(number, random) {
        const { scale, left, top, tray } = this.#geometry;
        const [cellLeft, cellTop, cellRight, cellBottom] = this.#pieces[number].cell.map((value) => value * scale);
        const pad = 0.3 * Math.max(cellRight - cellLeft, cellBottom - cellTop);
        const within = (low, high, size) => low + pad + Math.max(0, high - low - size - 2 * pad) * random();
        const x = within(tray[0], tray[2], cellRight - cellLeft) - left - cellLeft;
        const y = within(tray[1], tray[3], cellBottom - cellTop) - top - cellTop;
        this.#board.places[number].x = x / scale;
        this.#board.places[number].y = y / scale;
    }

    // By a transform alone: the compositor moves it.
    #put(number) {
        const { scale, left, top } = this.#geometry;
        const { cell } = this.#pieces[number];
        const [, , across, down] = this.#pieces[0].cell;
        const pad = overhang * Math.max(across, down);
        const place = this.#board.places[number];
        const node = this.#nodes[number];
        node.style.setProperty('--x', `${left + (cell[0] - pad + place.x) * scale}px`);
        node.style.setProperty('--y', `${top + (cell[1] - pad + place.y) * scale}px`);
        node.classList.toggle('home', place.isHome);
    }

    #lift(event, number) {
        // A second finger does not take the first one's piece.
        if (this.#drag || this.#isOver || this.#board.places[number].isHome) return;
        const place = this.#board.places[number];
        this.#drag = { id: event.pointerId, number, x: event.clientX, y: event.clientY, from: { x: place.x, y: place.y }, moved: false };
        this.#nodes[number].setPointerCapture(event.pointerId);
        for (const one of this.#board.group(number)) this.#nodes[one].classList.add('lifted');
    }

    #carry(event) {
        const drag = this.#drag;
        if (event.pointerId !== drag?.id) return;
        const { scale } = this.#geometry;
        const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
        if (!drag.moved && Math.hypot(dx, dy) < 8) return;
        drag.moved = true;
        // The middle of the piece stays on the table: none is lost beyond its edge.
        const { left, top } = this.#geometry;
        const [cellLeft, cellTop, cellRight, cellBottom] = this.#pieces[drag.number].cell;
        const [middleX, middleY] = [(cellLeft + cellRight) / 2, (cellTop + cellBottom) / 2];
        const within = (value, middle, origin, size) => Math.min(Math.max(value, -origin / scale - middle), (size - origin) / scale - middle);
        this.#board.move(drag.number, within(drag.from.x + dx / scale, middleX, left, this.#table.clientWidth),
            within(drag.from.y + dy / scale, middleY, top, this.#table.clientHeight));
        for (const one of this.#board.group(drag.number)) this.#put(one);
    }

    #let(event) {
        const drag = this.#drag;
        if (event.pointerId !== drag?.id) return;
        this.#drag = null;
        for (const node of this.#nodes) node.classList.remove('lifted');
        if (!drag.moved) return;
        this.#justDragged = performance.now();
        this.#release(drag.number);
    }

    #justDragged = -Infinity;

    // A touch on a piece takes it, a touch on the board puts the one that is held there.
    #tap(event) {
        if (this.#isOver || performance.now() - this.#justDragged < 100) return;
        const number = this.#nodes.indexOf(event.target);
        const isLoose = number >= 0 && !this.#board.places[number].isHome;
        if (this.#held === null || (isLoose && !this.#isOnBoard(event))) return isLoose ? this.#hold(number === this.#held ? null : number) : undefined;
        if (!this.#isOnBoard(event)) return this.#hold(null);
        const held = this.#held;
        const { scale, left, top } = this.#geometry;
        const box = this.#table.getBoundingClientRect();
        const [x, y] = [(event.clientX - box.left - left) / scale, (event.clientY - box.top - top) / scale];
        const [cellLeft, cellTop, cellRight, cellBottom] = this.#pieces[held].cell;
        this.#board.move(held, x - (cellLeft + cellRight) / 2, y - (cellTop + cellBottom) / 2);
        this.#hold(null);
        this.#release(held);
    }

    #isOnBoard({ clientX, clientY }) {
        const box = this.#ghost.getBoundingClientRect();
        return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
    }

    #hold(number) {
        if (this.#held !== null) this.#nodes[this.#held].classList.remove('held');
        this.#held = number;
        if (number === null) return;
        this.#nodes[number].classList.add('held');
        this.#bar.say(() => text('learn.jigsaw.lifted'), 'heard');
    }

    #key(event, number) {
        const { columns, rows } = levels[this.#level];
        if (this.#isOver) return;
        if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            if (this.#held === number) {
                this.#hold(null);
                this.#board.place(number, this.#cell);
                return this.#release(number, true);
            }
            if (this.#board.places[number].isHome) return;
            this.#hold(number);
            this.#back = { ...this.#board.places[number] };
            return this.#aim(this.#cell);
        }
        if (this.#held !== number) return;
        if (event.key === 'Escape') {
            this.#board.move(number, this.#back.x, this.#back.y);
            this.#put(number);
            return this.#hold(null);
        }
        const [row, column] = [Math.floor(this.#cell / columns), this.#cell % columns];
        const to = { ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1] }[event.key];
        if (!to) return;
        event.preventDefault();
        if (to[0] >= 0 && to[0] < rows && to[1] >= 0 && to[1] < columns) this.#aim(to[0] * columns + to[1]);
    }

    #back = null;

    // Shows a held piece over a cell, without letting it go.
    #aim(cell) {
        this.#cell = cell;
        const number = this.#held;
        const [from, to] = [this.#pieces[number].cell, this.#pieces[cell].cell];
        this.#board.move(number, to[0] - from[0], to[1] - from[1]);
        for (const one of this.#board.group(number)) this.#put(one);
        const { row, column } = this.#pieces[cell];
        this.#bar.say(() => text('learn.jigsaw.at', { row: words.number(row + 1), column: words.number(column + 1) }), 'heard');
    }

    #release(number, byKey = false) {
        const became = this.#board.drop(number) ?? (this.#board.places[number].isHome ? 'home' : null);
        for (const one of this.#board.group(number)) this.#put(one);
        if (became) sound.snap();
        const left = this.#pieces.length - this.#board.home;
        if (became === 'home') this.#bar.say(() => text('learn.jigsaw.home', { left: words.number(left) }), 'right');
        else this.#bar.say(() => text(became ? 'learn.jigsaw.joined' : 'learn.jigsaw.loose'), 'heard');
        this.#tell();
        if (this.#board.isDone) return this.#finish();
        if (byKey && became === 'home') [...this.#table.querySelectorAll('.piece')].find((node) => !node.classList.contains('home'))?.focus();
    }

    #name() {
        if (!this.#pieces.length || this.#isOver) return;
        let count = 0;
        for (const node of this.#table.querySelectorAll('.piece')) {
            count += 1;
            node.setAttribute('aria-label', text('learn.jigsaw.piece', { number: words.number(count), of: words.number(this.#pieces.length) }));
        }
        this.#tell();
    }

    #tell() {
        const [home, all] = [this.#board.home, this.#pieces.length].map((number) => words.number(number));
        this.#bar.score(() => [`${home}/${all}`, text('learn.score', { right: home, of: all })]);
    }

    get #elapsed() {
        return (this.#hidden ?? performance.now()) - this.#begun - this.#lost;
    }

    #pause(isHidden) {
        if (isHidden) this.#hidden ??= performance.now();
        else if (this.#hidden !== null) {
            this.#lost += performance.now() - this.#hidden;
            this.#hidden = null;
        }
    }

    #tick() {
        if (this.#isOver) return;
        this.#pause(document.hidden || Boolean(document.querySelector('dialog[open]')));
        this.#bar.time(null, 1, this.#elapsed / 1000);
    }

    async #finish() {
        const seconds = this.#elapsed / 1000;
        this.#isOver = true;
        this.#held = null;
        sound.fanfare();
        const all = this.#pieces.length;
        // A postcard is noted nowhere with whoever plays.
        const isBest = !this.isPostcard && await player.finish(`jigsaw/${this.#level}`, { right: all, of: all, seconds });
        if (this.#ended.signal.aborted) return;
        const whole = h('canvas', { class: 'whole-picture', role: 'img', label: this.isPostcard ? 'learn.jigsaw.card' : 'learn.jigsaw.world' });
        Object.assign(whole, { width: this.#picture.width, height: this.#picture.height });
        whole.getContext('2d').drawImage(this.#picture, 0, 0);
        this.#stage.replaceChildren(h('div', { class: 'sheet-end' }, whole,
            h('p', { class: 'result', role: 'status', text: text('learn.jigsaw.done', { seconds: words.number(seconds, 1) }) }),
            isBest && h('p', { class: 'detail', word: 'learn.jigsaw.best' }),
            h('div', { class: 'choices' },
                this.isPostcard && station.session.takeHome && button('card.take', () => go(this, 'take'), { class: 'gold', icon: 'phone' }),
                button('learn.again', () => this.#showStart(), { class: 'primary', icon: 'again' }),
                this.isPostcard ? button('learn.toCard', () => go(this, 'card'), { icon: 'back' }) : button('learn.games', () => leave(this), { icon: 'back' }))));
        this.#stage.querySelector('.choices button').focus({ preventScroll: true });
    }
}

customElements.define('learn-jigsaw', LearnJigsaw);
