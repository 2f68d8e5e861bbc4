// <kiosk-learn>: the learning games, one at a time; the address says which. They are loaded with the first of them.
import { h } from '../core/dom.js';
import { visit } from '../core/visit.js';
import { pause } from '../core/pause.js';

const addresses = ['', 'jigsaw', 'postcard', 'cards', 'quiz/easy', 'quiz/medium', 'quiz/hard', 'quiz/states', 'facts', 'prairie', 'class', 'join', 'young'];

// The game that the address asks for, if it asks for one.
export function askedGame() {
    const match = location.pathname.match(/^\/learn(?:\/(.*))?$/);
    return match ? { screen: 'learn', values: { game: match[1] ?? '' } } : null;
}

class KioskLearn extends HTMLElement {
    #games = null;
    #isGone = false;
    // The path of the game below /learn; empty for the menu.
    game = '';
    values = {};

    async connectedCallback() {
        this.addEventListener('play', (event) => {
            event.stopPropagation();
            this.#play(event.detail.game, event.detail.values);
        });
        this.replaceChildren(h('p', { class: 'learn-loading', role: 'status', word: 'learn.loading' }));
        for (;;) {
            try {
                this.#games = await import('./learn-games.js');
                break;
            } catch {
                await pause(1000);
            }
        }
        await this.#games.open(visit);
        if (!this.#isGone) this.#play(this.game, this.values);
    }

    disconnectedCallback() {
        this.#isGone = true;
        if (location.pathname.startsWith('/learn')) history.replaceState(history.state, '', '/');
    }

    #play(game, values = {}) {
        const known = addresses.includes(game) || game.startsWith('decks/') ? game : '';
        // A seed, or a class's code, is for the game that the address named.
        const search = location.pathname.startsWith('/learn') && known !== '' ? location.search : '';
        history.replaceState(history.state, '', `/learn${known && `/${known}`}${search}`);
        const node = Object.assign(document.createElement(this.#games.elementOf(known)), this.#games.valuesOf(known), values);
        this.replaceChildren(node);
        (node.querySelector('[data-first]') ?? node.querySelector('h1'))?.focus({ preventScroll: true });
        // A class is watched from afar: nobody touches its board.
        this.dispatchEvent(new CustomEvent('busy', { bubbles: true, detail: known === 'class' }));
        performance.clearMarks('game');
        requestAnimationFrame(() => performance.mark('game'));
    }
}

customElements.define('kiosk-learn', KioskLearn);
