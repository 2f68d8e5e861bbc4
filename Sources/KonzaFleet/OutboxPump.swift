internal import FleetMessaging
internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer

/// Takes what waits from konzad's outbox to the broker, and the receipts back to konzad. It keeps nothing: until konzad
/// has the receipt, the record is sent again.
final class OutboxPump {
    /// The most records that are under way at one time.
    private static let portion = 100
    /// How long konzad holds the question open, seconds.
    private static let patience = 25
    /// How long to wait for receipts before records are sent again, seconds: at first, and after many times.
    private static let firstWait = 20.0
    private static let longestWait = 300.0
    /// How often a record of a kind that the broker does not take asks whether it takes it now, seconds.
    private static let refusedPeriod = 60.0
    /// What the outbox has.
    fileprivate static let kinds: Set<FleetKind> = [.postcard, .specimen, .track]

    private let station: any OutboxStation
    private let mailbox: FleetMailbox
    private let name: () -> FleetName
    private let log: Log
    private let cancellation: TransferCancellation
    private let clock: any StationClock
    /// Waits for news, up to so many seconds.
    private let pause: (Double) -> Void
    /// How often in a row nothing was confirmed. Then a single record asks whether somebody listens again.
    private var silences = 0
    /// When a record of a kind that the broker does not take was sent last.
    private var refusedAt: MonotonicInstant?
    /// What was said last of konzad.
    private var complaint = ""

    /// - Parameters:
    ///   - station: where records wait.
    ///   - mailbox: to the broker, and from it.
    ///   - name: of the station in its fleet.
    ///   - log: for the keeper.
    ///   - cancellation: ends it.
    ///   - clock: by which receipts are waited for.
    ///   - pause: waits in place of the mailbox's news.
    init(
        station: any OutboxStation, mailbox: FleetMailbox, name: @escaping () -> FleetName, log: Log,
        cancellation: TransferCancellation, clock: any StationClock = SystemClock(), pause: ((Double) -> Void)? = nil
    ) {
        self.clock = clock
        self.pause =
            pause ?? { seconds in
                _ = try? waitForEvents(
                    on: [(mailbox.news.descriptor, .readable)], milliseconds: Int32(seconds * 1000))
                mailbox.news.clear()
            }
        self.station = station
        self.mailbox = mailbox
        self.name = name
        self.log = log
        self.cancellation = cancellation
    }

    /// Goes on until it is cancelled.
    func run() {
        var pause = 1.0
        while !cancellation.isCancelled {
            guard let connection = mailbox.connection else {
                self.pause(1)
                continue
            }
            do throws(ClientError) {
                try turn(connection)
                pause = 1
                complaint = ""
            } catch {
                guard !cancellation.isCancelled else { return }
                if error.description != complaint { log(.warning, error.description) }
                complaint = error.description
                self.pause(pause)
                pause = min(pause * 2, 30)
            }
        }
    }

    /// Sends a portion, and waits for its receipts.
    ///
    /// - Parameter connection: the mailbox's; what is under way ends with it.
    /// - Throws: if konzad cannot be asked.
    func turn(_ connection: Int) throws(ClientError) {
        // A kind that the broker does not take holds up no other.
        let refused = self.refused
        let isSplit = !refused.isEmpty && refused != Self.kinds
        if isSplit { try askAgain(refused, connection) }
        let outbox = try station.outbox(
            limit: silences == 0 ? Self.portion : 1, waitingSeconds: isSplit ? 1 : Self.patience,
            of: isSplit ? Self.kinds.subtracting(refused) : Self.kinds)
        guard !outbox.entries.isEmpty, mailbox.connection == connection else { return }
        var open: Set<FleetReceipts.Pair> = []
        for entry in outbox.entries {
            guard let kind = FleetKind(rawValue: entry.kind) else { continue }
            let envelope = try envelope(entry, kind, outbox.log)
            guard send(name().publication(kind, envelope), connection) else { return }
            open.insert(FleetReceipts.Pair(id: entry.id, rev: entry.rev))
            // Receipts of the first come while the last are being sent.
            try confirm(&open)
        }
        let seconds = min(Self.longestWait, Self.firstWait * Double(1 << min(silences, 5)))
        let deadline = clock.monotonic().advanced(bySeconds: seconds)
        while !open.isEmpty, mailbox.connection == connection, !cancellation.isCancelled {
            let left = deadline.seconds(since: clock.monotonic())
            if self.refused != refused { return }
            guard left > 0 else {
                silences += 1
                return log(.debug, "\(counted(open.count, "record")) not confirmed, sent again")
            }
            pause(min(left, 1))
            try confirm(&open)
        }
    }

