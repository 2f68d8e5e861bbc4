// <tablet-printer>: for rangers: how the printer is, what to do about it, and a button that has it go on.
import { button, h } from '../core/dom.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';

const every = 2000;
const isWell = (state) => ['ready', 'printing', 'checking'].includes(state);

class TabletPrinter extends HTMLElement {
    #ended = null;
    #printer = null;
    #state = h('p', { class: 'part', role: 'status' });
    #remedy = h('p', {});
    #own = h('p', { class: 'detail', lang: 'en' });
    #box = h('li', {}, this.#state, this.#remedy, this.#own);
    #facts = h('dl', { class: 'facts' });
    #resume = button('printing.resume', () => this.#go(), { class: 'gold', icon: 'check', hidden: true });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'printing.title', tabindex: -1 }), h('ul', { class: 'parts one' }, this.#box),
            h('div', { class: 'choices' }, this.#resume), this.#facts);
        words.addEventListener('languagechange', () => this.#tell(), { signal });
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
            [text('printing.model'), printer.model ?? text('printing.unknown')], [text('printing.waiting'), words.number(printer.waiting)],
            [text('printing.copies'), words.number(printer.copies)], ...supplies,
            ...(printer.supplyMessage ? [[text('printing.supply'), printer.supplyMessage]] : []),
        ];
        this.#facts.replaceChildren(...facts.flatMap(([name, value]) => [h('dt', { text: name }), h('dd', { text: value })]));
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
