// <tablet-disk>: for rangers: what is kept, for how long, and how full the disk is.
import { h } from '../core/dom.js';
import { station } from '../core/station.js';
import { factList, keptFor } from '../core/phrases.js';
import { text, words } from '../core/words.js';

class TabletDisk extends HTMLElement {
    #ended = null;
    #state = h('p', { class: 'part' });
    #own = h('p', { class: 'detail', lang: 'en' });
    #box = h('li', {}, this.#state, this.#own);
    #meter = h('meter', { min: 0, max: 1, label: 'disk.full' });
    #facts = h('dl', { class: 'facts' });
    #kept = h('p', {});

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'disk.title', tabindex: -1 }), h('ul', { class: 'parts one' }, this.#box), this.#meter,
            this.#facts, this.#kept);
        station.addEventListener('change', () => this.#tell(), { signal });
        words.addEventListener('languagechange', () => this.#tell(), { signal });
        this.#tell();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #tell() {
        const { archive } = station.status ?? {};
        this.#box.className = archive?.health.level ?? 'failed';
        const known = ['kind', 'level'].map((name) => `station.archive.${archive?.health[name]}`).find((key) => words.has(key));
        this.#state.textContent = text(known ?? 'closed.unreachable');
        this.#own.textContent = archive && archive.health.level !== 'ok' ? archive.health.reason : '';
        this.#meter.hidden = archive?.freeBytes === undefined;
        this.#kept.textContent = keptFor(station.session.retentionDays);
        if (!archive) return this.#facts.replaceChildren();
        const size = (bytes) => (bytes === undefined ? text('printing.unknown')
            : bytes < 1e9 ? `${words.number(bytes / 1e6, 1)} MB` : text('disk.size', { gigabytes: words.number(bytes / 1e9, 2) }));
        // Of what postcards could take: theirs, and what is free beyond the reserve.
        const room = Math.max(0, (archive.freeBytes ?? 0) - archive.reserveBytes);
        const used = archive.bytes / Math.max(1, archive.bytes + room);
        this.#meter.value = used;
        this.#meter.textContent = `${words.number(100 * used)} %`;
        const each = archive.postcards ? archive.bytes / archive.postcards : 0;
        if (each && room < each && archive.health.level === 'ok') this.#state.textContent = text('disk.turning');
        const oldest = archive.oldestAt ? [['disk.oldest', words.time(archive.oldestAt, { dateStyle: 'medium' })]] : [];
        const facts = [['disk.postcards', words.number(archive.postcards)], ...oldest, ['disk.bytes', size(archive.bytes)], ['disk.free', size(archive.freeBytes)],
            ['disk.reserve', size(archive.reserveBytes)], ['disk.full', `${words.number(100 * used)} %`],
            ...(each ? [['disk.more', words.number(Math.floor(room / each))]] : []), ['disk.folder', archive.folder, true]];
        this.#facts.replaceChildren(...factList(facts.map(([key, ...others]) => [text(key), ...others])));
    }
}

customElements.define('tablet-disk', TabletDisk);
