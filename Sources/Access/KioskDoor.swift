package import KonzaModel
internal import KonzaSystem
public import Storage
internal import Synchronization

/// The operator's door at the kiosk: a PIN that makes the kiosk's own browser a ranger's for a while.
///
/// Four to eight digits are guessed in no time by whoever has the hash, which lies in the portal's own folder; at the kiosk each
/// wrong one makes the next wait longer, and never for ever. Wrong ones are on the disk before their answer is known: neither a
/// new start of the portal nor one of the machine gives free tries.
public final class KioskDoor: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "kiosk-door-1",
            sql: """
                CREATE TABLE kiosk_pin (
                    only INTEGER PRIMARY KEY CHECK (only = 1), salt TEXT NOT NULL, hash TEXT NOT NULL
                ) STRICT;
                """),
        Migration(
            name: "kiosk-door-2",
            sql: """
                -- The time by the steady clock, nanoseconds, before which no PIN is looked at.
                CREATE TABLE kiosk_tries (
                    only INTEGER PRIMARY KEY CHECK (only = 1), wrong INTEGER NOT NULL, next_try INTEGER NOT NULL
                ) STRICT;
                """),
    ]

    /// Wrong ones before the next has to wait.
    static let freeTries = 3
    /// The longest wait, seconds.
    static let longestWait = 300.0
    /// How often the hash is hashed: a tenth of a second on a small board.
    private static let rounds = 20_000

    private struct State {
        var wrong = 0
        var nextTry: MonotonicInstant?

        /// Seconds that the next one has to wait after so many wrong ones.
        var wait: Double {
            let doublings = wrong - KioskDoor.freeTries
            return doublings < 0 ? 0 : min(Double(1 << min(doublings, 10)) * 5, KioskDoor.longestWait)
        }
    }

    private let database: Database
    private let clock: any StationClock
    private let state: Mutex<State>

    /// - Parameters:
    ///   - database: with the door's migrations.
    ///   - clock: the time.
    package init(_ database: Database, clock: any StationClock) {
        self.database = database
        self.clock = clock
        let rows = try? database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT wrong, next_try FROM kiosk_tries") { row in
                State(wrong: Int(row.integer(0)), nextTry: MonotonicInstant(nanoseconds: row.integer(1)))
            }
        }
        let kept = rows?.first ?? State()
        state = Mutex(kept)
        let now = clock.monotonic()
        // The steady clock of another boot says nothing of this one: the wait begins anew.
        guard let next = kept.nextTry, next.seconds(since: now) > kept.wait else { return }
        state.withLock { state in
            state.nextTry = now.advanced(bySeconds: state.wait)
            keep(state)
        }
    }

    /// Sets the PIN, or takes it away: then the door stays shut.
    ///
    /// - Parameter pin: four to eight digits; nil for none.
    /// - Throws: `PairingError.invalid`, `StorageError`.
    package func set(_ pin: String?) throws {
        if let pin, !Self.isPIN(pin) { throw PairingError.invalid("a PIN is four to eight digits") }
        let salt = Secret.make()
        let hash = pin.map { Self.hash($0, salt) }
        try database.write { connection throws(DatabaseError) in
            try connection.run("DELETE FROM kiosk_pin")
            if let hash {
                try connection.run("INSERT INTO kiosk_pin VALUES (1, ?, ?)", [.text(salt), .text(hash)])
            }
            try connection.run("DELETE FROM kiosk_tries")
        }
        state.withLock { $0 = State() }
    }

    /// Whether there is a PIN.
    package var hasPIN: Bool { kept != nil }

    private var kept: (salt: String, hash: String)? {
        let rows = try? database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT salt, hash FROM kiosk_pin") { ($0.text(0), $0.text(1)) }
        }
        return rows?.first.map { (salt: $0.0, hash: $0.1) }
    }

    /// Why a PIN does not open the door.
    package enum Refusal: Equatable {
        /// It was not looked at: it may be after so many seconds.
        case early(seconds: Double)
        /// It is wrong, and the next may be tried after so many seconds.
        case wrong(seconds: Double)
    }

    /// Tries a PIN. It takes a while by intention.
    ///
    /// - Returns: nil if it is right.
    package func refuses(_ pin: String) -> Refusal? {
        let now = clock.monotonic()
        // Taken before the answer is known, so that many at a time are no way around it.
        let wait = state.withLock { state -> Double? in
            if let next = state.nextTry, now < next { return next.seconds(since: now) }
            state.wrong += 1
            state.nextTry = now.advanced(bySeconds: state.wait)
            keep(state)
            return nil
        }
        if let wait { return .early(seconds: wait) }
        guard let kept, Self.isPIN(pin), Self.hash(pin, kept.salt) == kept.hash else {
            return .wrong(seconds: state.withLock { max(0, $0.nextTry?.seconds(since: clock.monotonic()) ?? 0) })
        }
        state.withLock { state in
            state = State()
            keep(state)
        }
        return nil
    }

    /// Writes down how many were wrong. A ranger gets in on a full disk, too: what cannot be written counts until the portal ends.
    private func keep(_ state: State) {
        try? database.write(
            { connection throws(DatabaseError) in
                try connection.run("DELETE FROM kiosk_tries")
                guard let next = state.nextTry else { return }
                try connection.run(
                    "INSERT INTO kiosk_tries VALUES (1, ?, ?)",
                    [.integer(Int64(state.wrong)), .integer(next.nanoseconds)])
            }, failing: { $0 })
    }

    private static func isPIN(_ text: String) -> Bool {
        (4...8).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func hash(_ pin: String, _ salt: String) -> String {
        var text = Secret.hash(salt + pin)
        for _ in 0..<rounds { text = Secret.hash(text + salt) }
        return text
    }
}
