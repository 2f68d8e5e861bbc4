internal import KonzaModel

/// Where a postcard's files are: `postcards/YYYY/MM/DD/<id>.jpg` and its companions, the day (UTC) being the one in
/// the id, so that a picture is found without asking the index.
enum PostcardNames {
    static let root = "postcards"

    /// A file that belongs to a postcard.
    enum Part: Hashable, Sendable, CaseIterable {
        case animation
        case thumbnail
        case original
        /// What the index knows, in JSON: by it a lost index is made anew.
        case sidecar
        case postcard

        var suffix: String {
            switch self {
            case .postcard: ".jpg"
            case .original: ".original.jpg"
            case .thumbnail: ".thumb.jpg"
            case .animation: ".webp"
            case .sidecar: ".json"
            }
        }

        init(_ picture: PostcardPicture) {
            switch picture {
            case .postcard: self = .postcard
            case .original: self = .original
            case .thumbnail: self = .thumbnail
            case .animation: self = .animation
            }
        }
    }

    /// Which of a postcard's files there are.
    struct Parts: OptionSet, Sendable {
        let rawValue: UInt8

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ parts: some Sequence<Part>) { self = parts.reduce([]) { $0.union(Self($1)) } }

        private init(_ part: Part) {
            rawValue =
                switch part {
                case .thumbnail: 1
                case .original: 2
                case .sidecar: 4
                case .postcard: 8
                case .animation: 16
                }
        }

        /// The files one by one.
        var all: [Part] { Part.allCases.filter(contains) }

        func contains(_ part: Part) -> Bool { contains(Self(part)) }

        mutating func insert(_ part: Part) { formUnion(Self(part)) }
    }

    static func name(_ id: PostcardID, _ part: Part) -> String { "\(id)\(part.suffix)" }

    /// The folder of a postcard's files, relative to the archive's.
    static func folder(_ id: PostcardID) -> String {
        let day = CivilTime(UTCInstant(nanoseconds: Int64(clamping: id.milliseconds).multipliedClamped(by: 1_000_000)))
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return "\(root)/\(day.year)/\(digits(day.month))/\(digits(day.day))"
    }

    /// What a file's name says.
    ///
    /// - Returns: nil for a name that the archive does not give.
    static func parse(_ name: String) -> (id: PostcardID, part: Part)? {
        let bytes = name.utf8
        guard let start = String(bytes.prefix(PostcardID.length)), let id = PostcardID(start) else { return nil }
        let suffix = bytes.dropFirst(PostcardID.length)
        guard let part = Part.allCases.first(where: { suffix.elementsEqual($0.suffix.utf8) }) else { return nil }
        return (id, part)
    }
}
