// <kiosk-compose>: the card as it will be, before it is taken: its template, the visitor's words, what will be kept.
import { button, go, h } from '../core/dom.js';
import { shield } from '../core/shield.js';
import { prepare } from '../core/sound.js';
import { station } from '../core/station.js';
import { kinds, visit } from '../core/visit.js';
import { text, words } from '../core/words.js';
import { keptFor } from '../core/phrases.js';
import * as api from '../core/api.js';
import { LivePicture } from './live-picture.js';
import './picture-kind.js';
import './screen-keyboard.js';
import './template-choice.js';

const suggestions = ['suggestion.1', 'suggestion.2', 'suggestion.3'];
const letters = (message) => [...new Intl.Segmenter(words.language).segment(message)].length;

class KioskCompose extends HTMLElement {
    #ended = null;
    #picture = new LivePicture((options) => api.stampedFrame(visit.look, options));
    #field = h('input', {
        id: 'message', type: 'text', inputmode: 'none', autocomplete: 'off', spellcheck: 'false', hint: 'compose.hint',
        'aria-describedby': 'message-count',
    });
    #count = h('p', { id: 'message-count', class: 'count' });
    #kept = h('p', { class: 'kept' });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.#field.value = visit.message;
        if (station.session.role !== 'kiosk') this.#field.setAttribute('inputmode', 'text');
        this.#field.addEventListener('input', () => this.#typed());
        this.#field.addEventListener('click', () => this.#type(true));
        this.#field.addEventListener('keydown', (event) => { if (event.key === 'Enter') this.#type(!this.typing); });
        this.replaceChildren(
            h('h1', { class: 'title', word: 'compose.title', tabindex: -1 }),
            h('div', { class: 'picture', role: 'img', label: 'compose.preview' }, this.#picture),
            h('template-choice', { on: { choose: () => { this.#look(); this.querySelector('picture-kind').refresh(); } } }),
            h('picture-kind', { label: 'compose.kind', on: { choose: () => this.#look() } }),
            h('div', { class: 'words' },
                h('label', { for: 'message', word: 'compose.words' }), this.#count, this.#field,
                button('compose.done', () => this.#type(false), { class: 'done', icon: 'check' })),
            h('div', { class: 'suggestions', role: 'group', label: 'compose.suggestions' },
                suggestions.map((key) => button(key, () => this.#put(text(key)), { class: 'chip' }))),
            h('screen-keyboard', { on: { change: () => this.#typed(), done: () => this.#type(false) } }),
            this.#kept,
            button('compose.take', () => this.#take(), { class: 'primary take', icon: 'camera' }));
        this.querySelector('screen-keyboard').field = this.#field;
        this.#look();
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        this.#tell();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // Shows what is chosen: a collage, which is more work for the station, less often.
    #look() {
        this.#picture.interval = kinds[visit.kind].layout ? 1500 : 400;
        this.#picture.refresh();
    }

    get typing() {
        return this.hasAttribute('typing');
    }

    // A tablet has a keyboard of its own.
    #type(typing) {
        if (station.session.role !== 'kiosk') return;
        // A key comes under the finger on the field, and a choice under the one on the keyboard's own button.
        if (typing !== this.typing) shield.raise();
        this.toggleAttribute('typing', typing);
        // What was said of the screen before would lie over the keyboard's own button.
        if (typing) this.dispatchEvent(new CustomEvent('say', { bubbles: true, detail: '' }));
        this.#field.focus();
        if (typing) this.#field.setSelectionRange(this.#field.value.length, this.#field.value.length);
    }

    #put(message) {
        this.#field.value = message;
        this.#typed();
    }

    #typed() {
        const limit = station.session.messageLimit ?? 80;
        if (letters(this.#field.value) > limit) {
            const segments = [...new Intl.Segmenter(words.language).segment(this.#field.value)];
            this.#field.value = segments.slice(0, limit).map(({ segment }) => segment).join('');
        }
        visit.message = this.#field.value;
        this.#tell();
        this.#picture.refresh();
    }

    #tell() {
        const limit = station.session.messageLimit ?? 80;
        this.#count.textContent = text('compose.count', { used: letters(this.#field.value), limit });
        this.#kept.textContent = keptFor(station.session.retentionDays);
    }

    #take() {
        prepare();
        if (kinds[visit.kind].shots === 1) return go(this, 'count');
        visit.beginShots();
        go(this, 'strip');
    }
}

customElements.define('kiosk-compose', KioskCompose);
