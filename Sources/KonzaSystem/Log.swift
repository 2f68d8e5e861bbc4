internal import Glibc
internal import Synchronization

/// What a daemon tells the people who look after it: one line each on standard error, with the priority in the
/// form that the journal reads (sd-daemon(3)) when it is the journal that listens. Nobody waits for the journal: while it reads
/// nothing and its socket is full, lines are left out, and the next one says how many.
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
    private let target: Target

    /// Where the lines go, and how many were lost on the way there.
    private final class Target: Sendable {
        let descriptor: Int32
        let lost = Atomic<Int>(0)

        init(descriptor: Int32) { self.descriptor = descriptor }
    }

    private static let standardError = Target(descriptor: STDERR_FILENO)

    public init(threshold: Level, marksPriority: Bool) {
        self.threshold = threshold
        self.marksPriority = marksPriority
        target = Self.standardError
    }

    /// - Parameters:
    ///   - threshold: messages above it are left out.
    ///   - marksPriority: whether a line begins with its priority.
    ///   - descriptor: where the lines go, in the place of standard error.
    init(threshold: Level, marksPriority: Bool, descriptor: Int32) {
        self.threshold = threshold
        self.marksPriority = marksPriority
        target = Target(descriptor: descriptor)
    }

    /// Writes one line.
    public func callAsFunction(_ level: Level, _ message: @autoclosure () -> String) {
        guard level <= threshold else { return }
        let lost = target.lost.exchange(0, ordering: .relaxed)
        if lost > 0 {
            let words = "\(lost) lines were left out, since nobody read them"
            guard put("\(prefix(.warning))\(words)") else {
                target.lost.add(lost + 1, ordering: .relaxed)
                return
            }
        }
        if !put("\(prefix(level))\(Self.tidy(message()))") { target.lost.add(1, ordering: .relaxed) }
    }

    private func prefix(_ level: Level) -> String { marksPriority ? "<\(level.rawValue)>" : "" }

    /// Writes a line, at once if it goes to a socket.
    ///
    /// - Returns: false if the socket is full.
    private func put(_ text: String) -> Bool {
        // One write per line: lines of two threads do not mix.
        let line = Array("\(text)\n".utf8)
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        if unsafe send(target.descriptor, line, line.count, flags) >= 0 { return true }
        guard errno == ENOTSOCK else { return errno != EAGAIN }
        // A terminal, a file, a pipe.
        _ = unsafe write(target.descriptor, line, line.count)
        return true
    }

    /// A message stays one line, whatever came from outside.
    private static func tidy(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }
}
