import KonzaModel
import KonzaTesting
import Testing

@testable import Trails

@Suite struct WayTests {
    /// Every way without a node twice: closed edges only at its start, from a closed edge, a closed metre at the price of ten.
    private struct BruteForce {
        let network: TrailNetwork
        let closed: ClosedEdges
        let finder: WayFinder
        let end: TrailNetwork.Spot
        var best = WayCost(closed: 0, seconds: .infinity)
        /// Closed metres of the way with the fewest, and to the nearest node at which an open edge begins.
        var leastClosed = Double.infinity
        var leastOut = Double.infinity

        /// Whether the way only leads on through the closure.
        var isRefused: Bool { leastClosed > WayFinder.tolerated(leastOut) }

        mutating func run(from start: TrailNetwork.Spot) {
            let isClosed = closed.contains(start.edge)
            func cost(to along: Double) -> WayCost {
                WayCost(
                    closed: isClosed ? abs(along - start.along) : 0,
                    seconds: finder.seconds(start.edge, start.along, along))
            }
            if start.edge == end.edge { take(cost(to: end.along)) }
            let (first, last) = network.nodes(start.edge)
            for (node, along) in [(first, 0), (last, network.length(start.edge))] {
                let cost = cost(to: along)
                if isClosed || !closed.isShut(start.edge, leftAfter: cost.seconds) { visit(node, cost, isClosed, []) }
            }
        }

        private mutating func take(_ cost: WayCost) {
            guard !closed.isShut(end.edge, leftAfter: cost.seconds) else { return }
            leastClosed = min(leastClosed, cost.closed)
            if cost.total(WayCost.penalty) < best.total(WayCost.penalty) { best = cost }
        }

        private mutating func visit(_ node: Int, _ cost: WayCost, _ mayBeClosed: Bool, _ seen: Set<Int>) {
            let (near, far) = network.nodes(end.edge)
            if node == near { take(cost.adding(seconds: finder.seconds(end.edge, 0, end.along))) }
            if node == far {
                take(cost.adding(seconds: finder.seconds(end.edge, network.length(end.edge), end.along)))
            }
            let edges = network.edges(at: node)
            if mayBeClosed, edges.contains(where: { !closed.contains(Int($0) / 2) }) {
                leastOut = min(leastOut, cost.closed)
            }
            for entry in edges {
                let edge = Int(entry) / 2
                let isForward = entry % 2 == 0
                let seconds = isForward ? network.seconds[edge] : network.secondsBack[edge]
                let isClosed = closed.isShut(edge, leftAfter: cost.seconds + seconds)
                guard mayBeClosed || !isClosed else { continue }
                let next = isForward ? Int(network.to[edge]) : Int(network.from[edge])
                guard !seen.contains(next * 2 + (isClosed ? 0 : 1)) else { continue }
                visit(
                    next, cost.adding(closed: isClosed ? network.length(edge) : 0, seconds: seconds),
                    mayBeClosed && isClosed,
                    seen.union([node * 2 + (mayBeClosed ? 0 : 1), next * 2 + (isClosed ? 0 : 1)]))
            }
        }
    }

    /// A network with slopes, and its segments' names.
    private static func tangle(_ random: inout SeededGenerator) throws -> (TrailNetwork, [String]) {
        let nodes = (0..<7).map { _ in
            (Double.random(in: 0...800, using: &random), Double.random(in: 0...800, using: &random))
        }
        let lines = (0..<Int.random(in: 5...12, using: &random)).map { index in
            let first = Int.random(in: 0..<7, using: &random)
            let last = (first + Int.random(in: 1..<7, using: &random)) % 7
            let bend = (Double.random(in: 0...800, using: &random), Double.random(in: 0...800, using: &random))
            return Meadow.line([nodes[first], bend, nodes[last]], trails: ["T"], id: "e\(index)")
        }
        var source = try Meadow.source(lines).source
        // Far from all of it, so that no way ends there.
        source.places = [TrailPlace(name: "Head", kind: .trailhead, coordinate: Meadow.place(5000, 5000))]
        // As it is drawn: in pieces there are too many ways to try them all.
        return (TrailNetwork(drawing: [source], [:]) { $0.latitude * 3000 }, source.segments.map(\.id))
    }

