// <large-letters>: the name of a place in the block letters of the vintage card, with a script line above. The letters
// are windows onto a prairie; colours and order of the layers are those of config/templates/vintage.json.
import { h, s } from '../core/dom.js';

const colours = { ink: '#2a120c', cream: '#fbf1d8', side: '#c2502a', sideDark: '#7a2a17' };
const sky = [[0, '#2f7f93'], [34, '#9cc7b8'], [52, '#fbe0a0'], [66, '#f5a94a'], [100, '#e0752f']];
const hills = [
    ['#7d8f63', 'M0 100V56c6-6 11-8 17-4 7 5 12-2 19-6 8-4 14 4 21 7s13-7 21-8 15 7 22 5v50z'],
    ['#4e7548', 'M0 100V66c8 4 14-6 22-6 9 0 14 10 23 9s13-11 22-10 15 10 23 8c5-1 8-5 10-6v39z'],
    ['#2c5a3c', 'M0 100V80c10-7 20-4 30 1 11 5 20-5 31-6 12-1 23 9 39 2v23z'],
];
const width = 1000;
let made = 0;

export class LargeLetters extends HTMLElement {
    #script = s('text', { class: 'script' });

    // Draws the place, in one line or a word a line; `stacked` is the form for portrait screens.
    show(place, stacked) {
        const lines = stacked ? place.split(/\s+/) : [place];
        const parts = [];
        let top = 150;
        for (const line of lines) {
            const size = Math.min(width / (0.4 * line.length), stacked ? 420 : 300);
            const height = 0.7 * size;
            parts.push(this.#line(line.toLocaleUpperCase(), size, top, height));
            top += height + 48;
        }
        this.#script.setAttribute('x', 10);
        this.#script.setAttribute('y', 132);
        this.#script.setAttribute('transform', 'rotate(-5 10 132)');
        this.replaceChildren(s('svg', { viewBox: `0 -20 ${width + 24} ${top}`, 'aria-hidden': 'true' }, parts, this.#script));
    }

    set greeting(text) {
        this.#script.textContent = text;
    }

    #line(text, size, top, height) {
        const id = `letters-${made += 1}`;
        const place = { class: 'letters', x: 4, y: top + height, 'font-size': size, textLength: width - 12, lengthAdjust: 'spacingAndGlyphs' };
        const letters = (attributes) => s('text', { ...place, ...attributes, text });
        const depth = [...Array(9).keys()].reverse().map((step) => letters({
            x: 4 + 1.5 * (step + 1), y: top + height + 2 * (step + 1),
            fill: step > 6 ? colours.sideDark : colours.side, stroke: step > 7 ? colours.ink : 'none', 'stroke-width': 6,
        }));
        return s('g', {},
            s('defs', {},
                s('linearGradient', { id: `${id}-sky`, x1: 0, y1: 0, x2: 0, y2: 1 },
                    sky.map(([at, colour]) => s('stop', { offset: `${at}%`, 'stop-color': colour }))),
                s('clipPath', { id }, letters({}))),
            depth,
            letters({ fill: 'none', stroke: colours.ink, 'stroke-width': 9, 'stroke-linejoin': 'round' }),
            s('g', { 'clip-path': `url(#${id})` },
                s('rect', { x: 0, y: top, width, height, fill: `url(#${id}-sky)` }),
                s('circle', { cx: 0.294 * width, cy: top + 0.5 * height, r: 0.2 * height, fill: '#fff3c4' }),
                hills.map(([fill, d]) => s('path', { d, fill, transform: `translate(0 ${top}) scale(${width / 100} ${height / 100})` })),
                letters({ fill: 'none', stroke: colours.cream, 'stroke-width': 9 })));
    }
}

customElements.define('large-letters', LargeLetters);

// The heading that holds them: its name is read out, not the drawing.
export const lettersHeading = (letters) => h('h1', { class: 'letters-heading' }, letters);
