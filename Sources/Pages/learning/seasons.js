// The year of the prairie with its fire, as pictures that need no words: fire in spring, green in summer, gold in autumn, snow in
// winter. Each is a list of shapes on a field of 96 by 72, from back to front: {d, fill} or {d, stroke, width}.

const ground = 'M0 46C20 38 44 42 62 44S88 42 96 39V72H0z';
const blade = (x, y, tall, lean) => `M${x} ${y}q${lean / 3} ${-tall / 2} ${lean} ${-tall}`;
const blades = (tall, step = 6) => Array.from({ length: Math.floor(92 / step) }, (_, number) =>
    blade(4 + number * step, 66 - ((number * 7) % 13), tall + ((number * 5) % 7), ((number * 3) % 7) - 3)).join('');
const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
const discs = (places, r) => places.map(([x, y]) => disc(x, y, r)).join('');
const flame = (x, y, tall) => `M${x} ${y}c${-tall / 2} ${-tall / 4} ${-tall / 4} ${-tall / 2} ${-tall / 8} ${-tall * 0.7}c${tall / 10} ${tall / 6} ${tall / 6} ${tall / 5} ${tall / 5} ${-tall * 0.3}c${tall / 2} ${tall / 3} ${tall / 2} ${tall * 0.8} ${-tall / 13} ${tall}z`;
const flames = (tall) => [[50, 48], [58, 53], [47, 58], [60, 62], [52, 68]].map(([x, y]) => flame(x, y, tall)).join('');

export const order = ['spring', 'summer', 'autumn', 'winter'];

export const seasons = {
    spring: [
        { d: 'M0 0H96V72H0z', fill: '#cfe0ea' }, { d: `${disc(60, 22, 9)}${disc(70, 14, 11)}${disc(82, 9, 12)}`, fill: '#8f8f96' },
        { d: ground, fill: '#d2b26c' }, { d: 'M0 46C20 38 40 41 50 43L48 72H0z', fill: '#2c2521' },
        { d: blades(9).split('M').slice(9).map((one) => `M${one}`).join(''), stroke: '#8a6a2c', width: 2 },
        { d: flames(19), fill: '#e2501f' }, { d: flames(10), fill: '#ffd23f' },
    ],
    summer: [
        { d: 'M0 0H96V72H0z', fill: '#a9d8f2' }, { d: disc(78, 15, 9), fill: '#ffd23f' }, { d: ground, fill: '#69ad4e' },
        { d: blades(15, 5), stroke: '#2f7a35', width: 2.4 }, { d: discs([[14, 48], [36, 52], [58, 46], [80, 50]], 3.6), fill: '#d5479b' },
        { d: discs([[25, 56], [48, 60], [70, 58]], 3.2), fill: '#ffd23f' },
    ],
    autumn: [
        { d: 'M0 0H96V72H0z', fill: '#f6e2b8' }, { d: disc(16, 18, 8), fill: '#e8893b' }, { d: ground, fill: '#c98b33' },
        { d: blades(24, 5), stroke: '#9a3f1c', width: 2.4 }, { d: discs([[10, 40], [30, 36], [50, 40], [71, 35], [88, 40]], 2.6), fill: '#6d2c12' },
    ],
    winter: [
        { d: 'M0 0H96V72H0z', fill: '#b9c9d8' }, { d: ground, fill: '#ffffff' }, { d: blades(9, 16), stroke: '#7b6247', width: 2 },
        { d: discs([[10, 10], [26, 22], [42, 8], [56, 26], [70, 12], [86, 24], [18, 34], [80, 38], [48, 34]], 2.2), fill: '#ffffff' },
    ],
};

// The season that comes after another one.
export const after = (season) => order[(order.indexOf(season) + 1) % order.length];
