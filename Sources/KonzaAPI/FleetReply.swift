public import KonzaModel

/// The reply of `GET /v1/fleet/outbox`: what the fleet does not know yet.
public struct FleetOutboxReply: Codable, Sendable, Equatable {
    /// One message that is to be sent until it is confirmed.
    public struct Entry: Codable, Sendable, Equatable {
        public var kind: String
        public var id: String
        public var rev: Int64
        public var seq: Int64
        public var deleted: Bool
        /// How far the store has its pictures; absent without a store or pictures.
        public var pictures: [FleetPictureState]?

        public init(
            kind: String, id: String, rev: Int64, seq: Int64, deleted: Bool, pictures: [FleetPictureState]? = nil
        ) {
            self.kind = kind
            self.id = id
            self.rev = rev
            self.seq = seq
            self.deleted = deleted
            self.pictures = pictures
        }
    }

    /// The log that messages are numbered in.
    public var log: String
    public var entries: [Entry]

    public init(log: String, entries: [Entry]) {
        self.log = log
        self.entries = entries
    }
}

/// The body of `POST /v1/fleet/receipts`.
public struct FleetReceiptsRequest: Codable, Sendable, Equatable {
    public static let mostReceipts = 200

    /// A record as it was at a revision.
    public struct Receipt: Codable, Sendable, Equatable {
        public var id: String
        public var rev: Int64

        public init(id: String, rev: Int64) {
            self.id = id
            self.rev = rev
        }
    }

    public var receipts: [Receipt]

    public init(receipts: [Receipt]) { self.receipts = receipts }
}

/// The reply of `POST /v1/fleet/receipts`.
public struct FleetReceiptsReply: Codable, Sendable, Equatable {
    /// How many of them were news.
    public var confirmed: Int

    public init(confirmed: Int) { self.confirmed = confirmed }
}

/// The body of `PUT /v1/fleet/connection`: what konza-fleet says of the broker, at each change and every 20 seconds.
public struct FleetConnection: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable, CaseIterable {
        case connecting
        case connected
        /// It is tried again; `kind` and `reason` say why it has to be.
        case failed
    }

    public var state: State
    /// Of a failure, a stable word such as untrusted or identity-in-use; of a connection, why messages do not reach the fleet.
    public var kind: String?
    /// Of what `kind` names, in words, with what to do about it.
    public var reason: String?
    /// Of a failure, when it is tried again.
    public var nextTryAt: UTCInstant?

    public init(_ state: State, kind: String? = nil, reason: String? = nil, nextTryAt: UTCInstant? = nil) {
        self.state = state
        self.kind = kind
        self.reason = reason
        self.nextTryAt = nextTryAt
    }
}

/// The reply of `GET /v1/fleet`.
public struct FleetReply: Codable, Sendable, Equatable {
    /// Whether the station belongs to a fleet.
    public var enabled: Bool
    public var site: String?
    public var box: String?
    public var broker: String?
    /// What konza-fleet says of the broker; absent if it does not run.
    public var connection: FleetConnection?
    /// Records that the fleet does not know as they are now.
    public var waiting: Int
    /// When the oldest of them was made.
    public var waitingSince: UTCInstant?
    public var log: String
    public var lastSeq: Int64
    /// When the fleet last confirmed something, since the start.
    public var confirmedAt: UTCInstant?
    public var confirmed: Int
    /// The pictures on their way to the store; absent without one.
    public var pictures: FleetPicturesSummary?

    public init(
        enabled: Bool, site: String?, box: String?, broker: String?, connection: FleetConnection?,
        waiting: Int, waitingSince: UTCInstant?, log: String, lastSeq: Int64, confirmedAt: UTCInstant?, confirmed: Int
    ) {
        self.enabled = enabled
        self.site = site
        self.box = box
        self.broker = broker
        self.connection = connection
        self.waiting = waiting
        self.waitingSince = waitingSince
        self.log = log
        self.lastSeq = lastSeq
        self.confirmedAt = confirmedAt
        self.confirmed = confirmed
    }
}

enum FleetSchemas {
    private static let exact = 1...(1 << 53 - 1)

    static let all =
        FleetTrack.schemas + [
            Schema(
                "Fleet", "How far the station's fleet knows its records.",
                [
                    .always("enabled", .boolean, "Whether the station belongs to a fleet ([Fleet] Broker=)."),
                    .known("site", .string, "The name of its site."),
                    .known("box", .string, "Its own name."),
                    .known("broker", .string, "The broker's address."),
                    .known(
                        "connection", .reference("FleetConnection"),
                        "What konza-fleet says of the broker; absent if it does not run."),
                    .always("waiting", .integer, "Records that the fleet does not know as they are now."),
                    .known("waitingSince", .dateTime, "When the oldest of them was made."),
                    .always("log", .string, "The log that messages are numbered in; empty before the first."),
                    .always("lastSeq", .integer, "The number of the last message in it."),
                    .known("confirmedAt", .dateTime, "When the fleet last confirmed something, since the start."),
                    .always("confirmed", .integer, "How many messages it has confirmed since the start."),
                    .known("pictures", .reference("FleetPicturesSummary"), "Pictures on their way to the store."),
                ]),
            Schema(
                "FleetOutbox", "What the fleet does not know yet, oldest first.",
                [
                    .always("log", .string, "The log that messages are numbered in."),
                    .always(
                        "entries", .array(.reference("FleetEntry")), "The messages to send until they are confirmed."),
                ]),
            Schema(
                "FleetEntry", "A message to send.",
                [
                    .always("kind", .choice(["postcard", "specimen", "track"]), "What the record is."),
                    .always("id", .form(.id), "The record's id."),
                    .always("rev", .integer, "What it has come to: 1, and one more for each change."),
                    .always("seq", .integer, "The message's number in the log, from 1 without a gap."),
                    .always(
                        "deleted", .boolean, "Whether a person deleted the record: the message says so, and no more."),
                    .known(
                        "pictures", .array(.reference("FleetPictureState")), "How far the store has its pictures."),
                ]),
            Schema(
                "FleetReceipts", "Records that the fleet has.",
                [
                    .always(
                        "receipts", .list(.reference("FleetReceipt"), atMost: FleetReceiptsRequest.mostReceipts),
                        "Which ones.")
                ], isClosed: true,
                example: .object([
                    "receipts": .array([
                        .object(["id": .string("01k2b3c4d5e6f7g8h9j0kmnpqr"), "rev": .number(1)])
                    ])
                ])),
            Schema(
                "FleetReceipt", "A record as it was at a revision.",
                [
                    .always("id", .form(.id), "The record's id."),
                    .always("rev", .count(exact), "The revision."),
                ], isClosed: true),
            Schema(
                "FleetReceiptsTaken", "What came of receipts.",
                [.always("confirmed", .integer, "How many of them were news.")]),
            Schema(
                "FleetConnection", "What konza-fleet says of the broker.",
                [
                    .always("state", .choice(FleetConnection.State.allCases.map(\.rawValue)), "How it is."),
                    .known("kind", .name(64), "Of a failure, a stable word."),
                    .known("reason", .line(500), "Of a failure, why and what to do about it."),
                    .known("nextTryAt", .dateTime, "Of a failure, when it is tried again."),
                ], isClosed: true, example: .object(["state": .string("connected")])),
        ] + FleetPictureSchemas.all + FleetDesiredReply.schemas
}
