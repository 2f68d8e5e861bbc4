// A button that goes on in what scrolls, for a kiosk: it has no wheel, and a wet finger drags badly. It is there where an element has
// more than it shows; from the end it leads to the beginning.
import { button, icon } from './dom.js';
import { shield } from './shield.js';
import { station } from './station.js';
import { bind } from './words.js';

// Pixels that are no text.
const slack = 4;

// The button of an element; none on a device that is held in the hand. Where the screen itself scrolls, which it does there, `until` is what
// is to be read on it, and there is a button.
export function onward(scroller, until = null) {
    if (!until && station.session.role !== 'kiosk') return null;
    const node = button('read.more', () => turn(), { icon: 'down', class: 'below gold', hidden: true });

    // Pixels that are below what is to be seen.
    const left = () => (until ? until.getBoundingClientRect().bottom - scroller.getBoundingClientRect().bottom
        : scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop);

    let wasAtEnd = false;
    const cue = () => {
        const isAtEnd = left() <= slack;
        node.hidden = isAtEnd && (Boolean(until) || scroller.scrollTop === 0);
        scroller.toggleAttribute('data-onward', !until && !node.hidden);
        scroller.toggleAttribute('data-more', !until && !isAtEnd);
        if (isAtEnd === wasAtEnd) return;
        wasAtEnd = isAtEnd;
        bind(node.querySelector('span'), 'word', isAtEnd ? 'read.again' : 'read.more');
        node.querySelector('.icon').replaceWith(icon(isAtEnd ? 'up' : 'down'));
    };

    // On by what was to be seen, less a line; from the end to the beginning.
    const turn = () => {
        const line = 1.5 * (parseFloat(getComputedStyle(scroller).fontSize) || 16);
        const covered = until ? node.offsetHeight : 0;
        scroller.scrollTop = left() <= slack ? 0 : scroller.scrollTop + Math.max(line, scroller.clientHeight - covered - line);
        // A finger that taps twice has read one screen of it.
        shield.raise();
        cue();
    };

    // What is in it grows without the element, when it comes and when a picture is there.
    const sizes = new ResizeObserver(cue);
    const watch = () => {
        for (const one of [scroller, ...scroller.children]) sizes.observe(one);
        cue();
    };
    new MutationObserver(watch).observe(scroller, { childList: true });
    scroller.addEventListener('scroll', cue, { passive: true });
    watch();
    return node;
}
