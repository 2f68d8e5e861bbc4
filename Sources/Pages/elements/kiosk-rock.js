// <kiosk-rock>: one specimen or sample: what is known of it, and its pictures in pages of nine. `rock` is the entry of a list, or its
// layer and id; `found` and `rocks` the list to go back to.
import { button, go, h, icon } from '../core/dom.js';
import { onward } from '../core/onward.js';
import { age, coordinates, factList, metres, rockType } from '../core/phrases.js';
import { fetchPicture, one } from '../core/rocks.js';
import { sharing } from '../core/sharing.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';

const nine = 9;

class KioskRock extends HTMLElement {
    #ended = null;
    #fetching = null;
    #about = h('p', { class: 'sentence' });
    #facts = h('dl', { class: 'facts' });
    #note = h('p', { class: 'note', role: 'status' });
    #pictures = h('ul', { class: 'nine', label: 'rocks.pictures' });
    #where = h('p', { class: 'where' });
    #former = button('rocks.former', () => this.#turn(-1), { icon: 'left', class: 'lone' });
    #next = button('rocks.next', () => this.#turn(1), { icon: 'right', class: 'lone' });
    #turner = h('div', { class: 'turner', role: 'group', label: 'rocks.pages' }, this.#former, this.#where, this.#next);
    rock = null;
    found = null;
    rocks = null;
    // The page of pictures.
    page = 0;

    connectedCallback() {
        this.#ended = new AbortController();
        if (!this.rock) return go(this, 'map');
        const { signal } = this.#ended;
        const about = h('div', { class: 'about' }, this.#about, this.#facts, this.#note);
        // What scrolls: what is known of it at the kiosk, the screen on devices, where the button is over it.
        const isKiosk = station.session.role === 'kiosk';
        const more = isKiosk ? onward(about) : onward(this, about);
        this.replaceChildren(h('h1', { class: 'title', text: this.rock.number ?? '', tabindex: -1 }), about, this.#pictures,
            h('div', { class: 'actions' },
                this.found ? button('rocks.back', () => go(this, 'rocklist', { found: this.found, rocks: this.rocks }), { icon: 'back' })
                    : button('rocks.toMap', () => go(this, 'map'), { icon: 'map' }),
                button('rocks.way', () => go(this, 'map', { end: { ...this.rock.place, name: this.rock.number } }), { icon: 'flag', class: 'way' }),
                ...sharing(() => [this.rock]), isKiosk && more, this.#turner));
        if (!isKiosk) this.append(more);
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        // Of one that is known by its id alone, they are there with what the station says of it.
        this.querySelector('.actions').hidden = !this.rock.number;
        if (this.rock.number) this.#tell();
        this.#ask(signal);
    }

    disconnectedCallback() {
        this.#ended?.abort();
        this.#fetching?.abort();
    }

    // A list knows less than the one itself.
    async #ask(signal) {
        try {
            this.rock = await one(this.rock.layer, this.rock.id, signal);
            tell(this.#note);
        } catch (failure) {
            if (signal.aborted) return;
            tell(this.#note, failure.status === 404 ? 'rocks.gone' : 'rocks.unasked');
        }
        if (signal.aborted) return;
        this.querySelector('.actions').hidden = false;
        if (this.rock.number) this.#tell();
    }

    #turn(by) {
        this.page += by;
        this.#draw();
    }

    #tell() {
        const { rock } = this;
        this.querySelector('h1').textContent = rock.number;
        this.#about.textContent = [rockType(rock.rockType), text(`rocks.of.${rock.layer}`), rock.isPublic ? null : text('rocks.isPrivate')].filter(Boolean).join(' · ');
        const list = (all) => (all?.length ? all.join(', ') : null);
        const rows = [
            ['rocks.fact.minerals', list(rock.minerals)], ['rocks.grade', list(rock.grades)], ['rocks.owner', rock.owner],
            ['rocks.fact.place', rock.place && [coordinates(rock.place), rock.error === undefined ? null : metres(rock.error)].filter(Boolean).join(' ')],
            ['rocks.fact.date', rock.date && words.time(`${rock.date}T12:00:00Z`, { dateStyle: 'long', timeZone: 'UTC' })],
            ['rocks.fact.collector', rock.collector !== rock.owner ? rock.collector : null],
            ['rocks.fact.description', rock.description],
            ['rocks.fact.region', list([...(rock.regions ?? []), rock.country].filter(Boolean))],
            ['rocks.fact.analyses', rock.analyses && [words.number(rock.analyses.total), list(rock.analyses.minerals.map(({ name }) => name)), rock.analyses.hasBulkRock ? text('rocks.fact.whole') : null].filter(Boolean).join(': ')],
            ['rocks.fact.subsamples', list(rock.subsamples?.map(({ name, type }) => (type ? `${name} (${type})` : name)))],
            ['rocks.fact.references', list(rock.references)], ['rocks.fact.comments', list(rock.comments)],
            ['rocks.fact.kept', rock.origin?.ageSeconds === undefined ? null : age(rock.origin.ageSeconds)],
        ].filter(([, value]) => value);
        this.#facts.replaceChildren(...factList(rows.map(([word, value]) => [text(word), value])));
        this.querySelector('.way').hidden = !rock.place;
        this.#draw();
    }

    #draw() {
        const all = this.rock.pictures;
        const pages = Math.ceil(all.length / nine);
        this.page = Math.max(0, Math.min(this.page, pages - 1));
        const start = this.page * nine;
        this.#pictures.hidden = !all.length;
        this.toggleAttribute('data-pictures', Boolean(all.length));
        this.#pictures.replaceChildren(...all.slice(start, start + nine).map((picture, index) => h('li', {}, this.#picture(picture, start + index, all.length))));
        this.#turner.hidden = pages < 2;
        this.#where.textContent = text('rocks.page', { page: words.number(this.page + 1), pages: words.number(pages) });
        this.#former.disabled = this.page === 0;
        this.#next.disabled = this.page >= pages - 1;
        this.#fetch(all.slice(start, start + nine));
    }

    // What this page lacks is fetched one after another, as long as it is looked at.
    async #fetch(shown) {
        this.#fetching?.abort();
        this.#fetching = new AbortController();
        const { signal } = this.#fetching;
        for (const [index, picture] of shown.entries()) {
            if (picture.thumbnail || !await fetchPicture(picture, 'thumbnail', signal) || signal.aborted) {
                if (signal.aborted) return;
                continue;
            }
            this.#pictures.children[index]?.querySelector('.icon')?.replaceWith(h('img', { src: picture.thumbnail, alt: '' }));
        }
    }

    #picture(picture, at, count) {
        const open = () => go(this, 'rockpicture', { rock: this.rock, found: this.found, rocks: this.rocks, at });
        const node = h('button', { type: 'button', class: 'thumbnail', on: { click: open } },
            picture.thumbnail ? h('img', { src: picture.thumbnail, alt: '' }) : icon('picture'));
        node.setAttribute('aria-label', [text('rocks.picture', { at: words.number(at + 1), count: words.number(count) }), picture.description].filter(Boolean).join(': '));
        return node;
    }
}

customElements.define('kiosk-rock', KioskRock);
