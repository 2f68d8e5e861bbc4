import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Trails

@Suite struct ImportTests {
    private func read(_ text: String) throws -> TrailDrawing { try TrailFile.read(Array(text.utf8)) }

    private func build(_ text: String) throws -> (source: TrailSource, report: TrailReport) {
        try NetworkBuilder.build(try read(text), name: "test", origin: .imported, at: nil)
    }

    @Test("segments of a network that was written are not joined anew: what is read back is the same")
    func writtenSegments() throws {
        func lines(_ kind: String) -> [UInt8] {
            Array(
                """
                {"type":"FeatureCollection","features":[
                {"type":"Feature","geometry":{"type":"LineString","coordinates":[[-96.6091,39.1069],[-96.6041,39.1069]]},
                "properties":{"kind":"\(kind)"}},
                {"type":"Feature","geometry":{"type":"LineString","coordinates":[[-96.6061,39.10691],[-96.6061,39.1099]]},
                "properties":{"kind":"\(kind)"}}]}
                """.utf8)
        }
        let instant = UTCInstant(nanoseconds: 0)
        #expect(try TrailImport.source(of: lines("path"), name: "a", at: instant).report.segments == 3)
        let written = try TrailImport.source(of: lines("segment"), name: "a", at: instant).report
        #expect(written.segments == 2 && written.looseEndCount == 1)
    }