    private static func spot(
        on edges: [Int], _ network: TrailNetwork, _ random: inout SeededGenerator
    ) -> TrailNetwork.Spot {
        let edge = edges.filter { network.length($0) > 2 }.randomElement(using: &random) ?? 0
        return TrailNetwork.Spot(
            edge: edge, along: .random(in: 1...(network.length(edge) - 1), using: &random), distance: 0, isLeft: true)
    }

    @Test("the way costs least of all ways, closed metres tenfold, on random networks with slopes")
    func bruteForce() throws {
        let seed = RandomTest.seed(of: "ways")
        var random = SeededGenerator(seed: seed)
        var (found, none, offClosed, refused) = (0, 0, 0, 0)
        for _ in 0..<RandomTest.cases(200) {
            let (network, ids) = try Self.tangle(&random)
            let closures = (0..<Int.random(in: 0...4, using: &random)).map { index in
                TrailClosure(
                    id: index, target: .segment(ids.randomElement(using: &random) ?? ""), reason: "burn")
            }
            let closed = ClosedEdges(network, closures, at: UTCInstant(nanoseconds: 0))
            let all = Array(0..<network.edgeCount)
            let shut = all.filter { closed.contains($0) && network.length($0) > 2 }
            // Every other start is on a closed edge, where there is one.
            let start = Self.spot(on: shut.isEmpty || Bool.random(using: &random) ? all : shut, network, &random)
            let end = Self.spot(on: all, network, &random)
            let finder = WayFinder(network: network, closed: closed)
            let way = finder.way(from: start, to: end)
            var force = BruteForce(network: network, closed: closed, finder: finder, end: end)
            force.run(from: start)
            if closed.contains(start.edge), let out = finder.exit(from: start) {
                #expect(abs(out.metres - force.leastOut) < 1e-6, "seed \(seed)")
            }
            if let way {
                found += 1
                let (cost, least) = (way.cost.total(WayCost.penalty), force.best.total(WayCost.penalty))
                #expect(abs(cost - least) < 1e-6, "seed \(seed)")
                let metres = way.legs.reduce(0) { $0 + (closed.contains($1.edge) ? $1.length : 0) }
                #expect(abs(metres - way.cost.closed) < 1e-6, "seed \(seed)")
                #expect(metres == 0 || closed.contains(start.edge))
                if metres > 0, start.edge != end.edge { offClosed += 1 }
                // The closed legs are the first ones.
                let shut = way.legs.map { closed.contains($0.edge) }
                #expect(!shut.drop { $0 }.contains(true), "seed \(seed)")
                expectWhole(way, finder)
            } else {
                none += 1
                if force.isRefused, force.leastClosed < .infinity { refused += 1 }
                #expect(force.best.seconds == .infinity || force.isRefused, "seed \(seed)")
            }
        }
        #expect(found > none && offClosed > 0)
        print("ways: \(found) found, \(none) not, \(refused) refused since they led on through a closure")
    }

    /// The legs take what the way says, and each begins where the one before ends.
    private func expectWhole(_ way: WayFinder.Way, _ finder: WayFinder) {
        let sum = way.legs.reduce(0) { $0 + finder.seconds($1.edge, $1.from, $1.to) }
        #expect(abs(sum - way.seconds) < 1e-6)
        for (leg, next) in zip(way.legs, way.legs.dropFirst()) {
            let gap = finder.network.point(on: leg.edge, at: leg.to).distance(
                to: finder.network.point(on: next.edge, at: next.from))
            #expect(gap < 0.05)
        }
    }

