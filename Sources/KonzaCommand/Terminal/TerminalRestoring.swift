internal import Glibc
internal import Synchronization

/// Gives the terminal back as it was when a signal ends the program.
enum TerminalRestoring {
    /// Whether the other screen is shown.
    static let isFullScreen = Atomic(false)
    /// Whether a line that is renewed in place is without its end.
    static let isLineOpen = Atomic(false)
    /// Whether the next interrupt is only noted.
    static let holdsInterrupts = Atomic(false)
    static let wasInterrupted = Atomic(false)

    /// Call once, before anything is drawn. A closed pipe is then an error of write(2), not a signal.
    static func install() {
        // The flags are made now, since a handler may not make them.
        holdsInterrupts.store(false, ordering: .sequentiallyConsistent)
        wasInterrupted.store(false, ordering: .sequentiallyConsistent)
        isFullScreen.store(false, ordering: .sequentiallyConsistent)
        isLineOpen.store(false, ordering: .sequentiallyConsistent)
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, restoreTerminalAndEnd) }
        unblock([SIGINT, SIGTERM, SIGHUP])
    }
}

extension TerminalRestoring {
    /// A program that starts this one may have left them blocked.
    private static func unblock(_ numbers: [Int32]) {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}

/// Runs in a signal handler, so it only calls what signal-safety(7) allows. The second, default delivery ends the
/// process by the signal itself, which tells a shell's loop to stop too.
private func restoreTerminalAndEnd(_ number: Int32) {
    // A terminal that goes away (SIGHUP) is no wish to end what was begun.
    if number != SIGHUP, TerminalRestoring.holdsInterrupts.exchange(false, ordering: .sequentiallyConsistent) {
        TerminalRestoring.wasInterrupted.store(true, ordering: .sequentiallyConsistent)
        return
    }
    let tidy: StaticString = "\u{1B}[?25h\u{1B}[?1049l"
    let newline: StaticString = "\n"
    if TerminalRestoring.isFullScreen.load(ordering: .sequentiallyConsistent) {
        _ = unsafe write(1, tidy.utf8Start, tidy.utf8CodeUnitCount)
    }
    if TerminalRestoring.isLineOpen.load(ordering: .sequentiallyConsistent) {
        _ = unsafe write(1, newline.utf8Start, newline.utf8CodeUnitCount)
    }
    signal(number, SIG_DFL)
    raise(number)
}
