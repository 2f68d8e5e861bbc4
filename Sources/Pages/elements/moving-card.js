// <moving-card>: a burst as it moves, beside the card that it belongs to. With reduced motion it stands until it is asked to move.
import { button, h } from '../core/dom.js';

class MovingCard extends HTMLElement {
    connectedCallback() {
        if (matchMedia('(prefers-reduced-motion: reduce)').matches) this.replaceChildren(button('card.move', () => this.#move(), { icon: 'picture' }));
        else this.#move();
    }

    #move() {
        this.replaceChildren(h('img', { src: this.getAttribute('src'), label: 'card.moving' }), h('p', { class: 'ribbon', word: 'card.moves' }));
    }
}

customElements.define('moving-card', MovingCard);