    @Test("an edge is judged by the time at which it is left: the quickest way among those that are open until then")
    func closingBruteForce() throws {
        let seed = RandomTest.seed(of: "closing ways")
        var random = SeededGenerator(seed: seed)
        var around = 0
        for _ in 0..<RandomTest.cases(200) {
            let (network, ids) = try Self.tangle(&random)
            let begin = UTCInstant(nanoseconds: 0)
            let closures = (0..<4).map { index in
                TrailClosure(
                    id: index, target: .segment(ids.randomElement(using: &random) ?? ""), reason: "burn",
                    from: begin.advanced(bySeconds: .random(in: 1...1500, using: &random)))
            }
            let closed = ClosedEdges(network, closures, at: begin)
            let all = Array(0..<network.edgeCount)
            // One who cannot leave the first edge in time is in a closure.
            let start = Self.spot(on: all.filter { closed.coming($0) == nil }, network, &random)
            let end = Self.spot(on: all, network, &random)
            let finder = WayFinder(network: network, closed: closed)
            let way = finder.way(from: start, to: end)
            var force = BruteForce(network: network, closed: closed, finder: finder, end: end)
            force.run(from: start)
            #expect((way?.seconds ?? .infinity).isFinite == force.best.seconds.isFinite, "seed \(seed)")
            guard let way else { continue }
            #expect(abs(way.seconds - force.best.seconds) < 1e-6 && way.cost.closed == 0, "seed \(seed)")
            expectWhole(way, finder)
            let open = WayFinder(network: network, closed: ClosedEdges(network, [], at: begin))
            if let quickest = open.way(from: start, to: end), quickest.seconds < way.seconds - 1e-6 { around += 1 }
        }
        #expect(around > 0)
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

    @Test("one is led out of a closed stretch by its nearer end, if that does not cost ten times what it saves")
    func nearerEnd() throws {
        // A ladder: its long south side is closed; one wants to the east.
        let network = try Meadow.network([
            Meadow.line([(0, 0), (1000, 0)], trails: ["South"], id: "south"),
            Meadow.line([(0, 0), (0, 300)], trails: ["West"]), Meadow.line([(0, 300), (1000, 300)], trails: ["North"]),
            Meadow.line([(1000, 300), (1000, 0)], trails: ["East"]),
        ])
        let closure = TrailClosure(id: 1, target: .segment("south"), reason: "burn")
        let closed = ClosedEdges(network, [closure], at: UTCInstant(nanoseconds: 0))
        let way = try network.way(from: Meadow.place(250, 0), to: Meadow.place(1000, 100), closed: closed)
        #expect(abs(way.closedLength - 250) < 1)
        #expect(abs(way.distance - (250 + 300 + 1000 + 200)) < 2)
        // A hundred metres less in the closure are not worth a detour of 1400 m.
        let short = try network.way(from: Meadow.place(450, 0), to: Meadow.place(1000, 100), closed: closed)
        #expect(abs(short.closedLength - 550) < 1 && abs(short.distance - 650) < 1)
        // At the end itself an open trail begins: nothing of the closed one is needed.
        let end = try network.way(from: Meadow.place(0.3, 0), to: Meadow.place(1000, 100), closed: closed)
        #expect(end.closedLength == 0)
    }

    @Test("nobody is led on through a closure, or to a place in it: the nearest way out is named")
    func onThrough() throws {
        // One line in three pieces; the middle is closed.
        let network = try Meadow.network([
            Meadow.line([(0, 0), (300, 0)], trails: ["A"]), Meadow.line([(300, 0), (900, 0)], trails: ["B"], id: "b"),
            Meadow.line([(900, 0), (1200, 0)], trails: ["C"]),
        ])
        let closure = TrailClosure(id: 1, target: .segment("b"), reason: "burn")
        let closed = ClosedEdges(network, [closure], at: UTCInstant(nanoseconds: 0))
        func words(from east: Double, to other: Double) -> String? {
            do throws(TrailError) {
                _ = try network.way(from: Meadow.place(east, 0), to: Meadow.place(other, 0), closed: closed)
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(words(from: 400, to: 100) == nil)
        // 500 m through the burn, where 100 m lead out of it; and a little more than the half is not on through it.
        let out = try #require(words(from: 400, to: 1100))
        #expect(out.contains("(burn); the nearest way out of the closure is at ") && out.contains(", 100 m along"))
        #expect(words(from: 580, to: 1100) == nil)
        // What it names is answered.
        let place = try #require(out.split(separator: " ").first { $0.contains(".") && $0.contains(",") })
        let numbers = place.split(separator: ",").prefix(2).compactMap { Double($0) }
        let end = try #require(Coordinate(latitude: numbers[0], longitude: numbers[1]))
        #expect(try abs(network.way(from: Meadow.place(400, 0), to: end, closed: closed).closedLength - 100) < 1)
        // A place in the closure.
        #expect(words(from: 400, to: 500)?.contains("the trail is closed (burn)") == true)
        #expect(words(from: 100, to: 500)?.contains("the trail is closed (burn)") == true)
    }

    @Test("a refusal names what is in between, and what will be closed by then")
    func inBetween() throws {
        let network = try Meadow.network([
            Meadow.line([(0, 0), (300, 0)], trails: ["A"]), Meadow.line([(300, 0), (900, 0)], trails: ["B"], id: "b"),
            Meadow.line([(900, 0), (1200, 0)], trails: ["C"]),
        ])
        let now = UTCInstant(nanoseconds: 1_780_000_000_000_000_000)
        for (from, words) in [(now, "closed (burn)"), (now.advanced(bySeconds: 300), "closes at ")] {
            let closure = TrailClosure(id: 1, target: .segment("b"), reason: "burn", from: from)
            let closed = ClosedEdges(network, [closure], at: now)
            do throws(TrailError) {
                _ = try network.way(from: Meadow.place(100, 0), to: Meadow.place(1100, 0), closed: closed)
                Issue.record("somebody is led over it")
            } catch {
                #expect("\(error)".contains("600 m of B, \(words)") && "\(error)".contains("from 200 m on"), "\(error)")
            }
        }
    }

    @Test("a trail is found by its name without what stands in brackets, letter case apart; its own name wins")
    func namesOfTrails() throws {
        let network = try Meadow.network([
            Meadow.line([(0, 0), (300, 0)], trails: ["Creek Loop (made up)"]),
            Meadow.line([(0, 50), (300, 90)], trails: ["creek loop"]),
            Meadow.line([(0, 150), (300, 190)], trails: ["Hill (old)"]),
        ])
        #expect(network.trailNames("Creek Loop").first == "creek loop")
        #expect(network.trailNames("CREEK LOOP (MADE UP)").first == "Creek Loop (made up)")
        #expect(network.trailNames("creek loop (MADE up)") == ["Creek Loop (made up)"])
        let loops = try Meadow.network([
            Meadow.line([(0, 0), (300, 0)], trails: ["Loop (north)"]),
            Meadow.line([(0, 90), (300, 90)], trails: ["Loop (south)"]),
        ])
        #expect(loops.trailNames("Loop") == ["Loop (north)", "Loop (south)"])
        #expect(network.trailNames("hill").first == "Hill (old)" && network.trailNames("Hills").first == nil)
    }

    @Test("one beside the trails comes to an open one, and to none where all are closed")
    func besideTheTrails() throws {
        let network = try Meadow.network([
            Meadow.line([(0, 0), (600, 0)], trails: ["Low"], id: "low"),
            Meadow.line([(0, 0), (0, 500), (600, 500)], trails: ["High"]),
        ])
        let low = TrailClosure(id: 1, target: .segment("low"), reason: "burn")
        let closed = ClosedEdges(network, [low], at: UTCInstant(nanoseconds: 0))
        let way = try network.way(from: Meadow.place(400, 100), to: Meadow.place(0, 100), closed: closed)
        #expect(way.closedLength == 0 && abs(way.approach - 400) < 1)
        // The way is told from the place itself, with what is beside the trails.
        #expect(way.points.first == Meadow.place(400, 100) && way.points.last == Meadow.place(0, 100))
        let length = zip(way.points, way.points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        #expect(abs(way.distance - length) < 1 && way.distance > 399)
        let aside = try network.way(from: Meadow.place(-30, 400), to: Meadow.place(-40, 200), closed: closed)
        #expect(abs(aside.distance - 270) < 1 && abs(aside.departure - 40) < 0.1)
        #expect(aside.profile.length == aside.distance)
        // Within 25 m of it one is on it.
        #expect(try network.way(from: Meadow.place(400, 20), to: Meadow.place(0, 100), closed: closed).closedLength > 0)
        let everything = TrailClosure(id: 2, target: .everything, reason: "storm")
        let all = ClosedEdges(network, [everything], at: UTCInstant(nanoseconds: 0))
        #expect(throws: TrailError.self) {
            try network.way(from: Meadow.place(400, 100), to: Meadow.place(0, 0), closed: all)
        }
    }

    private static func home(_ name: String, _ east: Double, _ north: Double) -> TrailPlace {
        TrailPlace(name: name, kind: .trailhead, coordinate: Meadow.place(east, north))
    }

    @Test(
        "the way home leads to the trailhead that one is soonest at, and not to one that is near through the air or closed off"
    )
    func home() throws {
        // A canyon: its other side is 100 m away, and 2 km to walk. Beyond it another network has a trailhead of its own.
        var source = try Meadow.source([
            Meadow.line([(0, 600), (0, 0)], trails: ["West"], id: "west"),
            Meadow.line([(0, 600), (0, 1500), (100, 1500), (100, 300)], trails: ["East"], id: "east"),
            Meadow.line([(60, 300), (60, 320)], trails: ["Island"]),
        ]).source
        source.places = [
            Self.home("Far", 100, 300), Self.home("Near", 0, 0), Self.home("Island", 60, 310),
            TrailPlace(name: "Car park", kind: .parking, coordinate: Meadow.place(0, 310)),
        ]
        let network = TrailNetwork([source])
        func closed(_ ids: [String]) -> ClosedEdges {
            let own = ids.map { TrailClosure(id: 1, target: .segment($0), reason: "burn") }
            return ClosedEdges(network, own, at: UTCInstant(nanoseconds: 0))
        }
        let (head, way) = try network.wayHome(from: Meadow.place(0, 320), closed: closed([]))
        #expect(head.name == "Near" && abs(way.distance - 320) < 1)
        // With the way closed before one, and on it near its upper end: the other trailhead on open trails.
        let around = try network.wayHome(from: Meadow.place(0, 610), closed: closed(["west"]))
        #expect(around.trailhead.name == "Far" && around.way.closedLength == 0)
        let out = try network.wayHome(from: Meadow.place(0, 590), closed: closed(["west"]))
        #expect(out.trailhead.name == "Far" && abs(out.way.closedLength - 10) < 1)
        let down = try network.wayHome(from: Meadow.place(0, 30), closed: closed(["west"]))
        #expect(down.trailhead.name == "Near" && abs(down.way.closedLength - 30) < 1)
        #expect(try network.wayHome(from: Meadow.place(0, 2), closed: closed([])).way.distance < 3)
        // Without a trailhead it leads to where one comes to the trails.
        source.places = [TrailPlace(name: "Car park", kind: .parking, coordinate: Meadow.place(0, 0))]
        let parking = TrailNetwork([source])
        let car = try parking.wayHome(
            from: Meadow.place(0, 320), closed: ClosedEdges(parking, [], at: UTCInstant(nanoseconds: 0)))
        #expect(car.trailhead.name == "Car park")
    }

    @Test("of several ends the way leads to the one that it costs least to, on random networks with slopes")
    func severalEnds() throws {
        let seed = RandomTest.seed(of: "ways to one of several")
        var random = SeededGenerator(seed: seed)
        var found = 0
        for _ in 0..<RandomTest.cases(200) {
            let (network, ids) = try Self.tangle(&random)
            let closures = (0..<Int.random(in: 0...3, using: &random)).map { index in
                TrailClosure(id: index, target: .segment(ids.randomElement(using: &random) ?? ""), reason: "burn")
            }
            let closed = ClosedEdges(network, closures, at: UTCInstant(nanoseconds: 0))
            let all = Array(0..<network.edgeCount)
            let start = Self.spot(on: all, network, &random)
            let ends = (0..<Int.random(in: 2...5, using: &random)).map { _ in Self.spot(on: all, network, &random) }
            let finder = WayFinder(network: network, closed: closed)
            let single = ends.map { finder.way(from: start, to: $0)?.cost.total(WayCost.penalty) ?? .infinity }
            let way = finder.way(from: start, toOneOf: ends)
            guard let way else {
                // One that leads on through a closure is refused, though another end may be reached.
                #expect(single.allSatisfy { $0 == .infinity } || closed.contains(start.edge), "seed \(seed)")
                continue
            }
            found += 1
            #expect(way.cost.total(WayCost.penalty) <= (single.min() ?? 0) + 1e-6, "seed \(seed)")
            #expect(way.end == ends[way.endIndex], "seed \(seed)")
            if single[way.endIndex] < .infinity {
                #expect(abs(way.cost.total(WayCost.penalty) - single[way.endIndex]) < 1e-6, "seed \(seed)")
            }
        }
        #expect(found > 50)
    }

    @Test("a closure that begins during the walk is avoided; where nothing else leads to the trailhead, it is named")
    func closingSoon() throws {
        // The straight way takes a rung that closes in two minutes.
        let lines = [
            Meadow.line([(0, 0), (400, 0)], trails: ["South"]),
            Meadow.line([(400, 0), (400, 400)], trails: ["Mid"], id: "mid"),
            Meadow.line([(0, 0), (0, 400)], trails: ["West"], id: "west"),
            Meadow.line([(0, 400), (400, 400)], trails: ["North"], id: "north"),
        ]
        let network = try Meadow.network(lines)
        let start = UTCInstant(nanoseconds: 0)
        func closed(_ segments: [String], after seconds: Double) -> ClosedEdges {
            let closures = segments.enumerated().map {
                TrailClosure(id: $0, target: .segment($1), reason: "mud", from: start.advanced(bySeconds: seconds))
            }
            return ClosedEdges(network, closures, at: start)
        }
        let (from, to) = (Meadow.place(300, 0), Meadow.place(390, 400))
        let soon = try network.way(from: from, to: to, closed: closed(["mid"], after: 120))
        #expect(abs(soon.distance - (300 + 400 + 390)) < 1 && soon.closing.isEmpty && soon.avoidsClosed)
        let late = try network.way(from: from, to: to, closed: closed(["mid"], after: 3600))
        #expect(abs(late.distance - 510) < 1 && !late.avoidsClosed)
        // Nothing else leads there.
        let both = closed(["mid", "north"], after: 120)
        let error = #expect(throws: TrailError.self) { try network.way(from: from, to: to, closed: both) }
        #expect("\(try #require(error))".contains("closes at 1970-01-01 00:02 UTC (mud)"))
        // Home, which is where the first trail begins, is always led to.
        let home = try network.way(
            from: Meadow.place(400, 200), to: Meadow.place(0, 0), closed: closed(["mid", "west", "north"], after: 60))
        #expect(home.closing.map(\.reason) == ["mud"] && home.closed.isEmpty && !home.avoidsClosed)
        #expect(abs(home.distance - 600) < 1)
        let through = try network.way(
            from: Meadow.place(100, 400), to: Meadow.place(0, 0), closed: closed(["mid", "west"], after: 150))
        #expect(through.closing.map(\.reason) == ["mud"] && abs(through.closing[0].along - 100) < 1)
    }

    @Test("when all is closed, one on the trails is led home, and nobody is led from the trailhead into them")
    func everythingClosed() throws {
        let network = TrailNetwork([DemonstrationTrails.source])
        let everything = TrailClosure(id: 1, target: .everything, reason: "storm")
        let closed = ClosedEdges(network, [everything], at: UTCInstant(nanoseconds: 0))
        let head = DemonstrationTrails.trailhead
        let overlook = try #require(try network.place(named: "overlook", near: head)).coordinate
        let home = try network.way(from: overlook, to: head, closed: closed)
        #expect(abs(home.closedLength - home.distance) < 0.1 && home.closed.count == 1)
        let error = #expect(throws: TrailError.self) { try network.way(from: head, to: overlook, closed: closed) }
        #expect("\(try #require(error))".contains("storm"))
        // Deeper into it nobody is led.
        let fork = try #require(try network.place(named: "fork", near: head)).coordinate
        let deeper = #expect(throws: TrailError.self) { try network.way(from: fork, to: overlook, closed: closed) }
        #expect("\(try #require(deeper))".contains("(storm); the nearest way out of the closure is at Trailhead"))

        // The overlook's spur is open, but one comes to it only over the closed trail.
        let loop = TrailClosure(id: 2, target: .trail("Creek Loop (made up)"), reason: "flood")
        let part = ClosedEdges(network, [loop], at: UTCInstant(nanoseconds: 0))
        #expect(throws: TrailError.self) { try network.way(from: head, to: overlook, closed: part) }
        let out = try network.way(from: fork, to: head, closed: part)
        #expect(out.closed.map(\.reason) == ["flood"])
    }

    @Test("one on an open part that closed ones cut off is told the way out, what of it is closed, why and how long")
    func cutOff() throws {
        // The open end is 300 m long, the burn before it 400 m; the way round is wet for 900 m.
        let network = try Meadow.network([
            Meadow.line([(0, 0), (300, 0)], trails: ["Stem"]),
            Meadow.line([(300, 0), (700, 0)], trails: ["Ridge"], id: "burnt"),
            Meadow.line([(300, 0), (300, 250), (700, 250), (700, 0)], trails: ["Creek"], id: "wet"),
            Meadow.line([(700, 0), (1000, 0)], trails: ["End"]),
        ])
        let closures = [
            TrailClosure(id: 1, target: .segment("burnt"), reason: "burn"),
            TrailClosure(id: 2, target: .segment("wet"), reason: "flood"),
        ]
        func refusal(_ closures: [TrailClosure], from east: Double, to other: Double) -> String? {
            let closed = ClosedEdges(network, closures, at: UTCInstant(nanoseconds: 0))
            do throws(TrailError) {
                _ = try network.way(from: Meadow.place(east, 0), to: Meadow.place(other, 0), closed: closed)
                return nil
            } catch {
                return "\(error)"
            }
        }
        let home = try #require(refusal(closures, from: 800, to: 0))
        #expect(home.contains("the nearest way out is at Stem, 800 m along the trails, and is not open"), "\(home)")
        #expect(home.contains("400 m of Ridge, closed (burn), from 100 m on; ask those who closed it"), "\(home)")
        // Whoever wants into the closure from there is told as much.
        let into = try #require(refusal(closures, from: 800, to: 500))
        #expect(into.contains("the trail is closed (burn); the nearest way out"))
        // Who is not cut off is not told of a way through a closure.
        #expect(refusal(closures, from: 100, to: 900)?.contains("way out") == false)
        #expect(refusal([closures[0]], from: 800, to: 0) == nil)
        // The burn that begins in a minute is not open, either.
        let soon = TrailClosure(
            id: 1, target: .segment("burnt"), reason: "burn", from: UTCInstant(nanoseconds: 60_000_000_000))
        let coming = try #require(refusal([soon, closures[1]], from: 800, to: 100))
        #expect(coming.contains("400 m of Ridge, closes at 1970-01-01 00:01 UTC (burn), from 100 m"), "\(coming)")
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
