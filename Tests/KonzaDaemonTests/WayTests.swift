import KonzaModel
import KonzaTesting
import Positioning
import Testing

@testable import KonzaDaemon

@Suite("The way that the fleet is told")
struct WayTests {
    private static let noon = UTCInstant(nanoseconds: 1_782_043_200_000_000_000)

    private static func point(_ seconds: Double, metresNorth: Double, accuracy: Double = 4) throws -> TrackPoint {
        var fix = Fix(
            time: noon.advanced(bySeconds: seconds), arrival: ManualClock(utc: noon).monotonic(), mode: .twoDimensional,
            coordinate: Coordinate(latitude: 39.1 + metresNorth / 111_000, longitude: -96.6), source: .live)
        fix.horizontalAccuracy = Accuracy(metres: accuracy, source: .model)
        return try #require(TrackPoint(fix))
    }

    @Test("a station that stands still is a point each quarter of an hour, however its receiver wanders")
    func standing() throws {
        var way = Way()
        for second in 0..<3600 {
            way.add(try Self.point(Double(second), metresNorth: Double(second % 7)))
        }
        #expect(way.points.map { $0.time.seconds(since: Self.noon) } == [0, 900, 1800, 2700])
    }

    @Test("one that walks is a point wherever it has left the last one for certain")
    func walking() throws {
        var way = Way()
        for second in 0..<600 { way.add(try Self.point(Double(second), metresNorth: Double(second))) }
        let steps = zip(way.points, way.points.dropFirst()).map { $0.coordinate.distance(to: $1.coordinate) }
        #expect(steps.allSatisfy { $0 > 10 && $0 < 13 } && way.points.count > 50, "\(steps.prefix(3))")
    }

    @Test("however far it goes, an hour has a bound, and its ends")
    func far() throws {
        var way = Way()
        for second in 0..<3600 { way.add(try Self.point(Double(second), metresNorth: 30 * Double(second))) }
        #expect((60...Way.mostPoints).contains(way.points.count))
        #expect(way.points.first?.time == Self.noon)
        let last = try #require(way.points.last)
        #expect(last.time.seconds(since: Self.noon) > 3500)
    }
}
