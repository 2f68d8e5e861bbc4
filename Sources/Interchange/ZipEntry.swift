internal import KonzaModel

/// A file to be in a zip. Its content is asked for twice: the first time for what the headers say of it, so that they
/// stand before the bytes and every reader can take the archive in one pass.
struct ZipEntry {
    /// With slashes between folders; UTF-8.
    var name: String
    var time: UTCInstant
    /// Pictures are compressed already.
    var isCompressed: Bool
    var write: (_ sink: @escaping ByteSink) throws(InterchangeError) -> Void

    /// What the headers say of an entry.
    struct Measure: Equatable {
        var crc: UInt32 = 0
        var size: UInt64 = 0
        var compressedSize: UInt64 = 0
    }

    /// Reads the content once.
    ///
    /// - Returns: what the headers say, and the content's SHA-256.
    func measured() throws(InterchangeError) -> (Measure, sha256: String) {
        let pass = try EntryPass(isCompressed: isCompressed, hashes: true) { _ throws(InterchangeError) in }
        try run(pass)
        return (pass.measure, pass.sha256())
    }

    /// Gives the content to the sink as the archive holds it.
    func send(into sink: @escaping ByteSink) throws(InterchangeError) -> Measure {
        let pass = try EntryPass(isCompressed: isCompressed, hashes: false, sink)
        try run(pass)
        return pass.measure
    }

    private func run(_ pass: EntryPass) throws(InterchangeError) {
        try write { (piece) throws(InterchangeError) in try pass.take(piece) }
        try pass.finish()
    }
}

/// One reading of an entry's content.
private final class EntryPass {
    private(set) var measure = ZipEntry.Measure()
    private var hash: SHA256?
    private let deflater: Deflater?
    private let sink: ByteSink

    init(isCompressed: Bool, hashes: Bool, _ sink: @escaping ByteSink) throws(InterchangeError) {
        deflater = isCompressed ? try Deflater() : nil
        hash = hashes ? SHA256() : nil
        self.sink = sink
    }

    func take(_ piece: [UInt8]) throws(InterchangeError) {
        measure.crc = crc32(measure.crc, piece)
        measure.size += UInt64(piece.count)
        hash?.update(piece)
        guard deflater != nil else { return try give(piece) }
        try deflater?.compress(piece, isLast: false) { (piece) throws(InterchangeError) in try give(piece) }
    }

    func finish() throws(InterchangeError) {
        try deflater?.compress([], isLast: true) { (piece) throws(InterchangeError) in try give(piece) }
    }

    func sha256() -> String { hash?.hexadecimal() ?? "" }

    private func give(_ piece: [UInt8]) throws(InterchangeError) {
        measure.compressedSize += UInt64(piece.count)
        try sink(piece)
    }
}
