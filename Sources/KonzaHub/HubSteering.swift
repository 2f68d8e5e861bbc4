internal import FleetMessaging
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import PostgresAccess

/// The settings that operators signed, as the hub keeps them: on their way to the broker one at a time for each box, and again
/// whenever the broker may have lost what it kept (a broker that is killed has not written all of it, or nothing).
final class HubSteering: Sendable {
    /// Where a station does not have what is wanted, it is published again so often, seconds: another hub may have had the last
    /// word at the broker.
    private static let period = 600.0
    /// Boxes whose names are held at one time.
    private static let page = 200
    /// The boxes that do not have what is wanted of them, or have not said so.
    private static let isPending = """
        desired_message IS NOT NULL
        AND coalesce((reported ->> 'version')::numeric, 0) < (desired ->> 'version')::numeric
        """

    private let readers: PostgresPool
    private let post: HubPost
    private let log: Log
    private let turns = HubTurns()
    private let clock = SystemClock()

    init(readers: PostgresPool, post: HubPost, log: Log) {
        self.readers = readers
        self.post = post
        self.log = log
    }

    /// Waits until no settings of a box are on their way; ``end(_:)`` lets the next ones go.
    ///
    /// - Throws: a problem if others take longer than the broker may.
    func begin(_ box: String) async throws(Problem) { try await turns.begin(box, for: "other settings for \(box)") }

    func end(_ box: String) { turns.end(box) }

    // MARK: - What the broker lost

    /// Publishes what is wanted with each new connection to the broker, until the task is cancelled.
    func keep() async {
        var pauses = HubPauses(first: 10, longest: Self.period)
        var published = 0
        var complained = ""
        var due = clock.monotonic()
        while !Task.isCancelled {
            if let connection = post.connection, connection != published || clock.monotonic() >= due {
                do throws(Problem) {
                    let count = try await publishPending()
                    if count > 0 { log(.info, "settings published again, for boxes that do not have them: \(count)") }
                    (published, complained) = (connection, "")
                    pauses.begin()
                    due = clock.monotonic().advanced(bySeconds: Self.period)
                } catch {
                    if error.detail != complained { log(.warning, "settings are not published again: \(error.detail)") }
                    complained = error.detail
                    try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: 1 + pauses.next()))
                }
            }
            try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: 1))
        }
    }

    /// - Returns: how many boxes' settings the broker has taken.
    private func publishPending() async throws(Problem) -> Int {
        var count = 0
        var last = ""
        while !Task.isCancelled {
            let names = try await readers.ask(
                "SELECT box FROM boxes WHERE box > $1 AND \(Self.isPending) ORDER BY box LIMIT \(Self.page)",
                [.text(last)]
            ).texts
            for box in names where try await publish(box) { count += 1 }
            guard names.count == Self.page, let end = names.last else { break }
            last = end
        }
        return count
    }

    /// - Returns: false where they are no longer wanted.
    private func publish(_ box: String) async throws(Problem) -> Bool {
        try await begin(box)
        defer { end(box) }
        let rows = try await readers.ask(
            "SELECT site, desired_message FROM boxes WHERE box = $1 AND \(Self.isPending)", [.text(box)])
        guard rows.count > 0, let site = rows[0, 0], let message = rows[0, 1] else { return false }
        _ = try await post.send(
            MQTTPublication(
                topic: FleetTopic(site: site, box: box, kind: .desired).description, payload: Array(message.utf8),
                quality: .atLeastOnce, isRetained: true))
        return true
    }
}

extension PostgresPool {
    /// Asks the database on a thread that may wait.
    ///
    /// - Throws: a problem with what the database said.
    func ask(_ sql: String, _ parameters: [PostgresValue]) async throws(Problem) -> PostgresRows {
        do throws(PostgresError) {
            return try await onBlockingThread { () throws(PostgresError) in
                try self.lend { connection throws(PostgresError) in try connection.run(sql, parameters) }
            }
        } catch {
            if error.reason == .data {
                throw Problem(.invalidRequest, "cannot take the request: \(error.description)")
            }
            throw Problem(.unavailable, "cannot ask the database: \(error.description)")
        }
    }
}
