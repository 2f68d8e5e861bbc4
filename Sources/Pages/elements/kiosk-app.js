// <kiosk-app>: shows one screen at a time above the band that names the place, and ends a visit that is over.
import { button, h } from '../core/dom.js';
import { sendHeartbeats } from '../core/heartbeat.js';
import { Idle } from '../core/idle.js';
import { Past } from '../core/past.js';
import { station } from '../core/station.js';
import { visit } from '../core/visit.js';
import { tell, text, words } from '../core/words.js';
import { admitted, wanted } from '../core/pairing.js';
import { person } from '../core/person.js';
import * as api from '../core/api.js';
import { pause } from '../core/pause.js';
import { shield } from '../core/shield.js';
import './calm-prairie.js';
import './kiosk-attract.js';
import './kiosk-closed.js';
import { askedGame } from './kiosk-learn.js';
import './still-there.js';

// What each screen is: its element; whether it needs a station that can take postcards; whether idle time counts; whether the browser's
// Back leads to it.
const screens = {
    attract: { needsStation: true },
    compose: { needsStation: true },
    count: { busy: true, isPassing: true },
    strip: { busy: true, isPassing: true },
    shots: { isPassing: true },
    door: { isPassing: true },
    failed: { isPassing: true },
    card: {},
    take: {},
    print: {},
    home: {},
    album: {},
    picture: {},
    sky: {},
    map: {},
    along: {},
    rocks: {},
    rocklist: {},
    rock: {},
    rockpicture: {},
    notices: {},
    notice: {},
    trips: {},
    trip: {},
    outing: {},
    care: {},
    correct: {},
    leave: {},
    announce: {},
    events: {},
    event: {},
    about: {},
    page: {},
    people: {},
    person: {},
    view: {},
    station: {},
    kept: {},
    learn: {},
    closed: { isPassing: true },
    crew: {},
    account: {},
    roster: {},
    pair: { isPassing: true },
    gallery: {},
    postcard: {},
    camera: {},
    calibrate: {},
    devices: {},
    invite: {},
    specimens: {},
    moderation: {},
    printer: {},
    disk: {},
    begin: {},
    look: {},
    certificate: {},
};
// Screens of paired devices, and those that are other ones there than at the kiosk.
const ofTablets = ['gallery', 'postcard', 'camera', 'calibrate', 'devices', 'invite', 'specimens', 'moderation', 'printer', 'disk', 'begin', 'look', 'certificate', 'pair'];

class KioskApp extends HTMLElement {
    #others = null;
    #isWhole = false;
    #main = h('main', {});
    #status = h('p', { class: 'status', role: 'status' });
    #silence = h('p', { class: 'status silence', role: 'status' });
    #stillThere = h('still-there');
    #screen = null;
    #wanted = 'attract';
    #idle = null;
    #past = null;
    #newer = null;
    #knocks = [];

