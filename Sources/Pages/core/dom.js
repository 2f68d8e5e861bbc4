// Makes elements without markup in strings: the page's policy (trusted types) has no innerHTML.
import { bind } from './words.js';

const svgNamespace = 'http://www.w3.org/2000/svg';
const special = {
    word: (node, value) => bind(node, 'word', ...[value].flat()),
    label: (node, value) => bind(node, 'label', ...[value].flat()),
    hint: (node, value) => bind(node, 'hint', ...[value].flat()),
    text: (node, value) => { node.textContent = value; },
    on: (node, value) => { for (const [event, act] of Object.entries(value)) node.addEventListener(event, act); },
};

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (special[name]) special[name](node, value);
        else node.setAttribute(name, value === true ? '' : value);
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
    return node;
}

// An HTML element. `word`, `label` and `hint` are keys of the catalogue, or [key, values]; `on` holds listeners.
export function h(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

// An SVG element.
export function s(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

// How many pixels `--px` of the style sheets is at an element; 1 in a browser that cannot tell.
export const growth = (node) => parseFloat(getComputedStyle(node).getPropertyValue('--px')) || 1;

// A button that acts on the up-event, as `click` does, with a text and an icon before it.
export function button(word, act, { icon: name, ...attributes } = {}) {
    return h('button', { type: 'button', on: { click: act }, ...attributes },
        name && icon(name), h('span', { word }));
}

const icons = {
    home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
    camera: 'M4 7h4l2-3h4l2 3h4v12H4zM12 9.5a3.7 3.7 0 1 0 0 7.4 3.7 3.7 0 0 0 0-7.4z',
    place: 'M12 3a6.5 6.5 0 0 0-6.5 6.5C5.5 14.5 12 21 12 21s6.5-6.5 6.5-11.5A6.5 6.5 0 0 0 12 3zm0 4.2a2.3 2.3 0 1 1 0 4.6 2.3 2.3 0 0 1 0-4.6z',
    compass: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM16.5 7.5 13.8 13.8 7.5 16.5 10.2 10.2z',
    station: 'M11 21V11.5L7 8l5-5 5 5-4 3.5V21zM4 21v-4h3v4zM17 21v-6h3v6z',
    shield: 'M12 3l8 3v5c0 5-3.5 8.5-8 10-4.5-1.5-8-5-8-10V6z',
    again: 'M12 5V1L6 6.5 12 12V8a5 5 0 1 1-5 5H4a8 8 0 1 0 8-8z',
    bin: 'M9 3h6v2h5v3H4V5h5zM6 10h12l-1 11H7z',
    check: 'M9.5 19 3 12.5l2.5-2.5 4 4L18.5 5 21 7.5z',
    phone: 'M7 2h10a1 1 0 0 1 1 1v18a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zm1 3v12h8V5zm3 13.5v1.5h2v-1.5z',
    printer: 'M7 3h10v4H7zM4 8h16v9h-3v-4H7v4H4zM8.5 14.5h7V21h-7z',
    stop: 'M5 5h14v14H5z',
    minus: 'M4 10.5h16v3H4z',
    pencil: 'M4 16.5V20h3.5L18 9.5 14.5 6zM16 4.5 19.5 8 21 6.5 17.5 3z',
    up: 'M12 3l8 9h-5v9H9v-9H4z',
    left: 'M15 3 6 12l9 9 2.5-2.5L11 12l6.5-6.5z',
    right: 'M9 3l9 9-9 9-2.5-2.5L13 12 6.5 5.5z',
    map: 'M3 5l6-2 6 2 6-2v16l-6 2-6-2-6 2zM9 5.2v11.6l6 2V7.2z',
    back: 'M11 4 3 12l8 8v-5h10V9H11z',
    erase: 'M8 5h13v14H8l-6-7zM11 9l6 6M17 9l-6 6',
    key: 'M8 7a5 5 0 1 0 4.6 7H15v3h3v-3h3v-4h-8.4A5 5 0 0 0 8 7zm0 3.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z',
    leave: 'M4 3h10v5h-3V6H7v12h4v-2h3v5H4zM15 7l6 5-6 5v-3.5H9v-3h6z',
    picture: 'M3 4h18v16H3zM5.5 6.5v9l4-4.5 3 3.2 2.5-2 3.5 3.3v-9zM15 7.5a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4z',
    sliders: 'M4 5h7V3h4v2h5v3h-5v2h-4V8H4zM4 15h3v-2h4v2h9v3h-9v2H7v-2H4z',
    stone: 'M9 4l7 2 5 7-3 7H6l-3-6zM9.5 6.5 6 13l3 5h4l-3-5 4-4.5z',
    plus: 'M10 3h4v7h7v4h-7v7h-4v-7H3v-4h7z',
    bell: 'M12 2a2 2 0 0 1 2 2c3 1 5 3.500 5 7v5l2 2v1H3v-1l2-2v-5c0-3.500 2-6 5-7a2 2 0 0 1 2-2zM9.500 20h5a2.500 2.500 0 0 1-5 0z',
    notice: 'M5 3h14v18H5zM8 7v2h8V7zM8 11v2h8v-2zM8 15v2h5v-2z',
    down: 'M10 3h4v9h5l-7 9-7-9h5z',
    day: 'M5 4h2V2h2v2h6V2h2v2h2v17H5zM7 10v9h10v-9zM9 12h3v3H9z',
    people: 'M8 4a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7zM2 20c0-5 2.500-7.500 6-7.500s6 2.500 6 7.500zM16.500 6a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM15.500 20c0-2.500-.5-4.500-1.500-6 5-1.500 8 1 8 6z',
    enter: 'M19 5v8H9v4l-6-5.500L9 6v4h7V5z',
    shift: 'M12 4l8 9h-4.5v6h-7v-6H4z',
    dice: 'M4 4h16v16H4zM8.5 6.8a1.7 1.7 0 1 0 .1 0zM15.5 6.8a1.7 1.7 0 1 0 .1 0zM12 10.3a1.7 1.7 0 1 0 .1 0zM8.5 13.8a1.7 1.7 0 1 0 .1 0zM15.5 13.8a1.7 1.7 0 1 0 .1 0z',
    puzzle: 'M4 7h5a2.5 2.5 0 1 1 5 0h6v5a2.5 2.5 0 1 0 0 5v4H4z',
    cards: 'M3 5h13v15H3zM18 4l3 .6-2.5 15-1.5-.3z',
    star: 'M12 2l3 7 7 .6-5.3 4.7 1.6 7.2L12 17.7 5.7 21.5l1.6-7.2L2 9.6 9 9z',
    play: 'M7 4l13 8-13 8z',
    globe: 'M12 2a10 10 0 1 0 .1 0zM10 4.5C8.5 7 8 9 8 11H4.3a8 8 0 0 1 5.7-6.5zM14 4.5A8 8 0 0 1 19.7 11H16c0-2-.5-4-2-6.5zM4.3 13H8c0 2 .5 4 2 6.5A8 8 0 0 1 4.3 13zM16 13h3.7a8 8 0 0 1-5.7 6.5c1.5-2.5 2-4.5 2-6.5z',
    pin: 'M12 2a6 6 0 0 1 1.5 11.800V22h-3v-8.2A6 6 0 0 1 12 2z',
    flag: 'M5 2h2v2h13l-3 4.5 3 4.5H7v9H5z',
    book: 'M3 4h8l1 1.5L13 4h8v15h-8l-1 1.5-1-1.5H3zM11 7v9.5h2V7z',
    leaf: 'M20 3C9 3 4 8 4 14c0 2 .5 3 1 4l-2 3 1.5 1L6.5 19C8 20 9 20 11 20c7 0 9-8 9-17zM7 17C8 13 11 10 15 8l.6 1C12 11 9.5 13.5 8.5 17.7z',
    sound: 'M3 9h4l6-5v16l-6-5H3zM15.5 8a5 5 0 0 1 0 8zM17 4.5a9 9 0 0 1 0 15l-1-1.5a7 7 0 0 0 0-12z',
};

// A picture that says nothing which the words beside it do not say.
export function icon(name) {
    const line = name === 'erase' ? { fill: 'none', stroke: 'currentColor', 'stroke-width': 2 } : {};
    return s('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
        s('path', { d: icons[name], fill: 'currentColor', 'fill-rule': 'evenodd', ...line }));
}

// Asks the application for a screen.
export function go(node, screen, values = {}) {
    node.dispatchEvent(new CustomEvent('go', { bubbles: true, detail: { screen, values } }));
}
