// <kiosk-print>: the visitor's card on paper: how many, how far it is, and what is wrong with the printer. Printing goes on
// when the visitor leaves the screen.
import { button, go, h } from '../core/dom.js';
import { shield } from '../core/shield.js';
import { visit } from '../core/visit.js';
import { forRanger } from '../core/phrases.js';
import { text, words } from '../core/words.js';
import * as api from '../core/api.js';
import { cardName } from './kiosk-card.js';

const pollEvery = 1500;
const open = (print) => ['waiting', 'printing', 'cancelling'].includes(print?.state);

class KioskPrint extends HTMLElement {
    #ended = null;
    #timer = 0;
    #printer = { state: 'checking', copies: 1 };
    // What was answered to the last wish that was refused.
    #refusal = null;
    #key = null;
    #copies = 1;
    #image = h('img', { class: 'card' });
    #state = h('p', { class: 'state', role: 'status' });
    #safe = h('p', { class: 'safe', word: 'print.safe' });
    #detail = h('p', { class: 'detail' });
    #count = h('output', { class: 'number' });
    #fewer = button('print.fewer', () => this.#choose(-1), { class: 'fewer', icon: 'minus' });
    #more = button('print.more', () => this.#choose(1), { class: 'more', icon: 'plus' });
    #choice = h('div', { class: 'copies', role: 'group', label: 'print.copies' },
        h('p', { word: 'print.copies' }), this.#fewer, this.#count, this.#more);
    #start = button('print.start', () => this.#print(), { class: 'primary', icon: 'printer' });
    #stop = button('print.stop', () => this.#cancel(), { icon: 'stop', class: 'stop' });
    // What stands where, as it was told last.
    #laid = '';
    #back = button('print.back', () => go(this, 'card'), { icon: 'back', class: 'back' });

    connectedCallback() {
        if (!visit.card) return go(this, 'home');
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.#image.src = visit.cardURL;
        this.#image.style.setProperty('--ratio', visit.card.width / visit.card.height);
        this.replaceChildren(
            h('h1', { class: 'title', word: 'print.title', tabindex: -1 }), h('figure', {}, this.#image),
            h('div', { class: 'telling' }, this.#state, this.#safe, this.#detail), this.#choice,
            h('div', { class: 'actions' }, this.#start, this.#stop, this.#back));
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        this.#tell();
        this.#ask();
    }

    disconnectedCallback() {
        this.#ended?.abort();
        clearTimeout(this.#timer);
        this.#image.removeAttribute('src');
    }

    // Asks how the printer and the wish are, for as long as the screen is shown.
    async #ask() {
        const { signal } = this.#ended;
        try {
            this.#printer = await api.printer({ signal });
            if (open(visit.print)) this.#keep(await api.print(visit.print.id, { signal }));
        } catch {
            if (!signal.aborted) this.#printer = { ...this.#printer, state: 'unreachable', remedy: '', reason: '' };
        }
        if (signal.aborted) return;
        this.#tell();
        this.#timer = setTimeout(() => this.#ask(), pollEvery);
    }

    #keep(print) {
        if (visit.card?.id === print.postcard) visit.print = print;
    }

    // Copies that can still be asked for, as the station counts them.
    #left() {
        return visit.print?.left ?? this.#printer.copies ?? 1;
    }

    #choose(step) {
        this.#copies = this.#copies + step;
        this.#key = null;
        this.#tell();
    }

    // A wish that was not answered is repeated with its key.
    async #print() {
        this.#start.disabled = true;
        this.#refusal = null;
        this.#key ??= api.newKey();
        const card = visit.card;
        try {
            const print = await api.makePrint(card, this.#copies, this.#key);
            if (visit.card === card) visit.print = print;
            this.#key = null;
        } catch (failure) {
            this.#refusal = failure;
            if (failure.kind !== 'unreachable') this.#key = null;
        }
        this.#start.disabled = false;
        if (this.isConnected) this.#tell();
    }

    async #cancel() {
        this.#stop.disabled = true;
        try {
            this.#keep(await api.cancelPrint(visit.print.id));
        } catch (failure) {
            this.#refusal = failure;
        }
        this.#stop.disabled = false;
        if (this.isConnected) this.#tell();
    }

    #tell() {
        const { state, reason = '', remedy = '' } = this.#printer;
        const left = this.#isUsedUp() ? 0 : this.#left();
        this.#copies = Math.max(1, Math.min(this.#copies, left));
        const isOpen = open(visit.print);
        const isWell = ['ready', 'printing', 'checking'].includes(state);
        this.#image.alt = cardName(visit.card);
        this.#state.textContent = isWell ? this.#progress() : text(`printer.${state}`);
        this.#state.classList.toggle('trouble', !isWell);
        this.#safe.hidden = isWell;
        this.#detail.replaceChildren(...forRanger(isWell ? '' : [reason, remedy].filter(Boolean).join('; ')));
        this.#count.textContent = this.#number(this.#copies);
        this.#choice.hidden = isOpen || !isWell || left < 2;
        this.#fewer.disabled = this.#copies <= 1;
        this.#more.disabled = this.#copies >= left;
        this.#start.hidden = isOpen || !isWell || left < 1;
        this.#stop.hidden = !isOpen || visit.print.state === 'cancelling';
        const laid = [this.#choice, this.#start, this.#stop].map((node) => node.hidden).join();
        if (laid !== this.#laid) shield.raise();
        this.#laid = laid;
    }

    #isUsedUp() {
        return this.#refusal?.kind === 'conflict';
    }

    #number(value) {
        return words.number(value);
    }

    // How far it is, in the visitor's words.
    #progress() {
        const print = visit.print;
        if (this.#refusal) {
            const known = { conflict: 'print.used', 'too-many-requests': 'print.busy' }[this.#refusal.kind];
            return text(known ?? 'print.refused');
        }
        if (!print) return text(this.#printer.state === 'printing' ? 'print.occupied' : `print.${this.#printer.state}`);
        if (print.state === 'waiting' && print.before > 0) return text('print.before', { count: this.#number(print.before) });
        if (print.state === 'printing') {
            return text('print.printing', { sheet: this.#number(Math.min(print.printed + 1, print.copies)), copies: this.#number(print.copies) });
        }
        return text(`print.${print.state}`);
    }
}

customElements.define('kiosk-print', KioskPrint);
