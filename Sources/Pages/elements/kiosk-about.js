// <kiosk-about>: the station's pages, and its people, one touch away.
import { button, go, h } from '../core/dom.js';
import { tell, words } from '../core/words.js';
import { Shown } from '../core/shown.js';
import * as api from '../core/api.js';

class KioskAbout extends Shown {
    #list = h('ul', { class: 'tiles content' });

    begin() {
        this.replaceChildren(h('h1', { class: 'title', word: 'about.title', tabindex: -1 }), this.note, this.#list);
    }

    ask(signal) {
        return api.stationPages(words.language, { signal });
    }

    changed() {
        this.load();
    }

    draw({ pages }) {
        tell(this.note, !pages.length && 'about.none');
        const people = button('people.title', () => go(this, 'people'), { icon: 'people', class: 'tile', 'data-screen': 'people' });
        this.#list.replaceChildren(...pages.map((page) => h('li', {}, this.#tile(page), page.summary && h('p', { class: 'note', lang: page.language, text: page.summary }))),
            h('li', {}, people, h('p', { class: 'note', word: 'people.note' })));
    }

    #tile(page) {
        return h('button', { type: 'button', class: 'tile', 'data-page': page.name, on: { click: () => go(this, 'page', { page }) } },
            h('span', { lang: page.language, text: page.title }));
    }
}

customElements.define('kiosk-about', KioskAbout);
