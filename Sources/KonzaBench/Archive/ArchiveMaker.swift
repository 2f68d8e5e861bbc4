internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// Fills the state folder of a stopped station with many records, which are like ones that it made itself, a day's
/// worth after another. Pictures are files of the right length without content.
struct ArchiveMaker {
    /// Records of one day.
    private static let perDay = 500

    let state: String

    /// Makes postcards like the one that is there, each older than the one before.
    func makePostcards(_ count: Int) throws {
        let (path, text) = try only("postcards", suffix: ".json")
        let id = String(Files.name(of: path).prefix(PostcardID.length))
        guard let first = PostcardID(id) else { throw BenchError("cannot read the postcard's id in \(path)") }
        let pictures = try folderEntries(of: Files.parent(of: path)).map(\.name).filter {
            $0.hasPrefix(id) && $0.hasSuffix(".jpg")
        }
        .map { ($0.dropFirst(id.count), try Files.size("\(Files.parent(of: path))/\($0)")) }
        let template = Template(text, ["id", "createdAt", "exposedAt", "requestedAt", "time"])
        var made = ""
        for number in 1...max(1, count) {
            let milliseconds = first.milliseconds - UInt64(number) * 86_400_000 / UInt64(Self.perDay)
            let own = PostcardID(milliseconds: milliseconds, high: 7, low: UInt64(number))
            let instant = UTCInstant(nanoseconds: Int64(milliseconds) * 1_000_000)
            let day = instant.rfc3339.prefix(10).split(separator: "-").joined(separator: "/")
            let folder = "\(state)/postcards/\(day)"
            if folder != made {
                try makeFolders(folder)
                made = folder
            }
            let exact = "\(instant.rfc3339.prefix(20))000000000Z"
            let record = template.filled(["id": "\(own)", "": exact])
            try Files.write(record, to: "\(folder)/\(own).json")
            for (suffix, size) in pictures { try makeEmpty("\(folder)/\(own)\(suffix)", size: size) }
        }
    }

    /// Makes specimens like the one that is there.
    func makeSpecimens(_ count: Int) throws {
        let (path, text) = try only("specimens", suffix: "/specimen.json")
        guard let first = SpecimenID(Files.name(of: Files.parent(of: path))) else {
            throw BenchError("cannot read the specimen's id in \(path)")
        }
        let template = Template(text, ["id", "number"])
        for number in 1...max(1, count) {
            let own = SpecimenID(
                milliseconds: first.milliseconds - UInt64(number) * 1000, high: 7, low: UInt64(number))
            let year = UTCInstant(nanoseconds: Int64(own.milliseconds) * 1_000_000).rfc3339.prefix(4)
            let folder = "\(state)/specimens/\(year)/\(own)"
            try makeFolders(folder)
            try Files.write(
                template.filled(["id": "\(own)", "number": "BENCH-\(number)"]), to: "\(folder)/specimen.json")
        }
    }

    /// The one file below a folder whose path ends so, and its text.
    private func only(_ folder: String, suffix: String) throws -> (path: String, text: String) {
        var found: [String] = []
        var waiting = ["\(state)/\(folder)"]
        while let next = waiting.popLast() {
            for name in try folderEntries(of: next).map(\.name) {
                let path = "\(next)/\(name)"
                if Files.isFolder(path) { waiting.append(path) } else if path.hasSuffix(suffix) { found.append(path) }
            }
        }
        guard found.count == 1 else {
            throw BenchError("cannot copy what is in \(folder): \(found.count) files, not 1")
        }
        return (found[0], try Files.text(found[0]))
    }

    private func makeEmpty(_ path: String, size: Int) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o640)
        guard file >= 0 else { throw BenchError("cannot create \(path)") }
        defer { close(file) }
        guard ftruncate(file, off_t(size)) == 0 else { throw BenchError("cannot make \(path) \(size) bytes long") }
    }
}

/// A JSON text whose members of some names get other strings.
private struct Template {
    private enum Piece {
        case text([UInt8])
        case value(String)
    }

    private var pieces: [Piece] = []

    init(_ text: String, _ members: [String]) {
        var rest = text[...]
        while let (member, value) = Self.next(in: rest, members) {
            pieces += [.text(Array(rest[..<value.lowerBound].utf8)), .value(member)]
            rest = rest[value.upperBound...]
        }
        pieces.append(.text(Array(rest.utf8)))
    }

    /// The first string that is the value of one of the members.
    private static func next(
        in text: Substring, _ members: [String]
    ) -> (member: String, value: Range<String.Index>)? {
        var first: (member: String, value: Range<String.Index>)?
        for member in members {
            for separator in ["\":\"", "\" : \""] {
                guard let key = text.firstRange(of: "\"\(member)\(separator)"),
                    key.lowerBound < first?.value.lowerBound ?? text.endIndex,
                    let end = text[key.upperBound...].firstIndex(of: "\"")
                else { continue }
                first = (member, key.upperBound..<end)
            }
        }
        return first
    }

    /// The text with other values; those of members that are not named have the one of no name.
    func filled(_ values: [String: String]) -> [UInt8] {
        pieces.flatMap { piece in
            switch piece {
            case .text(let bytes): bytes
            case .value(let member): Array((values[member] ?? values[""] ?? "").utf8)
            }
        }
    }
}
