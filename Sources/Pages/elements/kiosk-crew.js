// <kiosk-crew>: signing in, and the muster of today; at the kiosk by number or badge and PIN, elsewhere by name and passphrase
// and the code that the kiosk shows.
import { button, go, h, icon } from '../core/dom.js';
import { code as drawCode } from '../core/codes.js';
import { pause } from '../core/pause.js';
import { person } from '../core/person.js';
import { station } from '../core/station.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';

// Where this device is, which browsers know over https alone and only if its user agrees; it goes into the request and nowhere else.
const place = () => new Promise((found, failed) => {
    const refuse = () => failed(Object.assign(new Error('no position'), { kind: 'place' }));
    if (!navigator.geolocation) return refuse();
    navigator.geolocation.getCurrentPosition(({ coords, timestamp }) => found({
        latitude: coords.latitude, longitude: coords.longitude, accuracy: coords.accuracy, ageSeconds: Math.max(0, (Date.now() - timestamp) / 1000),
    }), refuse, { enableHighAccuracy: true, maximumAge: 0, timeout: 20_000 });
});
const badgeStart = 'konza-badge:';
const scan = (code, digits) => [h('h2', { word: 'crew.scan' }), code, h('p', { class: 'digits', text: digits })];

class KioskCrew extends HTMLElement {
    code = '';
    #ended = null;
    #day = null;
    #badge = '';
    #typed = '';
    #number = '';
    #pin = '';
    #answer = h('p', { class: 'problem', role: 'alert' });
    // Its place is kept while there is none: nothing moves when it comes.
    #challenge = h('div', { class: 'challenge', 'data-blank': true }, scan(h('div', { class: 'code' }), '0000 0000'));
    #shown = '';

