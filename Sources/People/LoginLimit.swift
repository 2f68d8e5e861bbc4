internal import HTTPServing
internal import KonzaModel
internal import Synchronization

/// How soon after wrong tries the next may be made, by name and by what is tried. A name that nobody has is treated as any
/// other.
final class LoginLimit: Sendable {
    /// Wrong tries without a wait.
    static let freeTries = 5
    /// The first wait, seconds; each further wrong try doubles it.
    static let firstWait = 30.0
    static let longestWait = 3600.0
    /// Between two tries to come back with a PIN, seconds: it never grows, so that nobody is kept from saying that they are back.
    static let returnInterval = 10.0
    /// Names that are remembered; those that tried longest ago are forgotten first.
    private static let mostNames = 1024
    /// Tries of one address in a minute.
    static let triesOfAddress = 30

    private struct Tries {
        var wrong = 0
        var next: MonotonicInstant?
        var last: MonotonicInstant
    }

    private let clock: any StationClock
    private let names = Mutex<[String: Tries]>([:])
    private let addresses: AttemptLimit

    init(clock: any StationClock) {
        self.clock = clock
        addresses = AttemptLimit(Self.triesOfAddress, mostClients: Self.mostNames, clock: clock)
    }

    /// Counts a try before its outcome is known, so that many at a time are no way around the wait.
    ///
    /// - Parameters:
    ///   - name: and what is tried.
    ///   - known: wrong tries in a row that were written down.
    /// - Returns: the seconds to wait, and then the try is not to be made; else nil.
    func refuses(_ name: String, known: Int) -> Double? {
        let now = clock.monotonic()
        return names.withLock { names in
            Self.makeRoom(&names)
            var tries = names[name] ?? Tries(wrong: known, last: now)
            if let next = tries.next, now < next { return next.seconds(since: now) }
            tries.wrong += 1
            tries.last = now
            let step = tries.wrong - Self.freeTries
            tries.next =
                step < 0
                ? nil : now.advanced(bySeconds: min(Self.longestWait, Self.firstWait * Double(1 << min(step, 10))))
            names[name] = tries
            return nil
        }
    }

    /// The same for somebody who comes back: a wait that does not grow.
    func refusesReturn(_ name: String) -> Double? {
        let now = clock.monotonic()
        return names.withLock { names in
            Self.makeRoom(&names)
            let key = "return \(name)"
            if let next = names[key]?.next, now < next { return next.seconds(since: now) }
            names[key] = Tries(next: now.advanced(bySeconds: Self.returnInterval), last: now)
            return nil
        }
    }

    /// Whoever came back with the right PIN does not wait.
    func forgetReturn(_ name: String) { names.withLock { $0["return \(name)"] = nil } }

    /// The seconds until an address may try again; nil if it may now, which is counted.
    func refuses(address: String) -> Double? { addresses.refuses(address) }

    /// A right try ends the waiting.
    func forget(_ name: String) {
        names.withLock { names in
            for key in [name, "passphrase \(name)", "pin \(name)", "return \(name)", "return badge \(name)"] {
                names[key] = nil
            }
        }
    }

    private static func makeRoom(_ names: inout [String: Tries]) {
        guard names.count >= mostNames, let oldest = names.min(by: { $0.value.last < $1.value.last }) else { return }
        names[oldest.key] = nil
    }
}
