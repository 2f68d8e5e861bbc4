import KonzaModel
import KonzaTesting
import Testing

@testable import Trails

@Suite struct WayTests {
    /// Every way without a node twice: closed edges only at its start, from a closed edge, and as few metres of them as the end can be
    /// reached with.
    private struct BruteForce {
        let network: TrailNetwork
        let closed: ClosedEdges
        let finder: WayFinder
        let end: TrailNetwork.Spot
        var best = (closed: Double.infinity, seconds: Double.infinity)

        mutating func run(from start: TrailNetwork.Spot) {
            let isClosed = closed.contains(start.edge)
            func metres(to along: Double) -> Double { isClosed ? abs(along - start.along) : 0 }
            if start.edge == end.edge {
                take(metres(to: end.along), finder.seconds(start.edge, start.along, end.along))
            }
            let (first, last) = network.nodes(start.edge)
            let length = network.length(start.edge)
            visit(first, metres(to: 0), finder.seconds(start.edge, start.along, 0), isClosed, [])
            visit(last, metres(to: length), finder.seconds(start.edge, start.along, length), isClosed, [])
        }

        /// Sums of the same lengths in another order differ by less than a micrometre.
        private mutating func take(_ metres: Double, _ seconds: Double) {
            if metres < best.closed - 1e-6 || abs(metres - best.closed) <= 1e-6 && seconds < best.seconds {
                best = (metres, seconds)
            }
        }

        private mutating func visit(
            _ node: Int, _ metres: Double, _ seconds: Double, _ mayBeClosed: Bool, _ seen: Set<Int>
        ) {
            let (near, far) = network.nodes(end.edge)
            if !closed.contains(end.edge) {
                if node == near { take(metres, seconds + finder.seconds(end.edge, 0, end.along)) }
                if node == far { take(metres, seconds + finder.seconds(end.edge, network.length(end.edge), end.along)) }
            }
            for entry in network.edges(at: node) {
                let edge = Int(entry) / 2
                let isClosed = closed.contains(edge)
                guard mayBeClosed || !isClosed else { continue }
                let isForward = entry % 2 == 0
                let next = isForward ? Int(network.to[edge]) : Int(network.from[edge])
                guard !seen.contains(next * 2 + (isClosed ? 0 : 1)) else { continue }
                let cost = isForward ? network.seconds[edge] : network.secondsBack[edge]
                visit(
                    next, metres + (isClosed ? network.length(edge) : 0), seconds + cost, mayBeClosed && isClosed,
                    seen.union([node * 2 + (mayBeClosed ? 0 : 1), next * 2 + (isClosed ? 0 : 1)]))
            }
        }
    }