    async connectedCallback() {
        await this.#patiently(admitted);
        const session = await this.#patiently(api.session);
        words.zone = session.timeZone;
        await Promise.all([this.#patiently(() => words.load(session.languages ?? ['en', 'es'])), station.open(session)]);
        this.replaceChildren(this.#main, h('div', { class: 'horizon' }, h('calm-prairie', { horizon: true })), this.#status, this.#band(session),
            this.#silence, this.#stillThere);
        shield.guard(this);
        this.addEventListener('go', ({ detail }) => this.show(detail.screen, detail.values));
        this.addEventListener('say', ({ detail }) => { this.#status.textContent = detail; });
        this.addEventListener('contextmenu', (event) => { if (this.#isKiosk) event.preventDefault(); });
        this.addEventListener('paired', ({ detail }) => this.#become(detail, 'session.paired'));
        this.#stillThere.addEventListener('stay', () => {
            this.#idle.restart();
            shield.raise();
        });
        this.addEventListener('busy', ({ detail }) => { if (this.#idle) this.#idle.suspended = detail; });
        this.addEventListener('over', () => this.#end());
        station.addEventListener('change', () => this.#follow());
        station.addEventListener('outdated', ({ detail }) => this.#renew(detail));
        station.addEventListener('session', ({ detail }) => this.#become(detail.session, detail.reason));
        document.documentElement.dataset.role = session.role;
        if (this.#isKiosk || session.endsWhenIdle) this.#idle = new Idle(session.idleSeconds ?? 60, () => this.#warn());
        else this.#past = new Past((name, values) => this.#return(name, values));
        visit.takeUp();
        const asked = wanted() ?? askedGame();
        if (!this.#isKiosk || asked) await Promise.all([this.#patiently(() => import('./tablets.js')), this.#loadOthers()]);
        this.show(asked?.screen ?? this.#first, asked?.values);
        requestAnimationFrame(() => setTimeout(() => this.#loadOthers()));
        this.#follow();
        if (this.#isKiosk || session.endsWhenIdle) {
            sendHeartbeats(session.heartbeatSeconds ?? 10, () => ({ screen: this.#screen, idle: this.#isIdle }), session.choices, (newer) => this.#renew(newer));
        }
    }

    // Whether there is nobody whose words or picture would be lost.
    get #isIdle() {
        return this.#wanted === this.#first;
    }

    // Newer pages are loaded as soon as nobody uses these; once, in case that these come again.
    #renew(newer) {
        if (sessionStorage.getItem('renewed') === newer) return;
        this.#newer = newer;
        if (this.#isIdle) this.#reload();
    }

    #reload() {
        sessionStorage.setItem('renewed', this.#newer);
        location.reload();
    }

    // The kiosk is in public; what else has the page belongs to somebody, who is not asked whether he is there.
    get #isKiosk() {
        return station.session.role === 'kiosk';
    }

    get #first() {
        return this.#isKiosk ? 'attract' : 'home';
    }

    // Whoever was paired, sent away or given another role gets the screens of that role, and the reason.
    #become(session, reason) {
        const { role } = station.session;
        if ((session.role === 'kiosk') !== this.#isKiosk) return location.replace('/');
        station.session = session;
        station.leaving = null;
        if (role === session.role && !reason) return this.#screen === 'home' && this.show('home');
        document.documentElement.dataset.role = session.role;
        visit.forget();
        this.#past?.forget();
        document.querySelector('dialog.sheet')?.close();
        this.show('home');
        const why = reason ?? (session.device ? 'session.changed' : 'session.revoked');
        this.#status.textContent = text(why, { role: text(`role.${session.role}`) });
    }

    // The attract screen is there before the code of those that visitors go to from it.
    #loadOthers() {
        this.#others ??= this.#patiently(() => import('./screens.js')).then(() => { this.#isWhole = true; });
        return this.#others;
    }

    // What the page cannot be without: asked for until there is an answer.
    async #patiently(ask) {
        for (;;) {
            try {
                return await ask();
            } catch {
                await pause(1000);
            }
        }
    }

    #band(session) {
        const languages = h('div', { class: 'languages', role: 'group', label: 'band.languages' },
            words.languages.map((language) => h('button', {
                type: 'button', class: 'language', lang: language, text: words.text('language.name', {}, language),
                on: { click: () => words.use(language) },
            })));
        const mark = () => {
            for (const node of languages.children) node.setAttribute('aria-pressed', String(node.lang === words.language));
        };
        words.addEventListener('languagechange', mark);
        // What was said in passing is not said again in another language.
        words.addEventListener('languagechange', () => { this.#status.textContent = ''; });
        mark();
        return h('footer', { class: 'band' },
            button('band.home', () => this.show('home'), { icon: 'home', class: 'home' }),
            h('p', { class: 'place', text: session.place ?? session.station, on: { click: () => this.#knock() } }), languages);
    }

    // The operator's door at the kiosk: five taps on the name of the place within three seconds.
    #knock() {
        if (!this.#isKiosk || !station.session.door) return;
        const now = performance.now();
        this.#knocks = [...this.#knocks.filter((one) => now - one < 3000), now];
        if (this.#knocks.length < 5) return;
        this.#knocks = [];
        this.show('door');
    }

    show(name, values = {}) {
        if (this.#newer && !this.#isKiosk && name === 'home') return this.#reload();
        const closed = station.closed && screens[name].needsStation;
        const shown = closed ? 'closed' : name;
        const kind = ofTablets.includes(shown) || (shown === 'home' && !this.#isKiosk) ? 'tablet' : 'kiosk';
        this.#wanted = name;
        if (!this.#isWhole && !customElements.get(`${kind}-${shown}`)) {
            this.#loadOthers().then(() => { if (this.#wanted === name) this.show(name, values); });
            return;
        }
        person.leaveFor(name);
        if (!screens[shown].isPassing) this.#past?.note(name, values);
        this.#status.textContent = '';
        this.#screen = shown;
        this.setAttribute('screen', shown);
        shield.raise();
        this.#main.replaceChildren(Object.assign(document.createElement(`${kind}-${shown}`), values));
        (this.#main.querySelector('[data-first]') ?? this.#main.querySelector('h1'))?.focus({ preventScroll: true });
        this.#mark(shown);
        if (this.#idle) this.#idle.suspended = Boolean(screens[shown].busy);
    }

    // What the browser's Back and Forward lead to.
    #return(name = this.#first, values = {}) {
        document.querySelector('dialog.sheet')?.close();
        // No answer to a touch of the page.
        shield.forget();
        this.show(name, values);
    }

    // The browser's own mark of the frame that shows the screen first, to be measured.
    #mark(name) {
        performance.clearMarks(`screen-${name}`);
        requestAnimationFrame(() => performance.mark(`screen-${name}`));
    }

    // Follows the station: the scheme by the sun, and out of service or back again, to where the visitor was.
    #follow() {
        document.documentElement.dataset.scheme = station.scheme;
        // A tablet shows what it has, and that it is old; the kiosk is closed.
        const isSilent = !this.#isKiosk && station.closed && !station.closed.part && this.#screen !== 'closed';
        tell(this.#silence, isSilent && 'closed.unreachable');
        if (station.closed && screens[this.#screen].needsStation) this.show(this.#screen);
        if (!station.closed && this.#screen === 'closed') this.show(this.#wanted);
    }

    // Nothing of a visitor is on the attract screen but the language.
    #warn() {
        if (station.session.endsWhenIdle) return this.#stillThere.open(station.session.idleWarningSeconds ?? 20);
        if (this.#screen === 'attract' || this.#screen === 'closed') return this.#end();
        this.#stillThere.open(station.session.idleWarningSeconds ?? 20);
    }

    #end() {
        visit.forget();
        station.askOffer();
        // The kiosk is the visitors' again.
        if (station.session.endsWhenIdle) return api.endSession().catch(() => {}).then(() => location.replace('/'));
        if (this.#newer) return this.#reload();
        this.show(this.#first);
        if (words.language !== words.languages[0]) words.use(words.languages[0]);
        this.#idle?.restart();
    }
}

customElements.define('kiosk-app', KioskApp);
