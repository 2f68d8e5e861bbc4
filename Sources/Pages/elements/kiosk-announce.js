// <kiosk-announce>: for officers and rangers: an announcement is written, one question after another, in the page's language and then,
// if they like, in another one; or the one that `notice` names is changed. A device has a keyboard of its own, the kiosk gets one.
import { keyboardFor } from './screen-keyboard.js';
import { button, go, h, icon } from '../core/dom.js';
import { shield } from '../core/shield.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';

const longest = { title: 200, body: 8000 };
const dayLength = 86_400_000;
const when = { dateStyle: 'medium', timeStyle: 'short' };
// Days that it is shown, 0 for as long as nobody takes it away.
const spans = [0, 1, 3, 7, 30];
// The questions: the words of one language, how it is announced, then the words of the other.
const steps = ['title', 'body', 'how', 'otherTitle', 'otherBody'];

class KioskAnnounce extends HTMLElement {
    notice = '';
    #ended = null;
    // What is changed, as the station has it; null for a new one.
    #old = null;
    #place = 0;
    #language = '';
    #written = {};
    #isUrgent = false;
    #isForAll = false;
    // One of the spans; null leaves the end as it is.
    #days = 0;
    #isSending = false;
    #problem = h('p', { class: 'problem', role: 'alert' });

