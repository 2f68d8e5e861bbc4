import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Trails

@Suite("Closures in files") struct ClosureFileTests {
    private static let start = UTCInstant(nanoseconds: 1_780_000_000_000_000_000)

    private static func day(_ number: Int) -> UTCInstant { start.advanced(bySeconds: Double(number) * 86_400) }

    private static func again(_ bytes: [UInt8]) throws -> TrailNetwork {
        TrailNetwork([
            try NetworkBuilder.build(try TrailFile.read(bytes), name: "test", origin: .imported, at: nil).source
        ])
    }

    /// Why the place is closed, by the network's own segments and what the station has closed.
    private static func reason(
        _ place: PlanePoint, _ network: TrailNetwork, _ own: [TrailClosure] = [], at instant: UTCInstant
    ) throws -> String? {
        let coordinate = try #require(Meadow.plane.coordinate(place))
        let spot = try #require(network.nearest(to: network.plane.point(coordinate)))
        #expect(spot.distance < 0.5)
        return ClosedEdges(network, own, at: instant).reason(spot.edge)
    }

    @Test("a part that is closed by the calendar is so again after GPX and GeoJSON, and the rest is open")
    func part() throws {
        let network = try Meadow.network([
            Meadow.line([(0, 0), (100, 0)], trails: ["Long"], id: "stem"),
            Meadow.line([(100, 0), (400, 0)], trails: ["Long"]),
        ])
        let burn = TrailClosure(
            id: 1, target: .segment("stem"), reason: "burn <A & B>", from: Self.day(3), until: Self.day(5))
        let closed = ClosedEdges(network, [burn], at: Self.start)
        for bytes in [
            Array(TrailEncoding.gpx(network, closed: closed).utf8), TrailEncoding.geoJSON(network, closed: closed),
        ] {
            let again = try Self.again(bytes)
            for (number, isClosed) in [(0, false), (3, true), (4, true), (5, false)] {
                let reason = try Self.reason(PlanePoint(50, 0), again, at: Self.day(number))
                #expect(reason == (isClosed ? burn.reason : nil))
                #expect(try Self.reason(PlanePoint(250, 0), again, at: Self.day(number)) == nil)
            }
        }
        // What is over is not written any more.
        let later = ClosedEdges(network, [burn], at: Self.day(5))
        #expect(!TrailEncoding.gpx(network, closed: later).contains("konza:closure"))
    }

    @Test(
        "who closes a trail closes the ground: the same one in another source, under another name", arguments: [0.5, 3])
    func sameGround(_ aside: Double) throws {
        // The creek's trail along the south; a second source draws the same ground, and goes on to the north.
        let first = [
            Meadow.line([(0, 0), (300, 0)], trails: ["Creek"], id: "creek"),
            Meadow.line([(300, 0), (600, 0)], trails: ["Creek"], id: "rest"),
            Meadow.line([(0, 0), (0, 400), (600, 400), (600, 0)], trails: ["Hill"]),
        ]
        let second = [
            Meadow.line([(290, aside), (150, -aside), (10, aside)], trails: ["Horses"], id: "horses"),
            Meadow.line([(10, aside), (10, 200)], trails: ["Horses"], id: "north"),
        ]
        let burn = TrailClosure(id: 1, target: .trail("Creek"), reason: "burn", from: Self.day(3), until: Self.day(5))
        let network = try Meadow.network(first, second)
        #expect(network.alsoClosed(by: burn) == ["Horses"])
        for (number, isClosed) in [(0, false), (3, true), (5, false)] {
            for (place, isOnCreek) in [(PlanePoint(220, aside / 7), true), (PlanePoint(10, 150), false)] {
                let reason = try Self.reason(place, network, [burn], at: Self.day(number))
                #expect(reason == (isClosed && isOnCreek ? "burn" : nil), "\(number) \(place)")
            }
        }
        // A file of them says the same of each, for as long.
        let closed = ClosedEdges(network, [burn], at: Self.start)
        let again = try Self.again(TrailEncoding.geoJSON(network, closed: closed))
        for (number, isClosed) in [(0, false), (4, true), (5, false)] {
            #expect((try Self.reason(PlanePoint(100, 0), again, at: Self.day(number)) != nil) == isClosed)
        }
        // A long line is cut where it leaves the ground: what goes on stays open, and is closed by the line's own id as ever.
        let line = [Meadow.line([(10, aside), (300, -aside), (310, 400)], trails: ["Walked"], id: "walked")]
        let cut = try Meadow.network(first, line)
        let wholly = TrailClosure(id: 2, target: .segment("walked"), reason: "flood")
        for (closures, isOpen) in [([burn], true), ([burn, wholly], false)] {
            #expect(try Self.reason(PlanePoint(100, 0), cut, closures, at: Self.day(4)) != nil)
            #expect((try Self.reason(PlanePoint(305, 200), cut, closures, at: Self.day(4)) == nil) == isOpen)
        }
        #expect(abs(try #require(cut.list(closed: closed, height: { _ in nil }).last).length - 690) < 5)
        // Nobody is led over it by its other name, and one who is on that is led off.
        let shut = ClosedEdges(network, [burn], at: Self.day(4))
        let horses = try #require(try network.place(named: "Horses", near: Meadow.place(0, 0))).coordinate
        #expect(throws: TrailError.self) { try network.way(from: Meadow.place(10, 150), to: horses, closed: shut) }
    }

