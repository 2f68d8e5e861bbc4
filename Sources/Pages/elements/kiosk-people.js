// <kiosk-people>: the people of the station by group, whom to ask first before all others.
import { button, go, h } from '../core/dom.js';
import { onward } from '../core/onward.js';
import { tell, text, words } from '../core/words.js';
import { link } from '../core/reading.js';
import { Shown } from '../core/shown.js';
import * as api from '../core/api.js';

// A group by the name that the cards have; those that everybody has are in the language.
export function groupName(name) {
    if (!name) return text('people.others');
    const key = `people.group.${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
    return words.has(key) ? text(key) : name;
}

const primary = 'Primary Contacts';

class KioskPeople extends Shown {
    #list = h('div', { class: 'groups content', tabindex: 0, role: 'region', label: 'people.title' });

    begin() {
        this.replaceChildren(h('h1', { class: 'title', word: 'people.title', tabindex: -1 }), this.note, this.#list,
            h('div', { class: 'turn' }, onward(this.#list), button('about.all', () => go(this, 'about'), { icon: 'back' })));
    }

    ask(signal) {
        return api.personnel({ signal });
    }

    draw({ groups }) {
        tell(this.note, !groups.length && 'people.none');
        this.#list.replaceChildren(...groups.map(({ name, people }) => h('section', {}, h('h2', { text: groupName(name) }),
            h('ul', { class: name === primary ? 'contacts' : 'entries' },
                people.map((person) => (name === primary ? this.#contact(person) : this.#entry(person)))))));
    }

    #open(person, ...content) {
        return h('button', { type: 'button', class: 'entry', 'aria-label': text('people.open', { name: person.name }),
            on: { click: () => go(this, 'person', { person }) } }, ...content);
    }

    // Designation, name, and what reaches the person at once.
    #contact(person) {
        return h('li', {}, person.designation && h('p', { class: 'designation', text: person.designation }),
            this.#open(person, h('span', { class: 'what', text: person.name }), h('span', { class: 'plus', text: '+' })),
            [...person.phones, ...person.mails].map(({ text: shown, address }) => h('p', { class: 'reach' }, address ? link(address, shown) : shown)));
    }

    #entry(person) {
        return h('li', {}, this.#open(person, h('span', { class: 'what' }, h('span', { text: person.name }),
            person.designation && h('span', { class: 'where', text: person.designation })), h('span', { class: 'plus', text: '+' })));
    }
}

customElements.define('kiosk-people', KioskPeople);
