import KonzaModel
import KonzaTesting
import Testing

@testable import Trails

@Suite struct MatchTests {
    private let start = UTCInstant(nanoseconds: 1_780_149_600_000_000_000)

    private func fix(_ second: Double, _ east: Double, _ north: Double, accuracy: Double? = 5, speed: Double? = 1.3)
        -> TrailFix
    {
        TrailFix(
            time: start.advanced(bySeconds: second), place: Meadow.place(east, north), accuracy: accuracy, speed: speed,
            course: speed.map { _ in 90 })
    }

    private func plain() throws -> TrailNetwork {
        try Meadow.network([
            Meadow.line([(0, 0), (1000, 0)], trails: ["South"]), Meadow.line([(0, 20), (1000, 20)], trails: ["North"]),
        ])
    }

    @Test("off beyond 25 m for ten seconds, near below that, on again below half of it for five")
    func hysteresis() {
        var state = OffTrailState()
        func take(_ second: Double, _ distance: Double) -> TrailMatch.State {
            state.take(distance: distance, sigma: 4, at: start.advanced(bySeconds: second))
        }
        #expect(take(0, 3) == .on)
        #expect(take(1, 20) == .near)
        for second in 2...11 { #expect(take(Double(second), 30) == .near) }
        #expect(take(12, 30) == .off)
        #expect(take(13, 20) == .near)
        #expect(take(14, 30) == .off)
        for second in 15...19 { #expect(take(Double(second), 5) == .near) }
        #expect(take(20, 5) == .on)
    }

    @Test("between two trails 20 m apart nobody can tell; after a walk along one of them it is known")
    func ambiguity() throws {
        let network = try plain()
        var matcher = TrailMatcher(network)
        let first = matcher.take(fix(0, 500, 10, accuracy: nil, speed: 0))
        #expect(first.state == .unknown)
        let closed = ClosedEdges(network, [], at: start)
        #expect(Set(network.description(of: first, closed: closed).candidates) == ["South", "North"])
        var walker = TrailMatcher(network)
        for second in 0..<40 { walker.take(fix(Double(second), 100 + 1.3 * Double(second), 2)) }
        let later = walker.take(fix(40, 152, 10))
        #expect(later.state == .on)
        #expect(network.description(of: later, closed: closed).trail == "South")
        // A fix that is good for nothing says nothing.
        #expect(walker.take(fix(41, 152, 10, accuracy: 900)).state == .unknown)
    }

    @Test("a worse accuracy never tells what a better one could not, anywhere on random networks")
    func monotone() throws {
        let seed = RandomTest.seed(of: "accuracies")
        var random = SeededGenerator(seed: seed)
        func point() -> (Double, Double) {
            (.random(in: 0...600, using: &random), .random(in: 0...600, using: &random))
        }
        var (told, untold) = (0, 0)
        for _ in 0..<RandomTest.cases(200) {
            let lines = (0..<Int.random(in: 1...8, using: &random)).map { index in
                Meadow.line([point(), point(), point()], trails: ["T\(index)"], id: "e\(index)")
            }
            let network = try Meadow.network(lines)
            let (east, north) = point()
            var wasUnknown = false
            for accuracy in stride(from: 0.0, through: 2_000, by: 10) {
                var matcher = TrailMatcher(network)
                let match = matcher.take(fix(0, east, north, accuracy: accuracy, speed: 0))
                #expect(!wasUnknown || match.state == .unknown, "seed \(seed), accuracy \(accuracy)")
                wasUnknown = match.state == .unknown
                if wasUnknown { untold += 1 } else { told += 1 }
                let isWithin = match.spot.map { $0.distance <= min(accuracy, 500) } ?? false
                if accuracy > 100, isWithin {
                    #expect(match.state == .unknown)
                    #expect((1...8).contains(match.candidates.count))
                }
            }
        }
        #expect(told > 0 && untold > 0)
    }

    @Test("one who stands has no heading, one who walks has; the distance is to the right positive")
    func heading() throws {
        let network = try plain()
        let closed = ClosedEdges(network, [], at: start)
        var matcher = TrailMatcher(network)
        for second in 0..<20 { matcher.take(fix(Double(second), 100 + 1.3 * Double(second), -3)) }
        #expect(matcher.match.heading == 90)
        #expect(abs(try #require(matcher.match.along) - 123) < 5)
        #expect(abs(try #require(network.description(of: matcher.match, closed: closed).distance) - 3) < 0.1)
        for second in 20..<30 { matcher.take(fix(Double(second), 126, -3, speed: 0.05)) }
        #expect(matcher.match.heading == nil)
        #expect(matcher.match.state == .on)
    }

    @Test("the next junction has its distance and the turn by which the trail goes on")
    func junction() throws {
        let network = try Meadow.network([
            Meadow.line([(0, 0), (300, 0)], trails: ["A"]), Meadow.line([(300, 0), (300, 300)], trails: ["A"]),
            Meadow.line([(300, 0), (600, 0)], trails: ["B"]),
        ])
        let closed = ClosedEdges(network, [], at: start)
        var matcher = TrailMatcher(network)
        for second in 0..<60 { matcher.take(fix(Double(second), 100 + 1.3 * Double(second), 0)) }
        let junction = try #require(network.junctionAhead(matcher.match, closed: closed))
        #expect(abs(junction.distance - (300 - 176.7)) < 5)
        #expect(junction.ahead.map { junction.exits[$0].turn } == .left)
        #expect(junction.exits.count == 2)
    }
}
