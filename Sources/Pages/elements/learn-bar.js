// <learn-bar>: above every game: the way back to the games, its name, what was found, the time, and what is said aloud.
import { button, h } from '../core/dom.js';
import { text, words } from '../core/words.js';
import * as sound from '../core/sound.js';

class LearnBar extends HTMLElement {
    title = 'learn.title';
    #ended = null;
    // What is said, and what was found, in the language in use.
    #saying = () => '';
    #found = () => ['', ''];
    #score = h('p', { class: 'score' });
    #time = h('p', { class: 'time', 'aria-hidden': 'true' });
    #said = h('p', { class: 'said', role: 'status' });
    #fill = h('div', { class: 'fill' });
    #sound = button('learn.sound', () => this.#turn(), { class: 'lone sound', icon: 'sound' });

    connectedCallback() {
        this.#ended = new AbortController();
        words.addEventListener('languagechange', () => this.#retell(), { signal: this.#ended.signal });
        this.replaceChildren(
            button('learn.games', () => this.dispatchEvent(new CustomEvent('play', { bubbles: true, detail: { game: '' } })), { class: 'lone', icon: 'back' }),
            h('h1', { class: 'title', word: this.title, tabindex: -1 }), this.#score, this.#time, this.#sound, this.#said,
            h('div', { class: 'line', 'aria-hidden': 'true' }, this.#fill));
        this.#sound.setAttribute('aria-pressed', String(!sound.isSilent()));
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #turn() {
        sound.silence(!sound.isSilent());
        this.#sound.setAttribute('aria-pressed', String(!sound.isSilent()));
    }

    clear() {
        [this.#saying, this.#found] = [() => '', () => ['', '']];
        this.#retell();
        this.#time.textContent = '';
        this.#fill.style.setProperty('--share', 0);
    }

    // What was found: `found()` gives it as it is shown and as it is heard.
    score(found) {
        this.#found = found;
        this.#retellScore();
    }

    // The seconds that are left of so many, or that have passed.
    time(left, all, passed) {
        const seconds = left === null ? Math.floor(passed) : Math.ceil(left);
        const shown = text('learn.seconds', { seconds: words.number(seconds) });
        if (this.#time.textContent !== shown) this.#time.textContent = shown;
        this.#fill.style.setProperty('--share', left === null ? 0 : left / all);
        this.toggleAttribute('late', left !== null && left <= 10);
    }

    // Says what `saying()` gives in the one region that is read aloud, and shows it.
    say(saying, kind = '') {
        this.#saying = saying;
        this.#said.textContent = saying();
        this.#said.className = `said ${kind}`;
    }

    #retell() {
        this.#said.textContent = this.#saying();
        this.#retellScore();
    }

    #retellScore() {
        const [shown, heard] = this.#found();
        this.#score.textContent = shown;
        this.#score.setAttribute('aria-label', heard);
    }
}

customElements.define('learn-bar', LearnBar);
