public import KonzaModel

/// What the courier brings of one source: a whole answer, why there is none, or neither where nothing changed.
public protocol FeedReport: Decodable, Sendable {
    /// The address that was asked.
    var source: String { get }
    /// The entity tag of the answer (RFC 9110 section 8.8.3).
    var etag: String? { get }
    /// The date of the answer (RFC 9110 section 8.8.2).
    var lastModified: String? { get }
}

extension FeedReport {
    /// The validators to ask with the next time; longer ones are not kept.
    public var validators: (entityTag: String?, lastModified: String?) { (bounded(etag), bounded(lastModified)) }

    private func bounded(_ validator: String?) -> String? {
        validator.flatMap { $0.utf8.count <= FeedContract.longestName ? $0 : nil }
    }
}

/// How a source is that the courier asks.
public struct FeedSourceState: Encodable, Sendable {
    private let source: String
    private let title: String?
    private let etag: String?
    private let lastModified: String?
    private let fetchedAt: UTCInstant?
    private let checkedAt: UTCInstant?
    private let fault: String?

    /// - Parameters:
    ///   - source: its address.
    ///   - title: what it calls itself; nil where that is not kept.
    ///   - validators: of its last answer.
    ///   - fetchedAt: when an answer last changed something.
    ///   - checkedAt: when it last said that it is as known.
    ///   - fault: why the last question got no valid answer.
    public init(
        _ source: String, title: String? = nil, validators: (entityTag: String?, lastModified: String?),
        fetchedAt: UTCInstant?, checkedAt: UTCInstant?, fault: String?
    ) {
        self.source = source
        self.title = title
        etag = validators.entityTag
        lastModified = validators.lastModified
        self.fetchedAt = fetchedAt
        self.checkedAt = checkedAt
        self.fault = fault
    }
}

/// What the contract says of the sources of one kind.
public struct FeedContract: Sendable {
    /// The longest address and validator, bytes.
    public static let longestName = 1000

    /// Of the three routes.
    public var path: String
    /// What a source is called: "feed".
    public var noun: String
    /// The names of the schemas begin with it.
    public var schema: String
    /// Bytes of a report in JSON: every character of an answer may have been escaped.
    public var longestReport: Int
    /// The name of each operation, with its summary and what its answer is.
    public var list: (operation: String, summary: String, reply: String)
    public var report: (operation: String, summary: String, reply: String)
    public var choose: (operation: String, summary: String)

    /// - Parameters:
    ///   - path: of the three routes.
    ///   - noun: what a source is called.
    ///   - schema: the names of the schemas begin with it.
    ///   - longestReport: bytes.
    ///   - list: the sources as they are.
    ///   - report: what one answered.
    ///   - choose: which are configured.
    public init(
        path: String, noun: String, schema: String, longestReport: Int,
        list: (operation: String, summary: String, reply: String),
        report: (operation: String, summary: String, reply: String), choose: (operation: String, summary: String)
    ) {
        self.path = path
        self.noun = noun
        self.schema = schema
        self.longestReport = longestReport
        self.list = list
        self.report = report
        self.choose = choose
    }
}
