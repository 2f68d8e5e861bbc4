// The countdown as it is heard. Browsers start audio only after a touch or a key: `prepare` is called from one.
let context;

export function prepare() {
    context ??= globalThis.AudioContext && new AudioContext();
    context?.resume();
}

function tone(frequency, seconds, delay = 0) {
    if (context?.state !== 'running') return;
    const start = context.currentTime + delay;
    const oscillator = context.createOscillator();
    const gain = context.createGain();
    oscillator.frequency.value = frequency;
    gain.gain.setValueAtTime(0.0001, start);
    gain.gain.exponentialRampToValueAtTime(0.4, start + 0.01);
    gain.gain.exponentialRampToValueAtTime(0.0001, start + seconds);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(start + seconds);
}

export const second = () => tone(880, 0.16);

export function shutter() {
    tone(1319, 0.25);
    tone(1760, 0.45, 0.06);
}

// The sounds of the games; off for whoever wants it quiet, until the next visitor.
let isQuiet = false;
export const isSilent = () => isQuiet;
export const silence = (quiet) => { isQuiet = quiet; };
export const snap = () => { if (!isQuiet) tone(1568, 0.05); };
export const wrong = () => { if (!isQuiet) tone(196, 0.25); };

export function right() {
    if (isQuiet) return;
    tone(784, 0.12);
    tone(1175, 0.22, 0.08);
}

export function fanfare() {
    if (!isQuiet) [523, 659, 784, 1047].forEach((frequency, index) => tone(frequency, 0.3, index * 0.12));
}
