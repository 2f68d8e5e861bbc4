// <kiosk-attract>: the first screen: the prairie, the first words in three languages in turn, one button.
import { button, go, h, icon } from '../core/dom.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { follow } from '../core/changes.js';
import { clock } from '../core/reading.js';
import { pause } from '../core/pause.js';
import { person } from '../core/person.js';
import { sourceOf } from '../core/phrases.js';
import { LargeLetters, lettersHeading } from './large-letters.js';
import { LivePicture } from './live-picture.js';

const turn = 4000;
const asksNotices = 20_000;
const asksAgain = 60_000;
// What was known when the screen was shown last: it is there at once, so that the button is where it will be.
const known = { events: [], notices: null };
const portrait = matchMedia('(orientation: portrait)');

class KioskAttract extends HTMLElement {
    #letters = new LargeLetters();
    #heading = lettersHeading(this.#letters);
    #today = h('button', { type: 'button', class: 'today', hidden: true, on: { click: () => go(this, 'events') } });
    #ended = null;
    #turns = 0;
    #urgentWords = h('span', {});
    // That the picture is none of here and now, where it is not.
    #source = h('p', { class: 'ribbon source' });
    #urgent = h('button', { type: 'button', class: 'urgent-notice', hidden: true, on: { click: () => go(this, 'notices') } }, icon('bell'), this.#urgentWords);

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        const picture = new LivePicture((options) => station.frame(options), 200);
        picture.setAttribute('mirrored', '');
        this.replaceChildren(h('calm-prairie'), picture, this.#source, this.#urgent,
            h('div', { class: 'greeting' }, this.#heading,
                button('attract.take', () => go(this, 'compose'), { class: 'primary', icon: 'camera', 'data-first': true }),
                this.#today, h('p', { class: 'promise', word: 'attract.promise' })));
        portrait.addEventListener('change', () => this.#draw(), { signal });
        words.addEventListener('languagechange', () => { this.#greet(0); this.#tellToday(); this.#tellSource(); this.#askUrgent(); }, { signal });
        station.addEventListener('change', () => this.#tellSource(), { signal });
        const timer = setInterval(() => this.#greet(this.#turns + 1), turn);
        signal.addEventListener('abort', () => clearInterval(timer));
        this.#draw();
        this.#greet(0);
        this.#tellSource();
        this.#tellToday();
        this.#tellUrgent();
        this.#follow(signal);
        follow('announcements', asksNotices, signal, () => this.#askUrgent());
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #tellSource() {
        this.#source.textContent = sourceOf(station.status?.camera?.source);
    }

    // What is urgent for everyone, by its title, with how many others there are; of what is for the crew, only that there is something.
    async #askUrgent() {
        const { signal } = this.#ended;
        await person.left;
        const answer = await api.announcements(words.language, { signal }).catch(() => null);
        if (!answer || signal.aborted) return;
        known.notices = answer;
        this.#tellUrgent();
    }

    #tellUrgent() {
        const answer = known.notices;
        if (!answer) return;
        const [first, ...others] = answer.announcements.filter(({ isUrgent, isRead }) => isUrgent && !isRead);
        this.#urgent.hidden = !first && !answer.hiddenUrgent;
        const more = [others.length && text('trips.others', { count: words.number(others.length) }), answer.hiddenUrgent && text('notices.hidden')];
        // Each in a line of its own; together they are the button's name.
        const said = [first && h('span', { lang: first.language, text: first.title }),
            h('span', { text: more.filter(Boolean).join(' · ') })].filter((one) => one?.textContent);
        this.#urgentWords.replaceChildren(...said.flatMap((one, index) => (index ? [' ', one] : [one])));
    }

    #draw() {
        this.#letters.show(station.session.place ?? station.session.station, portrait.matches);
    }

    // What is on today, as long as it is; nothing where nothing is.
    async #follow(signal) {
        while (!signal.aborted) {
            const page = await api.calendar({ limit: 5, signal }).catch(() => null);
            if (signal.aborted) return;
            if (page) known.events = page.events.filter(({ firstDay, isCancelled }) => firstDay <= page.today && !isCancelled);
            this.#tellToday();
            await pause(asksAgain, signal);
        }
    }

    #tellToday() {
        const [first, ...others] = known.events;
        this.#today.hidden = !first;
        if (!first) return;
        const title = first.startTime ? `${clock(first.startTime)} ${first.title}` : first.title;
        this.#today.textContent = text(others.length ? 'attract.todayMore' : 'attract.today', { title, count: words.number(others.length) });
    }

    // The greeting of the language in use first, then the others.
    #greet(turns) {
        this.#turns = turns;
        const others = words.languages.filter((language) => language !== words.language);
        const greetings = [words.language, ...others].map((language) => [language, words.text('attract.greeting', {}, language)]);
        greetings.push([text('attract.other.language'), text('attract.other')]);
        const [language, greeting] = greetings[turns % greetings.length];
        this.#letters.greeting = greeting;
        this.#heading.lang = language;
        this.#heading.setAttribute('aria-label', `${greeting} ${station.session.place ?? ''}`.trim());
    }
}

customElements.define('kiosk-attract', KioskAttract);
