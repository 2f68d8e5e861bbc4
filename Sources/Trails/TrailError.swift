/// Why trails cannot be read, kept or followed.
public enum TrailError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file cannot be used, with why and what to do.
    case unusableFile(String)
    /// There is no such trail, place, source or closure.
    case notFound(String)
    /// There is no open way.
    case noWay(String)
    /// A limit of the station is reached.
    case tooMany(String)
    /// The disk does not take it.
    case cannotKeep(String, isDiskFull: Bool)

    public var description: String {
        switch self {
        case .unusableFile(let words), .notFound(let words), .noWay(let words), .tooMany(let words),
            .cannotKeep(let words, _):
            words
        }
    }
}
