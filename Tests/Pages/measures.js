// Measures the screen that is shown, by the browser's own computed styles and boxes. Returns a list of complaints.
const [leastTarget, leastGap, leastContrast, schemeWanted] = arguments;
document.documentElement.dataset.scheme = schemeWanted;
const complaints = [];
const dialog = document.querySelector('dialog[open]');
const scope = dialog ?? document.body;
const visible = (node) => {
    if (!node.checkVisibility({ opacityProperty: false, visibilityProperty: true })) return false;
    const { width, height } = node.getBoundingClientRect();
    return width > 1 && height > 1 && getComputedStyle(node).clipPath !== 'inset(50%)';
};
// A screen of tablets scrolls: what is below or above can be reached.
const scrolling = getComputedStyle(document.querySelector('main > *')).overflowY === 'auto' && !dialog ? document.querySelector('main > *') : null;
const scrolls = (node) => scrolling?.contains(node);
// What an element of its own scrolls is where that shows it; at the kiosk, where few scroll, if a button goes on in it.
const regionOf = (node) => {
    if (document.documentElement.dataset.role === 'kiosk') return node.parentElement?.closest('[data-onward]');
    for (let at = node.parentElement; at && at !== scrolling && at !== scope; at = at.parentElement) {
        if (['auto', 'scroll'].includes(getComputedStyle(at).overflowY)) return at;
    }
    return null;
};
const shown = (node, { left, right, top, bottom, width, height }) => {
    const region = regionOf(node)?.getBoundingClientRect();
    if (!region || (top >= region.top && bottom <= region.bottom)) return { left, right, top, bottom, width, height };
    const [from, to] = [Math.max(top, region.top), Math.min(bottom, region.bottom)];
    return to - from > 1 ? { left, right, top: from, bottom: to, width, height } : null;
};
const boxOf = (node) => shown(node, node.getBoundingClientRect());
const named = (node) => `${node.tagName.toLowerCase()}.${node.className.baseVal ?? node.className} "${(node.getAttribute('aria-label') ?? node.textContent).trim().slice(0, 40)}"`;

// Targets: WCAG 2.2, 2.5.8, with the station's own figures.
const targets = [...scope.querySelectorAll('button, a, input:not([type=radio], :is(.choice, .consent) input), label:is(.choice, .consent)')].filter((node) => visible(node) && boxOf(node));
const boxes = targets.map(boxOf);
boxes.forEach((box, index) => {
    if (Math.min(box.width, box.height) < leastTarget - 0.5) {
        complaints.push(`target ${named(targets[index])} is ${box.width.toFixed(1)} x ${box.height.toFixed(1)}`);
    }
    const isBelow = !scrolls(targets[index]) && (box.top < -0.5 || box.bottom > innerHeight + 0.5);
    if (box.left < -0.5 || box.right > innerWidth + 0.5 || isBelow) {
        complaints.push(`target ${named(targets[index])} is not wholly on the screen`);
    }
    for (let other = index + 1; other < boxes.length; other += 1) {
        // What scrolls goes below the band.
        if (Boolean(scrolls(targets[index])) !== Boolean(scrolls(targets[other]))) continue;
        const second = boxes[other];
        const across = Math.max(second.left - box.right, box.left - second.right);
        const down = Math.max(second.top - box.bottom, box.top - second.bottom);
        const apart = Math.max(across, down);
        if (apart < leastGap - 0.5) complaints.push(`${named(targets[index])} and ${named(targets[other])} are ${apart.toFixed(1)} px apart`);
    }
});

// The picture that a screen is about is not squeezed to nothing by what stands beside it.
for (const card of [...document.querySelectorAll('main figure .card')].filter((node) => node.naturalWidth)) {
    const { width } = card.getBoundingClientRect();
    if (width < 0.25 * innerWidth) complaints.push(`the picture ${named(card)} is ${width.toFixed(0)} px wide`);
}

// Codes to be scanned stand in the middle.
const codes = [...document.querySelectorAll('.steps .code')].map((node) => node.getBoundingClientRect()).filter(({ width }) => width);
if (codes.length) {
    const off = (Math.min(...codes.map(({ left }) => left)) + Math.max(...codes.map(({ right }) => right)) - innerWidth) / 2;
    if (Math.abs(off) > 2) complaints.push(`the codes are ${off.toFixed(1)} px off the middle`);
}

