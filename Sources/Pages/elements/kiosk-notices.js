// <kiosk-notices>: the announcements, urgent unread ones first, a few at a time, with how old what feeds said is. `first` is
// the place of the page's first one.
import { button, go, h, icon } from '../core/dom.js';
import { FittedPages } from '../core/fitted.js';
import { person } from '../core/person.js';
import { unanswered } from '../core/phrases.js';
import { tell, text, words } from '../core/words.js';
import { station } from '../core/station.js';
import { follow } from '../core/changes.js';
import * as api from '../core/api.js';

const every = 15_000;
const day = { dateStyle: 'medium' };

class KioskNotices extends HTMLElement {
    #ended = null;
    #answer = null;
    #shown = '';
    #list = h('ul', { class: 'notices content' });
    #note = h('p', { class: 'note', role: 'status' });
    #age = h('p', { class: 'note age' });
    #newer = button('album.newer', () => this.#turn(-1), { icon: 'back' });
    #older = button('album.older', () => this.#turn(1), { icon: 'right' });
    #write = button('announce.open', () => go(this, 'announce'), { icon: 'pencil', hidden: true });
    #lines = h('div', { class: 'turn' }, this.#newer, this.#older);
    // The line that says that there are others is no row.
    #pages = new FittedPages(this.#list, { newer: this.#newer, older: this.#older, lines: [this.#lines], row: 'button' });

    get first() {
        return this.#pages.first;
    }

    set first(place) {
        this.#pages.first = place;
    }

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.#write.hidden = !person.mayAnnounce;
        this.#lines.hidden = true;
        this.replaceChildren(h('div', { class: 'head' }, h('h1', { class: 'title', word: 'notices.title', tabindex: -1 }), this.#write), this.#list, this.#note, this.#age, this.#lines);
        words.addEventListener('languagechange', () => { this.#draw(); this.#ask(); }, { signal });
        addEventListener('resize', () => this.#draw(true), { signal });
        follow('announcements', every, signal, () => this.#ask());
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    get #isKiosk() {
        return station.session.role === 'kiosk';
    }

    // Rows that are tried for a page; the kiosk does not scroll here, and shows as many as have room.
    get #limit() {
        return this.#isKiosk ? 20 : 50;
    }

    async #ask() {
        const { signal } = this.#ended;
        const answer = await api.announcements(words.language, { signal }).catch(() => null);
        if (signal.aborted) return;
        if (answer) this.#answer = answer;
        tell(this.#note, !answer && unanswered(this.#answer));
        this.#draw();
    }

    #turn(pages) {
        this.#pages.turn(pages);
        this.#draw(true);
    }

    #draw(anew = false) {
        if (!this.#answer) return;
        const { announcements, hiddenUrgent, feeds } = this.#answer;
        this.#pages.check(announcements.length);
        const page = announcements.slice(this.first, this.first + this.#limit);
        const shown = JSON.stringify([announcements.length, page, hiddenUrgent, words.language]);
        const age = Math.max(-1, ...feeds.map(({ ageSeconds }) => ageSeconds ?? -1));
        this.#age.textContent = age < 3600 ? '' : text('notices.age', { time: words.amount(Math.floor(age / 3600), 'hour') });
        if (!announcements.length && !hiddenUrgent) tell(this.#note, 'notices.none');
        if (!anew && shown === this.#shown) return;
        this.#shown = shown;
        this.#list.replaceChildren(...(hiddenUrgent ? [this.#hidden()] : []), ...page.map((one) => this.#row(one)));
        this.#pages.fit(announcements.length);
    }

    // There is something for the crew, and no more is said.
    #hidden() {
        return h('li', { class: 'announced urgent' }, icon('bell'), h('p', { class: 'part', word: 'notices.hidden' }));
    }

    #row(one) {
        const state = one.isRead ? 'read' : one.isChanged ? 'changed' : 'unread';
        const knows = Boolean(person.person) || (!this.#isKiosk && station.session.role !== 'visitor');
        return h('li', {}, h('button', {
            type: 'button', class: `announced${one.isUrgent ? ' urgent' : ''}${one.isRead ? ' read' : ''}`,
            on: { click: () => go(this, 'notice', { notice: one.id, first: this.first }) },
        }, icon(one.isUrgent ? 'bell' : one.isRead ? 'check' : 'notice'),
        h('span', { class: 'part', lang: one.language, text: one.title }),
        h('span', { class: 'detail' }, [one.isUrgent && text('notices.urgent'), knows && text(`notices.is.${state}`), words.time(one.pubDate, day)]
            .filter(Boolean).join(' · '))));
    }
}

customElements.define('kiosk-notices', KioskNotices);
