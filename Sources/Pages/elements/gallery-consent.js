// <gallery-consent>: whether others may see the visitor's own card in the station's gallery. Off until the visitor says so, and
// taken back as easily.
import { h } from '../core/dom.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import { text } from '../core/words.js';
import * as api from '../core/api.js';

export const isAsked = () => station.session.role === 'kiosk' && ['open', 'approved'].includes(station.session.gallery);

class GalleryConsent extends HTMLElement {
    #box = h('input', { type: 'checkbox', on: { change: () => this.#choose() } });

    connectedCallback() {
        this.#box.checked = visit.isShown;
        this.replaceChildren(h('label', { class: 'consent' }, this.#box, h('span', { word: `consent.${station.session.gallery}` })));
    }

    async #choose() {
        const { card } = visit;
        const wanted = this.#box.checked;
        this.#box.disabled = true;
        let told = 'consent.failed';
        try {
            told = `consent.is.${wanted ? (await api.showPostcard(card.id)).state : await api.unshowPostcard(card.id)}`;
            if (visit.card === card) visit.isShown = wanted;
        } catch {
            this.#box.checked = !wanted;
        }
        this.#box.disabled = false;
        if (!this.isConnected) return;
        this.#box.focus({ preventScroll: true });
        this.dispatchEvent(new CustomEvent('say', { bubbles: true, detail: text(told) }));
    }
}

customElements.define('gallery-consent', GalleryConsent);
