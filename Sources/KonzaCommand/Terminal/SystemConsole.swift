internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// The process's own standard streams.
struct SystemConsole: Console {
    var isTerminal: Bool { isatty(1) == 1 }
    var canAsk: Bool { isatty(0) == 1 && isatty(2) == 1 }

    var size: (columns: Int, rows: Int)? {
        var size = winsize()
        guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        do throws(SystemError) {
            try writeAll(bytes, to: 1)
        } catch {
            if error.code == EPIPE { throw .outputClosed }
            throw CommandFailure("cannot write the output: \(SystemError.text(error.code))", .io)
        }
    }

    func writeError(_ text: String) {
        // A line that is renewed in place gets its end first.
        let isOpen = TerminalRestoring.isLineOpen.exchange(false, ordering: .sequentiallyConsistent)
        try? writeAll(Array(((isOpen ? "\n" : "") + text).utf8), to: 2)
    }

    func readAnswer() -> String? { readLine() }

    func enterFullScreen() {
        TerminalRestoring.isFullScreen.store(true, ordering: .sequentiallyConsistent)
        // Another screen, no cursor (xterm's 1049 and 25), so that the shell's own text comes back at the end.
        try? writeAll(Array("\u{1B}[?1049h\u{1B}[?25l".utf8), to: 1)
    }

    func leaveFullScreen() {
        guard TerminalRestoring.isFullScreen.exchange(false, ordering: .sequentiallyConsistent) else { return }
        try? writeAll(Array("\u{1B}[?25h\u{1B}[?1049l".utf8), to: 1)
    }

    func holdInterrupts() {
        TerminalRestoring.wasInterrupted.store(false, ordering: .sequentiallyConsistent)
        TerminalRestoring.holdsInterrupts.store(true, ordering: .sequentiallyConsistent)
    }

    func releaseInterrupts() { TerminalRestoring.holdsInterrupts.store(false, ordering: .sequentiallyConsistent) }

    var wasInterrupted: Bool { TerminalRestoring.wasInterrupted.load(ordering: .sequentiallyConsistent) }
}
