// <learn-menu>: the games, each with a mark and a score of how far the player is; who plays; beginning anew.
import { button, h, icon, s } from '../core/dom.js';
import { openDialog } from '../core/ask.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { player } from '../learning/player.js';
import './learn-profile.js';

const tiles = { jigsaw: 'puzzle', cards: 'cards', 'quiz/easy': 'star', 'quiz/medium': 'globe', 'quiz/hard': 'pin', 'quiz/states': 'flag', facts: 'book', prairie: 'leaf' };
const held = 1000;
const undone = 10;

class LearnMenu extends HTMLElement {
    #ended = null;
    #tiles = h('ul', { class: 'learn-tiles' });
    #foot = h('div', { class: 'learn-foot' });
    #undo = null;

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(
            h('header', { class: 'learn-head' }, h('h1', { class: 'title', word: 'learn.title', tabindex: -1 }), h('learn-profile')),
            this.#tiles, this.#foot);
        player.addEventListener('change', () => this.#draw(), { signal });
        words.addEventListener('languagechange', () => this.#draw(), { signal });
        this.#draw();
        this.#addDecks(signal);
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#undo?.();
    }

    #draw() {
        const focused = this.#tiles.contains(document.activeElement) ? document.activeElement.dataset.game : null;
        this.#tiles.replaceChildren(...Object.keys(tiles).map((game) => this.#tile(game)));
        this.#foot.replaceChildren(...[
            visit.card && button('learn.postcard', () => this.#play('postcard'), { icon: 'picture', class: 'gold' }),
            button('learn.young.title', () => this.#play('young'), { icon: 'star', class: 'gold' }),
            station.session.role !== 'visitor' && button('learn.class.title', () => this.#play('class'), { icon: 'people' }),
            station.session.role !== 'kiosk' && button('learn.join.title', () => this.#play('join'), { icon: 'people' }),
            ...this.#decks.map(({ name, title }) => h('button', { type: 'button', on: { click: () => this.#play(`decks/${name}`) } },
                icon('cards'), h('span', { text: (words.language === 'es' && title.es) || title.en }))),
            this.#undo ? this.#undoButton() : this.#reset(),
        ].filter(Boolean));
        if (focused) this.#tiles.querySelector(`[data-game="${focused}"]`)?.focus();
    }

    #decks = [];

    async #addDecks(signal) {
        const { decks } = await api.decks({ signal }).catch(() => ({ decks: [] }));
        this.#decks = decks.filter(({ title }) => title).slice(0, 2);
        if (this.#decks.length && !signal.aborted) this.#draw();
    }

    #tile(game) {
        const { state, right, of } = player.part(game);
        const score = of && game !== 'facts' ? `${words.number(right)}/${words.number(game === 'quiz/hard' ? 40 : of)}` : '';
        const key = game.replace('/', '.');
        return h('li', {}, h('button', {
            type: 'button', class: 'learn-tile', 'data-game': game, on: { click: () => this.#play(game) },
            'aria-label': `${text(`learn.game.${key}`)}, ${text(`learn.state.${state}`)}${score && `, ${score}`}`,
        }, icon(tiles[game]), h('span', { class: 'name', word: `learn.game.${key}` }), h('span', { class: 'score', text: score }), dot(state)));
    }

    #play(game) {
        this.dispatchEvent(new CustomEvent('play', { bubbles: true, detail: { game } }));
    }

    // Begins anew when it is held for a second, so that nobody does by mistake; by a keyboard after a question.
    #reset() {
        let timer = 0;
        const node = button('learn.reset', (event) => { if (!event.detail) this.#askReset(); }, { icon: 'again', class: 'hold' });
        const stop = () => { clearTimeout(timer); node.classList.remove('held'); };
        node.addEventListener('pointerdown', () => {
            node.classList.add('held');
            timer = setTimeout(() => { stop(); this.#begin(); }, held);
        });
        for (const event of ['pointerup', 'pointercancel', 'pointerleave']) node.addEventListener(event, stop);
        return node;
    }

    #askReset() {
        openDialog('learn.reset', (close) => [h('p', { word: 'learn.resetDetail' }), h('div', { class: 'choices' },
            button('ask.no', close, { autofocus: true }), button('learn.reset', () => { close(); this.#begin(); }, { class: 'danger', icon: 'again' }))]);
    }

    // For ten seconds it can be undone.
    #begin() {
        const timer = setTimeout(() => this.#undo?.(), undone * 1000);
        this.#undo = (isUndone = false) => {
            clearTimeout(timer);
            this.#undo = null;
            if (!isUndone) player.reset().catch(() => {});
            if (this.isConnected) this.#draw();
        };
        this.#draw();
        this.#foot.querySelector('.undo').focus();
    }

    #undoButton() {
        return button('learn.undo', () => this.#undo(true), { icon: 'back', class: 'gold undo' });
    }
}

// How far: a ring, a half disc, or a disc with a tick; the shape says it as well as the colour.
function dot(state) {
    return s('svg', { class: `dot ${state}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
        s('circle', { class: 'rim', cx: 12, cy: 12, r: 10 }),
        state === 'started' && s('path', { class: 'half', d: 'M12 2a10 10 0 0 0 0 20z' }),
        state === 'done' && s('path', { class: 'tick', d: 'M6.5 12.5l3.8 3.8 7.2-8' }));
}

customElements.define('learn-menu', LearnMenu);
