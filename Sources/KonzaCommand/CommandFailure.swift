internal import KonzaSystem

/// Why a command ends early: a message for people and a code for scripts.
struct CommandFailure: Error, Equatable {
    /// "cannot X: why; remedy".
    let message: String
    let code: ExitCode

    init(_ message: String, _ code: ExitCode) {
        self.message = message
        self.code = code
    }

    /// The output's reader is gone: nothing is left to say.
    static let outputClosed = CommandFailure("", .closedPipe)
}
