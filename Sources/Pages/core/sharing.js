// Links to specimens and samples, to copy or to mail, on devices alone: at the kiosk nothing leads away from the station.
import { button, h, icon } from './dom.js';
import { rockName } from './phrases.js';
import { leadsAway } from './reading.js';
import { link } from './rocks.js';
import { text } from './words.js';

// The most links in one letter: mail programs refuse long addresses.
const most = 20;

// The buttons; `rocks()` gives what they are about.
export function sharing(rocks) {
    if (!leadsAway()) return [];
    const lines = () => rocks().slice(0, most).map((rock) => `${rockName(rock)}: ${link(rock)}`);
    const mail = h('a', { class: 'button', href: 'mailto:' }, icon('notice'), h('span', { word: 'rocks.mail' }));
    mail.addEventListener('click', () => {
        mail.href = `mailto:?subject=${encodeURIComponent(text('rocks.subject'))}&body=${encodeURIComponent(lines().join('\r\n'))}`;
    });
    const copy = navigator.clipboard && button('rocks.copy', async () => {
        const done = await navigator.clipboard.writeText(lines().join('\n')).then(() => true, () => false);
        copy.dispatchEvent(new CustomEvent('say', { bubbles: true, detail: text(done ? 'rocks.copied' : 'rocks.notCopied') }));
    }, { icon: 'cards' });
    return [copy, mail].filter(Boolean);
}
