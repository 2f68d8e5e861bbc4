// What the games share: the bar above, the choice before a round, the clock, and what is shown after it.
import { button, h } from '../core/dom.js';
import { text, words } from '../core/words.js';
import * as sound from '../core/sound.js';
import { newSeed, seeded, shuffled } from './random.js';
import { dueFirst } from './boxes.js';
import { Round } from './round.js';
import { player } from './player.js';
import '../elements/learn-bar.js';

// The seed that the address asks for; the rounds after the first are others, which are as repeatable.
const asked = new URLSearchParams(location.search).get('seed')?.slice(0, 64);
let rounds = 0;
export const nextSeed = () => {
    rounds += 1;
    return asked ? `${asked}${rounds > 1 ? ` ${rounds}` : ''}` : newSeed();
};
// The order of a round: at random, and for a player who comes back what is due first. A seed gives the same order to everybody.
export const ordered = (items, deck, random) => {
    const order = shuffled(items, random);
    return asked || !player.comesBack ? order : dueFirst(order, (item) => player.knows(deck, item.id), Date.now());
};

// The name of a country, a state, an animal or a plant in the language in use; English where it has none.
export const nameOf = (item) => (words.language === 'es' ? item.nameEs : null) ?? item.name;
export const languageOf = (item) => (words.language === 'es' && item.nameEs ? 'es' : 'en');
export const sleep = (milliseconds, signal) => new Promise((resume) => {
    const timer = setTimeout(resume, milliseconds);
    signal?.addEventListener('abort', () => { clearTimeout(timer); });
});
export const leave = (node) => node.dispatchEvent(new CustomEvent('play', { bubbles: true, detail: { game: '' } }));

export class Game extends HTMLElement {
    // Keys of words: of the title and of what to do.
    title = 'learn.title';
    explained = null;
    seconds = null;
    stays = false;
    // Choices before a round: {name: [values]}; the words are learn.NAME.VALUE.
    options = {};
    chosen = {};
    // Whether what was missed can be practised after a round.
    practises = false;
    round = null;
    random = null;
    bar = h('learn-bar');
    stage = h('div', { class: 'stage' });
    ended = null;
    #timer = 0;

    connectedCallback() {
        this.ended = new AbortController();
        const { signal } = this.ended;
        this.bar.title = this.title;
        this.replaceChildren(this.bar, this.stage);
        addEventListener('visibilitychange', () => this.#watch(), { signal });
        words.addEventListener('languagechange', () => this.retell(), { signal });
        // Nobody's time runs while the page asks whether somebody is there.
        this.#timer = setInterval(() => this.#tick(), 100);
        this.open();
    }

    disconnectedCallback() {
        clearInterval(this.#timer);
        this.ended.abort();
    }

    // For a game that begins at once.
    open() { this.showStart(); }
    // The names, after the language has changed.
    retell() {}
    // Items of a round, by `this.random`.
    async prepare() { return []; }
    // Shows the item that is asked.
    ask() {}
    // What is noted: the activity, and the deck that items are of.
    get activity() { return ''; }
    get deck() { return 'world'; }
    activityID(item) { return item.id; }

    showStart() {
        this.round = null;
        this.bar.clear();
        for (const [name, values] of Object.entries(this.options)) this.chosen[name] ??= values[0];
        const group = ([name, values]) => h('div', { class: 'options', role: 'radiogroup', label: `learn.${name}` },
            values.map((value) => {
                const node = h('button', {
                    type: 'button', role: 'radio', 'aria-checked': String(this.chosen[name] === value), word: `learn.${name}.${value}`,
                    on: { click: () => {
                        this.chosen[name] = value;
                        for (const other of node.parentElement.children) other.setAttribute('aria-checked', String(other === node));
                    } },
                });
                return node;
            }));
        this.stage.replaceChildren(h('div', { class: 'sheet-start' },
            this.picture?.(),
            this.explained && h('p', { class: 'explained', word: this.explained }), Object.entries(this.options).map(group),
            button('learn.start', () => this.begin(), { class: 'primary', icon: 'right' })));
        this.stage.querySelector('.primary').focus({ preventScroll: true });
    }

    async begin() {
        sound.prepare();
        this.random = seeded(nextSeed());
        const items = await this.prepare();
        if (this.ended.signal.aborted) return;
        this.#practice = null;
        this.round = new Round({ items, stays: this.stays, seconds: this.chosen.clock === 'free' ? null : this.seconds });
        this.retellScore();
        this.ask();
    }

    // What was missed, among others that were right, without a clock and a score: each comes again until it is known.
    async #practise(missed, round) {
        this.random = seeded(nextSeed());
        await this.prepare();
        if (this.ended.signal.aborted) return;
        const known = new Set(round.answers.map(({ item }) => item));
        const others = shuffled([...known].filter((item) => !missed.includes(item)), this.random).slice(0, Math.max(0, 6 - missed.length));
        this.round = new Round({ items: shuffled([...missed, ...others], this.random), again: this.random });
        this.#practice = this.round;
        this.retellScore();
        this.ask();
    }

    // Takes an answer; null where it does not count.
    answer(isRight) {
        const taken = this.round?.answer(isRight);
        if (!taken) {
            if (this.round?.over) this.finish();
            return null;
        }
        (isRight ? sound.right : sound.wrong)();
        this.retellScore();
        return taken;
    }

    retellScore() {
        if (!this.round) return;
        const [right, of] = [this.round.right, this.round.of].map((count) => words.number(count));
        this.bar.score(() => [`${right}/${of}`, text('learn.score', { right, of })]);
    }

    // Goes on after an answer.
    next() {
        if (!this.round) return;
        if (this.round.over) this.finish();
        else this.ask();
    }

    #watch() {
        if (document.hidden) this.round?.pause();
        else this.round?.resume();
    }

