// <tablet-printer>: for rangers: how the printer is, what to do about it, a button that has it go on, and the cards that wait for
// it, each of which can be cancelled.
import { button, h, icon } from '../core/dom.js';
import { factList } from '../core/phrases.js';
import { shield } from '../core/shield.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';

const every = 2000;
const isWell = (state) => ['ready', 'printing', 'checking'].includes(state);

class TabletPrinter extends HTMLElement {
    #ended = null;
    #printer = null;
    #prints = [];
    #state = h('p', { class: 'part', role: 'status' });
    #remedy = h('p', {});
    #own = h('p', { class: 'detail', lang: 'en' });
    #box = h('li', {}, this.#state, this.#remedy, this.#own);
    #facts = h('dl', { class: 'facts' });
    #cards = h('section', { hidden: true }, h('h2', { word: 'printing.cards' }), h('ul', { class: 'jobs' }));
    // The cards as they were drawn last: what is the same is left alone, and keeps the focus.
    #drawn = '';
    #resume = button('printing.resume', () => this.#go(), { class: 'gold', icon: 'check', hidden: true });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'printing.title', tabindex: -1 }), h('ul', { class: 'parts one' }, this.#box),
            h('div', { class: 'choices' }, this.#resume), this.#cards, this.#facts);
        words.addEventListener('languagechange', () => {
            this.#tell();
            this.#list(this.#prints);
        }, { signal });
        this.#follow(signal);
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    async #follow(signal) {
        while (!signal.aborted) {
            const answer = await api.printer({ signal }).catch((failure) => failure);
            if (signal.aborted) return;
            if (answer.kind === 'forbidden') station.ask();
            this.#printer = answer instanceof Error ? null : answer;
            this.#tell();
            await this.#askCards();
            await pause(every, signal);
        }
    }

    #tell() {
        const printer = this.#printer;
        const { configured, state } = printer ?? {};
        const kind = !printer ? 'silent' : configured ? state : 'none';
        this.#box.className = !printer ? 'failed' : !configured || isWell(state) ? 'ok' : 'failed';
        this.#state.textContent = text(`printing.is.${kind}`);
        this.#remedy.textContent = words.has(`printing.do.${kind}`) ? text(`printing.do.${kind}`) : '';
        // The printer's own words: what it reports may say more.
        this.#own.textContent = configured && !isWell(state) ? printer.reason : '';
        this.#resume.hidden = !printer?.isResumable;
        const supplies = (printer?.supplies ?? []).map(({ name, level }) => [name, level >= 0 ? `${words.number(level)} %` : text('printing.unknown')]);
        const facts = !configured ? [] : [
            [text('printing.model'), printer.model ?? text('printing.unknown'), true], [text('printing.waiting'), words.number(printer.waiting)],
            [text('printing.copies'), words.number(printer.copies)], ...supplies,
            ...(printer.supplyMessage ? [[text('printing.supply'), printer.supplyMessage, true]] : []),
        ];
        this.#facts.replaceChildren(...factList(facts));
    }

    async #askCards() {
        const { signal } = this.#ended;
        const answer = this.#printer?.waiting ? await api.prints({ signal }).catch(() => null) : { prints: [] };
        if (answer && !signal.aborted) this.#list(answer.prints);
    }

    #list(prints) {
        this.#prints = prints;
        const drawn = JSON.stringify([words.language, prints]);
        if (drawn === this.#drawn) return;
        this.#drawn = drawn;
        this.#cards.hidden = !prints.length;
        this.#cards.lastElementChild.replaceChildren(...prints.map((print) => this.#job(print)));
        shield.raise();
    }

    #job(print) {
        const time = words.time(print.askedAt, { timeStyle: 'medium' });
        const values = { printed: words.number(print.printed), copies: words.number(print.copies) };
        return h('li', {},
            h('img', { src: `/v1/postcards/${encodeURIComponent(print.postcard)}/thumbnail.jpg`, alt: '' }),
            h('p', {}, h('strong', { text: text(`printing.job.${print.state}`) }), h('br'), `${time} · ${text('printing.sheets', values)}`),
            print.state !== 'cancelling' && h('button', {
                type: 'button', 'aria-label': text('printing.cancelOne', { time }), on: { click: (event) => this.#cancel(print, event.currentTarget) },
            }, icon('stop'), h('span', { text: text('printing.cancel') })));
    }

    async #cancel(print, node) {
        node.disabled = true;
        let told = 'printing.cancelled';
        try {
            const { state } = await api.cancelPrint(print.id);
            if (state === 'cancelling') told = 'printing.cancelling';
            await this.#askCards();
        } catch {
            node.disabled = false;
            told = 'pages.failed';
        }
        this.dispatchEvent(new CustomEvent('say', { bubbles: true, detail: text(told) }));
    }

    async #go() {
        this.#resume.disabled = true;
        let told = 'printing.resumed';
        try {
            this.#printer = await api.resumePrinter();
            this.#tell();
        } catch (failure) {
            told = failure.kind === 'conflict' ? 'printing.refused' : 'pages.failed';
        }
        this.#resume.disabled = false;
        this.dispatchEvent(new CustomEvent('say', { bubbles: true, detail: text(told) }));
    }
}

customElements.define('tablet-printer', TabletPrinter);
