import Foundation
import Geodesy
import KonzaModel
import Testing

@testable import Positioning

@Suite struct SyntheticTrailTests {
    @Test("a short walk turns round half way and ends where it begins; the longest is as long as its path")
    func turning() throws {
        let walk = SyntheticTrail(seconds: 60)
        #expect(walk.steps.count == 60)
        let first = try #require(walk.steps.first)
        let last = try #require(walk.steps.last)
        let (start, end) = (try place(first.latitude, first.longitude), try place(last.latitude, last.longitude))
        #expect(WGS84.chord(start, end) < 3)
        #expect(WGS84.chord(start, try place(39.1069, -96.6091)) < 0.1)
        #expect(abs(Double(SyntheticTrail().seconds) - SyntheticTrail().length / 1.3) < 1)
    }

    @Test("speed and course are those of the positions")
    func movement() throws {
        let steps = SyntheticTrail().steps
        let places = try steps.map { try place($0.latitude, $0.longitude) }
        #expect(steps.allSatisfy { $0.speed < 2 })
        for (step, (here, next)) in zip(steps, zip(places, places.dropFirst())).dropFirst().prefix(500) {
            #expect(abs(WGS84.chord(here, next) - step.speed) < 0.1)
        }
    }
}
