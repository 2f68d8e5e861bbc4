// <tablet-specimens>: the specimens of the station, newest first, to read.
import { h } from '../core/dom.js';
import { pagedList } from '../core/pages.js';
import { coordinates, rockType } from '../core/phrases.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';

class TabletSpecimens extends HTMLElement {
    #ended = null;

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.#show(signal);
        words.addEventListener('languagechange', () => this.#show(signal), { signal });
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #show(signal) {
        this.replaceChildren(h('h1', { class: 'title', word: 'specimens.title', tabindex: -1 }),
            ...pagedList(api.specimens, ({ specimens }) => specimens.map((one) => this.#specimen(one)),
                { empty: 'specimens.empty', signal, class: 'specimens' }));
    }

    #specimen({ id, number, rockType: type, collector, description, createdAt, position, photographs, state }) {
        const picture = photographs?.[0] && `/v1/specimens/${id}/photographs/${photographs[0].id}/thumbnail.jpg`;
        const facts = [words.time(createdAt, { dateStyle: 'medium' }), collector, coordinates(position)].filter(Boolean);
        return h('li', {},
            picture && h('img', { src: picture, alt: '', loading: 'lazy' }),
            h('div', {}, h('h2', { text: number }), h('p', { class: 'rock', text: rockType(type) }),
                h('p', { class: 'note', text: facts.join(' · ') }),
                description && h('p', { class: 'note', text: description }),
                h('p', { class: 'tags' }, h('span', { class: 'role', text: words.has(`specimens.${state}`) ? text(`specimens.${state}`) : state }))));
    }
}

customElements.define('tablet-specimens', TabletSpecimens);
