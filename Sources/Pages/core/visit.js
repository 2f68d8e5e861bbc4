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
    // What is looked for among specimens and samples, and where.
    rocks = fresh();
    #abandoned = new Set();

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

    // Takes the finished card and its picture; the picture's URL is revoked with it.
    hold(card, blob) {
        this.drop();
        this.card = card;
        this.cardURL = URL.createObjectURL(blob);
    }

    // Lets the page's copy of the card go; the station's stays as it is.
    drop() {
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

    // Deletes a card that was asked for and then stopped, as soon as there is one.
    abandon(id) {
        this.#abandoned.add(id);
        this.#deleteAbandoned(id, 20);
    }

    async #deleteAbandoned(id, tries) {
        const card = await api.postcard(id).catch((failure) => failure);
        const gone = card.status === 404 || card.status === 403 || card.state === 'failed';
        const deleted = card.state === 'kept' && await api.deletePostcard(id).then(() => true, () => false);
        if (gone || deleted || tries === 0) return this.#abandoned.delete(id);
        setTimeout(() => this.#deleteAbandoned(id, tries - 1), 1000);
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
