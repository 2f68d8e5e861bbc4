internal import FleetMessaging
internal import KonzaModel
internal import KonzaSystem
internal import PostgresAccess

/// A worker's way to the tables: makes the connection again when it broke, does again what stood in another's way, and
/// finds the one message of a batch that is at fault.
final class HubKeeper {
    /// How often the database is asked where nothing comes to be kept, seconds.
    private static let period = 2.0
    /// How long the answer may take, seconds.
    private static let lookPatience = 3.0

    private let address: PostgresAddress
    private let figures: HubFigures
    private let number: Int
    private let stop: StopSignal
    private let clock = SystemClock()
    private var store: HubStore?
    /// When the database was last asked.
    private var askedAt: MonotonicInstant

    init(_ address: PostgresAddress, figures: HubFigures, number: Int, stop: StopSignal) {
        self.address = address
        self.figures = figures
        self.number = number
        self.stop = stop
        askedAt = clock.monotonic()
    }

    /// Connects.
    func open() throws(HubWorker.Failure) {
        do throws(PostgresError) { _ = try opened() } catch { throw .database(error) }
    }

    private func opened() throws(PostgresError) -> HubStore {
        if let store, !store.isOver { return store }
        store = nil
        let new = try HubStore(address)
        store = new
        figures.set(number) { $0.database = .init(isUp: true) }
        figures.count { $0.databaseConnections += 1 }
        return new
    }

    /// Asks the database whether it answers, where nothing was kept for a while: how the hub is shall be true on a quiet day, too.
    func look() {
        guard clock.monotonic().seconds(since: askedAt) >= Self.period else { return }
        do throws(PostgresError) {
            try opened().query("SELECT 1", seconds: Self.lookPatience)
            figures.set(number) { $0.database = .init(isUp: true) }
        } catch {
            store = nil
            figures.set(number) { $0.database = .init(isUp: false, problem: error.description) }
        }
        askedAt = clock.monotonic()
    }

    /// Keeps a batch: when it returns, all of it is committed.
    ///
    /// - Parameters:
    ///   - messages: the batch.
    ///   - patience: how long to try while the database is away, seconds.
    /// - Returns: the messages, those at fault as refused ones.
    /// - Throws: why the database did not take them; it may have them all the same.
    func keep(_ messages: [HubMessage], patience: Double) throws(HubWorker.Failure) -> [HubMessage] {
        let begin = clock.monotonic()
        let end = begin.advanced(bySeconds: patience)
        var pauses = HubPauses(first: 0.1, longest: 2)
        while true {
            do throws(PostgresError) {
                let kept = try keepOnce(messages)
                count(kept, seconds: clock.monotonic().seconds(since: begin))
                return kept
            } catch {
                figures.count { $0.failedBatches += 1 }
                figures.set(number) { $0.database = .init(isUp: false, problem: error.description) }
                if error.reason != .conflict { store = nil }
                guard !stop.isSet, clock.monotonic() < end else { throw .database(error) }
                let pause = pauses.next()
                _ = try? waitForEvents(
                    on: [(stop.wakeup.descriptor, .readable)], milliseconds: Int32(pause * 1000) + 1)
            }
        }
    }

    private func keepOnce(_ messages: [HubMessage]) throws(PostgresError) -> [HubMessage] {
        let store = try opened()
        do throws(PostgresError) {
            try store.keep(messages)
            return messages
        } catch {
            guard error.reason == .data else { throw error }
            // One of them does not fit, and the server does not say which: it is in one of the halves.
            guard messages.count > 1 else {
                let refusals = messages.map { HubMessage.refused($0, because: error.description) }
                try store.keep(refusals)
                return refusals
            }
        }
        let half = messages.count / 2
        return try keepOnce(Array(messages[..<half])) + keepOnce(Array(messages[half...]))
    }

    private func count(_ messages: [HubMessage], seconds: Double) {
        askedAt = clock.monotonic()
        let refused = messages.count { if case .refused = $0 { true } else { false } }
        figures.set(number) { $0.database = .init(isUp: true) }
        figures.count { counts in
            counts.batches += 1
            counts.batchSeconds += seconds
            counts.kept += messages.count - refused
            counts.quarantined += refused
        }
    }
}

extension HubMessage {
    fileprivate static func refused(_ message: HubMessage, because reason: String) -> HubMessage {
        switch message {
        case .record(let record): .refused(HubRefusal(record, reason: reason))
        case .state(let state): .refused(HubRefusal(state, reason: reason))
        // What the quarantine itself does not take is kept without what it says.
        case .refused(let refusal): .refused(refusal.withoutPayload(reason: reason))
        }
    }
}
