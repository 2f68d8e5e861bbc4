internal import KonzaSystem
internal import Synchronization

// A line that is renewed in place while something goes on, and lines that stay above it.

extension CommandContext {
    /// Whether a person sees a line change.
    var renews: Bool { console.isTerminal && !invocation.has("json") }

    /// Shows a line in place of the one before, on a terminal.
    func renew(_ line: Line) throws(CommandFailure) {
        guard renews else { return }
        TerminalRestoring.isLineOpen.store(true, ordering: .sequentiallyConsistent)
        let room = console.size?.columns ?? HelpText.columns
        // Room for the ^C that the terminal shows.
        try console.write("\r\u{1B}[K" + paint.text(line.cut(to: room - 3)))
    }

    /// Shows lines that stay, in place of the renewed one.
    func settle(_ lines: [Line]) throws(CommandFailure) {
        if renews {
            TerminalRestoring.isLineOpen.store(false, ordering: .sequentiallyConsistent)
            try console.write("\r\u{1B}[K")
        }
        try show(lines)
    }
}
