// <kiosk-event>: one event with its day, place, details and link, and a code by which a telephone takes it along. `event` is what the
// list has of it, `cursors` the page to go back to.
import { button, go, h, icon } from '../core/dom.js';
import { onward } from '../core/onward.js';
import { code } from '../core/codes.js';
import { text } from '../core/words.js';
import { day, hours, leadsAway, link } from '../core/reading.js';
import { Shown } from '../core/shown.js';
import * as api from '../core/api.js';

class KioskEvent extends Shown {
    event = null;
    cursors = [];
    #heading = h('h1', { class: 'title', tabindex: -1 });
    #facts = h('div', { class: 'text', tabindex: 0, role: 'region' });
    #take = h('div', { class: 'code-side' });

    begin() {
        if (!this.event) return go(this, 'events');
        this.replaceChildren(this.#heading, h('div', { class: 'sides' }, this.#facts, this.#take),
            h('div', { class: 'turn' }, onward(this.#facts), button('events.all', () => go(this, 'events', { cursors: this.cursors }), { icon: 'back' })));
        this.given = this.event;
        this.#tell(this.event);
    }

    ask(signal) {
        return this.event ? api.calendarEvent(this.event.id, { signal }) : new Promise(() => {});
    }

    gone() {
        this.say('events.gone');
        go(this, 'events');
    }

    draw(event) {
        this.#tell(event);
        const file = leadsAway() && h('a', { class: 'button', href: event.links.iCalendar, download: 'event.ics' },
            icon('down'), h('span', { word: 'events.save' }));
        const name = text('events.add');
        this.#take.replaceChildren(h('h2', { text: name }), ...(event.code.qr.length ? [code(event.code.qr, { 'aria-label': name }), h('p', { word: 'events.addNote' })] : []),
            file || '');
    }

    #tell(event) {
        this.#heading.textContent = event.title;
        this.#facts.setAttribute('aria-label', event.title);
        this.#facts.replaceChildren(
            h('p', { class: 'facts-line strong' }, event.isCancelled && h('span', { class: 'chip', text: text('events.cancelled') }),
                `${day(event.firstDay, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })}, ${hours(event)}`),
            event.place ? h('p', { class: 'facts-line', text: event.place }) : '',
            event.isZoneAssumed ? h('p', { class: 'facts-line', word: 'events.assumed' }) : '',
            ...(event.details ?? '').split('\n').filter((line) => line.trim()).map((line) => h('p', { text: line })),
            event.link ? h('p', { class: 'more-link' }, link(event.link, text('events.more'))) : '', this.note);
    }
}

customElements.define('kiosk-event', KioskEvent);