    @Test("the way has the fewest closed metres, and then the least time of all ways, on random networks with slopes")
    func bruteForce() throws {
        let seed = seed()
        print("ways: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var (found, none, offClosed) = (0, 0, 0)
        for _ in 0..<cases("KONZA_TRAIL_NETWORKS", 200) {
            let nodes = (0..<7).map { _ in
                (Double.random(in: 0...800, using: &random), Double.random(in: 0...800, using: &random))
            }
            let lines = (0..<Int.random(in: 5...12, using: &random)).map { index in
                let first = Int.random(in: 0..<7, using: &random)
                let last = (first + Int.random(in: 1..<7, using: &random)) % 7
                let bend = (Double.random(in: 0...800, using: &random), Double.random(in: 0...800, using: &random))
                return Meadow.line([nodes[first], bend, nodes[last]], trails: ["T"], id: "e\(index)")
            }
            let source = try Meadow.source(lines).source
            let network = TrailNetwork([source]) { $0.latitude * 3000 }
            let closures = (0..<Int.random(in: 0...4, using: &random)).map { index in
                TrailClosure(
                    id: index, target: .segment(source.segments.randomElement(using: &random)?.id ?? ""), reason: "burn"
                )
            }
            let closed = ClosedEdges(network, closures, at: UTCInstant(nanoseconds: 0))
            func spot(on edges: [Int]) -> TrailNetwork.Spot {
                let edge = edges.randomElement(using: &random) ?? 0
                return TrailNetwork.Spot(
                    edge: edge, along: .random(in: 1...(network.length(edge) - 1), using: &random), distance: 0,
                    isLeft: true)
            }
            let all = Array(0..<network.edgeCount)
            let shut = all.filter(closed.contains)
            // Every other start is on a closed edge, where there is one.
            let start = spot(on: shut.isEmpty || Bool.random(using: &random) ? all : shut)
            let end = spot(on: all)
            let finder = WayFinder(network: network, closed: closed)
            let way = finder.way(from: start, to: end)
            var force = BruteForce(network: network, closed: closed, finder: finder, end: end)
            force.run(from: start)
            if let way {
                found += 1
                #expect(abs(way.seconds - force.best.seconds) < 1e-6, "seed \(seed)")
                let metres = way.legs.reduce(0) { $0 + (closed.contains($1.edge) ? $1.length : 0) }
                #expect(abs(metres - force.best.closed) < 1e-6, "seed \(seed)")
                #expect(metres == 0 || closed.contains(start.edge))
                if metres > 0, start.edge != end.edge { offClosed += 1 }
                // The legs take what the way says, and each begins where the one before ends.
                let sum = way.legs.reduce(0) { $0 + finder.seconds($1.edge, $1.from, $1.to) }
                #expect(abs(sum - way.seconds) < 1e-6)
                for (leg, next) in zip(way.legs, way.legs.dropFirst()) {
                    let gap = network.point(on: leg.edge, at: leg.to).distance(
                        to: network.point(on: next.edge, at: next.from))
                    #expect(gap < 0.05)
                }
            } else {
                none += 1
                #expect(force.best.seconds == .infinity, "seed \(seed)")
            }
        }
        #expect(found > none && offClosed > 0)
    }

    @Test("Tobler's function: 5.037 km/h on the flat, 3.549 on a tenth uphill, and most gently downhill")
    func pace() {
        #expect(abs(WalkingPace.speed(slope: 0) * 3.6 - 5.037) < 0.001)
        #expect(abs(WalkingPace.speed(slope: 0.1) * 3.6 - 3.549) < 0.001)
        #expect(abs(WalkingPace.speed(slope: -0.05) * 3.6 - 6) < 0.001)
    }

    @Test("ascent counts what is as high as the threshold, and a long rise in small steps whole")
    func ascent() {
        #expect(TrailProfile.climb([100, 101, 100, 101, 100, 102, 100]).ascent == 0)
        #expect(TrailProfile.climb([100, 102, 104, 103, 106]).ascent == 6)
        let climb = TrailProfile.climb([100, 110, 105, 112, 100])
        #expect(climb.ascent == 17)
        #expect(climb.descent == 17)
    }

    @Test("a closed trail is never led over, and one who is on it is led off it")
    func closures() throws {
        // A square of four sides; its south side is closed.
        let corners = [(0.0, 0.0), (400.0, 0.0), (400.0, 400.0), (0.0, 400.0)]
        let lines = (0..<4).map {
            Meadow.line([corners[$0], corners[($0 + 1) % 4]], trails: ["Square"], id: "side\($0)")
        }
        let network = try Meadow.network(lines)
        let closure = TrailClosure(id: 1, target: .segment("side0"), reason: "prescribed burn")
        let closed = ClosedEdges(network, [closure], at: UTCInstant(nanoseconds: 0))
        let around = try network.way(from: Meadow.place(0, 10), to: Meadow.place(400, 10), closed: closed)
        #expect(abs(around.distance - 1180) < 1)
        #expect(around.closed.isEmpty)
        #expect(around.turns.map(\.turn) == [])
        let off = try network.way(from: Meadow.place(100, 0), to: Meadow.place(0, 100), closed: closed)
        #expect(abs(off.distance - 200) < 1)
        #expect(off.closed.map(\.reason) == ["prescribed burn"])
        #expect(throws: TrailError.self) {
            try network.way(from: Meadow.place(0, 100), to: Meadow.place(200, 0), closed: closed)
        }
    }