    /// The kinds of records that the broker does not take.
    private var refused: Set<FleetKind> { mailbox.refusedKinds.intersection(Self.kinds) }

    /// Sends one record of the kinds that the broker does not take, now and then. Its receipt comes with the others'.
    private func askAgain(_ refused: Set<FleetKind>, _ connection: Int) throws(ClientError) {
        let now = clock.monotonic()
        if let refusedAt, now.seconds(since: refusedAt) < Self.refusedPeriod { return }
        refusedAt = now
        let outbox = try station.outbox(limit: 1, waitingSeconds: 0, of: refused)
        for entry in outbox.entries {
            guard let kind = FleetKind(rawValue: entry.kind) else { continue }
            _ = send(name().publication(kind, try envelope(entry, kind, outbox.log)), connection)
        }
    }

    private func send(_ publication: MQTTPublication, _ connection: Int) -> Bool {
        while !mailbox.send(publication) {
            guard mailbox.connection == connection, !cancellation.isCancelled else { return false }
            Pause.seconds(0.02)
        }
        return true
    }

    /// Tells konzad what is confirmed, and takes it off those that are open.
    private func confirm(_ open: inout Set<FleetReceipts.Pair>) throws(ClientError) {
        let receipts = mailbox.takeReceipts()
        guard !receipts.isEmpty else { return }
        silences = 0
        let pairs = Array(receipts)
        for start in stride(from: 0, to: pairs.count, by: FleetReceiptsRequest.mostReceipts) {
            let part = pairs[start..<min(start + FleetReceiptsRequest.mostReceipts, pairs.count)]
            try station.confirm(part.map { .init(id: $0.id, rev: $0.rev) })
        }
        open.subtract(receipts)
    }

    // MARK: - Messages

    private func envelope(
        _ entry: FleetOutboxReply.Entry, _ kind: FleetKind, _ log: String
    ) throws(ClientError) -> FleetEnvelope {
        var body: [UInt8]?
        if !entry.deleted { body = try station.record(entry.id, kind) }
        if let pictures = entry.pictures {
            body = body.map { FleetPictures.adding(pictures, to: $0, kind) }
        }
        let head = body.flatMap { try? JSONReader.value(of: $0) }
        return FleetEnvelope(
            kind, id: entry.id, box: name().box, log: log, seq: entry.seq, rev: entry.rev,
            at: Self.text("createdAt", head) ?? clock.utc().rfc3339,
            timeSource: Self.text("timeSource", head) ?? "system", isDeleted: body == nil, body: body ?? [])
    }

    private static func text(_ name: String, _ record: JSONValue?) -> String? {
        guard case .object(let members)? = record, case .string(let text)? = members[name] else { return nil }
        return text
    }
}

/// Where records wait for the fleet: konzad.
protocol OutboxStation {
    /// What waits of these kinds, oldest first; waits for it at most so long.
    func outbox(limit: Int, waitingSeconds: Int, of kinds: Set<FleetKind>) throws(ClientError) -> FleetOutboxReply
    /// The fleet has these.
    func confirm(_ receipts: [FleetReceiptsRequest.Receipt]) throws(ClientError)
    /// The record as the local API gives it; nil if it is gone, as when it was too old before there was a network.
    func record(_ id: String, _ kind: FleetKind) throws(ClientError) -> [UInt8]?
}

extension StationClient: OutboxStation {
    func outbox(limit: Int, waitingSeconds: Int, of kinds: Set<FleetKind>) throws(ClientError) -> FleetOutboxReply {
        var query = [("limit", "\(limit)"), ("wait", "\(waitingSeconds)")]
        if kinds != OutboxPump.kinds {
            query.append(("kinds", kinds.map(\.rawValue).sorted().joined(separator: ",")))
        }
        return try get("/v1/fleet/outbox", query: query, as: FleetOutboxReply.self)
    }

    func confirm(_ receipts: [FleetReceiptsRequest.Receipt]) throws(ClientError) {
        _ = try send("POST", "/v1/fleet/receipts", FleetReceiptsRequest(receipts: receipts))
    }

    func record(_ id: String, _ kind: FleetKind) throws(ClientError) -> [UInt8]? {
        do throws(ClientError) {
            // An hour's way is the outbox's own.
            let noun = kind == .track ? "fleet/tracks" : "\(kind.rawValue)s"
            return try bytes("/v1/\(noun)/\(id)").body
        } catch {
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }
}
