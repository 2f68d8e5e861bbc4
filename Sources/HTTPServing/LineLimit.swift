internal import KonzaModel

/// Lets a few lines of a log pass in a time and counts the others, so that a client cannot fill the log.
struct LineLimit {
    static let lines = 5
    static let seconds = 60.0

    private var began: MonotonicInstant?
    private var passed = 0
    private var dropped = 0

    /// - Returns: the line as it goes to the log, with how many were left out before it; nil if it is left out.
    mutating func pass(_ line: String, at now: MonotonicInstant) -> String? {
        if began.map({ now.seconds(since: $0) >= Self.seconds }) ?? true {
            began = now
            passed = 0
        }
        guard passed < Self.lines else {
            dropped += 1
            return nil
        }
        passed += 1
        defer { dropped = 0 }
        return dropped > 0 ? "\(line) (\(dropped) more such lines were left out before)" : line
    }
}
