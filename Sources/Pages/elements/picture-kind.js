// <picture-kind>: what is taken: one picture, a strip of two to four that become one card, or a card that also moves.
import { h, s } from '../core/dom.js';
import { kinds, visit } from '../core/visit.js';

// As many small pictures as the card will have.
const drawings = {
    single: ['M3 5h18v14H3z'],
    strip2: ['M2 6h9v12H2z', 'M13 6h9v12h-9z'],
    strip3: ['M1 7h6v10H1z', 'M9 7h6v10H9z', 'M17 7h6v10h-6z'],
    burst: ['M2 5h15v14H2z', 'M20 7v10M23 9v6', 'M7.5 8.5l6 3.5-6 3.5z'],
    strip4: ['M3 4h8v7H3z', 'M13 4h8v7h-8z', 'M3 13h8v7H3z', 'M13 13h8v7h-8z'],
};

class PictureKind extends HTMLElement {
    connectedCallback() {
        this.setAttribute('role', 'radiogroup');
        this.replaceChildren(...Object.keys(kinds).map((kind) => this.#choice(kind)));
    }

    #choice(kind) {
        const drawing = s('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, drawings[kind].map((d) => s('path', { d })));
        return h('label', { class: 'kind' },
            h('input', { type: 'radio', name: 'kind', value: kind, label: `kind.${kind}`, checked: visit.kind === kind, on: { change: () => { visit.kind = kind; } } }),
            drawing, kinds[kind].burstSeconds ? null : h('span', { 'aria-hidden': 'true', text: kinds[kind].shots }));
    }
}

customElements.define('picture-kind', PictureKind);
