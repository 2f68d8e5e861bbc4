import Foundation
import KonzaTesting
import Testing

/// Walks on the made-up network through the real gpsd, sixteen times as fast as on foot: the receiver's own time goes on by a second
/// for each fix.
@Suite("A walk through the real gpsd", .serialized, .enabled(if: RealGPSD.isInstalled))
struct GPSDWalkTests {
    /// From the last part of the stem over the fork, where the walker rests, into the outer loop.
    private struct Walk {
        var receiver: WalkingReceiver
        /// The segment of each fix; nil near the fork, where any that meets there is right.
        var truth: [String?] = []
        /// The fixes of the rest, but for its first seconds.
        var rest = 0..<0

        init(_ segments: [String: [(latitude: Double, longitude: Double)]], sigma: Double, seed: UInt64, start: Date)
            throws
        {
            let stem = try #require(segments["stem"]).suffix(6)
            let loop = try #require(segments["loop-1a"]).prefix(6)
            let begin = try #require(stem.first)
            receiver = WalkingReceiver(from: start, at: begin, sigma: sigma, seed: seed)
            // Until gpsd and konzad follow.
            receiver.stand(60)
            note("stem")
            for place in stem.dropFirst() {
                receiver.walk(to: place)
                note("stem")
            }
            let first = receiver.epochs.count
            receiver.stand(60)
            note(nil)
            rest = (first + 12)..<receiver.epochs.count
            for place in loop.dropFirst() {
                receiver.walk(to: place)
                note("loop-1a")
            }
            receiver.stand(12)
            note("loop-1a")
            // 20 m before the fork and behind it.
            for index in (first - 16)..<(rest.upperBound + 16) { truth[index] = nil }
        }

        private mutating func note(_ segment: String?) {
            while truth.count < receiver.epochs.count { truth.append(segment) }
        }
    }

    private static let fork: Set<String> = ["stem", "loop-1a", "loop-6b"]

    @Test("has nearest on the right segment, flips nothing while the walker stands, and its changes are events")
    func walks() async throws {
        let count = RandomTest.cases(1)
        let seed = RandomTest.seed(of: "walks through gpsd", usual: 1)
        var (right, all) = (0, 0)
        for walk in 0...count {
            // The first one without any error: the demonstration walk.
            let sigma = walk == 0 ? 0 : 3.5
            let outcome = try await Self.walk(sigma: sigma, seed: seed &+ UInt64(walk))
            print("walk \(walk): right \(outcome.right) of \(outcome.all), \(outcome.resting) in the rest")
            #expect(outcome.resting.count == 1, "\(outcome.resting)")
            #expect(outcome.states.contains("on"))
            #expect(outcome.events.contains("stem") && outcome.events.contains("loop-1a"), "\(outcome.events)")
            if walk == 0 { #expect(outcome.right == outcome.all) }
            right += outcome.right
            all += outcome.all
        }
        #expect(all > 60 * (count + 1))
        #expect(Double(right) >= 0.98 * Double(all))
    }

    private struct Outcome {
        var (right, all) = (0, 0)
        var resting: Set<String> = []
        var states: Set<String> = []
        var events: Set<String> = []
    }

    private static func walk(sigma: Double, seed: UInt64) async throws -> Outcome {
        let gpsd = try RealGPSD()
        try await gpsd.start()
        let station = try WalkedTrailTests.station(gpsd)
        // A whole second, as the sentences have it.
        let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let walk = try Walk(try segments(station), sigma: sigma, seed: seed, start: start)
        let listener = try station.listen("trail", seconds: 120)
        try gpsd.plugIn(walk.receiver.epochs, every: 0.1)
        var outcome = Outcome()
        var seen = -1
        try waitUntil("the walk has ended", seconds: 120) {
            let reply = try station.get("/v1/trails/nearest").json()
            guard let time = reply["timestamp"] as? String,
                let instant = try? Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            else { return false }
            let index = Int(instant.timeIntervalSince(start).rounded())
            guard index > seen, walk.truth.indices.contains(index) else { return seen >= walk.truth.count - 5 }
            seen = index
            guard let state = reply["state"] as? String, state != "unknown", let found = reply["segment"] as? String
            else { return false }
            outcome.states.insert(state)
            outcome.all += 1
            if walk.truth[index].map({ $0 == found }) ?? fork.contains(found) { outcome.right += 1 }
            if walk.rest.contains(index) { outcome.resting.insert(found) }
            return seen >= walk.truth.count - 5
        }
        outcome.events = Set(listener.stop().compactMap { $0["segment"] as? String })
        return outcome
    }

    private static func segments(_ station: Station) throws -> [String: [(latitude: Double, longitude: Double)]] {
        let features = try station.get("/v1/trails?format=geojson").json()["features"] as? [[String: Any]] ?? []
        var segments: [String: [(latitude: Double, longitude: Double)]] = [:]
        for feature in features {
            guard let id = feature["id"] as? String, let geometry = feature["geometry"] as? [String: Any],
                let points = geometry["coordinates"] as? [[Double]]
            else { continue }
            segments[id] = points.map { ($0[1], $0[0]) }
        }
        return segments
    }
}
