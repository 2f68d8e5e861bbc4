// <kiosk-home>: everything the station offers, one touch away; and the visitor's own card, small, once it is kept.
import { button, go, h } from '../core/dom.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import { cardLabel } from './kiosk-card.js';

class KioskHome extends HTMLElement {
    connectedCallback() {
        const tile = (word, note, screen, icon) => h('li', {},
            button(word, () => go(this, screen), { icon, class: 'tile', 'data-screen': screen }), h('p', { class: 'note', word: note }));
        this.replaceChildren(
            h('h1', { class: 'title', word: visit.card ? 'home.kept' : 'home.title', tabindex: -1 }),
            ...(visit.card ? [this.#own()] : []),
            h('ul', { class: 'tiles' },
                tile('attract.take', 'home.take', 'compose', 'camera'),
                ...(station.session.gallery !== 'off' ? [tile('home.album', 'home.albumNote', 'album', 'picture')] : []),
                tile('home.map', 'home.mapNote', 'map', 'map'),
                // Only a camera of which it is known how it looks can say what it sees.
                ...(station.hasView ? [tile('home.view', 'home.viewNote', 'view', 'picture')] : []),
                tile('home.learn', 'home.learnNote', 'learn', 'globe'),
                tile('home.events', 'home.eventsNote', 'events', 'day'),
                tile('home.about', 'home.aboutNote', 'about', 'book'),
                tile('home.notices', 'home.noticesNote', 'notices', 'notice'),
                tile('home.trips', 'home.tripsNote', 'trips', 'leave'),
                tile('home.sky', 'home.skyNote', 'sky', 'place'),
                ...(station.session.crew ? [tile('home.crew', 'home.crewNote', 'crew', 'check')] : []),
                tile('home.station', 'home.stationNote', 'station', 'station'),
                tile('home.privacy', 'home.privacyNote', 'kept', 'shield')));
        this.querySelector('.tile').classList.add('primary');
    }

    #own() {
        return h('div', { class: 'own' },
            h('img', { class: 'card', src: visit.cardURL, label: cardLabel(visit.card) }),
            button('home.show', () => go(this, 'card'), { icon: 'back' }),
            button('home.done', () => this.dispatchEvent(new CustomEvent('over', { bubbles: true })), { icon: 'check', class: 'gold' }));
    }
}

customElements.define('kiosk-home', KioskHome);
