// The words of the page in the language in use. An element made with the attributes `word` or `label` (dom.js) changes
// with the language by itself; whoever formats numbers listens to "languagechange" on `words`.
import * as api from './api.js';

const catalogues = new Map();
const bound = { word: 'data-word', label: 'data-label', hint: 'data-hint' };

class Words extends EventTarget {
    language = 'en';
    languages = ['en'];
    #zone = undefined;

    // The station's time zone; the browser's own where that is not known.
    get zone() {
        return this.#zone;
    }

    set zone(name) {
        try {
            this.#zone = name && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
        } catch {
            this.#zone = undefined;
        }
    }

    // Loads the catalogues; the first language is the one that every visitor begins with.
    async load(languages) {
        const loaded = await Promise.all(languages.map(api.catalogue));
        languages.forEach((language, index) => catalogues.set(language, loaded[index]));
        this.languages = languages;
        this.use(languages[0]);
    }

    use(language) {
        if (!catalogues.has(language)) return;
        this.language = language;
        document.documentElement.lang = language;
        for (const attribute of Object.values(bound)) {
            for (const node of document.querySelectorAll(`[${attribute}]`)) refresh(node);
        }
        this.dispatchEvent(new Event('languagechange'));
    }

    // The text of a key, with {name} replaced by the value of that name; in another language if asked for.
    text(key, values = {}, language = this.language) {
        const text = catalogues.get(language)?.[key] ?? catalogues.get('en')?.[key] ?? key;
        return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
    }

    has(key) {
        return catalogues.get(this.language)?.[key] !== undefined;
    }

    number(value, digits = 0) {
        return new Intl.NumberFormat(this.language, { maximumFractionDigits: digits, minimumFractionDigits: digits })
            .format(value);
    }

    // A whole number of a unit, in the singular or the plural of the language.
    amount(value, unit) {
        return new Intl.NumberFormat(this.language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
    }

    // In the station's time, wherever the browser thinks it is.
    time(instant, options = { timeStyle: 'short' }) {
        return new Intl.DateTimeFormat(this.language, { timeZone: this.zone, ...options }).format(new Date(instant));
    }
}

export const words = new Words();
export const text = (key, values) => words.text(key, values);

const said = ({ key, values }) => text(key, typeof values === 'function' ? values() : values);

// Binds a text of a node (its content, accessible name or placeholder) to a key. Values that are words are given by a function.
export function bind(node, kind, key, values) {
    (node.words ??= {})[kind] = { key, values };
    node.setAttribute(bound[kind], key);
    refresh(node);
}

// Says something in a node that is there to say it: in the language in use, and again in another one. Without a key, nothing any more.
export function tell(node, key, values) {
    if (key) return bind(node, 'word', key, values);
    delete node.words?.word;
    node.removeAttribute(bound.word);
    node.textContent = '';
}

function refresh(node) {
    const { word, label, hint } = node.words ?? {};
    if (word) node.textContent = said(word);
    if (label) node.setAttribute('aria-label', said(label));
    if (hint) node.setAttribute('placeholder', said(hint));
}
