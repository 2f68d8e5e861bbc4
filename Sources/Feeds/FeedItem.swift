public import KonzaModel

/// What a feed of any form says, in one form.
public struct Feed: Sendable, Equatable, Codable {
    public var title: String
    public var items: [FeedItem]

    public init(title: String = "", items: [FeedItem] = []) {
        self.title = title
        self.items = items
    }
}

/// One entry of a feed. Its texts are plain, without markup.
public struct FeedItem: Sendable, Equatable, Codable {
    /// The feed's own, compared character by character (RFC 4287 section 4.2.6.1); 1 to ``FeedBounds/idBytes`` bytes.
    public var id: String
    public var title: String
    public var body: String
    /// What is to be read last, such as the instructions of an alert; may be empty.
    public var more: String
    /// Where it is to be read in full: `http` or `https`.
    public var link: String?
    /// RFC 5646, as the feed says it.
    public var language: String?
    public var published: UTCInstant?
    public var start: UTCInstant?
    public var end: UTCInstant?
    public var isUrgent: Bool
    /// Of weather and other alerts, the greater the worse; 0 for all else.
    public var rank: Int
    /// Whether it must have been read before mustering.
    public var isRequired: Bool
    /// Ids of messages that this one takes the place of.
    public var supersedes: [String]

    public init(
        id: String, title: String, body: String = "", more: String = "", link: String? = nil, language: String? = nil,
        published: UTCInstant? = nil, start: UTCInstant? = nil, end: UTCInstant? = nil, isUrgent: Bool = false,
        rank: Int = 0, isRequired: Bool = true, supersedes: [String] = []
    ) {
        self.id = id
        self.title = title
        self.body = body
        self.more = more
        self.link = link
        self.language = language
        self.published = published
        self.start = start
        self.end = end
        self.isUrgent = isUrgent
        self.rank = rank
        self.isRequired = isRequired
        self.supersedes = supersedes
    }
}

/// What a feed may have at most.
public enum FeedBounds {
    /// Of a whole feed.
    public static let bytes = 2 << 20
    public static let items = 1000
    public static let idBytes = 500
    /// Unicode scalars of a title.
    public static let title = 200
    /// Bytes of a body, and of what follows it.
    public static let body = 16 << 10
    /// Messages that one takes the place of.
    public static let superseded = 64
}

/// Why a feed is not taken: nothing of it is then.
public struct FeedError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ reason: String) { description = "cannot read the feed: \(reason)" }
}

extension FeedItem {
    /// The item with everything within its bounds and without characters that no text may have; nil without an id or anything
    /// to read.
    public func bounded() -> FeedItem? {
        var item = self
        guard !id.isEmpty, id.utf8.count <= FeedBounds.idBytes, TextRule.complaint(id) == nil else { return nil }
        let words = TextRule.cleaned(title).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        item.title = TextRule.beginning(of: words, scalars: FeedBounds.title)
        item.body = Self.bounded(body)
        item.more = Self.bounded(more)
        if item.title.isEmpty {
            item.title = TextRule.beginning(of: item.body.prefix { !$0.isNewline }, scalars: FeedBounds.title)
        }
        guard TextRule.isVisible(item.title) else { return nil }
        item.link = link.flatMap { TextRule.isWebAddress($0) ? $0 : nil }
        item.language = language.flatMap { Self.isLanguage($0) ? $0 : nil }
        item.supersedes = Array(
            supersedes.filter { !$0.isEmpty && $0.utf8.count <= FeedBounds.idBytes }
                .prefix(FeedBounds.superseded))
        if let start, let end, end < start { item.end = start }
        return item
    }

    private static func isLanguage(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
    }

    private static func bounded(_ text: String) -> String {
        let clean = TextRule.cleaned(text, hasLines: true)
        guard clean.utf8.count > FeedBounds.body else { return clean }
        var kept = clean.prefix(FeedBounds.body)
        // Whole characters: a cluster may have many bytes.
        while kept.utf8.count > FeedBounds.body - 3 {
            kept = kept.dropLast(max(1, (kept.utf8.count - FeedBounds.body) / 64))
        }
        return kept + "…"
    }
}
