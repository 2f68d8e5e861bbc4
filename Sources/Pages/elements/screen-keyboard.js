// <screen-keyboard>: letters of the language in use, marks and digits, and a page of emoji. `field` is the input that it
// writes into. Fires "change" after each key and "done".
import { h, icon } from '../core/dom.js';
import { person } from '../core/person.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';

const emoji = ['😀😍😎🤠🥳😂🤗👋👍❤️', '🌾🌻🌼🍂🌳🐾🦬🦅🦌🦋', '☀️⛈️🌈🌅🌙⭐❄️🔥🥾🎉'];
const segments = (string) => [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(string)].map(({ segment }) => segment);

class ScreenKeyboard extends HTMLElement {
    #ended = null;
    #page = 'letters';
    #capital = true;
    field = null;

    connectedCallback() {
        this.#ended = new AbortController();
        // Numbers begin with digits, mail addresses with small letters.
        if (this.field?.inputMode === 'tel') this.#page = 'marks';
        this.#capital = !this.#isMail;
        this.setAttribute('role', 'group');
        this.setAttribute('aria-label', text('keyboard.name'));
        // The field keeps the focus, and with it the place where the next letter goes.
        this.addEventListener('pointerdown', (event) => event.preventDefault(), { signal: this.#ended.signal });
        words.addEventListener('languagechange', () => this.#draw(), { signal: this.#ended.signal });
        this.#draw();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    get #isMail() {
        return this.field?.inputMode === 'email';
    }

    // What a field needs where a comma would be of no use.
    get #mark() {
        if (this.#isMail) return this.#page === 'letters' ? '@' : '_';
        return this.field?.inputMode === 'tel' ? '+' : ',';
    }

    get #hasLines() {
        return this.field?.localName === 'textarea';
    }

    #draw() {
        const focused = this.contains(document.activeElement) ? document.activeElement.dataset.key : null;
        this.setAttribute('aria-label', text('keyboard.name'));
        this.setAttribute('page', this.#page);
        const rows = this.#page === 'emoji' ? emoji : text(`keyboard.${this.#page}`).split(' ');
        this.replaceChildren(...rows.map((row, index) => this.#row(segments(row), index === rows.length - 1)), this.#controls());
        if (focused) this.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    }

    // A row of ten columns, which a narrow screen breaks in two. The last one has shift and erase at its ends.
    #row(keys, last) {
        const nodes = keys.map((key) => this.#key(key));
        if (last && this.#page === 'letters') nodes.unshift(this.#control('shift', 'shift', () => this.#shift(), { 'aria-pressed': String(this.#capital) }));
        if (last && this.#page !== 'emoji') nodes.push(this.#control('erase', 'erase', () => this.#erase()));
        return h('div', { class: 'row' }, nodes);
    }

    #controls() {
        // Text of several lines has a key for their ends in place of the emoji.
        const pages = ['letters', 'marks', ...this.#hasLines ? [] : ['emoji']].filter((page) => page !== this.#page);
        return h('div', { class: 'row controls' },
            pages.map((page) => h('button', {
                type: 'button', class: 'key page', 'data-key': page, label: `keyboard.to.${page}`, text: { letters: 'abc', marks: '123', emoji: '🙂' }[page],
                on: { click: () => this.#turn(page) },
            })),
            h('button', { type: 'button', class: 'key space', 'data-key': 'space', word: 'keyboard.space', on: { click: () => this.#put(' ') } }),
            this.#hasLines && this.#control('newline', 'enter', () => this.#put('\n')),
            this.#page === 'emoji' ? this.#control('erase', 'erase', () => this.#erase()) : this.#key(this.#mark),
            this.#key('.'));
    }

    #key(key) {
        const shown = this.#capital && this.#page === 'letters' ? key.toLocaleUpperCase(words.language) : key;
        return h('button', { type: 'button', class: 'key', 'data-key': key, text: shown, on: { click: () => this.#put(shown) } });
    }

    #control(name, picture, act, attributes = {}) {
        return h('button', { type: 'button', class: 'key control', 'data-key': name, label: `keyboard.${name}`, on: { click: act }, ...attributes }, icon(picture));
    }

    #turn(page) {
        this.#page = page;
        this.#draw();
    }

    #shift() {
        this.#capital = !this.#capital;
        this.#draw();
    }

    #put(letter) {
        const { field } = this;
        field.setRangeText(letter, field.selectionStart, field.selectionEnd, 'end');
        this.#changed();
    }

    // Erases the selection, or one character as the visitor sees it: an emoji is one, however many code points it has.
    #erase() {
        const { field } = this;
        const { selectionStart: start, selectionEnd: end } = field;
        const before = segments(field.value.slice(0, start));
        const from = start === end ? start - (before.at(-1)?.length ?? 0) : start;
        field.setRangeText('', from, end, 'end');
        this.#changed();
    }

    // A sentence begins with a capital letter.
    #changed() {
        const capital = !this.#isMail && /(^|\n|[.!?]\s)$/.test(this.field.value.slice(0, this.field.selectionStart));
        if (capital !== this.#capital && this.#page === 'letters') {
            this.#capital = capital;
            this.#draw();
        }
        this.dispatchEvent(new Event('change'));
    }
}

// The kiosk's keyboard for a field; null on a device, which has its own. Who types stays signed in.
export function keyboardFor(field) {
    if (station.session.role !== 'kiosk') return null;
    const keyboard = h('screen-keyboard', { on: { change: () => person.keep() } });
    keyboard.field = field;
    return keyboard;
}

customElements.define('screen-keyboard', ScreenKeyboard);
