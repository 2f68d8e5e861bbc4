// <kiosk-rockpicture>: one picture of a specimen or sample, large, with the next and the one before. `rock` has the pictures, `at` says
// which; `found` and `rocks` are the list behind them.
import { button, go, h, icon } from '../core/dom.js';
import { link } from '../core/reading.js';
import { text, words } from '../core/words.js';

class KioskRockPicture extends HTMLElement {
    #ended = null;
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
        this.replaceChildren(h('h1', { class: 'title', text: [this.rock.number, this.rock.rockType].filter(Boolean).join(', '), tabindex: -1 }), this.#figure, this.#caption,
            h('div', { class: 'actions' },
                button('rocks.toRock', () => go(this, 'rock', { rock: this.rock, found: this.found, rocks: this.rocks, page: Math.floor(this.at / 9) }), { icon: 'back' }),
                h('div', { class: 'turner', role: 'group', label: 'rocks.pictures' }, this.#former, this.#next)));
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        document.addEventListener('keydown', ({ key }) => {
            if (key === 'ArrowLeft') this.#turn(-1);
            if (key === 'ArrowRight') this.#turn(1);
        }, { signal });
        this.#draw();
    }

    disconnectedCallback() {
        this.#ended?.abort();
    }

    #turn(by) {
        const at = this.at + by;
        if (at < 0 || at >= this.rock.pictures.length) return;
        this.at = at;
        this.#draw();
    }

    #draw() {
        const picture = this.rock.pictures[this.at];
        const missing = () => h('div', { class: 'missing' }, icon('picture'), h('p', { word: picture.file ? 'rocks.pictureFailed' : 'rocks.pictureElsewhere' }),
            picture.address && h('p', { class: 'address' }, link(picture.address, picture.address.replace(/^https?:\/\//, ''))));
        this.#figure.replaceChildren(picture.file ? h('img', { class: 'card', src: picture.file, on: { error: () => this.#figure.replaceChildren(missing()) } }) : missing());
        this.#figure.style.setProperty('--ratio', picture.width / picture.height || 1);
        this.#former.disabled = this.at === 0;
        this.#next.disabled = this.at === this.rock.pictures.length - 1;
        this.#tell();
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
