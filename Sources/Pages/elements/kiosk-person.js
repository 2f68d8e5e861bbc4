// <kiosk-person>: one person: designation, numbers, addresses, interests, publications, profile, and the card as a code.
// `person` is what the list has.
import { button, go, h, icon } from '../core/dom.js';
import { onward } from '../core/onward.js';
import { code } from '../core/codes.js';
import { text } from '../core/words.js';
import { leadsAway, link } from '../core/reading.js';
import { Shown } from '../core/shown.js';
import * as api from '../core/api.js';

class KioskPerson extends Shown {
    person = null;
    #heading = h('h1', { class: 'title', tabindex: -1 });
    #facts = h('div', { class: 'text', tabindex: 0, role: 'region' });
    #take = h('div', { class: 'code-side' });

    begin() {
        if (!this.person) return go(this, 'people');
        this.replaceChildren(this.#heading, h('div', { class: 'sides' }, this.#facts, this.#take),
            h('div', { class: 'turn' }, onward(this.#facts), button('people.all', () => go(this, 'people'), { icon: 'back' })));
        this.given = this.person;
        this.#tell(this.person);
    }

    ask(signal) {
        return this.person ? api.person(this.person.id, { signal }) : new Promise(() => {});
    }

    gone() {
        this.say('people.gone');
        go(this, 'people');
    }

    draw(person) {
        this.#tell(person);
        const file = leadsAway() && h('a', { class: 'button', href: person.links.card, download: 'card.vcf' },
            icon('down'), h('span', { word: 'people.save' }));
        const name = text('people.card');
        this.#take.replaceChildren(h('h2', { text: name }), ...(person.code.qr.length ? [code(person.code.qr, { 'aria-label': name }), h('p', { word: 'events.addNote' })] : []),
            file || '');
    }

    #tell(person) {
        this.#heading.textContent = person.name;
        this.#facts.setAttribute('aria-label', person.name);
        const lines = (key, list) => (list?.length ? [h('h2', { text: text(key) }), ...list] : []);
        const reach = ({ text: shown, address }) => h('p', { class: 'reach' }, address ? link(address, shown) : shown);
        this.#facts.replaceChildren(
            ...(person.designation ? [h('p', { class: 'designation', text: person.designation })] : []),
            ...(person.organization ? [h('p', { class: 'facts-line', text: person.organization })] : []),
            ...lines('people.phone', person.phones.map(reach)), ...lines('people.mail', person.mails.map(reach)),
            ...lines('people.address', person.address?.length ? [h('p', {}, person.address.flatMap((line, index) => (index ? [h('br'), line] : [line])))] : []),
            ...lines('people.interests', person.interests?.length ? [h('p', { text: person.interests.join(', ') })] : []),
            ...lines('people.publications', person.publications?.map((one) => h('p', { text: one }))),
            ...(person.note ? person.note.split('\n').map((line) => h('p', { text: line })) : []),
            ...(person.profile ? [h('p', { class: 'more-link' }, link(person.profile, text('people.profile')))] : []), this.note);
    }
}

customElements.define('kiosk-person', KioskPerson);