    private static func burn(_ target: TrailClosure.Target, on ground: ClosedGround? = nil) -> TrailClosure {
        TrailClosure(id: 1, target: target, ground: ground, reason: "burn")
    }

    /// The trails of a network that are closed at places, with who is asked where.
    private static func closedAt(
        _ places: [(Double, Double)], _ network: TrailNetwork, _ target: TrailClosure.Target
    ) throws -> [Bool] {
        let closure = burn(target)
        return try places.map { try reason(PlanePoint($0.0, $0.1), network, [closure], at: start) != nil }
    }

    @Test("a trail with many junctions closes the whole ground, a short one its own part, and each no more")
    func groundInParts() throws {
        // A spur every 45 m.
        var one = [Meadow.line((0...20).map { (Double($0) * 45, 0) }, trails: ["Alpha"])]
        one += (1..<20).map { Meadow.line([(Double($0) * 45, 0), (Double($0) * 45, 60)], trails: ["Spurs"]) }
        let two = [Meadow.line([(-100, 1), (1200, 1)], trails: ["Beta"])]
        let comb = try Meadow.network(one, two)
        #expect(comb.alsoClosed(by: Self.burn(.trail("Alpha"))).contains("Beta"))
        let places = stride(from: 20.0, to: 900, by: 45).map { ($0, 1.0) }
        #expect(try Self.closedAt(places, comb, .trail("Alpha")).allSatisfy { $0 })
        #expect(try Self.closedAt([(-50, 1), (1000, 1), (450, 40)], comb, .trail("Alpha")) == [false, false, false])
        // Nine metres of steps on a long line, and two trails one after the other.
        let steps = try Meadow.network(
            [
                Meadow.line([(0, 0), (300, 0)], trails: ["Low"]), Meadow.line([(300, 0), (309, 0)], trails: ["Steps"]),
                Meadow.line([(309, 0), (600, 0)], trails: ["High"]),
            ], [Meadow.line([(600, 1), (0, 1)], trails: ["Beta"])])
        #expect(try Self.closedAt([(100, 1), (304, 1), (500, 1)], steps, .trail("Steps")) == [false, true, false])
        #expect(try Self.closedAt([(100, 1), (304, 1), (500, 1)], steps, .trail("Low")) == [true, false, false])
        #expect(try Self.closedAt([(100, 1), (304, 1), (500, 1)], steps, .trail("Beta")) == [true, true, true])
    }

    @Test("a line of which no level is known lies on a bridge; one that crosses under it does not")
    func bridge() throws {
        var bridge = Meadow.line([(200, 0), (260, 0)], trails: ["Alpha"], id: "bridge")
        bridge.level = 1
        var under = Meadow.line([(230, -100), (230, 100)], trails: ["Creek"])
        under.level = 0
        let network = try Meadow.network(
            [
                Meadow.line([(0, 0), (200, 0)], trails: ["Alpha"]), bridge,
                Meadow.line([(260, 0), (500, 0)], trails: ["Alpha"]), under,
            ], [Meadow.line([(0, 1), (500, 1)], trails: ["Walked"])])
        let places = [(100.0, 1.0), (215, 1), (400, 1), (230, 50)]
        #expect(try Self.closedAt(places, network, .segment("bridge")) == [false, true, false, false])
        #expect(try Self.closedAt(places, network, .trail("Alpha")) == [true, true, true, false])
    }

