// <learn-facts>: all countries in a list that is searched, sorted and indexed, and a page of facts beside it.
import { button, h } from '../core/dom.js';
import { openDialog } from '../core/ask.js';
import { shield } from '../core/shield.js';
import { station } from '../core/station.js';
import { text, words } from '../core/words.js';
import { padded, slug, world } from '../learning/atlas.js';
import { languageOf, nameOf } from '../learning/game.js';
import { player } from '../learning/player.js';
import { found, letters, sorted } from '../learning/search.js';
import './learn-bar.js';
import './screen-keyboard.js';
import './world-map.js';

const orders = {
    name: (item) => nameOf(item), continent: (item) => `${text(`learn.continent.${slug(item.continent)}`)} ${nameOf(item)}`,
    area: (item) => item.areaKm2, population: (item) => item.population,
};

class LearnFacts extends HTMLElement {
    #ended = null;
    #bar = h('learn-bar');
    #atlas = null;
    #order = 'name';
    #shown = [];
    #page = 0;
    #item = null;
    #field = h('input', { id: 'facts-search', type: 'search', hint: 'learn.search', label: 'learn.search', autocomplete: 'off', inputmode: 'none', maxlength: 40 });
    #list = h('ul', { class: 'rows' });
    #where = h('p', { class: 'page' });
    #sort = button('learn.order.name', () => this.#turn(), { icon: 'sliders', class: 'order' });
    #facts = h('div', { class: 'fact-page', tabindex: -1 });
    #map = h('world-map', { class: 'fact-map' });
    #keys = h('div', { class: 'search-keys', hidden: true });

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.#bar.title = 'learn.game.facts';
        const isKiosk = station.session.role === 'kiosk';
        if (!isKiosk) this.#field.removeAttribute('inputmode');
        this.#field.addEventListener('input', () => this.#find(), { signal });
        if (isKiosk) this.#field.addEventListener('click', () => this.#type(true), { signal });
        const keyboard = h('screen-keyboard', { on: { change: () => this.#find(), done: () => this.#type(false) } });
        keyboard.field = this.#field;
        this.#keys.append(keyboard, button('compose.done', () => this.#type(false), { icon: 'check', class: 'gold' }));
        this.replaceChildren(this.#bar, h('div', { class: 'stage facts' },
            h('div', { class: 'facts-list' },
                h('div', { class: 'finder' }, this.#field, button('learn.letters', () => this.#askLetter(), { class: 'letters' }), this.#sort),
                this.#list,
                h('div', { class: 'pager', hidden: true }, button('learn.former', () => this.#go(-1), { icon: 'left', class: 'lone' }), this.#where,
                    button('learn.next', () => this.#go(1), { icon: 'right', class: 'lone' }))),
            this.#facts), this.#keys);
        words.addEventListener('languagechange', () => this.#retell(), { signal });
        addEventListener('resize', () => this.#draw(), { signal });
        this.#load();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    async #load() {
        this.#atlas = await world();
        if (this.#ended.signal.aborted) return;
        // Its place depends on what is known of the first one.
        this.querySelector('.pager').hidden = false;
        this.#find();
        this.#open(this.#shown[0]);
        player.finish('facts', { right: 1, of: 1, seconds: 0, timed: false });
    }

    #retell() {
        this.#find(false);
        if (this.#item) this.#tell();
    }

    #type(isOpen) {
        this.#keys.hidden = !isOpen;
        this.toggleAttribute('typing', isOpen);
        shield.raise();
        this.#draw();
        if (!isOpen) this.#list.querySelector('button')?.focus();
    }

    // Everything on the map that has facts, what is contested too; games ask for members alone.
    #find(fromStart = true) {
        if (!this.#atlas) return;
        const entries = sorted(this.#atlas.items.filter((item) => item.status !== 'antarctica'), orders[this.#order], words.language);
        this.#shown = found(entries, this.#field.value, (item) => [item.name, item.nameEs, ...(item.alt ?? [])]);
        if (fromStart) this.#page = 0;
        this.#draw();
    }

    // As many rows as there is room for: nothing scrolls.
    get #rows() {
        const target = Number.parseFloat(getComputedStyle(this.#sort).minHeight) || 64;
        const columns = getComputedStyle(this.#list).gridTemplateColumns.split(' ').length;
        return columns * Math.max(2, Math.floor((this.#list.clientHeight + 16) / (target + 16)));
    }

    #draw() {
        const rows = this.#rows;
        const pages = Math.max(1, Math.ceil(this.#shown.length / rows));
        this.#page = Math.min(this.#page, pages - 1);
        const here = this.#shown.slice(this.#page * rows, (this.#page + 1) * rows);
        const hadFocus = this.#list.contains(document.activeElement);
        this.#list.replaceChildren(...here.map((item) => h('li', {}, h('button', {
            type: 'button', class: 'row', 'aria-current': item === this.#item ? 'true' : null, on: { click: () => this.#open(item, true) },
        }, h('span', { text: nameOf(item), lang: languageOf(item) }), h('span', { class: 'figure', text: this.#figure(item) })))));
        if (hadFocus) this.#list.querySelector('button')?.focus();
        this.#where.textContent = this.#shown.length ? text('learn.page', { page: words.number(this.#page + 1), of: words.number(pages) }) : text('learn.none');
    }

    #figure(item) {
        if (this.#order === 'area') return item.areaKm2 === undefined ? '–' : text('learn.km2', { area: words.number(item.areaKm2) });
        if (this.#order === 'population') return item.population === undefined ? '–' : words.number(item.population);
        return this.#order === 'continent' ? text(`learn.continent.${slug(item.continent)}`) : '';
    }

    #go(by) {
        const pages = Math.max(1, Math.ceil(this.#shown.length / this.#rows));
        this.#page = (this.#page + by + pages) % pages;
        this.#draw();
    }

    #turn() {
        const names = Object.keys(orders);
        this.#order = names[(names.indexOf(this.#order) + 1) % names.length];
        this.#sort.querySelector('span').replaceWith(h('span', { word: `learn.order.${this.#order}` }));
        this.#find();
    }

    // The index: to the first name of a letter.
    #askLetter() {
        this.#order = 'name';
        this.#sort.querySelector('span').replaceWith(h('span', { word: 'learn.order.name' }));
        this.#field.value = '';
        this.#find();
        const places = letters(this.#shown.map(nameOf), words.language);
        openDialog('learn.letters', (close) => [h('div', { class: 'letter-grid' }, [...places].map(([letter, place]) => h('button', {
            type: 'button', text: letter, on: { click: () => {
                close();
                this.#page = Math.floor(place / this.#rows);
                this.#draw();
                this.#open(this.#shown[place]);
            } },
        })))]).classList.add('letter-sheet');
    }

    #open(item, isChosen = false) {
        if (!item) return;
        this.#item = item;
        this.#tell();
        this.#draw();
        if (isChosen) this.#bar.say(() => nameOf(item), 'heard');
    }

    #tell() {
        const item = this.#item;
        const fact = (key, value, note) => value && [h('dt', { word: `learn.fact.${key}` }), h('dd', {}, h('span', { text: value }), note && h('span', { class: 'fact-note', text: note, lang: 'en' }))];
        const names = (ids) => ids?.map((id) => this.#atlas.byID.get(id)).filter(Boolean).map(nameOf).join(', ');
        const capital = item.capital && ((words.language === 'es' && item.capital.nameEs) || item.capital.name);
        const people = item.population !== undefined && `${words.number(item.population)}${item.populationYear ? ` (${item.populationYear})` : ''}`;
        const places = [item.continent, ...(item.continentAlso ?? [])].filter((name) => words.has(`learn.continent.${slug(name)}`)).map((name) => text(`learn.continent.${slug(name)}`)).join(', ');
        this.#facts.replaceChildren(...[
            h('h2', { text: nameOf(item), lang: languageOf(item) }),
            item.status !== 'member' && h('p', { class: 'ribbon', word: `learn.status.${item.status}` }),
            this.#map,
            h('dl', {}, ...[
                fact('continent', places), fact('capital', capital, item.capital?.note),
                fact('area', item.areaKm2 !== undefined && text('learn.km2', { area: words.number(item.areaKm2) })),
                fact('population', people), fact('neighbours', names(item.neighbours)), fact('also', item.alt?.join(', ')),
            ].filter(Boolean).flat()),
            h('p', { class: 'borders', word: 'learn.borders' }),
        ].filter(Boolean));
        this.#map.show(this.#atlas, padded(this.#atlas.frames[item.continent] ?? [0, 0, this.#atlas.width, this.#atlas.height]), { lines: this.#atlas.lines });
        this.#map.mark('lit', [item]);
        this.#map.ring(item);
    }
}

customElements.define('learn-facts', LearnFacts);
