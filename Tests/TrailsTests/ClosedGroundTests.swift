import KonzaModel
import KonzaTesting
import Testing

@testable import Trails

@Suite("Closures of segments") struct ClosedGroundTests {
    private static let start = UTCInstant(nanoseconds: 1_780_000_000_000_000_000)

    /// Sources with names of their own.
    private static func network(_ sources: [(name: String, lines: [TrailDrawing.Line])]) throws -> TrailNetwork {
        TrailNetwork(
            try sources.map { name, lines in
                var source = try Meadow.source(lines).source
                source.name = name
                return source
            })
    }

    /// The closure of the one segment of an id.
    private static func closure(_ id: String, of network: TrailNetwork) throws -> TrailClosure {
        let found = try #require(try network.segment(named: id))
        return TrailClosure(
            id: 1, target: .segment(TrailNetwork.segmentID(id)),
            ground: ClosedGround(found.segment, of: found.source),
            reason: "burn")
    }

    private static func isClosed(_ east: Double, _ north: Double, _ network: TrailNetwork, _ closure: TrailClosure)
        throws
        -> Bool
    {
        let spot = try #require(network.nearest(to: network.plane.point(Meadow.place(east, north))))
        return ClosedEdges(network, [closure], at: start).contains(spot.edge)
    }

    private static let meadow = Meadow.line([(0, 0), (300, 0)], trails: ["Meadow"])
    private static let ridge = Meadow.line([(300, 0), (300, 300)], trails: ["Ridge"])
    private static let creek = Meadow.line([(300, 0), (600, 0)], trails: ["Creek"])

    @Test("stay where the segment lay when its file comes anew with the ids of others")
    func otherOrder() throws {
        let network = try Self.network([("map", [Self.meadow, Self.ridge, Self.creek])])
        let closure = try Self.closure("s1", of: network)
        let again = try Self.network([("map", [Self.creek, Self.meadow, Self.ridge])])
        for network in [network, again] {
            #expect(try Self.isClosed(150, 0, network, closure))
            #expect(try !Self.isClosed(450, 0, network, closure) && !Self.isClosed(300, 150, network, closure))
        }
        #expect((try again.segment(named: "s1"))?.segment.points.first == Self.creek.points[0])
    }

    @Test("close the ground of what is drawn anew: in two parts, as a part of a longer line, by another source")
    func drawnAnew() throws {
        let network = try Self.network([("map", [Self.meadow, Self.ridge, Self.creek])])
        let closure = try Self.closure("s1", of: network)
        let junction = Meadow.line([(120, 0), (120, 200)], trails: ["New"])
        let parts = try Self.network([("map", [Self.meadow, Self.ridge, Self.creek, junction])])
        #expect(try Self.isClosed(60, 0, parts, closure) && Self.isClosed(200, 0, parts, closure))
        #expect(try !Self.isClosed(120, 100, parts, closure))
        let longer = Meadow.line([(450, 1), (0, 1)], trails: ["Long"])
        #expect(try Self.isClosed(100, 1, try Self.network([("other", [longer])]), closure))
    }

    @Test(
        "follow a segment that is drawn somewhat aside by its source and id, no farther, and then say that they close nothing"
    )
    func moved() throws {
        func line(_ north: Double) -> TrailDrawing.Line {
            Meadow.line([(0, north), (300, north)], trails: ["Meadow"], id: "w7")
        }
        let closure = try Self.closure("w7", of: try Self.network([("map", [line(0), Self.ridge])]))
        let aside = try Self.network([("map", [line(20), Self.ridge])])
        #expect(try Self.isClosed(150, 20, aside, closure) && aside.idle([closure]) == [])
        for (source, north) in [("other", 20.0), ("map", 200)] {
            let elsewhere = try Self.network([(source, [line(north), Self.ridge])])
            #expect(try !Self.isClosed(150, north, elsewhere, closure))
            #expect(elsewhere.idle([closure]) == [1])
        }
    }

