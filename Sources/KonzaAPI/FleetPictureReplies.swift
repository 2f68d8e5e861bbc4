public import KonzaModel

/// How far the store has one picture, beside the record in the message about it.
public struct FleetPictureState: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable, CaseIterable {
        /// It goes to the store as soon as that can be reached.
        case pending
        case stored
        /// It stays on the station until an operator asks for it.
        case kept
    }

    /// The postcard's, or the photograph's.
    public var id: String
    public var picture: State
    /// The object's name.
    public var key: String
    /// Whether the small picture is stored; absent where there is none.
    public var thumbnail: State?
    public var thumbnailKey: String?

    public init(id: String, picture: State, key: String, thumbnail: State?, thumbnailKey: String?) {
        self.id = id
        self.picture = picture
        self.key = key
        self.thumbnail = thumbnail
        self.thumbnailKey = thumbnailKey
    }
}

/// The reply of `GET /v1/fleet/pictures`: what the store is behind.
public struct FleetPicturesReply: Codable, Sendable, Equatable {
    /// One object to store or to remove, until it is confirmed.
    public struct Step: Codable, Sendable, Equatable {
        public var id: String
        /// `thumbnail`, `original`, `public-picture` or `public-page`.
        public var part: String
        /// The postcard itself, or the photograph's specimen.
        public var record: String
        public var kind: String
        public var mediaType: String
        /// What the record says of an original.
        public var sha256: String?
        public var rev: Int64
        public var key: String
        public var remove: Bool
        public var tries: Int
        /// Where the file is, in the local API.
        public var path: String

        public init(
            id: String, part: String, record: String, kind: String, mediaType: String, sha256: String?, rev: Int64,
            key: String,
            remove: Bool, tries: Int, path: String
        ) {
            self.id = id
            self.part = part
            self.record = record
            self.kind = kind
            self.mediaType = mediaType
            self.sha256 = sha256
            self.rev = rev
            self.key = key
            self.remove = remove
            self.tries = tries
            self.path = path
        }
    }

    /// The newest postcard whose small picture is stored.
    public struct Latest: Codable, Sendable, Equatable {
        public var id: String
        public var thumbnail: String
        public var picture: String?

        public init(id: String, thumbnail: String, picture: String?) {
            self.id = id
            self.thumbnail = thumbnail
            self.picture = picture
        }
    }

    public var steps: [Step]
    public var latest: Latest?

    public init(steps: [Step], latest: Latest?) {
        self.steps = steps
        self.latest = latest
    }
}

/// The body of `POST /v1/fleet/pictures/receipts`.
public struct FleetPictureReceipts: Codable, Sendable, Equatable {
    public static let mostReceipts = 100

    public struct Receipt: Codable, Sendable, Equatable {
        public var id: String
        public var part: String
        public var rev: Int64
        /// `stored`, `removed`, `absent` or `deferred`.
        public var outcome: String
        /// Why the store did not take it.
        public var reason: String?

        public init(id: String, part: String, rev: Int64, outcome: String, reason: String? = nil) {
            self.id = id
            self.part = part
            self.rev = rev
            self.outcome = outcome
            self.reason = reason
        }
    }

    public var receipts: [Receipt]

    public init(receipts: [Receipt]) { self.receipts = receipts }
}

/// An original that an operator asked for: the reply of `PUT` and `GET /v1/fleet/pictures/{id}`.
public struct FleetOriginalReply: Codable, Sendable, Equatable {
    public var id: String
    public var stored: Bool

    public init(id: String, stored: Bool) {
        self.id = id
        self.stored = stored
    }
}

/// The body of `PUT /v1/fleet/store`: what konza-fleet says of the store, at each change and every 20 seconds.
public struct FleetStoreReport: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable, CaseIterable {
        /// Nothing was asked of it yet, or there is nothing to do.
        case idle
        /// It took what was sent last.
        case working
        /// It is tried again; `kind` and `reason` say why it has to be.
        case failed
        /// No network that pictures may use is up.
        case offline
    }

    public var state: State
    /// Of a failure, a stable word such as credentials or clock.
    public var kind: String?
    public var reason: String?
    /// Of a failure, when it is tried again.
    public var nextTryAt: UTCInstant?
    /// Whether originals wait for a network that does not cost by volume.
    public var metered: Bool

    public init(
        _ state: State, kind: String? = nil, reason: String? = nil, nextTryAt: UTCInstant? = nil, metered: Bool = false
    ) {
        self.state = state
        self.kind = kind
        self.reason = reason
        self.nextTryAt = nextTryAt
        self.metered = metered
    }
}

