internal import KonzaModel

/// Where a postcard's files are: `postcards/YYYY/MM/DD/<id>.jpg` and its companions, the day (UTC) being the one in
/// the id, so that a picture is found without asking the index.
enum PostcardNames {
    static let root = "postcards"

    /// A file that belongs to a postcard.
    enum Part: Hashable, Sendable, CaseIterable {
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
            case .sidecar: ".json"
            }
        }

        init(_ picture: PostcardPicture) {
            switch picture {
            case .postcard: self = .postcard
            case .original: self = .original
            case .thumbnail: self = .thumbnail
            }
        }
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
        guard let id = PostcardID(String(name.prefix(PostcardID.length))) else { return nil }
        let suffix = name.dropFirst(PostcardID.length)
        guard let part = Part.allCases.first(where: { $0.suffix == suffix }) else { return nil }
        return (id, part)
    }
}
