// <picture-kind>: what is taken: one picture, two to four that become one card, or a card that also moves; each is seen as it will
// look, on the picture of now, before it is chosen. Fires "choose".
import { h, icon } from '../core/dom.js';
import { kinds, lookOf, visit } from '../core/visit.js';
import * as api from '../core/api.js';
import { LivePicture, inTurn } from './live-picture.js';

// How they look changes with the template, at which they are drawn anew, and hardly else.
const refreshEvery = 20_000;

class PictureKind extends HTMLElement {
    #looks = [];

    connectedCallback() {
        this.setAttribute('role', 'radiogroup');
        this.replaceChildren(...Object.keys(kinds).map((kind) => this.#choice(kind)));
    }

    // Draws them anew: another template is chosen.
    refresh() {
        for (const look of this.#looks) look.refresh();
    }

    #choice(kind) {
        const choose = () => {
            visit.kind = kind;
            this.dispatchEvent(new Event('choose'));
        };
        const look = new LivePicture((options) => inTurn(() => api.stampedFrame(lookOf(kind, { ...visit.wishes, message: undefined }), options)), refreshEvery);
        look.reduces = true;
        this.#looks.push(look);
        const { burstSeconds, shots } = kinds[kind];
        return h('label', { class: 'kind' },
            h('input', { type: 'radio', name: 'kind', value: kind, label: `kind.${kind}`, checked: visit.kind === kind, on: { change: choose } }),
            look, h('span', { 'aria-hidden': 'true' }, burstSeconds ? icon('play') : shots));
    }
}

customElements.define('picture-kind', PictureKind);
