// <kiosk-attract>: the first screen: the prairie, the first words in three languages in turn, one button.
import { button, go, h } from '../core/dom.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';
import { LargeLetters, lettersHeading } from './large-letters.js';
import { LivePicture } from './live-picture.js';

const turn = 4000;
const portrait = matchMedia('(orientation: portrait)');

class KioskAttract extends HTMLElement {
    #letters = new LargeLetters();
    #heading = lettersHeading(this.#letters);
    #ended = null;
    #turns = 0;

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        const picture = new LivePicture((options) => station.frame(options), 200);
        picture.setAttribute('mirrored', '');
        this.replaceChildren(h('calm-prairie'), picture,
            h('div', { class: 'greeting' }, this.#heading,
                button('attract.take', () => go(this, 'compose'), { class: 'primary', icon: 'camera', 'data-first': true }),
                h('p', { class: 'promise', word: 'attract.promise' })));
        portrait.addEventListener('change', () => this.#draw(), { signal });
        words.addEventListener('languagechange', () => this.#greet(0), { signal });
        const timer = setInterval(() => this.#greet(this.#turns + 1), turn);
        signal.addEventListener('abort', () => clearInterval(timer));
        this.#draw();
        this.#greet(0);
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #draw() {
        this.#letters.show(station.session.place ?? station.session.station, portrait.matches);
    }

    // The greeting of the language in use first, then the others.
    #greet(turns) {
        this.#turns = turns;
        const others = words.languages.filter((language) => language !== words.language);
        const greetings = [words.language, ...others].map((language) => [language, words.text('attract.greeting', {}, language)]);
        greetings.push([text('attract.other.language'), text('attract.other')]);
        const [language, greeting] = greetings[turns % greetings.length];
        this.#letters.greeting = greeting;
        this.#heading.lang = language;
        this.#heading.setAttribute('aria-label', `${greeting} ${station.session.place ?? ''}`.trim());
    }
}

customElements.define('kiosk-attract', KioskAttract);
