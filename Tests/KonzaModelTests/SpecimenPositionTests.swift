import Foundation
import KonzaModel
import Testing

@Suite("What kind of position a record holds")
struct SpecimenPositionTests {
    @Test(
        "a given position of an older record, which says live, is manual; one of a receiver stays what it is",
        arguments: [
            ("given", "live", SourceKind.manual), ("given", "manual", .manual), ("fix", "live", .live),
            ("occupation", "recorded", .recorded),
        ])
    func kind(source: String, written: String, read: SourceKind) throws {
        let record = #"{"latitude":39.1,"longitude":-96.6,"source":"\#(source)","kind":"\#(written)"}"#
        #expect(try JSONDecoder().decode(SpecimenPosition.self, from: Data(record.utf8)).kind == read)
    }

    @Test("every member of a record is read back", arguments: [SpecimenPosition.Source.occupation, .given])
    func whole(source: SpecimenPosition.Source) throws {
        let place = try #require(Coordinate(latitude: 39.1, longitude: -96.6))
        let instant = UTCInstant(nanoseconds: 1_780_149_600_000_000_000)
        var position = SpecimenPosition(place, accuracy: 1.5, source: source, kind: source == .given ? .manual : .live)
        position.altitude = 338
        position.altitudeMSL = 366
        position.altitudeAccuracy = 4
        position.time = instant
        position.mode = .threeDimensional
        position.status = .differential
        position.satellitesUsed = 9
        position.hdop = 0.9
        position.receiver = "u-blox /dev/ttyACM0"
        position.averaging = .init(
            startedAt: instant, endedAt: instant.advanced(bySeconds: 60), fixesUsed: 60, fixesRejected: 1,
            effectiveFixes: 3, rule: "none", ended: "time-out")
        position.override = .init(reason: "the only outcrop", at: instant, wantedAccuracy: 1)
        let record = try JSONEncoder().encode(position)
        let isFull = Mirror(reflecting: position).children.allSatisfy { "\($0.value)" != "nil" }
        let read = try JSONDecoder().decode(SpecimenPosition.self, from: record)
        #expect(isFull && read == position)
    }
}
