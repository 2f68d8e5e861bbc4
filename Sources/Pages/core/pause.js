// A promise of a while. It is over at once when the signal is, so that nothing of a screen that is gone waits for its timer.
export const pause = (milliseconds, signal) => new Promise((resume) => {
    if (signal?.aborted) {
        resume();
        return;
    }
    const timer = setTimeout(end, milliseconds);
    function end() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resume();
    }
    signal?.addEventListener('abort', end);
});
