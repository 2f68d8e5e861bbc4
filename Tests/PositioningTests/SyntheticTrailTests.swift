import Foundation
import KonzaModel
import Testing

@testable import Positioning

@Suite struct SyntheticTrailTests {
    private let committed = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../config/recordings/konza-nature-trail.nmea")

    @Test("the recording in the repository is what the generator makes, byte for byte")
    func reproducible() throws {
        let bytes = [UInt8](try Data(contentsOf: committed))
        #expect(bytes == SyntheticTrail(seconds: 600).nmea())
        #expect(bytes.starts(with: Array("# Synthetic".utf8)))
    }

    @Test("the recording is replayed whole, and ends where it begins")
    func readable() throws {
        let recording = try Recording(file: committed.path)
        #expect(recording.fixCount == 600)
        #expect(recording.durationSeconds == 600)
        let first = try #require(recording.epochs.first?.fix?.coordinate)
        let last = try #require(recording.epochs.last?.fix?.coordinate)
        #expect(WGS84.chord(first, last) < 3)
        #expect(WGS84.chord(first, try place(39.1069, -96.6091)) < 0.1)
    }

    @Test("the whole loop is about 4 km on foot between 320 and 444 m, and closes")
    func loop() throws {
        let steps = SyntheticTrail().steps
        let places = try steps.map { try place($0.latitude, $0.longitude) }
        let length = zip(places, places.dropFirst()).map { WGS84.chord($0, $1) }.reduce(0, +)
        #expect((3900...4100).contains(length))
        #expect(steps.allSatisfy { (320...444).contains($0.altitudeMSL) })
        #expect(steps.allSatisfy { $0.speed < 2 })
        #expect(WGS84.chord(try #require(places.first), try #require(places.last)) < 3)
        // Speed and course are those of the positions.
        for (step, (here, next)) in zip(steps, zip(places, places.dropFirst())).dropFirst().prefix(500) {
            #expect(abs(WGS84.chord(here, next) - step.speed) < 0.1)
        }
    }
}
