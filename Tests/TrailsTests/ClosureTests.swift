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
        let seed = seed()
        print("closures in files: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<cases("KONZA_TRAIL_CLOSURES", 30) {
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
