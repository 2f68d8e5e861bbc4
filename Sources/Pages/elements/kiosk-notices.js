// <kiosk-notices>: the announcements, urgent unread ones first, a few at a time, with how old what feeds said is. `first` is
// the place of the page's first one.
import { button, go, h, icon } from '../core/dom.js';
import { text, words } from '../core/words.js';
import { station } from '../core/station.js';
import { Changes } from '../core/changes.js';
import * as api from '../core/api.js';

const every = 15_000;
const day = { dateStyle: 'medium' };

class KioskNotices extends HTMLElement {
    first = 0;
    #ended = null;
    #answer = null;
    #shown = '';
    #list = h('ul', { class: 'notices' });
    #note = h('p', { class: 'note', role: 'status' });
    #age = h('p', { class: 'note age' });
    #newer = button('album.newer', () => this.#turn(-1), { icon: 'back' });
    #older = button('album.older', () => this.#turn(1), { icon: 'right' });
    #lines = h('div', { class: 'turn' }, this.#newer, this.#older);

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'notices.title', tabindex: -1 }), this.#list, this.#note, this.#age, this.#lines);
        words.addEventListener('languagechange', () => this.#ask(), { signal });
        addEventListener('resize', () => this.#draw(), { signal });
        this.#follow();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // A page of the kiosk has as many as fit; everywhere else the screen scrolls.
    get #limit() {
        if (station.session.role !== 'kiosk') return 50;
        return Math.max(1, Math.floor((this.clientHeight - 190) / 104));
    }

    async #follow() {
        const { signal } = this.#ended;
        const changes = new Changes('announcements', every, signal);
        while (!signal.aborted) {
            await this.#ask();
            await changes.next();
        }
    }

    async #ask() {
        const { signal } = this.#ended;
        const answer = await api.announcements(words.language, { signal }).catch(() => null);
        if (signal.aborted) return;
        if (answer) this.#answer = answer;
        this.#note.textContent = !answer ? text('pages.failed') : '';
        this.#draw();
    }

    #turn(pages) {
        this.first = Math.max(0, this.first + pages * this.#limit);
        this.#draw();
    }

    #draw() {
        if (!this.#answer) return;
        const { announcements, hiddenUrgent, feeds } = this.#answer;
        const limit = this.#limit;
        if (this.first >= announcements.length) this.first = 0;
        const page = announcements.slice(this.first, this.first + limit);
        const shown = JSON.stringify([page, hiddenUrgent, words.language]);
        this.#newer.disabled = this.first === 0;
        this.#older.disabled = this.first + limit >= announcements.length;
        this.#lines.hidden = announcements.length <= limit;
        const age = Math.max(-1, ...feeds.map(({ ageSeconds }) => ageSeconds ?? -1));
        this.#age.textContent = age < 3600 ? '' : text('notices.age', { time: words.amount(Math.floor(age / 3600), 'hour') });
        if (!announcements.length && !hiddenUrgent) this.#note.textContent = text('notices.none');
        if (shown === this.#shown) return;
        this.#shown = shown;
        this.#list.replaceChildren(...(hiddenUrgent ? [this.#hidden()] : []), ...page.map((one) => this.#row(one)));
    }

    // There is something for the crew, and no more is said.
    #hidden() {
        return h('li', { class: 'announced urgent' }, icon('bell'), h('p', { class: 'part', word: 'notices.hidden' }));
    }

    #row(one) {
        const state = one.isRead ? 'read' : one.isChanged ? 'changed' : 'unread';
        const knows = station.session.role !== 'kiosk' && station.session.role !== 'visitor';
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
