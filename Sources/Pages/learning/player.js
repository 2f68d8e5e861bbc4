// Who plays, and what was reached: at the station where it is kept for the device or the profile, in the page alone otherwise.
import { answered } from './boxes.js';
import { ruleVersion } from './atlas.js';
import { newSeed } from './random.js';
import * as api from '../core/api.js';

export const colours = ['blue', 'gold', 'green', 'orange', 'purple', 'red'];
export const animals = ['bison', 'butterfly', 'frog', 'hawk', 'mouse', 'owl', 'snake', 'turtle'];
const continents = ['africa', 'asia', 'europe', 'north-america', 'oceania', 'south-america'];
// The parts of the menu and the games of each, as the station counts them (LearningPart).
export const parts = {
    jigsaw: ['jigsaw/easy', 'jigsaw/hard'], cards: ['cards'], 'quiz/easy': ['quiz/easy'], 'quiz/medium': ['quiz/medium'],
    'quiz/hard': continents.map((name) => `quiz/hard/${name}`), 'quiz/states': ['quiz/states'], facts: ['facts'],
    prairie: ['prairie/who', 'prairie/group', 'prairie/food'],
};

class Player extends EventTarget {
    // Such as "blue-owl"; null for everybody at this device.
    profile = null;
    // By activity: the best of it, {right, of, seconds, accuracy, state, timed}.
    best = new Map();
    // By deck and item: {seen, right, box, due}.
    known = new Map();
    kept = false;
    #unsent = [];

    async open(profile = this.profile) {
        this.profile = profile;
        this.best = new Map();
        this.known = new Map();
        try {
            this.#take(await api.learningProgress(profile));
        } catch {
            this.kept = false;
        }
        this.dispatchEvent(new Event('change'));
    }

    // Whoever comes next is another one.
    forget() {
        this.profile = null;
        this.best = new Map();
        this.known = new Map();
    }

    #take({ kept, activities, items }) {
        this.kept = kept;
        if (!kept) return;
        this.best = new Map();
        for (const one of activities) {
            const other = this.best.get(one.activity);
            if (!other || one.right > other.right) this.best.set(one.activity, one);
        }
        this.known = new Map(items.map((one) => [`${one.deck} ${one.item}`, { ...one, due: Date.parse(one.dueAt) }]));
    }

    // Whether it is one player who comes back: not everybody at the kiosk.
    get comesBack() {
        return this.profile !== null || document.documentElement.dataset.role !== 'kiosk';
    }

    knows(deck, item) {
        return this.known.get(`${deck} ${item}`);
    }

    // A part of the menu: its state, and what was found of what there is.
    part(name) {
        const games = parts[name] ?? [name];
        const played = games.map((game) => this.best.get(game));
        const known = played.filter(Boolean);
        const isDone = played.every((one) => one && one.right >= one.of);
        return {
            state: isDone ? 'done' : known.length ? 'started' : 'untouched',
            right: known.reduce((sum, one) => sum + one.right, 0), of: known.reduce((sum, one) => sum + one.of, 0),
        };
    }

    // Notes how a round went. It counts once, however often it is sent.
    async finish(activity, { right, of, asked = right, seconds, timed = true, answers = [] }) {
        for (const { deck, item, right: isRight } of answers) {
            this.known.set(`${deck} ${item}`, answered(this.knows(deck, item), isRight, Date.now()));
        }
        const accuracy = asked ? right / asked : 1;
        const before = this.best.get(activity);
        const isBetter = !before || right > before.right || (right === before.right && seconds < before.seconds);
        if (isBetter) this.best.set(activity, { activity, right, of, seconds, accuracy, timed, state: right >= of ? 'done' : 'started' });
        this.dispatchEvent(new Event('change'));
        const round = {
            round: [0, 1, 2].map(newSeed).join('').slice(0, 32), activity, rule: ruleVersion, right, of, asked,
            seconds: Math.round(seconds * 1000) / 1000, timed, answers: answers.slice(0, 400), ...(this.profile && { profile: this.profile }),
        };
        if (this.kept) await this.#send(round);
        return isBetter;
    }

    // What could not be sent is sent with the next one.
    async #send(round) {
        this.#unsent = [...this.#unsent, round].slice(-20);
        const profile = this.profile;
        for (const one of [...this.#unsent]) {
            try {
                const progress = await api.addRound(one);
                this.#unsent = this.#unsent.filter((other) => other !== one);
                if (this.profile === profile && !this.#unsent.length) this.#take(progress);
            } catch (failure) {
                if (failure.kind !== 'unreachable' && failure.kind !== 'archive-unavailable') this.#unsent = this.#unsent.filter((other) => other !== one);
            }
        }
        this.dispatchEvent(new Event('change'));
    }

    async reset() {
        if (this.kept) await api.resetLearning(this.profile);
        this.best = new Map();
        this.known = new Map();
        this.dispatchEvent(new Event('change'));
    }
}

export const player = new Player();
