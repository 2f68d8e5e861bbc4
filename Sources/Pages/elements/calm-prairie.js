// <calm-prairie>: a still prairie in flat planes, shown where no live picture is. Its colours follow the scheme. With
// the attribute `horizon` it has hills alone, as wide as its box.
import { s } from '../core/dom.js';

const planes = [
    ['far', 'M0 470c160-40 300-34 460-10s330-40 520-22 380 48 620 8v454H0z'],
    ['middle', 'M0 560c210-60 390-30 560 4s330 12 520-34 360-26 520 14v356H0z'],
    ['near', 'M0 670c180-46 420-40 640 6s520 20 960-46v270H0z'],
    ['front', 'M0 790c300-52 640-8 860-2s480-38 740-22v134H0z'],
];

// A tuft of bluestem: blades from one root, given by how far each leans and how high it stands.
function tuft(x, y, size) {
    const blades = [[-0.9, 0.55], [-0.45, 0.85], [-0.1, 1], [0.3, 0.9], [0.7, 0.6]];
    const d = blades.map(([lean, height]) =>
        `M${x} ${y}q${lean * size * 0.15} ${-height * size * 0.6} ${lean * size * 0.5} ${-height * size}`).join('');
    return s('path', { class: 'grass', d });
}

class CalmPrairie extends HTMLElement {
    connectedCallback() {
        if (this.childElementCount) return;
        const horizon = this.hasAttribute('horizon');
        const tufts = horizon ? [] : [...Array(34).keys()].map((index) =>
            tuft(20 + index * 48 + (index * 37) % 29, 905 - (index * 53) % 60, 60 + (index * 71) % 70));
        const sky = horizon ? [] : [
            s('rect', { class: 'sky', width: 1600, height: 900 }),
            s('rect', { class: 'low-sky', y: 300, width: 1600, height: 300 }),
            s('circle', { class: 'sun', cx: 1130, cy: 330, r: 92 }),
        ];
        this.append(s('svg', {
            viewBox: horizon ? '0 430 1600 470' : '0 0 1600 900', 'aria-hidden': 'true',
            preserveAspectRatio: horizon ? 'none' : 'xMidYMax slice',
        }, sky,
            planes.map(([name, d]) => s('path', { class: name, d })), tufts));
    }
}

customElements.define('calm-prairie', CalmPrairie);
