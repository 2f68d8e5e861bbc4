internal import KonzaSystem

/// Where a command's output goes and its few questions come from.
protocol Console: Sendable {
    /// Whether a person watches the output.
    var isTerminal: Bool { get }
    /// Whether a person can answer.
    var canAsk: Bool { get }
    /// The size of the screen now; nil when there is none.
    var size: (columns: Int, rows: Int)? { get }
    /// Writes everything to standard output.
    ///
    /// - Throws: `CommandFailure.outputClosed` when nobody reads any more.
    func write(_ bytes: [UInt8]) throws(CommandFailure)
    /// Writes to standard error.
    func writeError(_ text: String)
    /// Reads one line of answer; nil at the end of input.
    func readAnswer() -> String?
    /// Takes over the screen for a picture that is renewed; an interrupt gives it back as it was.
    func enterFullScreen()
    func leaveFullScreen()
    /// Has the first interrupt (Ctrl-C) only noted, so that something can be ended in an orderly way; the second one ends
    /// the program.
    func holdInterrupts()
    /// Has interrupts end the program again.
    func releaseInterrupts()
    /// Whether one came since they were held.
    var wasInterrupted: Bool { get }
}

extension Console {
    func write(_ text: String) throws(CommandFailure) {
        try write(Array(text.utf8))
    }
}
