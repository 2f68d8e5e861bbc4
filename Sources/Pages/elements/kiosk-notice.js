// <kiosk-notice>: one announcement. Whoever is known has read it by that.
import { button, go, h } from '../core/dom.js';
import { ask } from '../core/ask.js';
import { onward } from '../core/onward.js';
import { person } from '../core/person.js';
import { reading } from '../core/reading.js';
import { Shown } from '../core/shown.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';

const when = { dateStyle: 'medium', timeStyle: 'short' };

// A text of CommonMark as the portal reads it, or plain paragraphs.
const written = (blocks, plain) => (blocks ? reading(blocks) : plain.split(/\n{2,}/).filter(Boolean).map((lines) => h('p', { text: lines })));

class KioskNotice extends Shown {
    notice = '';
    first = 0;
    // The screen that asked for it, where that is not the list.
    from = '';
    #title = h('h1', { class: 'title', tabindex: -1 });
    #when = h('p', { class: 'note' });
    #body = h('div', { class: 'written content', tabindex: 0, role: 'region', label: 'notices.text' });
    // There with the announcement: what it is decides which there are.
    #choices = h('div', { class: 'choices', hidden: true });
    #change = button('announce.change', () => go(this, 'announce', { notice: this.notice }), { icon: 'pencil', hidden: true });

    begin() {
        this.#choices.replaceChildren(...[this.from === 'crew' ? button('crew.day', () => go(this, 'crew'), { icon: 'back' })
            : button('notices.all', () => go(this, 'notices', { first: this.first }), { icon: 'back' }),
            onward(this.#body), this.#change, person.mayAnnounce && button('notices.retire', () => this.#retire(), { icon: 'bin', class: 'danger' })].filter(Boolean));
        this.replaceChildren(this.#title, this.#when, this.#body, this.note, this.#choices);
    }

    ask(signal) {
        return api.announcement(this.notice, words.language, { signal });
    }

    // The other language may be another text.
    changed() {
        this.load();
    }

    // What is for the crew is not there for whoever is not signed in any more.
    async gone() {
        const hasEnded = person.person && await person.ask().then(({ person }) => !person, () => false);
        if (!this.isConnected) return;
        if (hasEnded) for (const node of [this.#title, this.#when, this.#body]) node.replaceChildren();
        tell(this.note, hasEnded ? 'account.again' : 'notices.gone');
        this.#choices.hidden = false;
    }

    failed() {
        this.#choices.hidden = false;
    }

    draw(one) {
        this.#title.textContent = one.title;
        for (const node of [this.#title, this.#body]) node.lang = one.language;
        const until = one.endDate ? text('notices.until', { time: words.time(one.endDate, when) }) : '';
        this.#when.textContent = [one.isUrgent && text('notices.urgent'), words.time(one.pubDate, when), until].filter(Boolean).join(' · ');
        this.#body.replaceChildren(...written(one.bodyBlocks, one.body), ...written(one.moreBlocks, one.more));
        // What comes from a file or a feed is changed there.
        this.#change.hidden = !person.mayAnnounce || one.source !== 'written';
        this.#choices.hidden = false;
    }

    async #retire() {
        if (!await ask('notices.retire', 'notices.retireDetail', 'notices.retire')) return;
        try {
            await api.retireAnnouncement(this.notice);
            go(this, 'notices');
        } catch (failure) {
            tell(this.note, 'pages.failed');
            if (failure.kind === 'forbidden') station.ask();
        }
    }
}

customElements.define('kiosk-notice', KioskNotice);
