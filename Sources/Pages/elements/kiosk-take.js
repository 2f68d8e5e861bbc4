// <kiosk-take>: how the postcard goes home on a telephone: join the station's network, then open the link. Where the station offers
// it, the postcard can be had on the internet too, for as long as the visitor says.
import { button, go, h } from '../core/dom.js';
import { code, steps } from '../core/codes.js';
import { shield } from '../core/shield.js';
import { station } from '../core/station.js';
import { words } from '../core/words.js';
import { visit } from '../core/visit.js';
import * as api from '../core/api.js';

// Days that a public link can be good for.
const spans = [7, 30, 365];

class KioskTake extends HTMLElement {
    #ended = null;
    #steps = h('ol', { class: 'steps' });
    #share = null;
    #public = h('section', { class: 'public', hidden: true });
    #open = button('take.public', () => this.#show(), { hidden: !station.session.publicLinks });
    #end = button('take.publicEnd', () => this.#unpublish(), { icon: 'bin', hidden: true });
    // The public link; null where there is none, and where it is not known yet.
    #link = null;
    #known = null;

    connectedCallback() {
        this.#ended = new AbortController();
        if (!visit.card) return go(this, 'home');
        this.replaceChildren(
            h('h1', { class: 'title', word: 'take.title', tabindex: -1 }), this.#steps,
            h('p', { class: 'note', word: 'take.note' }), this.#public,
            h('div', { class: 'actions' }, this.#open, this.#end, button('take.done', () => go(this, 'card'), { icon: 'back', class: 'primary' })));
        words.addEventListener('languagechange', () => this.#tell(), { signal: this.#ended.signal });
        this.#ask();
        this.#known = this.#askPublic();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    async #ask() {
        const { card } = visit;
        try {
            // One link for a visit, however often the screen is opened; of this card, whichever is there by then.
            const share = visit.share ?? await api.sharePostcard(card.id);
            if (visit.card !== card) return;
            visit.share = share;
            this.#share = share;
            this.#tell();
        } catch {
            if (this.#ended.signal.aborted) return;
            this.#steps.replaceChildren(h('li', { class: 'failed', word: 'take.failed' }));
        }
    }

    async #askPublic() {
        // Asked for again, since the picture may be there by now; without one there is nothing to ask for.
        if (visit.isPublic) this.#link = await api.publicLink(visit.card.id, { signal: this.#ended.signal }).catch(() => null);
    }

    // In place of the station's own link, and until the screen is left.
    async #show() {
        await this.#known;
        if (this.#ended.signal.aborted) return;
        this.toggleAttribute('public', true);
        this.#open.hidden = true;
        this.#public.hidden = false;
        shield.raise();
        this.#tellPublic();
    }

    async #publish(days) {
        try {
            const { card } = visit;
            this.#link = await api.publishPostcard(card.id, days);
            if (visit.card === card) visit.isPublic = true;
            this.#tellPublic();
        } catch {
            this.#fail();
        }
    }

    async #unpublish() {
        try {
            const { card } = visit;
            await api.unpublishPostcard(card.id);
            this.#link = null;
            if (visit.card === card) visit.isPublic = false;
            this.#tellPublic();
        } catch {
            this.#fail();
        }
    }

    #fail() {
        this.#public.querySelector('.failed')?.remove();
        if (!this.#ended.signal.aborted) this.#public.append(h('p', { class: 'failed', word: 'take.failed' }));
    }

    #tellPublic() {
        const link = this.#link;
        if (this.#end.hidden !== !link) shield.raise();
        this.#end.hidden = !link;
        if (!link) {
            return this.#public.replaceChildren(
                h('h2', { word: 'take.public' }), h('p', { word: 'take.publicNote' }),
                h('div', { class: 'spans' }, ...spans.map((days) => button(['take.publicDays', { days }], () => this.#publish(days)))));
        }
        const day = words.time(link.endsAt, { dateStyle: 'long' });
        this.#public.replaceChildren(
            h('h2', { word: 'take.public' }), code(link.link.qr, { label: 'take.public' }),
            h('p', { word: [link.state === 'stored' ? 'take.publicStored' : 'take.publicPending', { day }] }));
    }

    #tell() {
        if (!this.#public.hidden) this.#tellPublic();
        if (!this.#share) return;
        this.#steps.replaceChildren(...steps(this.#share, 'take.then', 'take.link'));
        this.#steps.classList.toggle('both', Boolean(this.#share.network));
    }
}

customElements.define('kiosk-take', KioskTake);
