// What is known of the visitor who stands there, in the page alone. `forget()` leaves nothing of it.
import * as api from './api.js';
import { fresh } from './rocks.js';
import { words } from './words.js';

// What can be taken: how many pictures, and how those of a collage lie.
export const kinds = {
    single: { shots: 1 },
    strip2: { shots: 2, layout: 'strip' },
    strip3: { shots: 3, layout: 'strip' },
    strip4: { shots: 4, layout: 'grid' },
    burst: { shots: 1, burstSeconds: 2 },
};

// What shows how something looks that can be taken, with these wishes.
export function lookOf(kind, wishes) {
    const { shots, layout } = kinds[kind];
    return { ...wishes, ...(layout && { pictures: shots, layout }) };
}

// What became of each card that this page asked for, by the key of its request: `asked`, `seen` or `left`. It stands where a page
// that is loaded anew finds it; what the page does not live to tell, the portal finds out by itself, later.
const name = 'cards';
const cards = () => new Map(JSON.parse(sessionStorage.getItem(name) ?? '[]'));
const note = (key, fate) => {
    const all = cards();
    all.delete(key);
    if (fate) all.set(key, fate);
    sessionStorage.setItem(name, JSON.stringify([...all].slice(-most)));
};
// So many are remembered.
const most = 32;
// Milliseconds until a portal that did not answer is told again.
const pause = 2000;

class Visit {
    message = '';
    template = null;
    kind = 'single';
    // The pictures of a collage in their places: {id, url}, or null for one that is still to be taken.
    shots = [];
    card = null;
    cardURL = null;
    share = null;
    // Whether the visitor agreed that others see the card here.
    isShown = false;
    // Whether the visitor has a link by which the card is on the internet.
    isPublic = false;
    // The last wish to print the card, as the station answered.
    print = null;
    // Who plays the learning games, such as "blue-owl"; null for nobody in particular.
    learner = null;
    number = 0;
    // The key of the request for the card, until the visitor has seen it.
    #key = null;
    // What is looked for among specimens and samples, and where.
    rocks = fresh();

    // What the station is asked to stamp; members left out take the station's defaults.
    get wishes() {
        return { language: words.language, ...(this.message.trim() && { message: this.message.trim() }), ...(this.template && { template: this.template }) };
    }

    // What the station is asked to show before: the wishes on the picture of now, as often as a collage would have it.
    get look() {
        return lookOf(this.kind, this.wishes);
    }

    // What the station is asked to take.
    get order() {
        const { burstSeconds } = kinds[this.kind];
        return { ...this.wishes, ...(burstSeconds && { burstSeconds }) };
    }

    // Notes a card before it is asked for: what the visitor has not seen is not kept.
    expect(key) {
        note(key, 'asked');
    }

    // Deletes what the page that was here before was taking when it was loaded anew.
    takeUp() {
        for (const [key, fate] of cards()) this.#settle(key, fate === 'seen' ? 'seen' : 'left');
    }

    // The card is on the screen: it is kept.
    see() {
        if (this.#key) this.#settle(this.#key, 'seen');
        this.#key = null;
    }

    // Has a card deleted that was asked for and that nobody sees, as soon as there is one.
    abandon(key) {
        if (cards().get(key) === 'asked') this.#settle(key, 'left');
    }

    // Tells the portal, until it answers.
    async #settle(key, fate) {
        note(key, fate);
        try {
            await (fate === 'seen' ? api.seeCard(key) : api.giveUpCard(key));
            note(key, null);
        } catch (failure) {
            if (failure.status >= 400 && failure.status < 500) note(key, null);
            else setTimeout(() => this.#settle(key, fate), pause);
        }
    }

    // Takes the finished card and its picture; the picture's URL is revoked with it.
    hold(card, blob, key) {
        this.drop();
        this.#key = key;
        this.card = card;
        this.cardURL = URL.createObjectURL(blob);
    }

    // Lets the page's copy of the card go; the station's stays as it is.
    drop() {
        if (this.#key) this.abandon(this.#key);
        this.#key = null;
        if (this.cardURL) URL.revokeObjectURL(this.cardURL);
        this.card = null;
        this.cardURL = null;
        this.share = null;
        this.isShown = false;
        this.isPublic = false;
        this.print = null;
    }

    // Begins a collage: all its places are empty.
    beginShots() {
        this.dropShots();
        this.shots = Array(kinds[this.kind].shots).fill(null);
    }

    // Puts a picture into its place; its URL is revoked with it.
    put(index, id, blob) {
        this.shots[index] = { id, url: URL.createObjectURL(blob) };
    }

    // Empties a place: the station forgets the picture at once.
    release(index) {
        const shot = this.shots[index];
        if (!shot) return;
        URL.revokeObjectURL(shot.url);
        this.shots[index] = null;
        api.deleteShot(shot.id).catch(() => {});
    }

    // Lets all pictures of a collage go, here and at the station.
    dropShots() {
        this.shots.forEach((_, index) => this.release(index));
        this.shots = [];
    }

    // The pictures are on the card: the station has none of them any more.
    forgetShots() {
        for (const shot of this.shots) if (shot) URL.revokeObjectURL(shot.url);
        this.shots = [];
    }

    forget() {
        this.drop();
        this.dropShots();
        this.message = '';
        this.template = null;
        this.kind = 'single';
        this.learner = null;
        this.rocks = fresh();
        this.number += 1;
    }
}

export const visit = new Visit();