    @Test("GeoJSON: lines that share a vertex are joined there, names and places are kept")
    func geoJSON() throws {
        let built = try build(
            #"""
            {"type":"FeatureCollection","features":[
            {"type":"Feature","id":"a","geometry":{"type":"LineString","coordinates":
            [[-96.6091,39.1069,328],[-96.6081,39.1069],[-96.6071,39.1069]]},"properties":{"name":"Nature Trail","surface":"gravel"}},
            {"type":"Feature","geometry":{"type":"LineString","coordinates":[[-96.6081,39.1069],[-96.6081,39.1079]]},
            "properties":{"trails":["Spur"],"closed":"burn","name":7}},
            {"type":"Feature","geometry":{"type":"Point","coordinates":[-96.6091,39.1069]},
            "properties":{"name":"Kiosk","kind":"trailhead"}},
            {"type":"Feature","geometry":{"type":"Polygon","coordinates":[]},"properties":null}]}
            """#)
        #expect(built.report.segments == 3)
        #expect(built.report.junctions == 1)
        #expect(built.report.ignored == 1)
        #expect(built.report.islands == 1)
        #expect(built.source.places.map(\.kind) == [.trailhead])
        let nature = try #require(built.report.trails.first { $0.name == "Nature Trail" })
        #expect(abs(nature.length - 172.9) < 0.2)
        // Published as 2.4 to 3.0 miles.
        #expect(try #require(nature.deviation) < -0.9)
        #expect(built.source.segments.flatMap(\.closures).map(\.reason) == ["burn"])
    }

    @Test(
        "what GeoJSON calls closed is closed, and what cannot be read of it is told",
        arguments: [
            (#""closed":true"#, "closed", 1, 0), (#""closed":false"#, "", 0, 0), (#""closed":"no""#, "", 0, 0),
            (#""closed":1"#, "closed", 1, 0), (#""closed":"yes""#, "closed", 1, 0), (#""closed":null"#, "", 0, 0),
            (#""closed":"burn""#, "burn", 0, 0), (#""status":"closed""#, "closed", 1, 0),
            (#""status":"open""#, "", 0, 0), (#""status":"Temporarily closed""#, "closed", 1, 0),
            (#""status":"CLOSED until spring""#, "closed", 1, 0), (#""status":"never closed""#, "", 0, 0),
            (#""closures":[{"from":"2999-01-01T00:00:00Z","until":"2998-01-01T00:00:00Z"}]"#, "closed", 0, 1),
            (#""closures":[],"closed":true"#, "closed", 1, 0), (#""closures":"mud""#, "closed", 1, 0),
            (#""closures":[{"reason":"mud","until":"next week"}]"#, "mud", 0, 1),
            (#""closures":[{"reason":"mud","from":20261201}]"#, "mud", 0, 1),
            (#""closures":[{"reason":"mud","from":"2026-12-01T00:00:00Z","until":null}]"#, "mud", 0, 0),
        ])
    func closedInGeoJSON(_ property: String, _ reason: String, _ bare: Int, _ unreadable: Int) throws {
        let built = try build(
            """
            {"type":"Feature","geometry":{"type":"MultiLineString","coordinates":[[[-96.60,39.10],[-96.59,39.10]],
            [[-96.60,39.11],[-96.59,39.11]]]},"properties":{"name":"A",\(property)}}
            """)
        #expect(
            built.source.segments.map { $0.closures.map(\.reason) }
                == Array(repeating: reason.isEmpty ? [] : [reason], count: 2))
        #expect(built.report.bareClosures == bare && built.report.unreadableDates == unreadable)
    }

    @Test(
        "a coordinate reference system other than WGS 84 is refused by its name, and so is UTF-16; a mark of UTF-8 is not"
    )
    func encodings() throws {
        func file(_ crs: String) -> String {
            """
            {"type":"FeatureCollection",\(crs)"features":[{"type":"Feature","properties":{},
            "geometry":{"type":"LineString","coordinates":[[-96.60,39.10],[-96.59,39.10]]}}]}
            """
        }
        func system(_ name: String) -> String { #""crs":{"type":"name","properties":{"name":"\#(name)"}},"# }
        for crs in ["", #""crs":null,"#, system("urn:ogc:def:crs:OGC:1.3:CRS84"), system("EPSG:4326")] {
            #expect(try read(file(crs)).lines.count == 1)
        }
        let error = #expect(throws: TrailError.self) { try read(file(system("urn:ogc:def:crs:EPSG::26914"))) }
        #expect("\(try #require(error))".contains("EPSG::26914"))
        #expect(throws: TrailError.self) { try read(file(#""crs":{"type":"link","properties":{"href":"x"}},"#)) }

        let gpx =
            "<gpx><trk><trkseg><trkpt lat=\"39\" lon=\"-96\"/><trkpt lat=\"39.01\" lon=\"-96\"/></trkseg></trk></gpx>"
        for text in [file(""), gpx] {
            #expect(try TrailFile.read([0xEF, 0xBB, 0xBF] + Array(text.utf8)).lines.count == 1)
            for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian] {
                let bytes = Array(try #require(text.data(using: encoding)))
                let error = #expect(throws: TrailError.self) { try TrailFile.read(bytes) }
                #expect("\(try #require(error))".contains("UTF-16"))
            }
        }
    }

    @Test("trails that are made up stay so through GPX")
    func demonstrationInGPX() throws {
        let network = TrailNetwork([DemonstrationTrails.source])
        let closed = ClosedEdges(network, [], at: UTCInstant(nanoseconds: 0))
        let again = try build(TrailEncoding.gpx(network, closed: closed)).source
        #expect(again.origin == .demonstration && TrailNetwork([again]).isDemonstration)
    }

    @Test("a line across the 180th meridian is as short as it is, and its middle is on it")
    func antimeridian() throws {
        let built = try build(
            """
            {"type":"Feature","properties":{"name":"A"},
            "geometry":{"type":"LineString","coordinates":[[179.999,10],[-179.999,10]]}}
            """)
        #expect(abs(built.report.length - 219) < 1)
        let network = TrailNetwork([built.source])
        let middle = network.coordinate(on: 0, at: 150)
        #expect(middle.longitude < -179.999 || middle.longitude > 179.999)
        let ends = try [179.999, -179.9991].map { try #require(Coordinate(latitude: 10, longitude: $0)) }
        let closed = ClosedEdges(network, [], at: UTCInstant(nanoseconds: 0))
        #expect(try abs(network.way(from: ends[0], to: ends[1], closed: closed).distance - 208) < 2)
        // Far away the plane tells nothing: at the pole, and at the antipode.
        for (latitude, longitude, distance) in [(-90.0, 0.0, 11_112_000.0), (-10, 0, 20_015_000)] {
            let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
            let far = try #require(network.nearest(toPlace: place)).distance
            #expect(abs(far - distance) < 40_000)
        }
    }

    @Test("GPX: a new trkseg is a gap, routes are trails, waypoints are places")
    func gpx() throws {
        let built = try build(
            #"""
            <?xml version="1.0"?><gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">
            <wpt lat="39.1069" lon="-96.6091"><name>Start</name><type>Trailhead</type></wpt>
            <trk><name>Two</name><trkseg><trkpt lat="39.1069" lon="-96.6091"/><trkpt lat="39.1079" lon="-96.6091"/></trkseg>
            <trkseg><trkpt lat="39.1089" lon="-96.6091"/><trkpt lat="39.1099" lon="-96.6091"><ele>300</ele></trkpt></trkseg></trk>
            <rte><name>Planned</name><rtept lat="39.1" lon="-96.6"/><rtept lat="39.1" lon="-96.601"/></rte></gpx>
            """#)
        #expect(built.report.gapCount == 1)
        #expect(abs(try #require(built.report.gaps.first).metres - 111) < 1)
        #expect(built.report.trails.map(\.name) == ["Two", "Planned"])
        #expect(abs(try #require(built.report.trails.first).length - 222) < 1)
        #expect(built.source.places.first?.kind == .trailhead)
    }

    @Test(
        "OSM: foot=yes counts more than access=private, refused ways are counted, routes are trails with their length")
    func osm() throws {
        let nodes = (1...6).map { #"<node id="\#($0)" lat="39.10\#($0)" lon="-96.60"/>"# }.joined()
        let built = try build(
            """
            <osm version="0.6">\(nodes)<node id="9" lat="39.1" lon="-96.6"><tag k="tourism" v="viewpoint"/></node>
            <way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="path"/><tag k="access" v="private"/>
            <tag k="foot" v="yes"/><tag k="name" v="Ridge"/></way>
            <way id="2"><nd ref="3"/><nd ref="4"/><tag k="highway" v="path"/><tag k="access" v="no"/></way>
            <way id="3"><nd ref="4"/><nd ref="3"/><tag k="highway" v="footway"/><tag k="foot:conditional" v="no @ (wet)"/></way>
            <way id="4"><nd ref="5"/><nd ref="6"/><tag k="highway" v="motorway"/></way>
            <relation id="1"><member type="way" ref="1"/><member type="way" ref="3"/><tag k="route" v="hiking"/>
            <tag k="name" v="Loop"/><tag k="distance" v="0.3"/></relation></osm>
            """)
        #expect(built.report.refused == 2)
        #expect(built.report.segments == 2)
        #expect(built.source.attribution == "© OpenStreetMap contributors")
        let loop = try #require(built.report.trails.first { $0.name == "Loop" })
        #expect(loop.published == 300...300)
        #expect(built.report.gapCount == 0)
        #expect(built.source.segments.flatMap(\.closures).map(\.reason) == ["foot:conditional=no @ (wet)"])
        #expect(built.source.places.map(\.kind) == [.viewpoint])
    }

    @Test("ends that nearly touch are joined, those farther away and crossings are reported")
    func joints() throws {
        let built = try Meadow.source([
            Meadow.line([(0, 0), (200, 0)], trails: ["A"]),
            // Ends 2 m beside the middle of the first, begins 10 m beside its end, and crosses nothing.
            Meadow.line([(210, 0.5), (210, 100), (100, 100), (100, 2)], trails: ["B"]),
            Meadow.line([(50, -80), (50, 80)], trails: ["C"]),
        ])
        #expect(built.report.joinedEnds == 1)
        #expect(built.report.looseEndCount == 2)
        #expect(built.report.crossingCount == 1)
        let crossing = try #require(built.report.crossings.first)
        #expect(Set(crossing.trails) == ["A", "C"])
        #expect(Meadow.plane.point(crossing.place).distance(to: PlanePoint(50, 0)) < 0.1)
        #expect(built.report.islands == 2)
    }

    @Test("a stem that is walked out and back, by two lines or by one, is one ground and no heap of crossings")
    func outAndBack() throws {
        func weaving(from start: Double, by side: Double) -> [(Double, Double)] {
            (0...40).map { (start + 10 * Double($0), $0.isMultiple(of: 2) ? side : -side) }
        }
        let (out, back) = (weaving(from: 0, by: 1), Array(weaving(from: 3, by: -1).reversed()))
        let built = try Meadow.source([
            Meadow.line(out, trails: ["Out"]), Meadow.line(back, trails: ["Back"]),
            Meadow.line([(205, -80), (205, 80)], trails: ["Across"]),
        ])
        #expect(built.report.crossingCount > 0 && built.report.crossings.allSatisfy { $0.trails.contains("Across") })
        let single = try Meadow.source([Meadow.line(out + back, trails: ["Out and back"])])
        #expect(single.report.crossingCount == 0)
    }

    @Test("a line that there and back nearly closes has no piece without length where its ends are joined")
    func nearlyClosed() throws {
        let built = try build(
            """
            {"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString",
            "coordinates":[[-96.609081,39.1069],[-96.6081,39.1079],[-96.6091,39.1069]]},"properties":{"trails":["A"]}}]}
            """)
        #expect(built.report.joinedEnds == 2 && built.source.segments.count == 1)
        let network = TrailNetwork([built.source])
        let closed = ClosedEdges(network, [], at: UTCInstant(nanoseconds: 0))
        let again = try NetworkBuilder.build(
            try TrailFile.read(TrailEncoding.geoJSON(network, closed: closed)), name: "again", origin: .imported,
            at: nil)
        #expect(again.source.segments == built.source.segments && again.source.trails == built.source.trails)
    }

    @Test(
        "a file of lines without any length is none of trails",
        arguments: [
            #"{"type":"LineString","coordinates":[[-96.6,39.1],[-96.6,39.1]]}"#,
            #"<gpx><trk><trkseg><trkpt lat="1" lon="1"/><trkpt lat="1" lon="1"/></trkseg></trk></gpx>"#,
        ])
    func empty(_ text: String) {
        let refusal = #expect(throws: TrailError.self) {
            try TrailImport.source(of: Array(text.utf8), name: "trails", at: UTCInstant(nanoseconds: 0))
        }
        #expect(refusal?.description.contains("has a length") == true)
    }

    @Test(
        "what cannot be used is refused with why",
        arguments: [
            ("", "neither"), ("hello", "neither"), ("{", "no GeoJSON"), ("{}", "no GeoJSON"), ("<a/>", "gpx or osm"),
            ("<gpx>", "cannot read the XML"), (#"<!DOCTYPE x><gpx/>"#, "document type"), ("<gpx/>", "no line"),
            (#"{"type":"Polygon","coordinates":[]}"#, "no line"), (#"{"type":"Sphere"}"#, "RFC 7946"),
            (#"{"type":"LineString","coordinates":[[39.1,-196.6],[39.2,-96.6]]}"#, "longitude first"),
            (#"{"type":"LineString","coordinates":[[0,0],[10,10]]}"#, "km apart"),
            (#"<gpx><wpt lat="x" lon="1"/></gpx>"#, "no place"),
        ])
    func refused(_ text: String, _ words: String) throws {
        do {
            _ = try build(text)
            Issue.record("\(text) was read")
        } catch let error as TrailError {
            #expect(error.description.hasPrefix("cannot "))
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test("what is written as GeoJSON is read back whole, as GPX with the same trails")
    func roundTrip() throws {
        let network = TrailNetwork([DemonstrationTrails.source])
        let closed = ClosedEdges(network, [], at: UTCInstant(nanoseconds: 0))
        let bytes = TrailEncoding.geoJSON(network, closed: closed)
        let again = try NetworkBuilder.build(
            try TrailFile.read(bytes), name: DemonstrationTrails.sourceName, origin: .imported, at: nil, published: [:])
        #expect(again.source.origin == .demonstration)
        #expect(again.source.segments == DemonstrationTrails.source.segments)
        #expect(again.source.trails == DemonstrationTrails.source.trails)
        #expect(again.source.places == DemonstrationTrails.source.places)
        let gpx = try build(TrailEncoding.gpx(network, closed: closed))
        #expect(gpx.report.trails.map(\.name) == network.trails.map(\.name))
        for (trail, own) in zip(gpx.report.trails, network.trails) { #expect(abs(trail.length - own.length) < 1) }
        #expect(gpx.report.segments == network.edgeCount)
    }

    @Test("closing a trail closes of each other one only what they share, which lists and files say")
    func sharedStretch() throws {
        // The stem is shared by both; Short has nothing else.
        let network = try Meadow.network([
            Meadow.line([(0, 0), (100, 0)], trails: ["Short", "Long"]),
            Meadow.line([(100, 0), (400, 0)], trails: ["Long"]),
        ])
        let closure = TrailClosure(id: 1, target: .trail("Short"), reason: "flood")
        let closed = ClosedEdges(network, [closure], at: UTCInstant(nanoseconds: 0))
        let list = network.list(closed: closed) { _ in nil }
        let parts = Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0.closed) })
        #expect(parts["Short"]??.isWhole == true)
        #expect(parts["Long"]??.isWhole == false)
        #expect(abs((parts["Long"]??.length ?? 0) - 100) < 0.1)
        let gpx = TrailEncoding.gpx(network, trail: "Long", closed: closed)
        #expect(gpx.contains("<cmt>Closed in part (100 m): flood</cmt>") && !gpx.contains("<type>closed"))
        #expect(TrailEncoding.gpx(network, trail: "Short", closed: closed).contains("<type>closed</type>"))
        let kml = TrailEncoding.kml(network, trail: "Long", closed: closed)
        #expect(kml.contains("Closed in part (100 m): flood"))
        let json = String(decoding: TrailEncoding.geoJSON(network, closed: closed), as: UTF8.self)
        #expect(json.contains(#""partly-closed""#))
        #expect(network.closedTrails(closed)["Long"]?.isWhole == false)
    }

    @Test("damaged files are refused or read, and never end the program")
    func damage() throws {
        let seed = RandomTest.seed(of: "damaged files")
        var random = SeededGenerator(seed: seed)
        let network = TrailNetwork([DemonstrationTrails.source])
        let closed = ClosedEdges(network, [], at: UTCInstant(nanoseconds: 0))
        let texts = [
            TrailEncoding.geoJSON(network, trail: "Overlook Spur (made up)", closed: closed),
            Array(TrailEncoding.gpx(network, trail: "Overlook Spur (made up)", closed: closed).utf8),
        ]
        for _ in 0..<RandomTest.cases(200) {
            guard var bytes = texts.randomElement(using: &random) else { continue }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes.prefix(place).suffix(20), at: place)
                }
            }
            do throws(TrailError) {
                let built = try NetworkBuilder.build(try TrailFile.read(bytes), name: "x", origin: .imported, at: nil)
                let read = TrailNetwork([built.source])
                for part in read.trails.flatMap(\.parts) { #expect(part.edge < read.edgeCount) }
            } catch {
                #expect(error.description.hasPrefix("cannot "))
            }
        }
    }
}

@Suite struct DemonstrationTests {
    @Test(
        "is one network of three loops about as long as Konza's, says everywhere that it is made up, and has no faults")
    func network() throws {
        let source = DemonstrationTrails.source
        #expect(source.origin == .demonstration)
        #expect(source.trails.allSatisfy { $0.name.hasSuffix("(made up)") })
        #expect(source.places.allSatisfy { $0.name.hasSuffix("(made up)") })
        let network = TrailNetwork([source])
        #expect(network.islandCount == 1)
        #expect(network.gaps.isEmpty)
        #expect(network.crossings.count == 0)
        let lengths = Dictionary(uniqueKeysWithValues: network.trails.map { ($0.name, $0.length) })
        #expect((3862...4828).contains(try #require(lengths["Nature Trail (made up)"])))
        #expect((7081...7725).contains(try #require(lengths["Creek Loop (made up)"])))
        #expect((9656...10_461).contains(try #require(lengths["Hill Loop (made up)"])))
        // A stem is walked twice.
        let nature = try #require(network.trails.first)
        #expect(nature.parts.first?.edge == nature.parts.last?.edge)
        #expect(nature.parts.last?.isReversed == true)
    }
}

@Suite struct TrailArchiveTests {
    @Test("sources and closures are there again after a restart; a damaged or newer file is never written over")
    func keeping() throws {
        let folder = try TemporaryFolder()
        let archive = TrailArchive(folder: folder.path)
        archive.load()
        #expect(archive.current.first?.origin == .demonstration)
        var source = try Meadow.source([Meadow.line([(0, 0), (100, 0)], trails: ["A"])]).source
        try archive.keep(source)
        let now = UTCInstant(nanoseconds: 1_780_000_000_000_000_000)
        let closure = try archive.close(.trail("A"), reason: "burn", from: nil, until: now, now: now)
        #expect(!closure.isInForce(at: now))
        #expect(closure.isInForce(at: now.advanced(bySeconds: -1)))
        let again = TrailArchive(folder: folder.path)
        again.load()
        #expect(again.sources == [source])
        #expect(again.closures == [closure])
        source.trails[0].name = "B"
        try again.keep(source)
        #expect(again.current == [source])
        #expect(throws: TrailError.self) { try again.remove(source: "other") }
        #expect(throws: TrailError.self) { try again.open(99) }
        // One plane serves all: a source far from the others would make their lengths wrong.
        var far = source
        far.name = "far"
        far.segments[0].points = far.segments[0].points.compactMap {
            Coordinate(latitude: $0.latitude, longitude: $0.longitude + 100)
        }
        let refusal = #expect(throws: TrailError.self) { try again.keep(far) }
        #expect(refusal?.description.contains("300 km") == true)
        #expect(again.sources == [source])
        try again.open(closure.id)
        try again.remove(source: "test")
        #expect(again.current.first?.origin == .demonstration)
        for text in ["damaged", #"{"version":2,"sources":[]}"#] {
            let file = URL(filePath: "\(folder.path)/trails.json")
            try Data(text.utf8).write(to: file)
            let third = TrailArchive(folder: folder.path)
            third.load()
            #expect(third.fault != nil)
            #expect(throws: TrailError.self) { try third.keep(source) }
            #expect(try Data(contentsOf: file) == Data(text.utf8))
        }
    }
}