    @Test("are of one source: an id that two have needs the source's name, and may have it always")
    func twoSources() throws {
        let network = try Self.network([("one", [Self.meadow]), ("two", [Self.creek])])
        let error = #expect(throws: TrailError.self) { try network.segment(named: "s1") }
        #expect("\(try #require(error))".contains("one:s1 or two:s1"))
        let closure = try Self.closure("two:s1", of: network)
        #expect(try Self.isClosed(450, 0, network, closure) && !Self.isClosed(150, 0, network, closure))
        #expect(try Self.closure("one:s1", of: try Self.network([("one", [Self.meadow])])).ground?.source == "one")
    }

    @Test("of a line that others meet are told by their own ids")
    func parts() throws {
        let line = Meadow.line([(0, 0), (300, 0), (600, 0)], trails: ["Long"], id: "a")
        let network = try Self.network([("map", [line, Self.ridge])])
        let error = #expect(throws: TrailError.self) { try network.segment(named: "a") }
        #expect("\(try #require(error))".contains("a/1 or a/2"))
    }

    @Test("take a file's id that looks like a piece's for no piece")
    func pieceLike() throws {
        let lines = [("a", 0.0), ("a~1", 100), ("a~2", 200)].map { id, north in
            Meadow.line([(0, north), (300, north)], trails: [id], id: id)
        }
        let network = try Self.network([("map", lines)])
        let ids = network.sources[0].segments.map(\.id)
        #expect(ids == ["a", "a-1", "a-2"])
        for (id, north) in zip(ids, [0.0, 100, 200]) {
            let closure = try Self.closure(id, of: network)
            for other in [0.0, 100, 200] {
                #expect(try Self.isClosed(150, other, network, closure) == (other == north), "\(id) \(other)")
            }
        }
    }

    @Test("outlive a restart with the ground")
    func kept() throws {
        let folder = try TemporaryFolder()
        let closure = try Self.closure("s1", of: try Self.network([("map", [Self.meadow])]))
        let kept = try TrailArchive(folder: folder.path).close(
            closure.target, on: closure.ground, reason: "burn", from: nil, until: nil, now: Self.start)
        let archive = TrailArchive(folder: folder.path)
        archive.load()
        #expect(archive.closures == [kept] && kept.ground == closure.ground)
        #expect(kept.ground?.points.count == 2)
    }

    @Test(
        "of random networks close the same places after their files came shuffled, turned, without ids and a little aside"
    )
    func anyOrder() throws {
        let seed = RandomTest.seed(of: "closures of segments")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<RandomTest.cases(30) {
            // A wandering line in the middle of each square of a grid: no two share ground.
            let lines = (0..<9).map { index in
                let (east, north) = (Double(index % 3) * 900, Double(index / 3) * 900)
                var way = 0.0
                var place = (east, north)
                return (0..<Int.random(in: 10...400, using: &random)).map { _ in
                    way = max(-2, min(2, way + Double.random(in: -0.3...0.3, using: &random)))
                    place = (place.0 + 1.7 * (1 - abs(way) / 4), place.1 + 1.7 * way / 2)
                    return place
                }
            }
            let network = try Self.network([("map", lines.map { Meadow.line($0, trails: []) })])
            let closed = Int.random(in: 0..<lines.count, using: &random)
            let closure = try Self.closure("s\(closed + 1)", of: network)
            #expect((closure.ground?.points.count ?? 0) <= ClosedGround.mostPoints)
            let order = lines.indices.shuffled(using: &random)
            let again = try Self.network([
                (
                    "map",
                    order.map { index in
                        let aside = lines[index].map { ($0.0 + 1, $0.1 - 1) }
                        return Meadow.line(Bool.random(using: &random) ? aside : aside.reversed(), trails: [])
                    }
                )
            ])
            for (index, line) in lines.enumerated() {
                let middle = line[line.count / 2]
                #expect(try Self.isClosed(middle.0, middle.1, network, closure) == (index == closed), "seed \(seed)")
                #expect(try Self.isClosed(middle.0, middle.1, again, closure) == (index == closed), "seed \(seed)")
            }
        }
    }
}
