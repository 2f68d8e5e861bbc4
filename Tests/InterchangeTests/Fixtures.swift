import Foundation
import Interchange
import KonzaModel
import KonzaTesting
import Synchronization
import Testing

let noon = UTCInstant(nanoseconds: 1_780_142_587_250_000_000)

func specimen(_ number: String, at place: (Double, Double)? = nil, serial: UInt64 = 1) -> Specimen {
    let id = SpecimenID(milliseconds: 1_780_142_587_000 + serial, high: 7, low: serial)
    var specimen = Specimen(id: id, number: number, rockType: "Gneiss", createdAt: noon)
    if let place { specimen.position = position(place) }
    return specimen
}

func position(_ place: (Double, Double)) -> SpecimenPosition? {
    Coordinate(latitude: place.0, longitude: place.1).map {
        SpecimenPosition($0, accuracy: 1.8, source: .occupation, kind: .live)
    }
}

/// A specimen of which everything is known.
func fullSpecimen(_ number: String = "KNZ-2026-0001", serial: UInt64 = 1) -> Specimen {
    var specimen = specimen(number, at: (39.106_912_345, -96.609_123_456), serial: serial)
    specimen.collector = "Muir, J."
    specimen.description = "garnet \"porphyroblasts\", <5 mm & 'rims'\nsecond line"
    specimen.fieldNotes = "below the road"
    specimen.minerals = [.init(name: "Garnet", amount: "15"), .init(name: "Biotite")]
    specimen.metamorphicGrades = ["Amphibolite facies"]
    specimen.metamorphicRegions = ["Arabian Shield"]
    specimen.country = "United States"
    specimen.regions = ["Flint Hills", "Kansas"]
    specimen.references = ["2004-061314"]
    specimen.presentLocation = "RPI Science Center"
    specimen.collectionDate = CalendarDate("2026-05-30")
    specimen.igsn = "IEKIO0001"
    specimen.position?.altitude = 338.412
    specimen.position?.altitudeMSL = 366.9
    specimen.position?.altitudeAccuracy = 3.2
    specimen.position?.time = noon
    specimen.position?.mode = .threeDimensional
    specimen.position?.status = .differential
    specimen.position?.satellitesUsed = 11
    specimen.position?.hdop = 0.8
    specimen.position?.receiver = "u-blox; M9N"
    specimen.position?.averaging = .init(
        startedAt: noon.advanced(bySeconds: -120), endedAt: noon, fixesUsed: 117, fixesRejected: 3,
        effectiveFixes: 14.25, rule: "median 3 MAD", ended: "accuracy-reached")
    specimen.measurements = [
        .init(
            kind: .plane, azimuth: 45, inclination: 30.5, declinationApplied: 3.2, declinationSource: "given",
            feature: "foliation")
    ]
    return specimen
}

/// Photographs whose bytes are made up from their ids.
final class InventedPhotographs: PhotographReader {
    /// Ids whose files are gone.
    let lost: Set<PhotographID>
    private let pieces = Mutex<[Int]>([])

    init(lost: Set<PhotographID> = []) { self.lost = lost }

    /// The largest piece that was asked for at once.
    var largestPiece: Int { pieces.withLock { $0.max() ?? 0 } }

    static func bytes(_ id: PhotographID, _ rendition: PhotographRendition, count: Int) -> [UInt8] {
        let mark = Array("\(id)\(rendition)".utf8)
        return (0..<count).map { mark[$0 % mark.count] }
    }

    func read(
        _ photograph: Photograph, of specimen: Specimen, as rendition: PhotographRendition, into sink: ByteSink
    ) throws(InterchangeError) {
        if lost.contains(photograph.id) {
            throw InterchangeError(.photographUnreadable, "cannot read \(photograph.id)")
        }
        let count = rendition == .thumbnail ? 300 : photograph.byteCount
        let bytes = Self.bytes(photograph.id, rendition, count: count)
        for start in stride(from: 0, to: count, by: 8192) {
            try sink(Array(bytes[start..<min(start + 8192, count)]))
        }
    }
}

func photograph(_ serial: UInt64, _ name: String, byteCount: Int = 20_000) -> Photograph {
    let id = PhotographID(milliseconds: 1_780_142_587_000, high: 9, low: serial)
    var hash = SHA256()
    hash.update(InventedPhotographs.bytes(id, .original, count: byteCount))
    var photograph = Photograph(
        id: id, fileName: name, imageType: .photograph, mediaType: "image/jpeg", byteCount: byteCount,
        sha256: hash.hexadecimal(), width: 640, height: 480, origin: "camera")
    photograph.takenAt = noon
    return photograph
}

/// Gathers what a form writes.
final class Collected {
    private(set) var bytes: [UInt8] = []

    var sink: ByteSink { { (piece) throws(InterchangeError) in self.bytes += piece } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

func written(
    _ specimens: [Specimen], _ form: ExportForm, photographs: InventedPhotographs = InventedPhotographs(),
    vocabulary: Vocabulary? = nil, ending: MetPetDBSheets.Sheet.LineEnding = .lf
) throws -> [UInt8] {
    let collected = Collected()
    try SpecimenExport(specimens, photographs: photographs, vocabulary: vocabulary, ending: ending)
        .write(form, to: collected.sink)
    return collected.bytes
}

extension ProgramRun {
    /// Programs of other people's read what we wrote.
    ///
    /// - Parameters:
    ///   - words: the program and its arguments.
    ///   - folder: where it runs.
    /// - Throws: if the program cannot be started.
    init(_ words: [String], in folder: String) throws {
        self = try ProgramRun(words[0], Array(words.dropFirst()), errorsInOutput: true, in: folder)
    }
}

/// What Python makes of files: a program whose standard output is JSON.
func python(_ program: String, in folder: String) throws -> Any {
    let run = try ProgramRun(["python3", "-c", program], in: folder)
    try #require(run.status == 0, "\(run.text)")
    return try JSONSerialization.jsonObject(with: run.output, options: .fragmentsAllowed)
}

extension TemporaryFolder {
    func put(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }
}

/// Text that breaks careless writers.
struct HostileText {
    var generator: SeededGenerator

    private static let parts = [
        "\"", "'", ",", ";", "\n", "\r\n", "\r", "\t", "=1+1", "+", "-2", "@SUM(A1)", "]]>", "<![CDATA[", "&amp;",
        "<b>",
        "\u{0}", "\u{1}", "\u{B}", "\u{1F}", "\u{7F}", "\u{85}", "\u{2028}", "\u{FFFE}", "\u{FFFF}", "\u{FEFF}",
        "\u{1F33E}", "e\u{301}", "\u{202E}", "Größe", "\\", "%s", " ", "  ", "岩石", "\u{1F468}\u{200D}\u{1F33E}", "x",
        "'=",
    ]

    mutating func next() -> String {
        (0..<Int.random(in: 1...8, using: &generator)).map { _ in
            Self.parts.randomElement(using: &generator) ?? ""
        }.joined()
    }
}