/// The pictures in the reply of `GET /v1/fleet`.
public struct FleetPicturesSummary: Codable, Sendable, Equatable {
    public var store: String
    /// `all`, `demand` or `none`.
    public var originals: String
    /// What konza-fleet says of the store; absent if it does not run.
    public var report: FleetStoreReport?
    public var waitingThumbnails: Int
    /// Originals that go as soon as they can.
    public var waitingOriginals: Int
    /// Originals that stay by the policy, or wait for a network that does not cost by volume.
    public var heldOriginals: Int
    /// Why they are held: `policy` or `metered`; absent where none is.
    public var heldBecause: String?
    /// Objects that are to go from the store, their pictures having been deleted.
    public var removing: Int
    /// Pictures that the store would not take when they were tried last.
    public var refused: Int
    public var waitingSince: UTCInstant?
    /// How many objects were stored since the start.
    public var stored: Int
    public var storedAt: UTCInstant?
    /// Why the store would not take the last one that it refused.
    public var lastRefusal: String?

    public init(
        store: String, originals: String, report: FleetStoreReport?, waitingThumbnails: Int, waitingOriginals: Int,
        heldOriginals: Int, heldBecause: String?, removing: Int, refused: Int, waitingSince: UTCInstant?, stored: Int,
        storedAt: UTCInstant?, lastRefusal: String?
    ) {
        self.store = store
        self.originals = originals
        self.report = report
        self.waitingThumbnails = waitingThumbnails
        self.waitingOriginals = waitingOriginals
        self.heldOriginals = heldOriginals
        self.heldBecause = heldBecause
        self.removing = removing
        self.refused = refused
        self.waitingSince = waitingSince
        self.stored = stored
        self.storedAt = storedAt
        self.lastRefusal = lastRefusal
    }
}

/// The body of `PUT /v1/postcards/{id}/public-link`.
public struct PublicLinkRequest: Codable, Sendable, Equatable {
    /// How long a link may be good for, days.
    public static let days = 1...366

    public var days: Int

    public init(days: Int) { self.days = days }
}

/// A link by which a postcard is on the internet, for whoever has it.
public struct PublicLinkReply: Codable, Sendable, Equatable {
    public struct Code: Codable, Sendable, Equatable {
        public var text: String
        /// A text of 0 and 1 for each row (ISO/IEC 18004).
        public var qr: [String]

        public init(text: String, qr: [String]) {
            self.text = text
            self.qr = qr
        }
    }

    public enum State: String, Codable, Sendable, CaseIterable {
        /// It leads nowhere yet: the station waits for a network.
        case pending
        case stored
    }

    public var link: Code
    public var state: State
    public var endsAt: UTCInstant

    public init(link: Code, state: State, endsAt: UTCInstant) {
        self.link = link
        self.state = state
        self.endsAt = endsAt
    }
}

enum FleetPictureSchemas {
    private static let exact = 1...(1 << 53 - 1)
    private static let parts = ["thumbnail", "original", "public-picture", "public-page"]
    private static let states = FleetPictureState.State.allCases.map(\.rawValue)