    @Test("lines on one ground are one for whoever walks: the way changes between them, and so does the way out")
    func onGround() throws {
        let network = try Meadow.network(
            [Meadow.line([(0, 0), (1000, 0)], trails: ["Alpha"])],
            [Meadow.line([(200, 1), (1000, 1), (1000, 400)], trails: ["Beta"])])
        let open = ClosedEdges(network, [], at: Self.start)
        for (from, metres) in [((300.0, 1.0), 300.0), ((300, 0.4), 300), ((1000, 300), 1300)] {
            let way = try network.way(from: Meadow.place(from.0, from.1), to: Meadow.place(0, 0), closed: open)
            #expect(abs(way.distance - metres) < 10, "\(from): \(way.distance)")
        }
        // With the ground closed one is led out by the nearer end, and refused from the open branch, with what is in between.
        let burn = TrailClosure(id: 1, target: .trail("Alpha"), reason: "burn")
        let closed = ClosedEdges(network, [burn], at: Self.start)
        let out = try network.way(from: Meadow.place(950, 1), to: Meadow.place(1000, 300), closed: closed)
        #expect(abs(out.closedLength - 50) < 10 && abs(out.distance - 350) < 10)
        do throws(TrailError) {
            _ = try network.way(from: Meadow.place(1000, 300), to: Meadow.place(100, 0), closed: closed)
            Issue.record("somebody is led over it")
        } catch {
            #expect("\(error)".contains("burn") && "\(error)".contains("way out"), "\(error)")
        }
    }

    @Test("a trail that is drawn in short pieces is closed with the ground that they lie on, one behind the other")
    func shortPieces() throws {
        let long = [Meadow.line([(0, 0), (400, 0)], trails: ["Alpha"])]
        let pieces = (0..<50).map { number in
            Meadow.line([(Double(number) * 8, 1), (Double(number + 1) * 8, 1)], trails: ["Beta"], id: "b\(number)")
        }
        // Beside it a side trail in such pieces begins.
        let side = (0..<10).map { number in
            let (from, to) = (Double(number) * 8, Double(number + 1) * 8)
            return Meadow.line([(200 + from, 2 + from / 2), (200 + to, 2 + to / 2)], trails: ["Side"])
        }
        let network = try Meadow.network(long, pieces, side)
        let places = (0..<50).map { (Double($0) * 8 + 4, 1.0) }
        #expect(try Self.closedAt(places, network, .trail("Alpha")).allSatisfy { $0 })
        let middles = (0..<10).map { number -> (Double, Double) in
            let along = Double(number) * 8
            return (204 + along, 4 + along / 2)
        }
        #expect(try !Self.closedAt(middles, network, .trail("Alpha")).contains(true))
    }

