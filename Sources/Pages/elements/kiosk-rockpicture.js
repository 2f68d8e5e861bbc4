// <kiosk-rockpicture>: one picture of a specimen or sample, large, with the next and the one before. `rock` has the pictures, `at` says
// which; `found` and `rocks` are the list behind them.
import { button, go, h, icon } from '../core/dom.js';
import { rockName } from '../core/phrases.js';
import { link } from '../core/reading.js';
import { fetchPicture } from '../core/rocks.js';
import { text, words } from '../core/words.js';

class KioskRockPicture extends HTMLElement {
    #ended = null;
    #fetching = null;
    #figure = h('figure', {});
    #caption = h('p', { class: 'caption', role: 'status' });
    #former = button('rocks.formerPicture', () => this.#turn(-1), { icon: 'left', class: 'lone' });
    #next = button('rocks.nextPicture', () => this.#turn(1), { icon: 'right', class: 'lone' });
    rock = null;
    found = null;
    rocks = null;
    at = 0;

    connectedCallback() {
        this.#ended = new AbortController();
        if (!this.rock) return go(this, 'map');
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', text: rockName(this.rock), tabindex: -1 }), this.#figure, this.#caption,
            h('div', { class: 'actions' },
                button('rocks.toRock', () => go(this, 'rock', { rock: this.rock, found: this.found, rocks: this.rocks, page: Math.floor(this.at / 9) }), { icon: 'back' }),
                h('div', { class: 'turner', role: 'group', label: 'rocks.pictures' }, this.#former, this.#next)));
        words.addEventListener('languagechange', () => {
            this.querySelector('h1').textContent = rockName(this.rock);
            this.#tell();
        }, { signal });
        document.addEventListener('keydown', ({ key }) => {
            if (key === 'ArrowLeft') this.#turn(-1);
            if (key === 'ArrowRight') this.#turn(1);
        }, { signal });
        this.#draw();
    }

    disconnectedCallback() {
        this.#ended?.abort();
        this.#fetching?.abort();
    }

    #turn(by) {
        const at = this.at + by;
        if (at < 0 || at >= this.rock.pictures.length) return;
        this.at = at;
        this.#draw();
    }

    // The whole picture; where there is none, its small copy, and MetPetDB is asked for the whole one.
    #draw() {
        const picture = this.rock.pictures[this.at];
        this.#fetching?.abort();
        this.#fetching = new AbortController();
        const { signal } = this.#fetching;
        this.#figure.style.setProperty('--ratio', picture.width / picture.height || 1);
        this.#show(picture, 'rocks.pictureSmall', 'rocks.pictureElsewhere');
        this.#former.disabled = this.at === 0;
        this.#next.disabled = this.at === this.rock.pictures.length - 1;
        this.#tell();
        if (!picture.file && picture.elsewhere) this.#fetch(picture, signal);
    }

    async #fetch(picture, signal) {
        this.#show(picture, 'rocks.pictureAsked', 'rocks.pictureAsked');
        await fetchPicture(picture, 'file', signal);
        if (signal.aborted) return;
        this.#show(picture, 'rocks.pictureSmall', 'rocks.pictureElsewhere');
        this.#tell();
    }

    // `small` and `none` are what is said with the small copy alone, and without one.
    #show(picture, small, none) {
        const note = (word) => [h('p', { word }), picture.address && h('p', { class: 'address' }, link(picture.address, picture.address.replace(/^https?:\/\//, '')))];
        const missing = (word) => this.#figure.replaceChildren(h('div', { class: 'missing' }, icon('picture'), ...note(word)));
        const source = picture.file ?? picture.thumbnail;
        if (!source) return missing(none);
        const image = h('img', { class: 'card', src: source, on: { error: () => missing('rocks.pictureFailed'),
            load: () => this.#figure.style.setProperty('--ratio', image.naturalWidth / image.naturalHeight || 1) } });
        this.#figure.replaceChildren(image, ...(picture.file ? [] : [h('figcaption', { class: 'small' }, ...note(small))]));
    }

    #tell() {
        const picture = this.rock.pictures[this.at];
        const which = text('rocks.picture', { at: words.number(this.at + 1), count: words.number(this.rock.pictures.length) });
        const kind = words.has(`rocks.image.${picture.kind}`) ? text(`rocks.image.${picture.kind}`) : picture.kind;
        const scale = picture.scale ? text('rocks.scale', { width: words.number(picture.scale) }) : null;
        this.#caption.textContent = [which, kind, picture.description, picture.takenAt && words.time(picture.takenAt, { dateStyle: 'medium' }), scale].filter(Boolean).join(' · ');
        this.#figure.querySelector('img')?.setAttribute('alt', [this.rock.number, kind, picture.description].filter(Boolean).join(', '));
    }
}

customElements.define('kiosk-rockpicture', KioskRockPicture);
