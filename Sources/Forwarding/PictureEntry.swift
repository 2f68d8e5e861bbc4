public import KonzaModel

/// Which object of a picture: the small one is sent first. The public ones exist where a visitor took a postcard home by a
/// public link.
public enum PicturePart: Int64, Sendable, CaseIterable {
    case thumbnail = 0
    /// The picture whose SHA-256 the record has: a postcard as it was stamped, a photograph as it was taken.
    case original = 1
    /// The postcard under an unguessable name.
    case publicPicture = 2
    /// The page beside it.
    case publicPage = 3
}

/// A postcard's public link.
public struct PublicLinkState: Sendable, Equatable {
    /// The name of the page's object.
    public let pageKey: String
    /// When the objects go.
    public let endsAt: UTCInstant
    /// Whether the store has the page and the picture.
    public let isStored: Bool
}

/// One step that a store is behind: an object to put there, or one to remove from it.
public struct PictureEntry: Sendable, Equatable {
    /// The postcard's, or the photograph's.
    public let id: String
    public let part: PicturePart
    /// The record that it is of: the postcard itself, or the specimen.
    public let record: String
    public let kind: ForwardedKind
    /// `image/jpeg` or `image/png`.
    public let mediaType: String
    /// What the record says of the original: 64 lower-case hexadecimal digits; nil for a small picture.
    public let sha256: String?
    /// Grows with each change of what is to be done: a receipt for another one counts for nothing.
    public let rev: Int64
    /// The object's name. It stays the same, whatever the station is called later.
    public internal(set) var key: String
    /// A person deleted the picture: the object is to go.
    public let isRemoval: Bool
    /// How often the store would not take it.
    public let tries: Int

    init(
        id: String, part: PicturePart, record: String, kind: ForwardedKind, mediaType: String, sha256: String?,
        rev: Int64, key: String, isRemoval: Bool, tries: Int
    ) {
        self.id = id
        self.part = part
        self.record = record
        self.kind = kind
        self.mediaType = mediaType
        self.sha256 = sha256
        self.rev = rev
        self.key = key
        self.isRemoval = isRemoval
        self.tries = tries
    }
}

/// What came of a step.
public struct PictureReceipt: Sendable, Equatable {
    public enum Outcome: String, Sendable, CaseIterable {
        /// The store has the object with the right hash.
        case stored
        /// The store has no object of the name.
        case removed
        /// The station has no such file any more.
        case absent
        /// The store does not take this one, for a reason of its own: it is tried again much later.
        case deferred
    }

    public let id: String
    public let part: PicturePart
    public let rev: Int64
    public let outcome: Outcome

    public init(id: String, part: PicturePart, rev: Int64, outcome: Outcome) {
        self.id = id
        self.part = part
        self.rev = rev
        self.outcome = outcome
    }
}

/// How far the store is with one picture, for the message about its record.
public struct PictureState: Sendable, Equatable {
    public let id: String
    public let mediaType: String
    public let isStored: Bool
    /// Whether an operator asked for the original.
    public let isWanted: Bool
    /// Nil before it was first sent.
    public let key: String?
    /// Whether there is a small picture.
    public let hasThumbnail: Bool
    public let isThumbnailStored: Bool
    /// Nil before it was first sent, or without a small picture.
    public let thumbnailKey: String?
}

/// How the outbox of pictures is.
public struct PictureFigures: Sendable, Equatable {
    public var isOn = false
    /// Of the store that the states are about.
    public var address = ""
    /// Small pictures that are to be stored.
    public var thumbnails = 0
    /// Originals that are not stored, whatever the policy.
    public var originals = 0
    /// Those of them that an operator asked for.
    public var wanted = 0
    /// Public objects that are to be stored.
    public var publics = 0
    /// Objects that are to go.
    public var removals = 0
    /// Pictures that the store would not take when they were tried last.
    public var deferred = 0
    /// The id of the oldest small picture or wanted original that waits.
    public var oldest: String?
    /// Whether older records are still being added.
    public var isCounting = false

    public init() {}
}

/// The newest postcard whose small picture is in the store.
public struct LatestPicture: Sendable, Equatable {
    public let id: String
    public let thumbnailKey: String
    /// Nil until the picture itself is stored.
    public let key: String?
}
