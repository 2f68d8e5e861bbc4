// What a device brings with it when it is to be paired: the secret of a link, which is taken out of the address at once,
// and a name to begin with.
import { text } from './words.js';
import * as api from './api.js';

const isAsked = location.pathname === '/pair';
let secret = isAsked ? location.hash.slice(1) : '';
// The code of the muster that the kiosk showed, as a telephone's camera opened it.
let code = location.pathname === '/muster' ? location.hash.slice(1) : null;

// The kiosk's own browser brings a token in the fragment, which makes it the kiosk at once: nobody is there to touch a button.
const ticket = location.pathname === '/' ? location.hash.match(/^#kiosk=([0-9a-f]{64})$/)?.[1] : null;

// A link to one specimen or sample that somebody copied.
const shared = location.pathname === '/' ? location.hash.match(/^#(specimen|sample)=([0-9A-Za-z-]{1,40})$/) : null;

// The session that the token gives; null without one, or where it is good no longer.
export async function admitted() {
    return ticket ? api.pairByLink(ticket).catch((failure) => { if (failure.kind === 'unreachable') throw failure; }) : null;
}

if (location.hash) history.replaceState(null, '', location.pathname);
// A second link in the same tab changes the fragment alone.
addEventListener('hashchange', () => { if (location.hash) location.reload(); });

// The screen that the address asks for, if it asks for one: once.
export function wanted() {
    if (code !== null) {
        const values = { code };
        code = null;
        leave();
        return { screen: 'crew', values };
    }
    if (shared) return { screen: 'rock', values: { rock: { layer: shared[1] === 'specimen' ? 'station' : 'metpetdb', id: shared[2] } } };
    if (!isAsked) return null;
    const token = secret;
    secret = '';
    return { screen: 'pair', values: { token } };
}

// Out of the address, so that the page comes up as its role's when it is loaded again.
export const leave = () => { if (location.pathname !== '/') history.replaceState(history.state, '', '/'); };

// A name by what the browser says it runs on. An iPad says that it is a Macintosh, with a touch screen.
export function defaultName() {
    const agent = navigator.userAgent;
    const isPad = /iPad/.test(agent) || (/Macintosh/.test(agent) && navigator.maxTouchPoints > 1);
    if (isPad) return 'iPad';
    if (/iPhone/.test(agent)) return 'iPhone';
    if (/Android/.test(agent)) return text(/Mobile/.test(agent) ? 'pair.phone' : 'pair.tablet');
    return text(navigator.maxTouchPoints > 1 ? 'pair.tablet' : 'pair.computer');
}