    @Test("one is led out of a closed stretch by its shorter end, though the other would be the quicker one")
    func shorterEnd() throws {
        // A ladder: its long south side is closed; one stands nearer to its west end and wants to the east.
        let network = try Meadow.network([
            Meadow.line([(0, 0), (1000, 0)], trails: ["South"], id: "south"),
            Meadow.line([(0, 0), (0, 300)], trails: ["West"]), Meadow.line([(0, 300), (1000, 300)], trails: ["North"]),
            Meadow.line([(1000, 300), (1000, 0)], trails: ["East"]),
        ])
        let closure = TrailClosure(id: 1, target: .segment("south"), reason: "burn")
        let closed = ClosedEdges(network, [closure], at: UTCInstant(nanoseconds: 0))
        let way = try network.way(from: Meadow.place(450, 0), to: Meadow.place(1000, 100), closed: closed)
        #expect(abs(way.closedLength - 450) < 1)
        #expect(abs(way.distance - (450 + 300 + 1000 + 200)) < 2)
        // At the end itself an open trail begins: nothing of the closed one is needed.
        let end = try network.way(from: Meadow.place(0.3, 0), to: Meadow.place(1000, 100), closed: closed)
        #expect(end.closedLength == 0)
    }

    @Test("when all is closed, one on the trails is led home, and nobody is led from the trailhead into them")
    func everythingClosed() throws {
        let network = TrailNetwork([DemonstrationTrails.source])
        let everything = TrailClosure(id: 1, target: .everything, reason: "storm")
        let closed = ClosedEdges(network, [everything], at: UTCInstant(nanoseconds: 0))
        let head = DemonstrationTrails.trailhead
        let overlook = try #require(network.place(named: "overlook", near: head)).coordinate
        let home = try network.way(from: overlook, to: head, closed: closed)
        #expect(abs(home.closedLength - home.distance) < 0.1 && home.closed.count == 1)
        let error = #expect(throws: TrailError.self) { try network.way(from: head, to: overlook, closed: closed) }
        #expect("\(try #require(error))".contains("storm"))

        // The overlook's spur is open, but one comes to it only over the closed trail.
        let loop = TrailClosure(id: 2, target: .trail("Creek Loop (made up)"), reason: "flood")
        let part = ClosedEdges(network, [loop], at: UTCInstant(nanoseconds: 0))
        #expect(throws: TrailError.self) { try network.way(from: head, to: overlook, closed: part) }
        let fork = try #require(network.place(named: "fork", near: head)).coordinate
        let out = try network.way(from: fork, to: head, closed: part)
        #expect(out.closed.map(\.reason) == ["flood"])
    }

    @Test("a turn is said where one can go otherwise, by eight words")
    func turns() throws {
        let network = try Meadow.network([
            Meadow.line([(0, 0), (0, 200)], trails: ["A"]), Meadow.line([(0, 200), (0, 400)], trails: ["A"]),
            Meadow.line([(0, 200), (200, 200)], trails: ["B"]), Meadow.line([(0, 200), (-200, 30)], trails: ["C"]),
        ])
        let none = ClosedEdges(network, [], at: UTCInstant(nanoseconds: 0))
        func turn(to east: Double, _ north: Double) throws -> Directions.Turn? {
            try network.way(from: Meadow.place(0, 10), to: Meadow.place(east, north), closed: none).turns.first?.turn
        }
        #expect(try turn(to: 0, 390) == .straightOn)
        #expect(try turn(to: 190, 200) == .right)
        #expect(try turn(to: -200, 30) == .left)
        #expect(Directions.Turn(degrees: 30) == .slightlyRight)
        #expect(Directions.Turn(degrees: -140) == .sharplyLeft)
        #expect(Directions.Turn(degrees: 170) == .back)
        #expect(Directions.compass(338) == "north")
        #expect(Directions.compass(337) == "north-west")
    }
}