    connectedCallback() {
        this.classList.add('asking');
        this.#ended = new AbortController();
        if (this.notice) this.#ask();
        else this.#begin(words.language);
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // MARK: What there is

    async #ask() {
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'announce.change', tabindex: -1 }), this.#problem,
            h('div', { class: 'choices' }, button('notices.all', () => go(this, 'notices'), { icon: 'back' })));
        try {
            this.#old = await api.writtenAnnouncement(this.notice, { signal });
        } catch (failure) {
            if (!signal.aborted) tell(this.#problem, failure.kind === 'not-found' ? 'notices.gone' : 'pages.failed');
            return;
        }
        [this.#isUrgent, this.#isForAll, this.#days] = [this.#old.isUrgent, this.#old.audience === 'everyone', null];
        this.#begin(this.#old.language);
    }

    #begin(language) {
        this.#language = language;
        for (const one of [language, this.#other]) {
            const { title, body } = this.#old?.translations[one] ?? { title: '', body: '' };
            this.#written[one] = { title, body };
        }
        this.#show();
    }

    // The language that it may be written in as well.
    get #other() {
        return this.#language === 'en' ? 'es' : 'en';
    }

    get #step() {
        return steps[this.#place];
    }

    // What was there in the other language is looked at before it is sent again.
    get #hasOther() {
        return Boolean(this.#old?.translations[this.#other]);
    }

    // MARK: The questions

    #show() {
        shield.raise();
        tell(this.#problem);
        if (this.#step === 'how') this.#showHow();
        else this.#showField();
    }

    #showField() {
        const isOther = this.#step.startsWith('other');
        const language = isOther ? this.#other : this.#language;
        const name = this.#step.endsWith('itle') ? 'title' : 'body';
        const own = this.#written[language];
        const question = isOther ? `announce.${name}.${language}` : `announce.${name}`;
        const field = h(name === 'title' ? 'input' : 'textarea', {
            ...(name === 'title' ? { type: 'text', autocomplete: 'off' } : { rows: 4 }), id: 'answer', maxlength: longest[name], lang: language, hint: question,
            on: { keydown: ({ key }) => { if (key === 'Enter' && name === 'title') this.#next(); } },
        });
        field.value = own[name];
        this.#keep = () => { own[name] = field.value.trim(); };
        const keyboard = keyboardFor(field);
        this.replaceChildren(...[
            h('h1', { class: 'title', tabindex: -1 }, h('label', { for: 'answer', word: question })), field, this.#problem,
            h('div', { class: 'choices' }, this.#back(), this.#step === 'otherBody' ? this.#send() : button('trips.next', () => this.#next(), { class: 'primary', icon: 'right' })),
            keyboard].filter(Boolean));
        field.focus({ preventScroll: true });
    }

    #keep = () => {};

    #showHow(focused = '') {
        this.#keep = () => {};
        const choice = (name, word, isChosen, act) => h('button', {
            type: 'button', 'data-choice': name, 'aria-pressed': String(isChosen), on: { click: () => { act(); this.#showHow(name); } },
        }, icon(isChosen ? 'check' : 'plus'), h('span', { word }));
        const span = (days) => choice(`days ${days}`, days === null ? ['announce.asItIs', () => ({ time: this.#end })] : `announce.days.${days}`, this.#days === days,
            () => { this.#days = days; });
        this.replaceChildren(h('h1', { class: 'title', tabindex: -1, word: 'announce.how' }),
            h('div', { class: 'options' }, choice('urgent', 'announce.urgent', this.#isUrgent, () => { this.#isUrgent = !this.#isUrgent; }),
                choice('everyone', 'announce.everyone', this.#isForAll, () => { this.#isForAll = !this.#isForAll; })),
            h('h2', { word: 'announce.days' }),
            h('div', { class: 'options', role: 'group', label: 'announce.days' }, (this.#old?.endDate ? [null, ...spans] : spans).map(span)),
            this.#problem,
            h('div', { class: 'choices' }, this.#back(), ...this.#hasOther ? [button('trips.next', () => this.#next(), { class: 'primary', icon: 'right' })]
                : [button(`announce.also.${this.#other}`, () => this.#next(), { icon: 'pencil' }), this.#send()]));
        (this.querySelector(`[data-choice="${focused}"]`) ?? this.querySelector('h1')).focus({ preventScroll: true });
    }

    get #end() {
        return words.time(this.#old.endDate, when);
    }

    #back() {
        if (this.#place === 0) return button('ask.no', () => this.#leave(), { icon: 'back' });
        return button('trips.previous', () => { this.#keep(); this.#turn(-1); }, { icon: 'back' });
    }

    #send() {
        return button(this.#old ? 'announce.sendChange' : 'announce.send', () => this.#write(), { class: 'primary', icon: 'check' });
    }

    #leave() {
        if (this.notice) go(this, 'notice', { notice: this.notice });
        else go(this, 'notices');
    }

    #turn(way) {
        this.#place += way;
        this.#show();
    }

    #next() {
        this.#keep();
        if (this.#step === 'title' && !this.#written[this.#language].title) {
            tell(this.#problem, 'trips.needed');
            return;
        }
        this.#turn(1);
    }

    // MARK: Writing

    // Other languages than these two stay as they are, and so does what follows the body.
    get #wishes() {
        const old = this.#old?.translations ?? {};
        const [own, other] = [this.#language, this.#other].map((language) => this.#written[language]);
        const kept = Object.fromEntries(Object.entries(old).filter(([language]) => ![this.#language, this.#other].includes(language)));
        return {
            ...own, isUrgent: this.#isUrgent, audience: this.#isForAll ? 'everyone' : 'crew', ...(!this.#old && { language: this.#language }),
            ...(this.#days ? { endDate: new Date(Date.now() + this.#days * dayLength).toISOString() } : this.#old && this.#days === 0 && { endDate: null }),
            translations: { ...kept, ...(other.title && { [this.#other]: { ...other, more: old[this.#other]?.more ?? '' } }) },
        };
    }

    async #write() {
        if (this.#isSending) return;
        this.#keep();
        const other = this.#written[this.#other];
        if (other.body && !other.title) {
            tell(this.#problem, 'announce.needsTitle');
            return;
        }
        this.#isSending = true;
        try {
            const { id } = await (this.#old ? api.changeAnnouncement(this.notice, this.#wishes) : api.announce(this.#wishes));
            // Whoever has gone on meanwhile stays where they are.
            if (this.#ended.signal.aborted) return;
            const app = this.closest('kiosk-app');
            go(this, 'notice', { notice: id });
            app.dispatchEvent(new CustomEvent('say', { detail: text(this.#old ? 'announce.changed' : 'announce.done') }));
        } catch (failure) {
            this.#isSending = false;
            const why = { forbidden: 'roster.signIn', 'not-found': 'notices.gone', 'invalid-request': 'announce.refused', conflict: 'announce.refused' }[failure.kind] ?? 'pages.failed';
            tell(this.#problem, why, { reason: failure.message });
            if (failure.kind === 'forbidden') station.ask();
        }
    }
}

customElements.define('kiosk-announce', KioskAnnounce);