    @Test(
        "lines of two sources are one network where one ends on the other, whichever is first, and not on other levels")
    func touching() throws {
        let main = Meadow.line([(0, 0), (600, 0)], trails: ["Main"])
        let spur = Meadow.line([(300, 0.4), (300, 300)], trails: ["Spur"])
        let onward = Meadow.line([(602, 1), (900, 1)], trails: ["Onward"])
        let far = Meadow.line([(450, 6), (450, 300)], trails: ["Far"])
        for lines in [[[main], [spur, onward, far]], [[spur, onward, far], [main]]] {
            let sources = try zip(["one", "other"], lines).map { name, lines in
                var source = try Meadow.source(lines).source
                source.name = name
                return source
            }
            let joined = TrailNetwork(sources)
            let (written, report) = try Self.readBack(joined)
            // The far trail ends 6 m beside the other one.
            #expect(report.joinedEnds > 1 && report.looseEndCount == 1, "\(report.joinedEnds) \(report.looseEndCount)")
            for network in [joined, written] {
                let open = ClosedEdges(network, [], at: Self.start)
                for (east, north, metres) in [(300.0, 300.0, 600.0), (900, 1, 900)] {
                    let way = try network.way(from: Meadow.place(0, 0), to: Meadow.place(east, north), closed: open)
                    #expect(abs(way.distance - metres) < 4, "\(way.distance)")
                }
                #expect(throws: TrailError.self) {
                    try network.way(from: Meadow.place(0, 0), to: Meadow.place(450, 300), closed: open)
                }
            }
        }
        var (bridge, under) = (main, spur)
        (bridge.level, under.level) = (1, 0)
        let apart = try Meadow.network([bridge], [under])
        #expect(throws: TrailError.self) {
            try apart.way(
                from: Meadow.place(0, 0), to: Meadow.place(300, 300), closed: ClosedEdges(apart, [], at: Self.start))
        }
    }

    /// The network that is made of the file that another one is written to.
    private static func readBack(_ network: TrailNetwork) throws -> (network: TrailNetwork, report: TrailReport) {
        let file = TrailEncoding.geoJSON(network, closed: ClosedEdges(network, [], at: start))
        let made = try TrailImport.source(of: file, name: "again", at: start)
        return (TrailNetwork([made.source]), made.report)
    }

    @Test("trails that run side by side and are not one ground are told, and others are not")
    func sideBySide() throws {
        func network(_ other: [(Double, Double)]) throws -> TrailNetwork {
            TrailNetwork(
                try [("map", "Creek", [(0.0, 0.0), (400, 0)]), ("walk", "Walked", other)].map { name, trail, points in
                    var source = try Meadow.source([Meadow.line(points, trails: [trail])]).source
                    source.name = name
                    return source
                })
        }
        let beside = try network([(50, 9), (350, 9), (350, 200)])
        for source in ["map", "walk"] {
            let found = beside.besides(of: source)
            #expect(found.map(\.trails) == [["Creek", "Walked"]] && abs((found.first?.metres ?? 0) - 300) < 10)
        }
        #expect(beside.besides(of: "none").isEmpty)
        for other in [
            [(0.0, 2.0), (400, 2)], [(0, 0), (400, 150)], [(0, 30), (400, 30)], [(200, -200), (200, 200)],
        ] {
            #expect(try network(other).besides(of: "walk").isEmpty, "\(other)")
        }
    }

    @Test("a list of closures that cannot be read closes everything until it can")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let network = try Meadow.network([Meadow.line([(0, 0), (100, 0)], trails: ["A"])])
        _ = try TrailArchive(folder: folder.path).close(
            .trail("A"), reason: "burn", from: nil, until: nil, now: Self.start)
        let file = folder.path + "/" + TrailArchive.closuresName
        let bytes = try Data(contentsOf: URL(filePath: file))
        try bytes.prefix(60).write(to: URL(filePath: file))
        let archive = TrailArchive(folder: folder.path)
        archive.load()
        #expect(archive.fault?.contains("until then every trail is") == true, "\(archive.fault ?? "")")
        let closed = ClosedEdges(network, archive.closures, at: Self.start)
        #expect(closed.reason(0)?.contains("cannot read") == true)
        #expect(throws: TrailError.self) { try archive.open(0) }
        #expect(try Data(contentsOf: URL(filePath: file)).count == 60)
    }

    @Test("what is made up is used beside nothing that is real, and again when that is gone")
    func madeUpApart() throws {
        let folder = try TemporaryFolder()
        let archive = TrailArchive(folder: folder.path)
        func source(_ name: String, _ origin: TrailSource.Origin) throws -> TrailSource {
            var source = try Meadow.source([Meadow.line([(0, 0), (1000, 0)], trails: [name])]).source
            (source.name, source.origin) = (name, origin)
            return source
        }
        try archive.keep(try source("replay", .demonstration))
        #expect(archive.current.map(\.name) == ["replay"] && archive.apart.isEmpty)
        #expect(archive.current(with: try source("map", .imported)).map(\.name) == ["map"])
        try archive.keep(try source("map", .imported))
        #expect(archive.current.map(\.name) == ["map"] && archive.apart.map(\.name) == ["replay"])
        try archive.remove(source: "map")
        #expect(archive.current.map(\.name) == ["replay"] && archive.apart.isEmpty)
    }

    @Test("who goes along a trail that two files draw goes no farther than along one of them")
    func twoDrawings() throws {
        let seed = RandomTest.seed(of: "ways on two drawings")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<RandomTest.cases(20) {
            var (place, way) = ((0.0, 0.0), 0.0)
            let line = (0..<100).map { _ in
                way = max(-0.7, min(0.7, way + Double.random(in: -0.2...0.2, using: &random)))
                place = (place.0 + 20 * (1 - way * way / 2), place.1 + 20 * way)
                return place
            }
            let other = line.map {
                ($0.0 + .random(in: -1.5...1.5, using: &random), $0.1 + .random(in: -1.5...1.5, using: &random))
            }
            let network = try Meadow.network(
                [Meadow.line(line, trails: ["Alpha"])],
                [Meadow.line(Bool.random(using: &random) ? other : other.reversed(), trails: ["Beta"])])
            let open = ClosedEdges(network, [], at: Self.start)
            for _ in 0..<10 {
                let ends = (0..<2).map { _ in Int.random(in: 0..<line.count, using: &random) }.sorted()
                let metres = zip(line[ends[0]...ends[1]], line[ends[0]...ends[1]].dropFirst()).reduce(0) {
                    $0 + PlanePoint($1.0.0, $1.0.1).distance(to: PlanePoint($1.1.0, $1.1.1))
                }
                for (from, to) in [(line[ends[0]], other[ends[1]]), (other[ends[1]], line[ends[0]])] {
                    let way = try network.way(
                        from: Meadow.place(from.0, from.1), to: Meadow.place(to.0, to.1), closed: open)
                    // Two drawings of one way differ by a few parts in a hundred, and each change between them by some metres.
                    #expect(way.distance < metres * 1.05 + 20, "seed \(seed): \(way.distance) m for \(metres) m")
                    let sum = zip(way.points, way.points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
                    #expect(abs(sum - way.distance) < 20, "seed \(seed): \(sum) m drawn, \(way.distance) m said")
                }
            }
        }
    }

    @Test(
        "lines that cross, that leave one junction, or that go beside each other are not one ground",
        arguments: [
            [(150.0, -100.0), (150, 100)], [(0, 0), (280, 100)], [(0, 8), (300, 8)], [(275, 3), (300, 3), (300, 80)],
        ])
    func otherGround(_ other: [(Double, Double)]) throws {
        let network = try Meadow.network(
            [Meadow.line([(0, 0), (300, 0)], trails: ["Creek"], id: "creek")], [Meadow.line(other, trails: ["Other"])])
        let burn = Self.burn(.trail("Creek"))
        #expect(network.alsoClosed(by: burn) == [])
        #expect(network.edgeCount - ClosedEdges(network, [burn], at: Self.start).count == 1)
    }

    @Test("which edges share ground does not depend on their order or direction", arguments: 0..<20)
    func groundHasNoDirection(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        func wander() -> [(Double, Double)] {
            var (east, north, way) = (
                Double.random(in: 0...200, using: &random), Double.random(in: 0...200, using: &random), 0.0
            )
            return (0..<20).map { _ in
                way += Double.random(in: -0.4...0.4, using: &random)
                (east, north) = (east + 15 * (1 - way * way / 2), north + 15 * way)
                return (east, north)
            }
        }
        let lines = (0..<4).map { _ in wander() }
        func pairs(_ lines: [[(Double, Double)]], _ names: [Int]) throws -> Set<[Int]> {
            let network = try Meadow.network(
                zip(lines, names).map { Meadow.line($0, trails: ["\($1)"], id: "line\($1)") })
            var pairs: Set<[Int]> = []
            for edge in 0..<network.edgeCount {
                for other in network.sharedGround.others(of: edge) {
                    let names = [edge, Int(other)].compactMap { network.name(of: $0) }.compactMap { Int($0) }
                    if names.count == 2, names[0] != names[1] { pairs.insert(names) }
                }
            }
            return pairs
        }
        let near = lines.map { line in line.map { ($0.0 + 1, $0.1 - 1) } }
        let all = try pairs(lines + near, Array(0..<8))
        #expect((0..<4).allSatisfy { all.contains([$0, $0 + 4]) && all.contains([$0 + 4, $0]) }, "seed \(seed)")
        let turned = try pairs((near + lines).map { $0.reversed() }, Array(4..<8) + Array(0..<4))
        #expect(turned == all, "seed \(seed)")
    }

    @Test(
        "a date that cannot be read leaves its end open, and other prefixes are as good",
        arguments: [
            (##"<k:closure xmlns="" from="soon" until="2026-01-01T00:00:00Z">flood</k:closure>"##, "flood", false),
            (##"<k:closure until="later"/>"##, "closed", true), (##"<other:closure>flood</other:closure>"##, "", false),
        ])
    func dates(_ element: String, _ reason: String, _ isClosedNow: Bool) throws {
        let network = try Self.again(
            Array(
                """
                <gpx xmlns:k="urn:konza:trails:1" xmlns:other="urn:other"><trk><name>A</name><trkseg>
                <trkpt lat="39.1069" lon="-96.6091"/><trkpt lat="39.1079" lon="-96.6091"/>
                <extensions>\(element)</extensions></trkseg></trk></gpx>
                """.utf8))
        #expect(network.segment(0).closures.map(\.reason) == (reason.isEmpty ? [] : [reason]))
        #expect(ClosedEdges(network, [], at: Self.start).contains(0) == isClosedNow)
        #expect(ClosedEdges(network, [], at: UTCInstant.earliest).contains(0) == !reason.isEmpty)
    }

    @Test("closures with dates outlive a restart")
    func kept() throws {
        let folder = try TemporaryFolder()
        var line = Meadow.line([(0, 0), (100, 0)], trails: ["A"])
        line.closures = [
            ClosedPeriod(reason: "burn", from: Self.day(1), until: Self.day(2)), ClosedPeriod(reason: "flood"),
        ]
        let source = try Meadow.source([line]).source
        try TrailArchive(folder: folder.path).keep(source)
        let archive = TrailArchive(folder: folder.path)
        archive.load()
        #expect(archive.sources == [source] && source.segments[0].closures == line.closures)
    }

    @Test("of random networks, each place is closed at each time for the same reason after GPX and GeoJSON")
    func roundTrip() throws {
        let seed = RandomTest.seed(of: "closures in files")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<RandomTest.cases(30) {
            let (network, middles) = try Self.lattice(&random)
            let own = (0..<Int.random(in: 0...4, using: &random)).map { number in
                let targets: [TrailClosure.Target] = [
                    .everything, .trail("T\(number)"), .segment("s\(Int.random(in: 1...20, using: &random))"),
                ]
                let period = Self.period(&random)
                return TrailClosure(
                    id: number, target: targets[Int.random(in: 0..<3, using: &random)], reason: period.reason,
                    from: period.from, until: period.until)
            }
            let closed = ClosedEdges(network, own, at: Self.start)
            let files = [
                Array(TrailEncoding.gpx(network, closed: closed).utf8), TrailEncoding.geoJSON(network, closed: closed),
            ]
            for (form, bytes) in zip(["GPX", "GeoJSON"], files) {
                let again = try Self.again(bytes)
                for number in 0..<12 {
                    let instant = Self.day(number)
                    for middle in middles {
                        let (before, after) = (
                            try Self.reason(middle, network, own, at: instant),
                            try Self.reason(middle, again, at: instant)
                        )
                        #expect(before == after, "\(form), day \(number), \(middle)")
                    }
                }
            }
        }
    }

    private static func period(_ random: inout SeededGenerator) -> ClosedPeriod {
        let from = Int.random(in: -5...8, using: &random)
        return ClosedPeriod(
            reason: ["burn", "flood & mud", "\"bison\"", "é <x>"][Int.random(in: 0..<4, using: &random)],
            from: Bool.random(using: &random) ? day(from) : nil,
            until: Bool.random(using: &random) ? day(from + Int.random(in: 1...6, using: &random)) : nil)
    }

    /// Streets 60 m apart, some of which are missing, each piece of up to three trails; and the pieces' middles.
    private static func lattice(_ random: inout SeededGenerator) throws -> (TrailNetwork, [PlanePoint]) {
        var lines: [TrailDrawing.Line] = []
        var middles: [PlanePoint] = []
        for east in 0..<4 {
            for north in 0..<4 {
                for (right, up) in [(1, 0), (0, 1)] where Int.random(in: 0..<3, using: &random) > 0 {
                    let (x, y) = (Double(east) * 60, Double(north) * 60)
                    let (dx, dy) = (Double(right) * 60, Double(up) * 60)
                    let names = Set(
                        (0..<Int.random(in: 1...3, using: &random)).map { _ in
                            "T\(Int.random(in: 0..<4, using: &random))"
                        })
                    var line = Meadow.line([(x, y), (x + dx, y + dy)], trails: names.sorted())
                    line.closures = (0..<max(0, Int.random(in: -2...2, using: &random))).map { _ in period(&random) }
                    lines.append(line)
                    middles.append(PlanePoint(x + dx / 2, y + dy / 2))
                }
            }
        }
        return (try Meadow.network(lines), middles)
    }
}
