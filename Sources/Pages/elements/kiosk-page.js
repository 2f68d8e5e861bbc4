// <kiosk-page>: one page that the station's people wrote. `page` is what the list has of it.
import { button, go, h } from '../core/dom.js';
import { onward } from '../core/onward.js';
import { words } from '../core/words.js';
import { reading } from '../core/reading.js';
import { Shown } from '../core/shown.js';
import * as api from '../core/api.js';

class KioskPage extends Shown {
    page = null;
    #heading = h('h1', { class: 'title', tabindex: -1 });
    #text = h('article', { class: 'text content', tabindex: 0 });

    begin() {
        if (!this.page) return go(this, 'about');
        this.replaceChildren(this.#heading, this.note, this.#text,
            h('div', { class: 'turn' }, onward(this.#text), button('about.all', () => go(this, 'about'), { icon: 'back' })));
        this.#heading.textContent = this.page.title;
    }

    ask(signal) {
        return this.page ? api.stationPage(this.page.name, words.language, { signal }) : new Promise(() => {});
    }

    // The page in the other language is another text.
    changed() {
        this.load();
    }

    gone() {
        this.say('about.gone');
        go(this, 'about');
    }

    draw(page) {
        this.#heading.textContent = page.title;
        this.#heading.lang = page.language;
        this.#text.lang = page.language;
        this.#text.setAttribute('aria-label', page.title);
        this.#text.replaceChildren(...reading(page.blocks, page));
        this.#text.scrollTop = 0;
    }
}

customElements.define('kiosk-page', KioskPage);