    async connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'crew.title', tabindex: -1 }));
        // What is typed to sign in stays.
        words.addEventListener('languagechange', () => { if (person.person) this.#look(); }, { signal });
        document.addEventListener('keydown', (event) => this.#key(event), { signal });
        if (this.code) await this.#exchange(this.code);
        await person.ask({ signal }).catch(() => {});
        await this.#look();
        if (this.#isKiosk) this.#followChallenge(signal);
    }

    disconnectedCallback() {
        this.#ended.abort();
        this.#pin = '';
        this.#badge = '';
    }

    get #isKiosk() {
        return station.session.role === 'kiosk';
    }

    async #look() {
        const { signal } = this.#ended;
        this.#day = person.person ? await api.muster(words.language, { signal }).catch(() => null) : null;
        if (!signal.aborted) this.#draw();
    }

    #draw() {
        const signedIn = person.person && this.#day;
        this.replaceChildren(
            h('h1', { class: 'title', word: signedIn ? 'crew.today' : 'crew.title', tabindex: -1 }),
            ...(signedIn ? this.#today() : this.#isKiosk ? this.#pad() : this.#form()).filter(Boolean));
        this.querySelector('[data-first]')?.focus({ preventScroll: true });
    }

    // MARK: At the kiosk

    #pad() {
        const digit = (value) => h('button', { type: 'button', class: 'key', text: value, on: { click: () => this.#put(value) } });
        const isPIN = this.#badge || this.#shown === 'pin';
        const entered = h('output', { class: 'pin', label: isPIN ? 'door.entered' : 'crew.number' });
        this.#tell = () => {
            const value = isPIN ? '●'.repeat(this.#pin.length) : this.#number;
            entered.textContent = value || '·';
            next.disabled = isPIN ? this.#pin.length !== 6 : !this.#number;
        };
        const next = button(isPIN ? 'crew.signIn' : 'crew.next', () => (isPIN ? this.#tryPIN() : this.#ask()), { class: 'primary', icon: 'key' });
        this.#tell();
        return [
            h('p', { class: 'note ask', word: isPIN ? 'crew.askPIN' : 'crew.askNumber' }), entered,
            h('div', { class: 'pad', role: 'group', label: 'door.pad' }, [...'123456789'].map(digit),
                h('button', { type: 'button', class: 'key', label: 'keyboard.erase', on: { click: () => this.#erase() } }, icon('erase')),
                digit('0'),
                h('button', { type: 'button', class: 'key', label: 'crew.again', on: { click: () => this.#again() } }, icon('back'))),
            this.#answer, h('div', { class: 'actions' }, next), this.#challenge,
        ];
    }

    #tell = () => {};

    #put(digit) {
        tell(this.#answer);
        if (this.#badge || this.#shown === 'pin') this.#pin = (this.#pin + digit).slice(0, 6);
        else this.#number = (this.#number + digit).slice(0, 6);
        this.#tell();
    }

    #erase() {
        if (this.#badge || this.#shown === 'pin') this.#pin = this.#pin.slice(0, -1);
        else this.#number = this.#number.slice(0, -1);
        this.#tell();
    }

    #ask() {
        this.#shown = 'pin';
        this.#draw();
    }

    #again() {
        [this.#pin, this.#number, this.#badge, this.#shown] = ['', '', '', ''];
        this.#draw();
    }

    // Digits by a keyboard; a badge by a reader that types what it read.
    #key(event) {
        if (!this.#isKiosk || person.person) return;
        const { key } = event;
        if (key === 'Enter' && this.#typed.startsWith(badgeStart)) {
            event.preventDefault();
            this.#badge = this.#typed;
            this.#typed = '';
            [this.#number, this.#pin] = ['', ''];
            return this.#draw();
        }
        if (key.length === 1) {
            const typed = this.#typed + key;
            this.#typed = badgeStart.startsWith(typed) || typed.startsWith(badgeStart) ? typed.slice(0, 80) : badgeStart.startsWith(key) ? key : '';
            if (this.#typed) return;
        }
        if (/^[0-9]$/.test(key)) this.#put(key);
        if (key === 'Backspace') this.#erase();
    }

    async #tryPIN() {
        const proof = { ...(this.#badge ? { badge: this.#badge } : { name: this.#number }), pin: this.#pin };
        this.#pin = '';
        this.#tell();
        if (await this.#signIn(proof)) [this.#number, this.#badge, this.#shown] = ['', '', ''];
    }

    // The code of these thirty seconds, which is shown while nobody is signed in here.
    async #followChallenge(signal) {
        while (!signal.aborted) {
            let seconds = 2;
            try {
                const shown = await api.musterChallenge({ signal });
                seconds = Math.min(shown.secondsLeft + 0.1, 30);
                this.#challenge.toggleAttribute('data-blank', false);
                this.#challenge.replaceChildren(...scan(drawCode(shown.qr, { label: 'crew.scan' }), `${shown.digits.slice(0, 4)} ${shown.digits.slice(4)}`));
            } catch {
                this.#challenge.toggleAttribute('data-blank', true);
            }
            await pause(1000 * seconds, signal);
        }
    }

    // MARK: Elsewhere

    #form() {
        const name = h('input', { id: 'crew-name', type: 'text', autocomplete: 'username', spellcheck: 'false', maxlength: 60, value: person.session.keptName ?? '' });
        const secret = h('input', { id: 'crew-secret', type: 'password', autocomplete: 'current-password', maxlength: 256 });
        const choice = (value) => h('label', { class: 'choice' },
            h('input', { type: 'radio', name: 'keep', value, checked: value === (person.session.keptName ? 'name' : 'nothing') }), h('span', { word: `crew.keep.${value}` }));
        const keep = h('fieldset', {}, h('legend', { word: 'crew.keep' }), ['nothing', 'name', 'device'].map(choice));
        const act = (event) => {
            event.preventDefault();
            const passphrase = secret.value;
            secret.value = '';
            this.#signIn({ name: name.value, passphrase, keep: keep.querySelector(':checked').value });
        };
        return [h('form', { class: 'sheet', on: { submit: act } },
            person.ticket && h('p', { class: 'ribbon', word: 'crew.seen' }),
            h('label', { for: 'crew-name', word: 'crew.name' }), name, h('label', { for: 'crew-secret', word: 'crew.passphrase' }), secret, keep,
            this.#answer, button('crew.signIn', undefined, { type: 'submit', class: 'primary', icon: 'key' }))];
    }

    async #signIn(proof) {
        tell(this.#answer, 'crew.wait');
        try {
            await person.signIn(proof);
        } catch (failure) {
            const seconds = Number(failure.message.match(/wait (\d+) s/)?.[1]) || 3;
            const why = { 'too-many-requests': 'crew.tooSoon', forbidden: 'crew.wrong', 'invalid-request': 'crew.wrong' }[failure.kind] ?? 'pages.failed';
            tell(this.#answer, why, () => ({ seconds: words.number(seconds) }));
            return false;
        }
        tell(this.#answer);
        await this.#look();
        return true;
    }

    async #exchange(code) {
        try {
            person.ticket = (await api.musterTicket(code)).ticket;
            tell(this.#answer);
        } catch (failure) {
            tell(this.#answer, failure.kind === 'forbidden' ? 'crew.badCode' : failure.kind === 'too-many-requests' ? 'crew.tooSoon' : 'pages.failed', () => ({ seconds: words.number(60) }));
        }
    }

    // MARK: Signed in

    #today() {
        const { you, isWorkday, people, clock } = this.#day;
        const time = (at) => words.time(at, { timeStyle: 'short' });
        const state = you.isMustered && you.at ? text(you.state === 'late' ? 'crew.late' : 'crew.mustered', { time: time(you.at) })
            : text(you.isMustered ? 'crew.vouched' : you.state === 'excused' ? 'crew.excused' : isWorkday ? 'crew.notMustered' : 'crew.noDay');
        const waits = you.missing.filter((one) => one !== 'challenge' || !person.ticket);
        return [
            h('p', { class: 'who' }, h('span', { class: 'device', text: you.name }), button('crew.account', () => go(this, 'account'), { icon: 'key' }),
                people && button('crew.roster', () => go(this, 'roster'), { icon: 'station' }),
                people && button('announce.open', () => go(this, 'announce'), { icon: 'pencil' }), button('crew.signOut', () => this.#signOut(), { icon: 'leave' })),
            h('p', { class: `state ${you.isMustered ? 'good' : 'open'}`, role: 'status', text: state }),
            clock === 'unbelieved' && h('p', { class: 'note ask', word: 'roster.clock' }),
            you.correction && h('p', { class: 'note', word: ['crew.corrected', { reason: you.correction.reason ?? '' }] }),
            !you.isMustered && you.unread.length > 0 && h('ul', { class: 'unread', label: 'crew.unread' }, you.unread.map((one) => h('li', {},
                h('button', { type: 'button', on: { click: () => go(this, 'notice', { notice: one.id, from: 'crew' }) } }, icon('notice'), h('span', { text: one.title }))))),
            !you.isMustered && waits.length > 0 && this.#missing(waits),
            !you.isMustered && h('div', { class: 'actions' },
                button('crew.muster', () => this.#muster(), { class: 'primary', icon: 'check', disabled: waits.length > 0, 'data-first': true })),
            this.#answer,
        ];
    }

    #missing(waits) {
        if (waits.includes('login')) return h('p', { class: 'note', word: 'crew.needLogin' });
        if (waits.includes('announcements')) return h('p', { class: 'note', word: 'crew.needReading' });
        if (waits.includes('window')) return h('p', { class: 'note', word: ['crew.needTime', { time: this.#day.from }] });
        const field = h('input', { id: 'crew-code', type: 'text', inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 9 });
        return h('form', { class: 'sheet', on: { submit: async (event) => {
            event.preventDefault();
            await this.#exchange(field.value);
            this.#draw();
        } } },
            h('label', { for: 'crew-code', word: 'crew.needCode' }), field, button('crew.next', undefined, { type: 'submit', icon: 'check' }));
    }

    async #muster() {
        try {
            const position = this.#day.needsPosition ? await place() : null;
            await api.makeMuster({ ...(person.ticket && { ticket: person.ticket }), ...(position && { position }) }, words.language);
            person.ticket = null;
        } catch (failure) {
            if (failure.kind === 'place') {
                tell(this.#answer, 'crew.noPlace');
                return;
            }
            person.ticket = null;
            await this.#look();
            tell(this.#answer, failure.kind === 'conflict' ? /position/.test(failure.message) || /station: use/.test(failure.message) ? 'crew.notInside' : 'crew.notYet' : failure.kind === 'forbidden' ? 'crew.notHere' : 'pages.failed');
            return;
        }
        await this.#look();
    }

    async #signOut() {
        await person.signOut();
        this.#again();
    }
}

customElements.define('kiosk-crew', KioskCrew);
