// <kiosk-home>: everything the station offers, one touch away; and the visitor's own card, small, once it is kept.
import { button, go, h } from '../core/dom.js';
import { visit } from '../core/visit.js';
import { cardName } from './kiosk-card.js';

class KioskHome extends HTMLElement {
    connectedCallback() {
        const tile = (word, note, screen, icon) => h('li', {},
            button(word, () => go(this, screen), { icon, class: 'tile' }), h('p', { class: 'note', word: note }));
        this.replaceChildren(
            h('h1', { class: 'title', word: visit.card ? 'home.kept' : 'home.title', tabindex: -1 }),
            ...(visit.card ? [this.#own()] : []),
            h('ul', { class: 'tiles' },
                tile('attract.take', 'home.take', 'compose', 'camera'),
                tile('home.sky', 'home.skyNote', 'sky', 'place'),
                tile('home.station', 'home.stationNote', 'station', 'station'),
                tile('home.privacy', 'home.privacyNote', 'kept', 'shield')));
        this.querySelector('.tile').classList.add('primary');
    }

    #own() {
        return h('div', { class: 'own' },
            h('img', { class: 'card', src: visit.cardURL, alt: cardName(visit.card) }),
            button('home.show', () => go(this, 'card'), { icon: 'back' }),
            button('home.done', () => this.dispatchEvent(new CustomEvent('over', { bubbles: true })), { icon: 'check', class: 'gold' }));
    }
}

customElements.define('kiosk-home', KioskHome);