    #tick() {
        const { round } = this;
        if (!round || round.over) return;
        if (document.querySelector('dialog[open]')) round.pause();
        else if (!document.hidden) round.resume();
        if (round.tick()) return this.finish();
        this.bar.time(round.left, this.seconds, round.seconds);
    }

    async finish() {
        const { round } = this;
        if (!round || this.#finished === round) return;
        this.#finished = round;
        round.stop();
        this.bar.time(round.isTimed ? 0 : null, this.seconds, round.seconds);
        const answers = round.answers.map(({ item, right }) => ({ deck: this.deck, item: this.activityID(item), right }));
        if (round.isDone) sound.fanfare();
        if (this.#practice === round) return this.showEnd(round, false);
        const isBest = await player.finish(this.activity, {
            right: round.right, of: round.of, asked: round.asked, seconds: round.seconds, timed: round.isTimed || this.seconds === null, answers,
        });
        if (!this.ended.signal.aborted) this.showEnd(round, isBest);
    }

    #finished = null;
    #practice = null;

    showEnd(round, isBest) {
        const missed = [...new Set(round.answers.filter(({ right }) => !right).map(({ item }) => item))];
        const share = round.asked ? Math.round((100 * round.answers.filter(({ right }) => right).length) / round.asked) : 0;
        this.stage.replaceChildren(h('div', { class: 'sheet-end' },
            h('p', { class: 'result', role: 'status', text: text('learn.score', { right: words.number(round.right), of: words.number(round.of) }) }),
            h('p', { class: 'detail', text: text(isBest ? 'learn.best' : 'learn.accuracy', { share: words.number(share), seconds: words.number(round.seconds, 0) }) }),
            missed.length > 0 && h('p', { class: 'missed', text: text('learn.missed', { names: missed.slice(0, 8).map(nameOf).join(', ') }) }),
            h('div', { class: 'choices' },
                this.practises && missed.length > 0 && button('learn.practise', () => this.#practise(missed, round), { icon: 'cards' }),
                button('learn.again', () => this.showStart(), { class: 'primary', icon: 'again' }),
                button('learn.games', () => leave(this), { icon: 'back' }))));
        this.stage.querySelector('.primary').focus({ preventScroll: true });
    }
}
