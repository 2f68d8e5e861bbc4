// <tablet-postcard>: one postcard of the station, large, with what is known of it; `card` is the postcard.
import { button, go, h, icon } from '../core/dom.js';
import { ask } from '../core/ask.js';
import { coordinates, metres, sourceOf } from '../core/phrases.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { cardName } from './kiosk-card.js';

class TabletPostcard extends HTMLElement {
    card = null;
    #ended = null;
    #image = h('img', { class: 'card' });
    #facts = h('dl', { class: 'facts' });
    #ribbon = h('p', { class: 'ribbon' });

    connectedCallback() {
        this.#ended = new AbortController();
        const { card } = this;
        this.#image.src = card.links.image;
        this.#image.style.setProperty('--ratio', card.width / card.height);
        this.replaceChildren(
            h('h1', { class: 'title', text: card.message ?? card.place, tabindex: -1 }),
            h('figure', {}, this.#image), h('div', { class: 'answer' }, this.#ribbon, this.#facts),
            h('div', { class: 'choices' },
                button('postcard.back', () => go(this, 'gallery'), { icon: 'back' }),
                h('a', { class: 'button', href: card.links.image, download: `${card.id}.jpg` }, icon('down'), h('span', { word: 'postcard.save' })),
                button('postcard.delete', () => this.#delete(), { class: 'danger', icon: 'bin' })));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#tell();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #tell() {
        const { card } = this;
        this.#image.alt = cardName(card);
        this.#ribbon.textContent = sourceOf(card.source);
        const { position } = card;
        const accuracy = position?.accuracy === undefined ? '' : `, ${metres(position.accuracy)}`;
        const facts = [
            ['postcard.exposed', words.time(card.exposedAt, { dateStyle: 'long', timeStyle: 'medium' })],
            ['postcard.where', coordinates(position) ? `${coordinates(position)}${accuracy}` : text('card.nowhere')],
            ['postcard.template', words.has(`template.${card.template}`) ? text(`template.${card.template}`) : card.template],
            ['postcard.size', text('postcard.pixels', {
                width: words.number(card.width), height: words.number(card.height), kilobytes: words.number(card.bytes / 1000),
            })],
        ];
        this.#facts.replaceChildren(...facts.flatMap(([key, value]) => [h('dt', { text: text(key) }), h('dd', { text: value })]));
    }

    async #delete() {
        if (!await ask('postcard.delete', 'postcard.deleteDetail', 'postcard.delete')) return;
        const app = this.closest('kiosk-app');
        const say = (key) => app.dispatchEvent(new CustomEvent('say', { detail: text(key) }));
        try {
            await api.deletePostcard(this.card.id);
            go(this, 'gallery');
            say('card.deleted');
        } catch (failure) {
            if (failure.kind === 'not-found') go(this, 'gallery');
            say(failure.kind === 'not-found' ? 'card.deleted' : 'card.undeleted');
        }
    }
}

customElements.define('tablet-postcard', TabletPostcard);
