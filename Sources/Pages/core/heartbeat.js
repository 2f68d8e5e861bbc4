// The page at the kiosk tells the station every ten seconds that it runs. It waits for a frame to be drawn before each time:
// a page that is no longer drawn falls silent, as one that has crashed does, and the kiosk's session starts the browser anew.
import * as api from './api.js';
import { pause } from './pause.js';

// The build of the pages that the browser runs: index.html's, by which it found all others.
const build = document.querySelector('meta[name=build]')?.content ?? '';

// Tells for ever what `state()` answers. Calls `outdated(what)` each time that the station has pages of another build, or
// that an operator has chosen since `choices` what visitors begin with.
export async function sendHeartbeats(seconds, state, choices, outdated) {
    for (;;) {
        await new Promise(requestAnimationFrame);
        const answer = await api.heartbeat({ build, ...state() }).catch(() => null);
        if (answer && answer.build !== build) outdated(answer.build);
        else if (answer && answer.choices !== choices) outdated(`choices ${answer.choices}`);
        await pause(1000 * seconds);
    }
}
