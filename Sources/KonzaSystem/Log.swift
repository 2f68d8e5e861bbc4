internal import Glibc

/// What a daemon tells the people who look after it: one line each on standard error, with the priority in the
/// form that the journal reads (sd-daemon(3)) when it is the journal that listens.
public struct Log: Sendable {
    /// How much it matters (syslog(3)).
    public enum Level: Int, Sendable, Comparable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
        case debug = 7

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Messages above this level are left out.
    public let threshold: Level
    /// Whether a line begins with `<priority>`.
    public let marksPriority: Bool

    public init(threshold: Level, marksPriority: Bool) {
        self.threshold = threshold
        self.marksPriority = marksPriority
    }

    /// Writes one line.
    public func callAsFunction(_ level: Level, _ message: @autoclosure () -> String) {
        guard level <= threshold else { return }
        let prefix = marksPriority ? "<\(level.rawValue)>" : ""
        // One write per line: lines of two threads do not mix.
        var line = Array("\(prefix)\(Self.tidy(message()))\n".utf8)
        _ = unsafe write(STDERR_FILENO, &line, line.count)
    }

    /// A message stays one line, whatever came from outside.
    private static func tidy(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }
}