    static let all = [
        Schema(
            "PublicLinkRequest", "How long a public link is to be good for.",
            [.always("days", .count(PublicLinkRequest.days), "Days from now.")], isClosed: true,
            example: .object(["days": .number(30)])),
        Schema(
            "PublicLink", "A link by which a postcard is on the internet, for whoever has it.",
            [
                .always("link", .reference("PublicLinkCode"), "Where it is."),
                .always(
                    "state", .choice(PublicLinkReply.State.allCases.map(\.rawValue)),
                    "Pending until the station had a network: it leads nowhere yet."),
                .always("endsAt", .dateTime, "Until when."),
            ]),
        Schema(
            "PublicLinkCode", "An address and the QR code that says it.",
            [
                .always("text", .string, "The address."),
                .always("qr", .array(.string), "ISO/IEC 18004: 0 and 1, a text for each row."),
            ]),
        Schema(
            "FleetPictureState", "How far the store has a picture.",
            [
                .always("id", .form(.id), "The postcard's, or the photograph's."),
                .always(
                    "picture", .choice(states), "Pending until it is stored; kept where it stays until it is asked for."
                ),
                .always("key", .string, "The object's name in the store."),
                .known("thumbnail", .choice(states), "The same of the small picture, if there is one."),
                .known("thumbnailKey", .string, "Its name in the store."),
            ]),
        Schema(
            "FleetPictures", "What the object store is behind: objects to remove, small pictures, then originals.",
            [
                .always("steps", .array(.reference("FleetPictureStep")), "What to do until it is confirmed."),
                .known(
                    "latest", .reference("FleetLatestPicture"), "The newest postcard whose small picture is stored."),
            ]),
        Schema(
            "FleetPictureStep", "An object to store or to remove.",
            [
                .always("id", .form(.id), "The postcard's, or the photograph's."),
                .always("part", .choice(parts), "Which of its objects."),
                .always("record", .form(.id), "The postcard itself, or the photograph's specimen."),
                .always("kind", .choice(["postcard", "specimen"]), "What the record is."),
                .always("mediaType", .string, "Of the file."),
                .known("sha256", .string, "What the record says of an original, hexadecimal."),
                .always("rev", .integer, "For the receipt."),
                .always("key", .string, "The object's name, which never changes."),
                .always("remove", .boolean, "Whether the object is to go: a person deleted the picture."),
                .always("tries", .integer, "How often the store would not take it."),
                .always("path", .string, "Where the file is, in this API."),
            ]),
        Schema(
            "FleetLatestPicture", "A postcard whose small picture is stored.",
            [
                .always("id", .form(.id), "The postcard's."),
                .always("thumbnail", .string, "The small picture's name in the store."),
                .known("picture", .string, "The picture's name, once it is stored."),
            ]),
        Schema(
            "FleetPictureReceipts", "What came of objects to store or to remove.",
            [
                .always(
                    "receipts", .list(.reference("FleetPictureReceipt"), atMost: FleetPictureReceipts.mostReceipts),
                    "Of which ones.")
            ], isClosed: true,
            example: .object([
                "receipts": .array([
                    .object([
                        "id": .string("01k2b3c4d5e6f7g8h9j0kmnpqr"), "part": .string("thumbnail"), "rev": .number(1),
                        "outcome": .string("stored"),
                    ])
                ])
            ])),
        Schema(
            "FleetPictureReceipt", "What came of one.",
            [
                .always("id", .form(.id), "The picture's id."),
                .always("part", .choice(parts), "Which of its objects."),
                .always("rev", .count(exact), "As it was listed."),
                .always(
                    "outcome", .choice(["stored", "removed", "absent", "deferred"]),
                    "Stored or removed; absent where the station has no such file; deferred where the store does not take it."
                ),
                .known("reason", .line(500), "Why the store did not take it."),
            ], isClosed: true),
        Schema(
            "FleetOriginal", "An original that was asked for.",
            [
                .always("id", .form(.id), "The postcard's, or the photograph's."),
                .always("stored", .boolean, "Whether the store has it."),
            ]),
        Schema(
            "FleetStoreReport", "What konza-fleet says of the object store.",
            [
                .always("state", .choice(FleetStoreReport.State.allCases.map(\.rawValue)), "How it is."),
                .known("kind", .name(64), "Of a failure, a stable word."),
                .known("reason", .line(500), "Of a failure, why and what to do about it."),
                .known("nextTryAt", .dateTime, "Of a failure, when it is tried again."),
                .always("metered", .boolean, "Whether originals wait for a network that does not cost by volume."),
            ], isClosed: true, example: .object(["state": .string("working"), "metered": .bool(false)])),
        Schema(
            "FleetPicturesSummary", "Pictures on their way to the object store.",
            [
                .always("store", .string, "The store's address with its bucket ([Fleet] Store=)."),
                .always("originals", .choice(["all", "demand", "none"]), "Which originals go ([Fleet] Originals=)."),
                .known(
                    "report", .reference("FleetStoreReport"), "What konza-fleet says of it; absent if it does not run."),
                .always("waitingThumbnails", .integer, "Small pictures that wait."),
                .always("waitingOriginals", .integer, "Originals that go as soon as they can."),
                .always("heldOriginals", .integer, "Originals that stay on the station."),
                .known("heldBecause", .choice(["policy", "metered"]), "Why."),
                .always("removing", .integer, "Objects that are to go, their pictures having been deleted."),
                .always("refused", .integer, "Pictures that the store would not take when they were tried last."),
                .known("waitingSince", .dateTime, "When the oldest that waits was made."),
                .always("stored", .integer, "How many objects were stored since the start."),
                .known("storedAt", .dateTime, "When the last one was."),
                .known("lastRefusal", .string, "Why the store would not take the last one that it refused."),
            ]),
    ]
}
