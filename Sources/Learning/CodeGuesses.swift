/// Wrong codes of the last minute: holds back whoever tries codes until one is right. A device that has tried none is let try
/// for longer than one that guesses, so that a guesser does not keep a class from typing its code; and whoever has scanned the
/// QR code is not asked for digits at all.
struct CodeGuesses {
    /// How long a wrong code counts, milliseconds.
    static let window = 60_000.0
    /// Wrong codes of one device in that time.
    static let mostOfClient = 10
    /// Wrong codes of all, from which on a device that has already typed a wrong one has to wait.
    static let mostOfAll = 40
    /// Wrong codes of all, from which on every device has to wait. Of 9000 codes, 8 of classes, this is one class in nine minutes
    /// for whoever has that many devices.
    static let mostAtAll = 120

    private var wrong: [(client: String, at: Double)] = []

    /// - Parameters:
    ///   - client: who types a code.
    ///   - now: milliseconds of the steady clock.
    /// - Returns: the seconds until it may; nil where it may now.
    mutating func wait(for client: String, at now: Double) -> Double? {
        wrong.removeAll { now - $0.at >= Self.window }
        let own = wrong.filter { $0.client == client }
        var since: [Double] = []
        if own.count >= Self.mostOfClient { since.append(own[own.count - Self.mostOfClient].at) }
        if wrong.count >= Self.mostAtAll { since.append(wrong[wrong.count - Self.mostAtAll].at) }
        if let last = own.last, wrong.count >= Self.mostOfAll {
            since.append(min(last.at, wrong[wrong.count - Self.mostOfAll].at))
        }
        return since.max().map { ($0 + Self.window - now) / 1000 }
    }

    /// Counts a wrong code. Beyond the bound of all nobody is asked for one, and none is remembered.
    mutating func note(_ client: String, at now: Double) {
        if wrong.count < Self.mostAtAll { wrong.append((client, now)) }
    }
}
