// <template-choice>: the station's templates, each seen on the picture of now before it is chosen: the visitor's, or the one
// that every visitor is to begin with. Fires "choose".
import { h } from '../core/dom.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import { words } from '../core/words.js';
import * as api from '../core/api.js';
import { LivePicture, inTurn } from './live-picture.js';

const refreshEvery = 5000;
// The template that stamps the names of what is seen.
const labelled = 'panorama';

export class TemplateChoice extends HTMLElement {
    #chosen;
    #choose;
    // The templates that are there, as text.
    #drawn = '';

    // Without arguments the visitor's choice, which begins with the operator's.
    constructor(chosen, choose) {
        super();
        this.#chosen = chosen;
        this.#choose = choose;
    }

    // What is known of them is there at once; what the station answers to a new question changes it if it is something else.
    async connectedCallback() {
        this.setAttribute('role', 'radiogroup');
        this.#draw();
        await station.askOffer();
        if (this.isConnected) this.#draw();
    }

    #draw() {
        if (!station.templates) return;
        // The names of what is seen are known only where it is known how the camera looks.
        const templates = station.templates.filter(({ name }) => name !== labelled || station.hasView);
        const drawn = JSON.stringify(templates);
        if (drawn === this.#drawn) return;
        this.#drawn = drawn;
        if (!this.#choose) {
            // The operator's may have been taken away since.
            if (!visit.template && templates.some(({ name }) => name === station.session.template)) visit.template = station.session.template;
            this.#chosen = visit.template;
            this.#choose = (name) => { visit.template = name; };
            if (this.#chosen) this.dispatchEvent(new Event('choose'));
        }
        if (templates.length < 2) return this.replaceChildren();
        const first = ({ name, isDefault }) => (this.#chosen ? name === this.#chosen : isDefault);
        templates.sort((one, other) => Number(first(other)) - Number(first(one)));
        this.replaceChildren(...templates.map((template) => this.#option(template, first(template))));
    }

    #option({ name, title }, checked) {
        const picture = new LivePicture((options) => inTurn(() => api.stampedFrame({ template: name }, options)), refreshEvery);
        picture.reduces = true;
        const choose = () => {
            this.#chosen = name;
            this.#choose(name);
            this.dispatchEvent(new Event('choose'));
        };
        const input = h('input', { type: 'radio', name: 'template', value: name, checked, on: { change: choose } });
        const key = `template.${name}`;
        return h('label', { class: 'choice' }, input, picture, h('span', words.has(key) ? { word: key } : { text: title }));
    }
}

customElements.define('template-choice', TemplateChoice);
