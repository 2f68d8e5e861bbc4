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
