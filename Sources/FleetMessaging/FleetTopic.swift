/// What a message of a fleet is about: the last level of its topic.
public enum FleetKind: String, Sendable, CaseIterable, Codable {
    // From a box.
    case status
    case health
    case position
    case track
    case metrics
    case postcard
    case specimen
    case latest
    case reported
    case answer
    // To a box.
    case desired
    case command
    case receipt

    /// Whether a box publishes it.
    public var isFromBox: Bool {
        switch self {
        case .desired, .command, .receipt: false
        default: true
        }
    }

    /// Whether it is published with quality 1; else loss is harmless, and it is published with 0.
    public var isAcknowledged: Bool {
        switch self {
        case .position, .metrics, .latest: false
        default: true
        }
    }

    /// Whether the broker keeps the last one. A command is never kept: it would act again on whoever connects.
    public var isRetained: Bool {
        switch self {
        case .status, .health, .position, .latest, .reported, .desired: true
        default: false
        }
    }

    /// Seconds after which the broker lets go of it; nil for never.
    public var expirySeconds: Int? {
        switch self {
        case .health, .position, .receipt: 3600
        case .metrics: 600
        case .answer: 86_400
        default: nil
        }
    }

    /// The name of its schema, with the version of its meaning.
    public var schema: String { "konza.\(rawValue)/1" }
}

/// A topic of a fleet: `konza/1/SITE/BOX/KIND`. The second level is the major version of the contract.
public struct FleetTopic: Sendable, Hashable, LosslessStringConvertible {
    public static let prefix = "konza/1"

    public let site: String
    public let box: String
    public let kind: FleetKind

    /// - Precondition: the names are ``isName(_:)``.
    public init(site: String, box: String, kind: FleetKind) {
        self.site = site
        self.box = box
        self.kind = kind
    }

    /// - Returns: nil unless the text is such a topic.
    public init?(_ text: String) {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard levels.count == 5, levels[0] == "konza", levels[1] == "1", Self.isName(levels[2]),
            Self.isName(levels[3]), let kind = FleetKind(rawValue: levels[4])
        else { return nil }
        self.init(site: levels[2], box: levels[3], kind: kind)
    }

    public var description: String { "\(Self.prefix)/\(site)/\(box)/\(kind.rawValue)" }

    /// Who keeps the fleet's records, in the brokers' access lists: a box of this name would be taken for it.
    public static let keeper = "hub"

    /// Whether a text may name a site or a box: 3 to 20 of `a-z0-9`. Dots are levels to RabbitMQ, and the rest is more
    /// than some brokers' access lists can match. ``keeper`` is nobody's name.
    public static func isName(_ text: some StringProtocol) -> Bool {
        (3...20).contains(text.utf8.count) && text != keeper
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }
}
