// <kiosk-shots>: the pictures of a collage side by side, before the card is made of them: any one can be taken again.
import { button, go, h, icon } from '../core/dom.js';
import { station } from '../core/station.js';
import { kinds, visit } from '../core/visit.js';
import * as api from '../core/api.js';

class KioskShots extends HTMLElement {
    #key = api.newKey();
    #pictures = h('ol', { class: 'shots' });
    #make = button('shots.make', () => this.#finish(), { class: 'primary', icon: 'check', 'data-first': true });
    #stop = button('shots.stop', () => this.#leave(), { icon: 'back' });

    connectedCallback() {
        if (!visit.shots.length || visit.shots.includes(null)) return go(this, 'compose');
        this.#pictures.replaceChildren(...visit.shots.map((shot, index) => h('li', {},
            h('img', { src: shot.url, label: ['strip.taken', { number: index + 1 }] }),
            h('button', { type: 'button', label: ['shots.again', { number: index + 1 }], on: { click: () => this.#again(index) } },
                icon('again'), h('span', { word: 'shots.repeat', 'aria-hidden': 'true' })))));
        this.#pictures.dataset.count = visit.shots.length;
        this.replaceChildren(h('h1', { class: 'title', word: 'shots.title', tabindex: -1 }), this.#pictures,
            h('div', { class: 'actions' }, this.#make, this.#stop));
    }

    #again(index) {
        visit.release(index);
        go(this, 'strip');
    }

    #leave() {
        visit.dropShots();
        go(this, 'compose');
    }

    async #finish() {
        for (const node of this.querySelectorAll('button')) node.disabled = true;
        const { number } = visit;
        visit.expect(this.#key);
        try {
            const wishes = { ...visit.wishes, shots: visit.shots.map(({ id }) => id), layout: kinds[visit.kind].layout };
            const card = await api.takePostcard(wishes, this.#key);
            const picture = await api.picture(card).catch(() => null);
            // What the visitor has not seen is not kept.
            if (!picture || number !== visit.number || !this.isConnected) {
                visit.abandon(this.#key);
                return this.isConnected && go(this, 'failed', { failure: new api.Failure('unreachable', '') });
            }
            visit.hold(card, picture, this.#key);
            visit.forgetShots();
            go(this, 'card');
        } catch (failure) {
            visit.abandon(this.#key);
            station.ask();
            if (this.isConnected) go(this, 'failed', { failure });
        }
    }
}

customElements.define('kiosk-shots', KioskShots);
