public import KonzaModel
public import Storage

/// Which postcards to list, newest first.
public struct PostcardQuery: Sendable, Equatable {
    /// The most that one page holds.
    public static let maximumLimit = 200

    /// How many to return, 1 to `maximumLimit`.
    public var limit: Int
    /// Where the page before ended: its `next`.
    public var cursor: PostcardCursor?
    /// Only those exposed at or after this instant.
    public var from: UTCInstant?
    /// Only those exposed before this instant.
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

/// A place in the list of postcards.
public typealias PostcardCursor = RecordCursor<PostcardRecord>

/// Some postcards, newest first.
public struct PostcardPage: Sendable, Equatable {
    public var postcards: [PostcardRecord]
    /// Where the next page begins; nil when this is the last.
    public var next: PostcardCursor?
}
