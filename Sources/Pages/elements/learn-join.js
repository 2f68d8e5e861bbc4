// <learn-join>: a member of a class: joins by four digits, gets a colour and an animal, and answers what the station asks. What is
// right, and what came in time, is decided at the station.
import { button, h, s } from '../core/dom.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';
import * as sound from '../core/sound.js';
import { padded, world } from '../learning/atlas.js';
import { drawings } from '../learning/drawings.js';
import { languageOf, leave, nameOf, sleep } from '../learning/game.js';
import { badge, profileName } from './learn-profile.js';
import './learn-bar.js';
import './world-map.js';

const digits = 4;
const every = 1000;
const wordOf = (quiz, choice) => (quiz === 'continents' ? `learn.continent.${choice}` : `learn.group.${choice}`);

class LearnJoin extends HTMLElement {
    #ended = null;
    #bar = h('learn-bar');
    #stage = h('div', { class: 'stage' });
    #typed = '';
    #problem = h('p', { class: 'problem', role: 'alert' });
    #shownCode = h('p', { class: 'digits', role: 'status' });
    #map = h('world-map', { class: 'shape-map' });
    #atlas = null;
    // {code, ticket, turn, until}: `until` is when the time is over, by this page's own clock.
    #member = null;
    #waits = false;
    #timer = 0;

