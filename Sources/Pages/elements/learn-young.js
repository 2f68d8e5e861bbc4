// <learn-young>: for those who do not read yet: find the same picture, and what comes next in the year of the prairie. Nothing needs to
// be read; touching and hearing are enough, and a wrong picture may be followed by another try.
import { button, h, icon, s } from '../core/dom.js';
import { text } from '../core/words.js';
import * as sound from '../core/sound.js';
import { choices } from '../learning/choices.js';
import { drawings } from '../learning/drawings.js';
import { Game, leave, sleep } from '../learning/game.js';
import { shuffled } from '../learning/random.js';
import { after, order as year, seasons } from '../learning/seasons.js';

const animals = ['bison', 'butterfly', 'frog', 'hawk', 'mouse', 'owl', 'snake', 'turtle'];
// What looks alike to a small child is not offered together.
const alike = [['hawk', 'owl', 'bird'], ['grass', 'wildflower', 'tree or shrub'], ['frog', 'turtle']];
const pictures = [...animals, 'bird', 'fish', 'grass', 'wildflower', 'tree or shrub'];
const colours = ['#b4431f', '#1f6a45', '#2a5d8f', '#8a5a00', '#6b3f94'];
// Questions of a round.
const most = 8;

const isAlike = (one, other) => one === other || alike.some((group) => group.includes(one) && group.includes(other));
const nameOf = (picture) => (animals.includes(picture) ? `learn.animal.${picture}` : `learn.group.${picture.replaceAll(' ', '-')}`);
const silhouette = (picture, colour) => s('svg', { class: 'young-picture', viewBox: '0 0 48 48', 'aria-hidden': 'true' },
    s('path', { d: drawings[picture], fill: colour, 'fill-rule': 'evenodd' }));
const scene = (season) => s('svg', { class: 'young-scene', viewBox: '0 0 96 72', 'aria-hidden': 'true' },
    seasons[season].map(({ d, fill, stroke, width }) => s('path', { d, fill: fill ?? 'none', stroke, 'stroke-width': width, 'stroke-linecap': 'round' })));

class LearnYoung extends Game {
    title = 'learn.young.title';
    stays = true;
    #kind = 'same';
    #shown = [];
    #waits = false;

    get activity() { return `young/${this.#kind}`; }
    get deck() { return 'young'; }
    activityID(item) { return item.replaceAll(' ', '-'); }

    // The games as pictures of themselves.
    showStart() {
        this.round = null;
        this.bar.clear();
        const tile = (kind, ...drawn) => h('button', { type: 'button', class: 'young-tile', label: `learn.young.${kind}`, on: { click: () => this.#play(kind) } }, drawn);
        this.stage.replaceChildren(h('div', { class: 'young-start' },
            tile('same', silhouette('turtle', colours[1]), silhouette('turtle', colours[1])),
            tile('seasons', scene('spring'), icon('right'), scene('summer')),
            tile('jigsaw', icon('puzzle'))));
        this.stage.querySelector('button').focus({ preventScroll: true });
    }

    #play(kind) {
        if (kind === 'jigsaw') return this.dispatchEvent(new CustomEvent('play', { bubbles: true, detail: { game: 'jigsaw', values: { level: 'youngest' } } }));
        this.#kind = kind;
        return this.begin();
    }

    async prepare() {
        return shuffled(this.#kind === 'seasons' ? year : pictures, this.random).slice(0, most);
    }

    ask() {
        const { item } = this.round;
        this.#waits = false;
        this.#shown = this.#kind === 'seasons'
            ? choices(after(item), [year.filter((one) => one !== item)], 3, this.random)
            : choices(item, [pictures], 3, this.random, (one) => isAlike(one, item));
        const colour = colours[this.round.number % colours.length];
        const isYear = this.#kind === 'seasons';
        const draw = (one) => (isYear ? scene(one) : silhouette(one, colour));
        const name = (one) => (isYear ? `learn.season.${one}` : nameOf(one));
        this.stage.replaceChildren(h('div', { class: 'young' },
            h('div', { class: 'young-asked', role: 'img', label: [isYear ? 'learn.young.next' : 'learn.young.find', () => ({ name: text(name(item)) })] },
                draw(item), isYear && icon('right'), isYear && h('span', { class: 'young-open', 'aria-hidden': 'true', text: '?' })),
            h('div', { class: 'young-choices' }, this.#shown.map((one) => h('button', {
                type: 'button', class: 'young-choice', label: name(one), on: { click: (event) => this.#answer(one, event.currentTarget) },
            }, draw(one))))));
        this.stage.querySelector('.young-choice').focus({ preventScroll: true });
    }

    async #answer(choice, node) {
        const { round } = this;
        if (this.#waits || !round?.item) return;
        const right = this.#kind === 'seasons' ? after(round.item) : round.item;
        const taken = this.answer(choice === right);
        if (!taken) return;
        if (!taken.right) {
            node.classList.add('wrong');
            node.disabled = true;
            this.stage.querySelector('.young-choice:not(:disabled)').focus({ preventScroll: true });
            return;
        }
        this.#waits = true;
        node.classList.add('right');
        await sleep(900, this.ended.signal);
        if (round === this.round && !this.ended.signal.aborted) this.next();
    }

    // Stars, and two ways to go on.
    showEnd(round) {
        sound.fanfare();
        this.stage.replaceChildren(h('div', { class: 'sheet-end young-end' },
            h('p', { class: 'young-stars', role: 'img', label: ['learn.score', { right: round.right, of: round.of }] }, Array.from({ length: round.of }, () => icon('star'))),
            h('div', { class: 'choices' }, button('learn.again', () => this.begin(), { class: 'primary', icon: 'again' }), button('learn.young.others', () => this.showStart(), { icon: 'cards' }),
                button('learn.games', () => leave(this), { icon: 'back' }))));
        this.stage.querySelector('.primary').focus({ preventScroll: true });
    }
}

customElements.define('learn-young', LearnYoung);
