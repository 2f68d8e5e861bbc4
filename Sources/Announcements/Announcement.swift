public import KonzaModel
@_spi(_Unicode) internal import Swift

/// What everyone, or the crew, is to know before going out.
public struct Announcement: Sendable, Equatable {
    /// The words in one language.
    public struct Words: Sendable, Equatable, Codable {
        public var title: String
        public var body: String
        public var more: String

        public init(title: String, body: String = "", more: String = "") {
            self.title = title
            self.body = body
            self.more = more
        }
    }

    public enum Audience: String, Sendable, CaseIterable, Codable {
        /// Whoever belongs to the station.
        case crew
        /// Visitors too.
        case everyone
    }

    /// How the words are written.
    public enum Format: String, Sendable, CaseIterable, Codable {
        case plain
        case commonmark
    }

    /// The language of ``words``: RFC 5646.
    public var language: String
    public var words: Words
    /// The same in other languages.
    public var translations: [String: Words]
    public var format: Format
    /// It is active from this instant, and until ``endDate``; nil for always.
    public var startDate: UTCInstant?
    public var endDate: UTCInstant?
    /// When it was published; nil where nobody said.
    public var pubDate: UTCInstant?
    public var isUrgent: Bool
    public var audience: Audience
    /// Whether it must have been read before mustering.
    public var isRequired: Bool
    /// The greater, the earlier in the list; 0 for all that is no alert.
    public var rank: Int
    /// Where it is to be read in full.
    public var link: String?

    public init(
        language: String = "en", words: Words, translations: [String: Words] = [:], format: Format = .commonmark,
        startDate: UTCInstant? = nil, endDate: UTCInstant? = nil, pubDate: UTCInstant? = nil, isUrgent: Bool = false,
        audience: Audience = .crew, isRequired: Bool = true, rank: Int = 0, link: String? = nil
    ) {
        self.language = language
        self.words = words
        self.translations = translations
        self.format = format
        self.startDate = startDate
        self.endDate = endDate
        self.pubDate = pubDate
        self.isUrgent = isUrgent
        self.audience = audience
        self.isRequired = isRequired
        self.rank = rank
        self.link = link
    }

    // MARK: - Hashes

    /// SHA-256 over the seven fields by which a change is known (NPS 2012): title, body, more, the three dates, urgency. Each has
    /// its length before it, in eight bytes, and each text is in Normalization Form C with line feeds and without outer white
    /// space, so that a different encoding of the same text is no change. Translations follow, in the order of their languages.
    public var hash: String {
        var digest = FieldDigest()
        digest.add(words)
        for date in [startDate, endDate, pubDate] { digest.add(date?.rfc3339 ?? "") }
        digest.add(isUrgent ? "1" : "0")
        addTranslations(to: &digest)
        return digest.finish()
    }

    /// The same over the words and the urgency alone: an alert that is issued again without a change has another hash and the same
    /// text.
    public var textHash: String {
        var digest = FieldDigest()
        digest.add(words)
        digest.add(isUrgent ? "1" : "0")
        addTranslations(to: &digest)
        return digest.finish()
    }

    private func addTranslations(to digest: inout FieldDigest) {
        for (language, words) in translations.sorted(by: { $0.key < $1.key }) {
            digest.add(language)
            digest.add(words)
        }
    }

    /// A text as it is hashed.
    static func normalized(_ text: String) -> [UInt8] {
        var scalars = String.UnicodeScalarView()
        var wasReturn = false
        for scalar in text._nfc {
            if scalar == "\n", wasReturn {
                wasReturn = false
                continue
            }
            wasReturn = scalar == "\r"
            scalars.append(wasReturn ? "\n" : scalar)
        }
        let kept = scalars.drop { $0.properties.isWhitespace }
        guard let last = kept.lastIndex(where: { !$0.properties.isWhitespace }) else { return [] }
        return Array(String(String.UnicodeScalarView(kept[...last])).utf8)
    }
}

private struct FieldDigest {
    private var hash = SHA256()

    mutating func add(_ words: Announcement.Words) {
        add(words.title)
        add(words.body)
        add(words.more)
    }

    mutating func add(_ text: String) {
        let bytes = Announcement.normalized(text)
        let count = UInt64(bytes.count)
        hash.update(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> UInt64($0)) })
        hash.update(bytes)
    }

    consuming func finish() -> String { hash.hexadecimal() }
}