    connectedCallback() {
        this.#ended = new AbortController();
        const { signal } = this.#ended;
        this.#bar.title = 'learn.join.title';
        this.replaceChildren(this.#bar, this.#stage);
        words.addEventListener('languagechange', () => { if (this.#member && !this.#waits) this.#draw(); }, { signal });
        addEventListener('keydown', (event) => this.#key(event), { signal });
        this.#timer = setInterval(() => this.#tick(), 200);
        const query = new URLSearchParams(location.search);
        const asked = query.get('code') ?? '';
        const pass = query.get('pass') ?? '';
        this.#ask();
        if (/^\d{4}$/.test(asked)) this.#type(asked, pass);
    }

    disconnectedCallback() {
        clearInterval(this.#timer);
        this.#ended.abort();
    }

    // Before: the digits of the code

    #ask() {
        this.#member = null;
        this.#typed = '';
        this.#bar.clear();
        const key = (digit) => h('button', { type: 'button', class: 'digit', text: words.number(digit), on: { click: () => this.#type(String(digit)) } });
        this.#stage.replaceChildren(h('div', { class: 'class-join' },
            h('div', { class: 'class-typed' }, h('p', { class: 'hint', word: 'learn.join.code' }), this.#shownCode, this.#problem),
            h('div', { class: 'keypad' }, [1, 2, 3, 4, 5, 6, 7, 8, 9].map(key), h('span', {}), key(0),
                h('button', { type: 'button', class: 'digit', label: 'learn.join.erase', on: { click: () => this.#erase() } }, eraser()))));
        this.#retype();
    }

    #key(event) {
        if (this.#member || event.ctrlKey || event.altKey || event.metaKey) return;
        if (/^\d$/.test(event.key)) this.#type(event.key);
        else if (event.key === 'Backspace') this.#erase();
    }

    #type(more, pass) {
        if (this.#waits || this.#member || this.#typed.length === digits) return;
        tell(this.#problem);
        this.#typed = (this.#typed + more).slice(0, digits);
        this.#retype();
        if (this.#typed.length === digits) this.#join(this.#typed, pass);
    }

    #erase() {
        this.#typed = this.#typed.slice(0, -1);
        this.#retype();
    }

    #retype() {
        this.#shownCode.textContent = this.#typed.padEnd(digits, '·');
    }

    async #join(code, pass) {
        sound.prepare();
        this.#waits = true;
        try {
            const { ticket, turn } = await api.joinClass(code, pass);
            this.#waits = false;
            if (this.#ended.signal.aborted) return;
            this.#member = { code, ticket };
            this.#take(turn);
            this.#follow(this.#member);
        } catch (failure) {
            this.#waits = false;
            this.#typed = '';
            this.#retype();
            tell(this.#problem, { 'not-found': 'learn.join.none', conflict: 'learn.join.full', 'too-many-requests': 'learn.join.wrong' }[failure.kind] ?? 'pages.failed');
        }
    }

    // While: what the station says

    // Before it starts, and while nothing is answered, the station is asked how it is.
    async #follow(member) {
        const { signal } = this.#ended;
        while (!signal.aborted && this.#member === member && member.turn.state !== 'over') {
            await sleep(every, signal);
            if (signal.aborted || this.#member !== member || this.#waits) continue;
            try {
                const turn = await api.classTurn(member.code, { ticket: member.ticket });
                if (this.#waits || this.#member !== member) continue;
                const isSame = turn.state === member.turn.state && turn.question?.number === member.turn.question?.number;
                this.#take(turn, isSame);
            } catch (failure) {
                if (failure.kind === 'not-found') this.#take({ ...member.turn, state: 'over', question: undefined });
            }
        }
    }

    #take(turn, isSame = false) {
        this.#member.turn = turn;
        this.#member.until = performance.now() + 1000 * turn.secondsLeft;
        this.#member.all ??= turn.secondsLeft;
        if (!isSame) this.#draw();
    }

    #tick() {
        const { turn, until, all } = this.#member ?? {};
        if (turn?.state === 'running') this.#bar.time(Math.max(0, (until - performance.now()) / 1000), all, 0);
    }

    #draw() {
        const { turn } = this.#member;
        const me = () => h('div', { class: 'class-me' }, badge(turn.name), h('span', { class: 'name', text: profileName(turn.name) }));
        this.#bar.score(() => [words.number(turn.right), text('learn.join.mine', { count: words.number(turn.right) })]);
        if (turn.state === 'over' || (turn.state === 'running' && !turn.question)) return this.#end(me(), turn);
        if (turn.state === 'open') {
            return this.#stage.replaceChildren(h('div', { class: 'sheet-start class-waits' }, h('p', { class: 'hint', word: 'learn.join.you' }), me(), h('p', { class: 'explained', role: 'status', word: 'learn.join.wait' })));
        }
        this.#question(me(), turn);
    }

    #end(me, { right, state }) {
        if (state === 'over') this.#bar.time(0, 1, 0);
        this.#bar.say(() => '');
        this.#stage.replaceChildren(h('div', { class: 'sheet-end' }, me,
            h('p', { class: 'result', role: 'status', text: text('learn.join.mine', { count: words.number(right) }) }), h('p', { class: 'explained', word: 'learn.join.look' }),
            h('div', { class: 'choices' }, button('learn.games', () => leave(this), { class: 'primary', icon: 'back' }))));
        this.#stage.querySelector('.primary').focus({ preventScroll: true });
    }

    #question(me, { quiz, question }) {
        const isMap = quiz === 'continents';
        const mark = (choice) => (drawings[choice.replaceAll('-', ' ')] ? s('svg', { class: 'drawing', viewBox: '0 0 48 48', 'aria-hidden': 'true' },
            s('path', { d: drawings[choice.replaceAll('-', ' ')], fill: 'currentColor', 'fill-rule': 'evenodd' })) : null);
        this.#stage.replaceChildren(h('div', { class: 'class-asks' },
            h('div', { class: 'picture' }, me, isMap && this.#map, h('p', { class: 'question', text: nameOf(question), lang: languageOf(question) })),
            h('div', { class: 'answers', role: 'group', label: 'learn.join.title' }, question.choices.map((choice) => h('button', { type: 'button', 'data-choice': choice, on: { click: () => this.#answer(choice) } },
                !isMap && mark(choice), h('span', { word: wordOf(quiz, choice) }))))));
        if (isMap) this.#showShape(question.item);
        this.#stage.querySelector('.answers button').focus({ preventScroll: true });
    }

    // The shape is a help: without it the name is enough.
    async #showShape(id) {
        try {
            this.#atlas ??= await world();
        } catch {
            return;
        }
        const item = this.#atlas.byID.get(id);
        if (item && this.#map.isConnected && this.#member?.turn.question?.item === id) this.#map.show(this.#atlas, padded(item.frame, 0.08), { items: [item] });
    }

    async #answer(choice) {
        const member = this.#member;
        if (this.#waits || !member?.turn.question) return;
        this.#waits = true;
        const { question, quiz } = member.turn;
        for (const node of this.#stage.querySelectorAll('.answers button')) node.disabled = true;
        let turn = null;
        for (let trial = 0; trial < 5 && !turn && !this.#ended.signal.aborted; trial += 1) {
            turn = await api.classTurn(member.code, { ticket: member.ticket, question: question.number, choice }).catch(() => null);
            if (!turn) await sleep(500, this.#ended.signal);
        }
        if (this.#ended.signal.aborted) return;
        if (turn?.judged) {
            const { right, answers } = turn.judged;
            (right ? sound.right : sound.wrong)();
            const node = (name) => this.#stage.querySelector(`[data-choice="${name}"]`);
            node(right ? choice : answers[0])?.classList.add('right');
            if (!right) node(choice)?.classList.add('wrong');
            const place = () => text(wordOf(quiz, right ? choice : answers[0]));
            this.#bar.say(() => text(right ? 'learn.right' : 'learn.wrong', { name: nameOf(question), place: place() }), right ? 'right' : 'wrong');
            this.#bar.score(() => [words.number(turn.right), text('learn.join.mine', { count: words.number(turn.right) })]);
            await sleep(right ? 500 : 1500, this.#ended.signal);
        }
        this.#waits = false;
        if (this.#ended.signal.aborted || this.#member !== member) return;
        if (turn) this.#take(turn);
        else this.#draw();
    }
}

function eraser() {
    return s('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('path', { d: 'M8 5h13v14H8l-6-7zM11 9l6 6M17 9l-6 6', fill: 'none', stroke: 'currentColor', 'stroke-width': 2 }));
}

customElements.define('learn-join', LearnJoin);
