internal import KonzaModel

/// A zip in the making, with the checksums of what is in it and the names of what could not be read.
struct Bundle {
    struct File {
        let name: String
        let size: UInt64
        let sha256: String
    }

    private var writer: ZipWriter
    private(set) var files: [File] = []
    private(set) var missing: [(name: String, why: String)] = []

    init(_ sink: @escaping ByteSink) {
        writer = ZipWriter(sink)
    }

    /// Adds a file; a photograph that cannot be read, or is not what it was when it was taken, is only noted.
    mutating func add(_ entry: ZipEntry, expecting sha256: String? = nil) throws(InterchangeError) {
        guard let (measure, digest) = try Self.measured(entry) else {
            return missing.append((entry.name, "its file cannot be read"))
        }
        if let sha256, sha256 != digest {
            missing.append((entry.name, "its file is damaged: SHA-256 \(digest) in place of \(sha256)"))
            return
        }
        try writer.add(entry, measure)
        files.append(File(name: entry.name, size: measure.size, sha256: digest))
    }

    mutating func finish() throws(InterchangeError) { try writer.finish() }

    /// - Returns: nil for a photograph that cannot be read.
    static func measured(_ entry: ZipEntry) throws(InterchangeError) -> (ZipEntry.Measure, sha256: String)? {
        do throws(InterchangeError) {
            return try entry.measured()
        } catch {
            guard error.reason == .photographUnreadable else { throw error }
            return nil
        }
    }

    /// As `sha256sum --check` reads them: a backslash or a line break in a name never happens (``SafeName``).
    var sums: [UInt8] { Array(files.map { "\($0.sha256)  \($0.name)\n" }.joined().utf8) }
}

/// What a zip says of itself.
enum BundleNotes {
    static func leftOut(_ leftOut: [LeftOut]) -> [UInt8] { Array((list(leftOut).json + "\n").utf8) }

    static func notes(_ bundle: Bundle, metpetdb: [LeftOut], sesar: [LeftOut], gpx: [LeftOut]) -> [UInt8] {
        let files = bundle.files.map { file in
            Fact.Value.group(
                [
                    Fact("name", .text(file.name)), Fact("byteCount", .whole(Int(clamping: file.size))),
                    Fact("sha256", .text(file.sha256)),
                ].compactMap { $0 })
        }
        let missing = bundle.missing.map { file in
            Fact.Value.group([Fact("name", .text(file.name)), Fact("why", .text(file.why))].compactMap { $0 })
        }
        let facts = [
            Fact("files", .list(files)), Fact("missing", .list(missing)), Fact("leftOutOfMetPetDB", list(metpetdb)),
            Fact("leftOutOfSESAR", list(sesar)), Fact("leftOutOfGPX", list(gpx)),
        ]
        return Array((Fact.json(facts.compactMap { $0 }) + "\n").utf8)
    }

    private static func list(_ leftOut: [LeftOut]) -> Fact.Value {
        .list(
            leftOut.map { one in
                let reasons = one.reasons.map { Fact.Value.text(($0.field.map { "\($0) " } ?? "") + $0.words) }
                return .group(
                    [
                        Fact("id", .text(one.specimen.description)), Fact("number", .text(one.number)),
                        Fact("reasons", .list(reasons)),
                    ].compactMap { $0 })
            })
    }
}
