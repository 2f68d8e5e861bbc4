// Texts that the station's people wrote (CommonMark), as the tree that the portal makes of them, and words about days.
import { h } from './dom.js';
import { station } from './station.js';
import { words } from './words.js';

// At the kiosk nothing leads away from the station: what would is shown as text.
export const leadsAway = () => station.session.role !== 'kiosk';

// Two ways to write one telephone number.
const digits = (number) => number.replaceAll(/\D/g, '');

// An address is taken apart after its signs, not within a word.
const breakable = (words) => (typeof words === 'string' && words.length > 16 && !words.includes(' ')
    ? words.split(/(?<=[@./_-])/).flatMap((part, index) => (index ? [h('wbr'), part] : [part])) : [words]);

// A link that a device follows, and at the kiosk its words with the address, where they do not say it themselves.
export function link(address, ...content) {
    if (leadsAway()) {
        const isWeb = address.startsWith('http');
        return h('a', { href: address, ...(isWeb && { target: '_blank', rel: 'noopener noreferrer' }) }, ...content.flatMap(breakable));
    }
    const shown = address.replace(/^(https?:\/\/|tel:|mailto:)/, '');
    const [first] = content;
    const isSaid = first === shown || (address.startsWith('tel:') && typeof first === 'string' && digits(first) === digits(shown));
    return h('span', {}, ...content.flatMap(breakable), content.length === 1 && isSaid ? null : h('span', { class: 'address' }, ' (', ...breakable(shown), ')'));
}

const plain = (nodes = []) => nodes.map(({ text, children }) => (text ?? '') + plain(children)).join('');
const tags = { paragraph: 'p', quote: 'blockquote', item: 'li', emphasis: 'em', strong: 'strong', verbatim: 'code', rule: 'hr', line: 'br' };

// The highest heading of a text stands below the screen's own, whatever its writer began with.
function highest(nodes) {
    return Math.min(6, ...nodes.flatMap(({ kind, level, children }) => (kind === 'heading' ? [level] : children ? [highest(children)] : [])));
}

// The elements of a text. `pictures` is what the names of pictures stand behind; `title` the heading that is on the screen already.
export function reading(nodes, { pictures, title } = {}) {
    const [first] = nodes;
    const rest = first?.kind === 'heading' && plain(first.children) === title ? nodes.slice(1) : nodes;
    const shift = 2 - highest(rest);
    const make = (node, isTight) => {
        const { kind, text, target, children = [] } = node;
        const inner = () => children.map((child) => make(child, isTight));
        switch (kind) {
        case 'text': return document.createTextNode(text);
        case 'heading': return h(`h${Math.min(6, node.level + shift)}`, {}, ...inner());
        case 'paragraph': return isTight ? h('span', {}, ...inner()) : h('p', {}, ...inner());
        case 'list': return h(node.start === undefined ? 'ul' : 'ol', { start: node.start !== 1 && node.start },
            ...children.map((child) => make(child, node.tight)));
        case 'item': return h('li', {}, ...inner());
        case 'quote': return h('blockquote', {}, ...children.map((child) => make(child, false)));
        case 'code': return h('pre', { tabindex: 0 }, h('code', { text }));
        case 'verbatim': return h('code', { text });
        case 'link': return link(target, ...inner());
        case 'image': return h('img', { src: `${pictures}${encodeURIComponent(target)}`, alt: text ?? '', loading: 'lazy' });
        default: return tags[kind] ? h(tags[kind], {}, ...inner()) : h('span', {}, ...inner());
        }
    };
    return rest.map((node) => make(node, false));
}

// A day of the station, YYYY-MM-DD, in words.
export const day = (date, options = { weekday: 'long', day: 'numeric', month: 'long' }) =>
    new Intl.DateTimeFormat(words.language, { ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));

// A time of the station, HH:MM, as the language writes it, in one line.
export const clock = (time) => new Intl.DateTimeFormat(words.language, { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' })
    .format(new Date(`2000-01-01T${time}:00Z`)).replaceAll(' ', '\u00a0');

// When an event takes place, without its first day.
export function hours({ startTime, endTime, isAllDay, firstDay, lastDay }) {
    const until = lastDay !== firstDay ? words.text('events.until', { day: day(lastDay, { day: 'numeric', month: 'long' }) }) : '';
    if (isAllDay) return until || words.text('events.allDay');
    const times = endTime && lastDay === firstDay ? `${clock(startTime)} – ${clock(endTime)}` : clock(startTime);
    return until ? `${times}, ${until}` : times;
}
