import Foundation
import Geodesy
import KonzaModel
import Terrain
import Testing

@testable import Positioning
@testable import Trails

@Suite struct RecordedWalkTests {
    private let configuration = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../config")

    private var recording: URL { configuration.appending(path: "recordings/konza-nature-trail.nmea") }

    @Test("the recording is what konza-trail --seconds 600 makes, byte for byte, and says that it is synthetic")
    func reproducible() throws {
        let terrain = TerrainModel.load(folder: configuration.appending(path: "terrain").path).model
        let path = try #require(DemonstrationTrails.walk(height: terrain.height(at:)))
        let walk = SyntheticTrail(
            path: path.map { SyntheticTrail.Vertex($0.place, altitude: $0.height) }, seconds: 600)
        let bytes = [UInt8](try Data(contentsOf: recording))
        #expect(bytes == walk.nmea())
        #expect(bytes.starts(with: Array("# Synthetic".utf8)))
    }

    @Test(
        "it begins and ends at the trailhead at the height of the ground, and every fix is on the made-up Nature Trail")
    func onTheTrail() throws {
        let recording = try Recording(file: recording.path)
        #expect(recording.fixCount == 600)
        #expect(recording.durationSeconds == 600)
        let fixes = recording.epochs.compactMap(\.fix)
        let first = try #require(fixes.first)
        let last = try #require(fixes.last?.coordinate)
        #expect(WGS84.chord(try #require(first.coordinate), last) < 3)
        #expect(WGS84.chord(try #require(first.coordinate), DemonstrationTrails.trailhead) < 0.5)
        #expect(abs(try #require(first.altitudeMSL) - 328) < 1.5)
        let network = TrailNetwork([DemonstrationTrails.source])
        var matcher = TrailMatcher(network)
        for fix in fixes {
            guard let time = fix.time, let place = fix.coordinate else { continue }
            let match = matcher.take(
                TrailFix(time: time, place: place, accuracy: 5, speed: fix.speed, course: fix.track))
            #expect(match.state == .on)
            #expect(try #require(match.spot).distance < 1)
        }
        #expect(matcher.match.trail.map { network.trails[$0].name } == "Nature Trail (made up)")
    }
}
