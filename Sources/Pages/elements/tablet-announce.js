// <tablet-announce>: for rangers: an announcement to write, in one language or two.
import { button, go, h } from '../core/dom.js';
import { station } from '../core/station.js';
import { text } from '../core/words.js';
import * as api from '../core/api.js';

const fields = [['title', 'input'], ['body', 'textarea'], ['titleEs', 'input'], ['bodyEs', 'textarea']];

class TabletAnnounce extends HTMLElement {
    #inputs = {};
    #urgent = h('input', { type: 'checkbox', id: 'announce-urgent' });
    #everyone = h('input', { type: 'checkbox', id: 'announce-everyone' });
    #days = h('select', { id: 'announce-days' }, [0, 1, 3, 7, 30].map((days) => h('option', { value: days, word: `announce.days.${days}` })));
    #problem = h('p', { class: 'problem', role: 'alert' });
    #send = button('announce.send', () => this.#write(), { class: 'primary', icon: 'check' });

    connectedCallback() {
        const row = ([name, tag]) => {
            const input = h(tag, { id: `announce-${name}`, ...(tag === 'input' ? { type: 'text', maxlength: 200 } : { rows: 5, maxlength: 8000 }),
                lang: name.endsWith('Es') ? 'es' : 'en' });
            this.#inputs[name] = input;
            return [h('label', { for: input.id, word: `announce.${name}` }), input];
        };
        const check = (input, word) => h('p', { class: 'check' }, input, h('label', { for: input.id, word }));
        this.replaceChildren(h('h1', { class: 'title', word: 'announce.title1', tabindex: -1 }),
            h('div', { class: 'sheet' }, ...fields.slice(0, 2).flatMap(row), check(this.#urgent, 'announce.urgent'),
                check(this.#everyone, 'announce.everyone'), h('label', { for: 'announce-days', word: 'announce.days' }), this.#days,
                h('h2', { word: 'announce.spanish' }), ...fields.slice(2).flatMap(row), this.#problem,
                h('div', { class: 'choices' }, button('notices.all', () => go(this, 'notices'), { icon: 'back' }), this.#send)));
    }

    async #write() {
        const { title, body, titleEs, bodyEs } = Object.fromEntries(Object.entries(this.#inputs).map(([name, input]) => [name, input.value.trim()]));
        this.#problem.textContent = '';
        if (!title || (bodyEs && !titleEs)) {
            this.#problem.textContent = text('announce.needsTitle');
            return;
        }
        const days = Number(this.#days.value);
        this.#send.disabled = true;
        try {
            await api.announce({
                title, body, isUrgent: this.#urgent.checked, audience: this.#everyone.checked ? 'everyone' : 'crew',
                ...(days && { endDate: new Date(Date.now() + days * 86_400_000).toISOString() }),
                ...(titleEs && { translations: { es: { title: titleEs, body: bodyEs } } }),
            });
            go(this, 'notices');
        } catch (failure) {
            this.#send.disabled = false;
            this.#problem.textContent = failure.kind === 'invalid-request' ? failure.message : text('pages.failed');
            if (failure.kind === 'forbidden') station.ask();
        }
    }
}

customElements.define('tablet-announce', TabletAnnounce);
