// <tablet-begin>: for rangers: the language and the template that visitors of the kiosk begin with. Each touch is kept at once.
import { h } from '../core/dom.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { TemplateChoice } from './template-choice.js';

class TabletBegin extends HTMLElement {
    #languages = h('fieldset', { class: 'begin-languages' }, h('legend', { word: 'begin.language' }));
    #templates = h('fieldset', {}, h('legend', { word: 'begin.template' }));
    #chosen = {};

    async connectedCallback() {
        this.replaceChildren(h('h1', { class: 'title', word: 'begin.title', tabindex: -1 }), h('p', { class: 'note', word: 'begin.note' }),
            this.#languages, this.#templates);
        const { languages, language, template } = await api.kioskChoices();
        this.#chosen = { language, template };
        this.#languages.append(...languages.map((name) => h('label', { class: 'choice', lang: name },
            h('input', {
                type: 'radio', name: 'language', value: name, checked: name === (language ?? languages[0]),
                on: { change: () => this.#keep({ language: name }) },
            }), h('span', { text: words.text('language.name', {}, name) }))));
        this.#templates.append(new TemplateChoice(template, (name) => this.#keep({ template: name })));
    }

    async #keep(choice) {
        this.#chosen = { ...this.#chosen, ...choice };
        const say = (detail) => this.dispatchEvent(new CustomEvent('say', { bubbles: true, detail }));
        try {
            await api.chooseForKiosk(this.#chosen);
            say(text('begin.kept'));
        } catch {
            say(text('pages.failed'));
        }
    }
}

customElements.define('tablet-begin', TabletBegin);
