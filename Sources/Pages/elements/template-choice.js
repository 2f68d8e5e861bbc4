// <template-choice>: the station's templates, each seen on the picture of now before it is chosen. Fires "choose".
import { h } from '../core/dom.js';
import { visit } from '../core/visit.js';
import { words } from '../core/words.js';
import * as api from '../core/api.js';
import { LivePicture } from './live-picture.js';

const refreshEvery = 5000;

class TemplateChoice extends HTMLElement {
    async connectedCallback() {
        this.setAttribute('role', 'radiogroup');
        const { templates } = await api.templates().catch(() => ({ templates: [] }));
        if (!this.isConnected || templates.length < 2) return;
        templates.sort((one, other) => Number(other.isDefault) - Number(one.isDefault));
        this.replaceChildren(...templates.map((template) => this.#choice(template)));
    }

    #choice({ name, title, isDefault }) {
        const chosen = visit.template ? visit.template === name : isDefault;
        const picture = new LivePicture((options) => api.stampedFrame({ template: name }, options), refreshEvery);
        picture.reduces = true;
        const input = h('input', { type: 'radio', name: 'template', value: name, checked: chosen, on: { change: () => this.#choose(name) } });
        const key = `template.${name}`;
        return h('label', { class: 'choice' }, input, picture, h('span', words.has(key) ? { word: key } : { text: title }));
    }

    #choose(name) {
        visit.template = name;
        this.dispatchEvent(new Event('choose'));
    }
}

customElements.define('template-choice', TemplateChoice);
