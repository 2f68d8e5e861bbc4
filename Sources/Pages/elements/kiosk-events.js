// <kiosk-events>: what is on, by days, the next first. `cursors` are those of the pages before, and of this one.
import { button, go, h } from '../core/dom.js';
import { onward } from '../core/onward.js';
import { tell, text } from '../core/words.js';
import { day, hours } from '../core/reading.js';
import { Shown } from '../core/shown.js';
import * as api from '../core/api.js';

const limit = 20;

class KioskEvents extends Shown {
    cursors = [];
    #list = h('div', { class: 'days content', tabindex: 0, role: 'region', label: 'events.title' });
    #earlier = button('events.earlier', () => go(this, 'events', { cursors: this.cursors.slice(0, -1) }), { icon: 'left' });
    #later = button('events.later', () => go(this, 'events', { cursors: [...this.cursors, this.#next] }), { icon: 'right' });
    #next = null;

    begin() {
        this.replaceChildren(h('h1', { class: 'title', word: 'events.title', tabindex: -1 }), this.note, this.#list,
            h('div', { class: 'turn' }, onward(this.#list), this.#earlier, this.#later));
    }

    ask(signal) {
        return api.calendar({ cursor: this.cursors.at(-1), limit, signal });
    }

    draw({ events, today, next }) {
        this.#next = next;
        for (const one of [this.#earlier, this.#later]) one.hidden = !next && !this.cursors.length;
        this.#earlier.disabled = !this.cursors.length;
        this.#later.disabled = !next;
        tell(this.note, !events.length && 'events.none');
        // What began before today is on today.
        const days = Map.groupBy(events, ({ firstDay }) => (firstDay < today ? today : firstDay));
        this.#list.replaceChildren(...[...days].map(([date, ofDay]) => h('section', { class: date === today ? 'now' : null },
            h('h2', {}, date === today && h('span', { class: 'chip', text: text('events.today') }), day(date)),
            h('ul', { class: 'entries' }, ofDay.map((event) => this.#entry(event))))));
    }

    #entry(event) {
        return h('li', {}, h('button', { type: 'button', class: 'entry', on: { click: () => go(this, 'event', { event, cursors: this.cursors }) } },
            h('span', { class: 'when', text: hours(event) }),
            h('span', { class: 'what' }, h('span', { class: event.isCancelled ? 'struck' : null, text: event.title }),
                event.isCancelled && h('span', { class: 'chip', text: text('events.cancelled') }),
                event.place && h('span', { class: 'where', text: event.place }))));
    }
}

customElements.define('kiosk-events', KioskEvents);
