// <kiosk-rock>: one specimen or sample: what is known of it, and its pictures in pages of nine. `rock` is the entry of a list, or its
// layer and id; `found` and `rocks` the list to go back to.
import { button, go, h, icon } from '../core/dom.js';
import { age, coordinates, factList, metres, rockType } from '../core/phrases.js';
import { fetchPicture, one } from '../core/rocks.js';
import { sharing } from '../core/sharing.js';
import { station } from '../core/station.js';
import { bind, tell, text, words } from '../core/words.js';

const nine = 9;
// Pixels that are no text.
const slack = 4;

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
    // Says that there is more below, and shows it.
    #more = button('rocks.more.below', () => this.#scroll(), { icon: 'down', class: 'below gold', hidden: true });
    #watch = new ResizeObserver(() => this.#cue());
    rock = null;
    found = null;
    rocks = null;
    // The page of pictures.
    page = 0;

    connectedCallback() {
        this.#ended = new AbortController();
        if (!this.rock) return go(this, 'map');
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', text: this.rock.number ?? '', tabindex: -1 }),
            h('div', { class: 'about' }, this.#about, this.#facts, this.#note), this.#pictures,
            h('div', { class: 'actions' },
                this.found ? button('rocks.back', () => go(this, 'rocklist', { found: this.found, rocks: this.rocks }), { icon: 'back' })
                    : button('rocks.toMap', () => go(this, 'map'), { icon: 'map' }),
                button('rocks.way', () => go(this, 'map', { end: { ...this.rock.place, name: this.rock.number } }), { icon: 'flag', class: 'way' }),
                ...sharing(() => [this.rock]), this.#isKiosk && this.#more, this.#turner));
        // On devices it is over what scrolls.
        if (!this.#isKiosk) this.append(this.#more);
        for (const node of [this, this.querySelector('.about')]) node.addEventListener('scroll', () => this.#cue(), { signal, passive: true });
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        this.#watch.observe(this);
        // Of one that is known by its id alone, they are there with what the station says of it.
        this.querySelector('.actions').hidden = !this.rock.number;
        if (this.rock.number) this.#tell();
        this.#ask(signal);
    }

    disconnectedCallback() {
        this.#ended?.abort();
        this.#fetching?.abort();
        this.#watch.disconnect();
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
        this.#cue();
    }

    // What scrolls: the screen on devices; at the kiosk, which nobody scrolls, what is known of it, by the button.
    get #scroller() {
        return this.#isKiosk ? this.querySelector('.about') : this;
    }

    get #isKiosk() {
        return station.session.role === 'kiosk';
    }

    // Pixels of what is known that are below what is to be seen of it.
    get #left() {
        const about = this.querySelector('.about');
        if (!about) return 0;
        return this.#isKiosk ? about.scrollHeight - about.clientHeight - about.scrollTop
            : about.getBoundingClientRect().bottom - this.getBoundingClientRect().bottom;
    }

    #cue() {
        const isAtEnd = this.#left <= slack;
        const isBegun = this.#isKiosk && this.querySelector('.about')?.scrollTop > 0;
        this.#more.hidden = isAtEnd && !isBegun;
        this.querySelector('.about')?.toggleAttribute('data-more', this.#isKiosk && !isAtEnd);
        bind(this.#more.querySelector('span'), 'word', isAtEnd ? 'rocks.more.above' : 'rocks.more.below');
        this.#more.querySelector('.icon').replaceWith(icon(isAtEnd ? 'up' : 'down'));
    }

    // On by what was to be seen, less a line; from the end to the beginning.
    #scroll() {
        const scroller = this.#scroller;
        const line = 1.5 * (parseFloat(getComputedStyle(this.#facts).fontSize) || 16);
        const covered = this.#isKiosk ? 0 : this.#more.offsetHeight;
        scroller.scrollTop = this.#left <= slack ? 0 : scroller.scrollTop + Math.max(line, scroller.clientHeight - covered - line);
        this.#cue();
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
