// <kiosk-card>: the finished postcard as it lies on the disk, the proof of when and where it was exposed, and what to
// do with it: keep, take again (which deletes this one), delete at once.
import { button, go, h } from '../core/dom.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import { text, words } from '../core/words.js';
import { coordinates, keptFor, metres, sourceOf } from '../core/phrases.js';
import * as api from '../core/api.js';
import { isAsked } from './gallery-consent.js';
import './moving-card.js';

// The name of a card for those who do not see it; `words` begins the keys of the visitor's own, or of another's.
export const cardLabel = ({ message, place }, words = 'card') => (message ? [`${words}.name`, { message }] : [`${words}.plain`, { place }]);
export const cardName = (...card) => text(...cardLabel(...card));

class KioskCard extends HTMLElement {
    #ended = null;
    #image = h('img', { class: 'card' });
    #proof = h('ul', { class: 'proof' });
    #buttons = h('div', { class: 'actions' },
        button('card.keep', () => go(this, 'home'), { class: 'primary', icon: 'check' }),
        station.session.takeHome && button('card.take', () => go(this, 'take'), { class: 'gold phone', icon: 'phone' }),
        station.hasPrinter && button('card.print', () => go(this, 'print'), { class: 'gold paper', icon: 'printer' }),
        button('card.puzzle', () => go(this, 'learn', { game: 'postcard' }), { class: 'puzzle', icon: 'puzzle' }),
        button('card.again', () => this.#delete('compose'), { icon: 'again' }),
        button('card.delete', () => this.#delete('home'), { class: 'danger', icon: 'bin' }));

    connectedCallback() {
        this.#ended = new AbortController();
        if (!visit.card) return go(this, 'home');
        this.#image.src = visit.cardURL;
        const figure = h('figure', {}, this.#image, visit.card.links.animation && h('moving-card', { src: visit.card.links.animation }));
        figure.style.setProperty('--ratio', visit.card.width / visit.card.height);
        this.replaceChildren(
            h('h1', { class: 'title', word: 'card.title', tabindex: -1 }),
            figure, this.#proof,
            ...(isAsked() ? [h('gallery-consent')] : []), this.#buttons);
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#tell();
        this.#see();
    }

    // The picture is decoded, and the frame after the one that draws it has begun.
    async #see() {
        if (!await this.#image.decode().then(() => true, () => false)) return;
        requestAnimationFrame(() => requestAnimationFrame(() => visit.see()));
    }

    disconnectedCallback() {
        // Whoever leaves the card has seen it.
        visit.see();
        // The picture keeps its `src`: Chromium never collects a detached image that has lost it.
        this.#ended.abort();
    }

    #tell() {
        const { card } = visit;
        this.#image.alt = cardName(card);
        const lines = [this.#exposure(card), this.#place(card), keptFor(station.session.retentionDays), text('card.replaces')];
        this.#proof.replaceChildren(...lines.map((line) => h('li', { text: line })));
        const source = sourceOf(card.source);
        if (source) this.#proof.prepend(h('li', { class: 'ribbon', text: source }));
    }

    #exposure({ exposedAt, requestedAt, shots }) {
        if (shots) return text('card.shots', { count: words.number(shots.length), time: words.time(exposedAt, { timeStyle: 'medium' }) });
        const milliseconds = Date.parse(exposedAt) - Date.parse(requestedAt);
        return text('card.exposed', { milliseconds: words.number(milliseconds), time: words.time(exposedAt, { timeStyle: 'medium' }) });
    }

    #place({ position }) {
        const place = coordinates(position);
        if (!place) return text('card.nowhere');
        const accuracy = position.accuracy === undefined ? text('card.unknown') : metres(position.accuracy);
        const key = position.source === 'live' ? 'card.where' : 'card.recorded';
        return text(key, { place, accuracy });
    }

    async #delete(next) {
        const nodes = this.#buttons.querySelectorAll('button');
        for (const node of nodes) node.disabled = true;
        try {
            if (visit.print) await api.cancelPrint(visit.print.id).catch(() => {});
            await api.deletePostcard(visit.card.id);
            visit.drop();
            const message = text('card.deleted');
            const app = this.closest('kiosk-app');
            if (next === 'home') visit.message = '';
            go(this, next);
            app.dispatchEvent(new CustomEvent('say', { detail: message }));
        } catch {
            for (const node of nodes) node.disabled = false;
            this.dispatchEvent(new CustomEvent('say', { bubbles: true, detail: text('card.undeleted') }));
        }
    }
}

customElements.define('kiosk-card', KioskCard);
