// <learn-profile>: who plays: everybody, or a colour and an animal that a child chooses to come back to. Nothing else is asked.
import { button, h, s } from '../core/dom.js';
import { openDialog } from '../core/ask.js';
import { text, words } from '../core/words.js';
import { animals, colours, player } from '../learning/player.js';
import { drawings } from '../learning/drawings.js';

export const badge = (profile) => {
    const [colour, animal] = profile.split('-');
    return h('span', { class: `badge ${colour}`, 'aria-hidden': 'true' },
        s('svg', { viewBox: '0 0 48 48' }, s('path', { d: drawings[animal], fill: 'currentColor', 'fill-rule': 'evenodd' })));
};
export const profileName = (profile) => {
    const [colour, animal] = profile.split('-');
    return text('learn.profile.name', { colour: text(`learn.colour.${colour}`), animal: text(`learn.animal.${animal}`) });
};

class LearnProfile extends HTMLElement {
    #ended = null;

    connectedCallback() {
        this.#ended = new AbortController();
        player.addEventListener('change', () => this.#draw(), { signal: this.#ended.signal });
        words.addEventListener('languagechange', () => this.#draw(), { signal: this.#ended.signal });
        this.#draw();
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    #draw() {
        // Where nothing is kept there is nothing to come back to.
        if (!player.kept) return this.replaceChildren();
        const { profile } = player;
        this.replaceChildren(h('button', {
            type: 'button', class: 'who-plays', on: { click: () => this.#choose() },
            'aria-label': profile ? text('learn.profile.is', { name: profileName(profile) }) : text('learn.profile.choose'),
        }, profile ? badge(profile) : null, h('span', { text: profile ? profileName(profile) : text('learn.profile.choose') })));
    }

    #choose() {
        let [colour, animal] = (player.profile ?? 'blue-owl').split('-');
        openDialog('learn.profile.title', (close) => {
            const shown = h('p', { class: 'chosen' });
            const show = () => shown.replaceChildren(badge(`${colour}-${animal}`), h('span', { text: profileName(`${colour}-${animal}`) }));
            const pick = (name, values, current, take, draw) => h('div', { class: 'tokens', role: 'radiogroup', label: `learn.profile.${name}` }, values.map((value) => {
                const node = h('button', {
                    type: 'button', role: 'radio', label: `learn.${name}.${value}`, 'aria-checked': String(value === current), class: `token ${value}`,
                    on: { click: () => {
                        take(value);
                        for (const other of node.parentElement.children) other.setAttribute('aria-checked', String(other === node));
                        show();
                    } },
                }, draw?.(value));
                return node;
            }));
            const choose = (profile) => { close(); player.open(profile).then(() => player.dispatchEvent(new Event('chosen'))); };
            show();
            return [
                pick('colour', colours, colour, (value) => { colour = value; }),
                pick('animal', animals, animal, (value) => { animal = value; },
                    (value) => s('svg', { viewBox: '0 0 48 48', 'aria-hidden': 'true' }, s('path', { d: drawings[value], fill: 'currentColor', 'fill-rule': 'evenodd' }))),
                shown,
                h('div', { class: 'choices' },
                    button('learn.profile.play', () => choose(`${colour}-${animal}`), { class: 'primary', icon: 'check' }),
                    button('learn.profile.none', () => choose(null)))];
        }).classList.add('profiles');
    }
}

customElements.define('learn-profile', LearnProfile);
