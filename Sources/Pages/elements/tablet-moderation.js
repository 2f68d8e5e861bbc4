// <tablet-moderation>: for rangers: the postcards that their visitors agreed to show, newest first; to hide, to show, to delete.
import { button, h, icon } from '../core/dom.js';
import { ask } from '../core/ask.js';
import { pagedList } from '../core/pages.js';
import { shield } from '../core/shield.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { cardName } from './kiosk-card.js';

const when = { dateStyle: 'medium', timeStyle: 'short' };
const marks = { shown: 'check', hidden: 'stop', waiting: 'again' };

class TabletModeration extends HTMLElement {
    #ended = null;

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        const rule = station.session.gallery === 'approved' ? 'moderation.approved' : 'moderation.open';
        this.replaceChildren(h('h1', { class: 'title', word: 'moderation.title', tabindex: -1 }), h('p', { word: rule }),
            ...pagedList(api.moderation, ({ postcards }) => postcards.map((card) => this.#item(card)),
                { empty: 'moderation.empty', signal, class: 'shown-cards' }));
        words.addEventListener('languagechange', () => this.#recaption(), { signal });
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #recaption() {
        for (const node of this.querySelectorAll('.shown-cards li')) this.#caption(node);
    }

    #item(card) {
        const node = h('li', {});
        node.card = card;
        this.#draw(node);
        return node;
    }

    #draw(node) {
        const { card } = node;
        const isShown = card.state === 'shown';
        node.replaceChildren(
            h('img', { src: card.links.thumbnail, alt: '', loading: 'lazy', width: card.width, height: card.height }),
            h('h2', { text: card.message ?? card.place }),
            h('p', { class: `state ${card.state}` }, icon(marks[card.state]), h('span', { word: `moderation.is.${card.state}` })),
            h('p', { class: 'when' }),
            h('div', { class: 'choices' },
                card.state !== 'shown' && button('moderation.show', () => this.#decide(node, 'shown'), { class: 'gold', icon: 'check' }),
                card.state !== 'hidden' && button('moderation.hide', () => this.#decide(node, 'hidden'), { class: isShown ? '' : 'quiet', icon: 'stop' }),
                button('moderation.delete', () => this.#delete(node), { class: 'danger', icon: 'bin' })));
        this.#caption(node);
    }

    #caption(node) {
        const { card } = node;
        node.querySelector('.when').textContent = words.time(card.exposedAt, when);
        const name = cardName(card, 'album');
        node.querySelector('img').alt = name;
        for (const one of node.querySelectorAll('.choices button')) one.setAttribute('aria-label', `${one.textContent}: ${name}`);
    }

    async #decide(node, state) {
        // Its button is soon that of the contrary.
        const buttons = [...node.querySelectorAll('.choices button')];
        for (const one of buttons) one.disabled = true;
        try {
            node.card.state = (await api.moderate(node.card.id, state)).state;
            this.#draw(node);
            shield.raise();
            this.#say(`moderation.now.${state}`);
            node.querySelector('.choices button').focus({ preventScroll: true });
        } catch (failure) {
            for (const one of buttons) one.disabled = false;
            this.#failed(node, failure);
        }
    }

    async #delete(node) {
        if (!await ask('postcard.delete', 'postcard.deleteDetail', 'postcard.delete')) return;
        try {
            await api.deletePostcard(node.card.id);
            this.#drop(node);
            this.#say('card.deleted');
        } catch (failure) {
            this.#failed(node, failure);
        }
    }

    // The next one comes under the finger.
    #drop(node) {
        node.remove();
        shield.raise();
    }

    // Its visitor took it back, or deleted it.
    #failed(node, failure) {
        if (failure.kind === 'not-found') this.#drop(node);
        if (failure.kind === 'forbidden') station.ask();
        this.#say(failure.kind === 'not-found' ? 'moderation.gone' : 'pages.failed');
    }

    #say(key) {
        this.dispatchEvent(new CustomEvent('say', { bubbles: true, detail: text(key) }));
    }
}

customElements.define('tablet-moderation', TabletModeration);
