import Foundation
import KonzaModel
import KonzaTesting
import Synchronization
import Terminology
import Testing

@testable import MetPetDB

/// A stand-in server, the vocabulary fetched from it, a folder of photographs and a clock: what a test of submitting needs.
final class Field: Sendable {
    let server: StandInMetPetDB
    let folder: TemporaryFolder
    let clock = ManualClock()
    let vocabulary: Vocabulary

    init() throws {
        server = try StandInMetPetDB()
        folder = try TemporaryFolder()
        server.start()
        vocabulary = try Self.client(server.baseURL).vocabulary(at: clock.utc())
    }

    deinit { server.stop() }

    static func client(
        _ url: String, email: String = StandInMetPetDB.email, password: String = StandInMetPetDB.password,
        seconds: Double = 20
    ) throws -> MetPetDBClient {
        var options = MetPetDBClient.Options()
        options.totalSeconds = seconds
        options.silenceSeconds = 1
        let credentials = try #require(Credentials.password(email: email, password: password))
        return try MetPetDBClient(
            address: ServerAddress(url), credentials: credentials, options: options)
    }

    func submitter(_ ledger: MemoryLedger, seconds: Double = 20) throws -> Submitter<MemoryLedger> {
        Submitter(
            client: try Self.client(server.baseURL, seconds: seconds), ledger: ledger, clock: clock, random: { 0.5 })
    }

    /// Runs a submission until it needs a person or is done, over as many waits and restarts as it takes.
    ///
    /// - Returns: the record, or nil if it did not end within `most` turns.
    func settle(
        _ specimen: Specimen, _ ledger: MemoryLedger, most: Int = 200, seconds: Double = 20
    ) throws -> Submission? {
        for _ in 0..<most {
            let submitter = try submitter(ledger, seconds: seconds)
            let record = try #require(ledger[specimen.id])
            let left = try? submitter.run(record, of: specimen, vocabulary: vocabulary)
            if let left, left.state != .ready, left.state != .sending { return left }
            clock.advance(bySeconds: 4000)
        }
        return nil
    }

    func ready(_ specimen: Specimen, in ledger: MemoryLedger) {
        var record = Submission(specimen: specimen.id, target: .metpetdb, changedAt: clock.utc())
        record.state = .ready
        ledger[specimen.id] = record
    }

    /// A specimen with everything filled in, and photographs on disk.
    func specimen(photographs count: Int = 2, bytes: Int = 3000) throws -> Specimen {
        var generator = SeededGenerator(seed: 7)
        var specimen = Specimen(
            id: SpecimenID(milliseconds: 1, high: 1, low: generator.next()), number: "KNZ-2026-0001",
            rockType: "gneiss", createdAt: clock.utc())
        specimen.collector = "Collector, Ada M."
        specimen.description = "Banded, from a road cut.\nSecond line."
        specimen.minerals = [.init(name: "quartz", amount: "40"), .init(name: "Garnet")]
        specimen.metamorphicGrades = ["Amphibolite"]
        specimen.metamorphicRegions = ["Flint Hills"]
        specimen.country = "United States"
        specimen.regions = ["Kansas", "Riley County"]
        specimen.references = ["2004-061314"]
        specimen.presentLocation = "Field museum"
        specimen.collectionDate = CalendarDate("2026-05-30")
        specimen.igsn = "IEKIO0001"
        specimen.position = try Self.position(39.1069123, -96.6091234)
        for number in 0..<count { try addPhotograph(to: &specimen, number, bytes: bytes) }
        return specimen
    }

    static func position(_ latitude: Double, _ longitude: Double) throws -> SpecimenPosition {
        let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
        var position = SpecimenPosition(place, accuracy: 4.2, source: .occupation, kind: .live)
        position.altitude = 386.1
        position.altitudeMSL = 415.2
        position.altitudeAccuracy = 8
        position.time = UTCInstant(nanoseconds: 1_780_000_000_000_000_000)
        position.mode = .threeDimensional
        position.status = .differential
        position.satellitesUsed = 11
        position.hdop = 0.9
        position.receiver = "u-blox NEO-M8N; 9600 [8N1] 50 %"
        position.averaging = .init(
            startedAt: UTCInstant(nanoseconds: 1_779_999_700_000_000_000),
            endedAt: UTCInstant(nanoseconds: 1_780_000_000_000_000_000), fixesUsed: 290, fixesRejected: 10,
            effectiveFixes: 11.4, rule: "mad 3.5", ended: "accuracy-reached")
        return position
    }

    func addPhotograph(to specimen: inout Specimen, _ number: Int, bytes: Int) throws {
        let id = PhotographID(milliseconds: UInt64(number), high: 0, low: UInt64(number))
        let content = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data(repeating: UInt8(number & 0xFF), count: bytes - 4)
        try content.write(to: URL(filePath: "\(folder.path)/\(id)"))
        var photograph = Photograph(
            id: id, fileName: "\(specimen.number)-0\(number + 1).jpg", imageType: .photograph, mediaType: "image/jpeg",
            byteCount: bytes, sha256: String(repeating: "0", count: 64), width: 10, height: 10, origin: "upload")
        photograph.scale = 120
        photograph.direction = 213.5
        specimen.photographs.append(photograph)
    }
}

/// A value that a closure on another thread may change.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    func with<Result>(_ body: (inout Value) -> sending Result) -> sending Result { value.withLock { body(&$0) } }
}
