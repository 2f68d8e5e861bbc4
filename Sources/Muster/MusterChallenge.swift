internal import Cryptography
package import KonzaAPI
package import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// The code that only the kiosk's screen shows, by which somebody proves to have stood before it; and the tickets that it is
/// exchanged for.
///
/// A code that is passed on by video within a minute cannot be told from one that was seen: for that there is the kiosk itself
/// (`[Muster] Place=kiosk`).
package final class MusterChallenge: Sendable {
    /// How long one code is shown, seconds. It is taken for as long again.
    package static let period = 30.0
    /// How long a ticket lasts, seconds: so long a login may take.
    package static let ticketSeconds = 120.0
    /// Wrong codes of one address in a minute, and of all together: eight digits are guessed in 10^8 tries.
    static let wrongOfAddress = 10
    static let wrongOfAll = 60
    private static let mostTickets = 512

    private struct Ticket {
        let until: MonotonicInstant
        var isInUse = false
    }

    private struct State {
        var tickets: [String: Ticket] = [:]
        var wrong: [(address: String, at: MonotonicInstant)] = []
    }

    private let key: [UInt8]
    private let box: String
    private let boot: String
    private let clock: any StationClock
    private let state = Mutex(State())

    /// - Parameters:
    ///   - key: 32 bytes of this box alone.
    ///   - box: its name.
    ///   - boot: which run of the machine.
    ///   - clock: the steady one counts.
    package init(key: [UInt8], box: String, boot: String, clock: any StationClock) {
        self.key = key
        self.box = box
        self.boot = boot
        self.clock = clock
    }

    /// The code of now.
    package struct Shown: Sendable, Equatable {
        /// 128 bits in hexadecimal digits, for the QR code.
        package let code: String
        /// Eight, to be typed.
        package let digits: String
        /// Seconds until another one is shown.
        package let secondsLeft: Double
    }

    private func number(_ now: MonotonicInstant) -> Int64 { now.nanoseconds / Int64(Self.period * 1e9) }

    private func code(_ number: Int64) -> (code: String, digits: String) {
        let bytes = MessageCode.make(Array("konza muster \(box) \(boot) \(number)".utf8), key: key)
        // Other bytes than the QR code's, so that one says nothing of the other.
        let value = bytes[16..<24].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000_000
        let short = String(value)
        return (bytes.prefix(16).hexadecimal, String(repeating: "0", count: 8 - short.utf8.count) + short)
    }

    package func shown() -> Shown {
        let now = clock.monotonic()
        let number = number(now)
        let (code, digits) = code(number)
        let end = MonotonicInstant(nanoseconds: (number + 1) * Int64(Self.period * 1e9))
        return Shown(code: code, digits: digits, secondsLeft: end.seconds(since: now))
    }

    /// Exchanges a code for a ticket.
    ///
    /// - Parameters:
    ///   - text: the QR code's, or the eight digits; spaces apart.
    ///   - address: where it comes from.
    /// - Returns: 128 random bits in hexadecimal digits, good once and for two minutes.
    /// - Throws: a problem where it is not the code of now or of the period before, or there were too many.
    package func ticket(_ text: String, from address: String) throws(Problem) -> String {
        let now = clock.monotonic()
        let given = Array(text.lowercased().filter { !$0.isWhitespace && $0 != "-" }.utf8)
        let isShort = given.count == 8
        let wait = state.withLock { state -> Bool in
            state.wrong.removeAll { now.seconds(since: $0.at) >= 60 }
            return isShort
                && (state.wrong.count >= Self.wrongOfAll
                    || state.wrong.count { $0.address == address } >= Self.wrongOfAddress)
        }
        guard !wait else {
            throw Problem(
                .tooManyRequests, "cannot take the digits now: too many were wrong; scan the code, or wait a minute")
        }
        let current = number(now)
        let isRight = [current, current - 1].contains { number in
            let (code, digits) = code(number)
            return MessageCode.areEqual(given, Array((isShort ? digits : code).utf8))
        }
        guard isRight else {
            state.withLock { state in
                if state.wrong.count < Self.wrongOfAll { state.wrong.append((address, now)) }
            }
            throw Problem(
                .forbidden,
                "cannot take the code: it is not the one that the kiosk shows now; look at the kiosk and try again")
        }
        let ticket = Secret.hexadecimal(bytes: 16)
        state.withLock { state in
            state.tickets = state.tickets.filter { now < $0.value.until }
            if state.tickets.count >= Self.mostTickets,
                let oldest = state.tickets.min(by: { $0.value.until < $1.value.until })
            {
                state.tickets[oldest.key] = nil
            }
            state.tickets[Secret.hash(ticket)] = Ticket(until: now.advanced(bySeconds: Self.ticketSeconds))
        }
        return ticket
    }

    /// Takes a ticket for one use, as long as nobody else uses it.
    ///
    /// - Returns: whether it is good.
    package func take(_ ticket: String) -> Bool {
        let now = clock.monotonic()
        let hash = Secret.hash(ticket)
        return state.withLock { state in
            guard let known = state.tickets[hash], now < known.until, !known.isInUse else { return false }
            state.tickets[hash]?.isInUse = true
            return true
        }
    }

    /// Ends a use: a ticket that mustered somebody is gone, one that was refused for another reason is good again.
    package func finish(_ ticket: String, isUsed: Bool) {
        state.withLock { state in
            let hash = Secret.hash(ticket)
            if isUsed { state.tickets[hash] = nil } else { state.tickets[hash]?.isInUse = false }
        }
    }
}