// Contrast: WCAG 2.2, 1.4.6, of each text on the nearest opaque background. Text on a picture has an outline instead.
const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const background = (node) => {
    for (let at = node; at; at = at.parentElement) {
        const colour = channels(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
        if (at.matches('kiosk-attract, kiosk-count, kiosk-strip, kiosk-failed, kiosk-closed')) return null;
    }
    return [255, 255, 255];
};
const texts = [...scope.querySelectorAll('*')].filter((node) =>
    !(node instanceof SVGElement) && !node.closest('[hidden]') && visible(node) && boxOf(node)
    && [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim()));
for (const node of texts) {
    const style = getComputedStyle(node);
    const behind = background(node);
    if (!behind) {
        if (parseFloat(style.webkitTextStrokeWidth) === 0) complaints.push(`${named(node)} lies on a picture without an outline`);
        continue;
    }
    const [light, dark] = [luminance(channels(style.color)), luminance(behind)].sort((one, other) => other - one);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < leastContrast) complaints.push(`${named(node)} has a contrast of ${contrast.toFixed(2)}`);
    if (parseFloat(style.fontSize) < 16) complaints.push(`${named(node)} is set in ${style.fontSize}`);
}

// What is said of an answer is there to be read.
for (const node of document.querySelectorAll('main :is(.note[role=status], .problem)')) {
    if (node.textContent.trim() && visible(node.parentElement) && !visible(node)) complaints.push(`${named(node)} is said and not shown`);
}

// Nothing is cut off, and nothing needs scrolling.
const main = document.querySelector('main').getBoundingClientRect();
for (const node of texts) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = shown(node, range.getBoundingClientRect());
    if (!box) continue;
    const frame = node.closest('main') && !dialog ? main : { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || (!scrolls(node) && (box.top < frame.top - 1 || box.bottom > frame.bottom + 1))) {
        complaints.push(`${named(node)} is cut off`);
    }
}
for (const node of targets) {
    if (node.scrollWidth > node.clientWidth + 1 && node.tagName !== 'INPUT') complaints.push(`${named(node)} is too narrow for its words`);
}
for (const [index, node] of texts.entries()) {
    const whole = boxOf(node);
    // Of what goes on below, as much as is to be seen; a button says that there is more.
    const page = node.closest('[data-more]')?.getBoundingClientRect();
    if (page && ![...targets].some((target) => target.matches('.below'))) complaints.push(`${named(node)} goes on below, and no button says so`);
    const box = page ? { left: whole.left, right: whole.right, top: Math.max(whole.top, page.top), bottom: Math.min(whole.bottom, page.bottom) } : whole;
    // What hangs over the corner of its button, and is not found by a finger, covers none of that one's words.
    const isHung = getComputedStyle(node).pointerEvents === 'none';
    const over = targets.find((target, place) => !target.contains(node) && !node.contains(target) && Boolean(scrolls(target)) === Boolean(scrolls(node)) && (({ left, right, top, bottom }) =>
        left < box.right - 1 && right > box.left + 1 && top < box.bottom - 1 && bottom > box.top + 1)(
        isHung && target.parentElement.contains(node) ? boxOf(target.querySelector('span')) : boxes[place]));
    if (over && !node.matches('.number, label')) complaints.push(`${named(texts[index])} lies under ${named(over)}`);
}

// Nothing is said in another language than the page's: not what the page knew before it was switched, either.
const { catalogues } = globalThis.konza ?? {};
const spoken = (language) => {
    const [plain, patterns] = [new Set(), []];
    for (const [key, words] of Object.entries(catalogues[language])) {
        // Letters, and what a visitor wrote with one touch.
        if (words.length < 3 || key.startsWith('suggestion.')) continue;
        const parts = words.split(/\{\w+\}/);
        if (parts.length === 1) plain.add(words);
        else if (parts.join('').length > 8) patterns.push(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+'));
    }
    const pattern = new RegExp(`^(?:${patterns.join('|')})$`);
    return (words) => plain.has(words) || pattern.test(words);
};
if (catalogues) {
    const language = document.documentElement.lang;
    globalThis.konza.spoken ??= Object.fromEntries(Object.keys(catalogues).map((one) => [one, spoken(one)]));
    const { [language]: own, ...others } = globalThis.konza.spoken;
    const said = [...scope.querySelectorAll('*')].filter((node) => !node.closest('[hidden], [lang]:not(html), textarea') && node.checkVisibility())
        .flatMap((node) => [...[...node.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data),
            ...['aria-label', 'placeholder', 'alt', 'title'].map((name) => node.getAttribute(name) ?? '')])
        .flatMap((words) => words.split(' · ')).map((words) => words.trim());
    for (const words of new Set(said)) {
        if (!own(words) && Object.values(others).some((other) => other(words))) complaints.push(`"${words}" is not in the language ${language}`);
    }
}
const { scrollWidth, scrollHeight } = document.documentElement;
if (scrollWidth > innerWidth || scrollHeight > innerHeight) complaints.push(`the page is ${scrollWidth} x ${scrollHeight}`);
return complaints;
