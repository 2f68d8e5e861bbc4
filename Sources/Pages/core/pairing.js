// What a device brings with it when it is to be paired: the secret of a link, which is taken out of the address at once,
// and a name to begin with.
import { text } from './words.js';

const isAsked = location.pathname === '/pair';
let secret = isAsked ? location.hash.slice(1) : '';

if (location.hash) history.replaceState(null, '', location.pathname);
// A second link in the same tab changes the fragment alone.
addEventListener('hashchange', () => { if (location.hash) location.reload(); });

// The screen that the address asks for, if it asks for one: once.
export function wanted() {
    if (!isAsked) return null;
    const token = secret;
    secret = '';
    return { screen: 'pair', values: { token } };
}

// Out of the address, so that the page comes up as its role's when it is loaded again.
export const leave = () => { if (location.pathname !== '/') history.replaceState(null, '', '/'); };

// A name by what the browser says it runs on. An iPad says that it is a Macintosh, with a touch screen.
export function defaultName() {
    const agent = navigator.userAgent;
    const isPad = /iPad/.test(agent) || (/Macintosh/.test(agent) && navigator.maxTouchPoints > 1);
    if (isPad) return 'iPad';
    if (/iPhone/.test(agent)) return 'iPhone';
    if (/Android/.test(agent)) return text(/Mobile/.test(agent) ? 'pair.phone' : 'pair.tablet');
    return text(navigator.maxTouchPoints > 1 ? 'pair.tablet' : 'pair.computer');
}
