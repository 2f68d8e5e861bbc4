// A list that the station answers in pages, newest first: shows the first page, and one more at each touch of a button.
import { button, h } from './dom.js';
import { shield } from './shield.js';
import { tell } from './words.js';
import { station } from './station.js';

// `ask({cursor, signal})` gives a page; `draw(page)` the items of one. Returns what is to be shown.
export function pagedList(ask, draw, { empty, signal, ...attributes }) {
    const list = h('ul', attributes);
    const note = h('p', { class: 'note', role: 'status' });
    let cursor;
    const more = button('pages.more', () => load(), { class: 'more', icon: 'down', hidden: true });
    // There is more only after there was something.
    const retry = button('failed.retry', () => load(), { class: 'more', icon: 'again', hidden: true });

    async function load() {
        more.disabled = retry.disabled = true;
        try {
            const page = await ask({ cursor, signal });
            cursor = page.next;
            list.append(...draw(page));
            shield.raise();
            more.hidden = !cursor;
            retry.hidden = true;
            tell(note, !list.childElementCount && empty);
        } catch (failure) {
            if (signal.aborted) return;
            if (!list.childElementCount) retry.hidden = false;
            tell(note, 'pages.failed');
            // It may be that this device was sent away.
            if (failure.kind === 'forbidden') station.ask();
        }
        more.disabled = retry.disabled = false;
    }

    load();
    return [list, note, more, retry];
}
