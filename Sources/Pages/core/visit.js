// What is known of the visitor who stands there, in the page alone. `forget()` leaves nothing of it.
import * as api from './api.js';

class Visit {
    message = '';
    template = null;
    card = null;
    cardURL = null;
    share = null;
    // The last wish to print the card, as the station told of it.
    print = null;
    number = 0;
    #abandoned = new Set();

    // What the station is asked to stamp; members left out take the station's defaults.
    get wishes() {
        return { ...(this.message.trim() && { message: this.message.trim() }), ...(this.template && { template: this.template }) };
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
        this.print = null;
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
        this.message = '';
        this.template = null;
        this.number += 1;
    }
}

export const visit = new Visit();
