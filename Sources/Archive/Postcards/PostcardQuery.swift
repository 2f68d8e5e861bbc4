public import KonzaModel

/// Which postcards to list, newest first.
public struct PostcardQuery: Sendable, Equatable {
    /// The most that one page holds.
    public static let maximumLimit = 200

    /// How many to return, 1 to `maximumLimit`.
    public var limit: Int
    /// Where the page before ended: its `next`.
    public var cursor: PostcardCursor?
    /// Only those kept at or after this instant.
    public var from: UTCInstant?
    /// Only those kept before this instant.
    public var to: UTCInstant?
    /// Only those exposed in this box. A postcard without a position is in no box.
    public var box: GeographicBox?

    public init(
        limit: Int = 50, cursor: PostcardCursor? = nil, from: UTCInstant? = nil, to: UTCInstant? = nil,
        box: GeographicBox? = nil
    ) {
        self.limit = limit
        self.cursor = cursor
        self.from = from
        self.to = to
        self.box = box
    }
}

/// A place in the list: after one postcard. It stays good when postcards come and go, that one included.
public struct PostcardCursor: Sendable, Equatable, LosslessStringConvertible {
    let createdNanoseconds: Int64
    let id: PostcardID

    init(createdNanoseconds: Int64, id: PostcardID) {
        self.createdNanoseconds = createdNanoseconds
        self.id = id
    }

    /// - Returns: nil unless the text is a cursor that a page gave.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 14, let bits = UInt64(parts[0], radix: 32),
            let id = PostcardID(String(parts[1]))
        else { return nil }
        self.init(createdNanoseconds: Int64(bitPattern: bits), id: id)
    }

    /// Safe in URLs; what is in it is the archive's own affair.
    public var description: String { "\(String(UInt64(bitPattern: createdNanoseconds), radix: 32)).\(id)" }
}

/// Some postcards, newest first.
public struct PostcardPage: Sendable, Equatable {
    public var postcards: [PostcardRecord]
    /// Where the next page begins; nil when this is the last.
    public var next: PostcardCursor?
}
