import Foundation
import Interchange
import KonzaModel
import KonzaTesting
import Testing

/// Places at which writers go wrong.
private let extremes: [(String, (Double, Double)?)] = [
    ("north pole", (90, 0)), ("south pole", (-90, -179.999_999_9)), ("east edge", (12.5, 180)),
    ("west edge", (-12.5, -180)), ("null island", (0, 0)), ("tiny", (0.000_000_1, -0.000_000_1)),
    ("precise", (39.106_912_345, -96.609_123_456)), ("nowhere", nil),
]

private var extremeSpecimens: [Specimen] {
    extremes.enumerated().map { index, row in specimen(row.0, at: row.1, serial: UInt64(index + 1)) }
}

/// What ogr2ogr reads: each feature's name and its coordinates as written in well-known text.
private func read(_ file: String, _ folder: TemporaryFolder, name: String, _ options: [String] = []) throws
    -> [String: String]
{
    let run = try ProgramRun(
        ["ogr2ogr", "-f", "CSV", "out.csv", file] + options + ["-lco", "GEOMETRY=AS_WKT", "-lco", "SEPARATOR=COMMA"],
        in: folder.path)
    try #require(run.status == 0, "\(run.text)")
    #expect(!run.text.contains("ERROR") && !run.text.contains("Warning"), "\(run.text)")
    let rows = try python(
        "import csv,json; print(json.dumps({r['\(name)']: r['WKT'] for r in csv.DictReader(open('out.csv'))}))",
        in: folder.path)
    try FileManager.default.removeItem(atPath: "\(folder.path)/out.csv")
    return try #require(rows as? [String: String])
}

private func numbers(_ wkt: String?) -> [Double] {
    (wkt ?? "").split { !"0123456789.-e".contains($0) }.compactMap { Double($0) }
}

@Suite("Forms with places, read by GDAL")
struct PlaceFormsTests {
    @Test("GeoJSON keeps every place to a ten-millionth of a degree, and a specimen without one")
    func geoJSON() throws {
        let folder = try TemporaryFolder()
        let bytes = try written(extremeSpecimens, .geojson)
        try folder.put(bytes, "s.geojson")
        let found = try read("s.geojson", folder, name: "number")
        #expect(found.count == extremes.count)
        for (name, place) in extremes {
            let pair = numbers(found[name])
            guard let place else {
                #expect(found[name] == "")
                continue
            }
            try #require(pair.count == 2, "\(name)")
            #expect(abs(pair[0] - place.1) < 1e-7 && abs(pair[1] - place.0) < 1e-7, "\(name): \(pair)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\"geometry\":null"))
        #expect(text.contains("[-96.609123456,39.106912345]"))
        #expect(text.contains("[-0.0000001,0.0000001]"), "without an exponent")
    }

    @Test(
        "GeoJSON's box is the smallest, and crosses the antimeridian where it must",
        arguments: [
            ([(10, 170), (-5, -175)], [170, -5, -175, 10]),
            ([(1, 2), (3, 4)], [2, 1, 4, 3]),
            ([(7, 8)], [8, 7, 8, 7]),
            ([(0, -180), (0, 180)], [180, 0, -180, 0]),
        ] as [([(Double, Double)], [Double])])
    func boundingBox(places: [(Double, Double)], box: [Double]) throws {
        let specimens = places.enumerated().map { specimen("n\($0)", at: $1, serial: UInt64($0 + 1)) }
        let tree = try JSONSerialization.jsonObject(with: Data(written(specimens, .geojson))) as? [String: Any]
        #expect(tree?["bbox"] as? [Double] == box)
    }

    @Test("GeoJSON without a single place has no box; heights are those above the ellipsoid")
    func heights() throws {
        let bare = try JSONSerialization.jsonObject(with: Data(written([specimen("n")], .geojson))) as? [String: Any]
        #expect(bare?["bbox"] == nil)
        let full = String(decoding: try written([fullSpecimen()], .geojson), as: UTF8.self)
        #expect(full.contains("\"coordinates\":[-96.609123456,39.106912345,338.412]"))
    }

    @Test("GPX keeps every place, leaves out who has none and says so, and never says longitude 180")
    func gpx() throws {
        let folder = try TemporaryFolder()
        let bytes = try written(extremeSpecimens, .gpx)
        try folder.put(bytes, "s.gpx")
        let found = try read("s.gpx", folder, name: "name", ["waypoints"])
        #expect(found.count == extremes.count - 1)
        for case (let name, let place?) in extremes {
            let pair = numbers(found[name])
            try #require(pair.count == 2, "\(name): \(String(describing: found[name]))")
            let east = place.1 == 180 ? -180 : place.1
            #expect(abs(pair[0] - east) < 1e-7 && abs(pair[1] - place.0) < 1e-7, "\(name): \(pair)")
        }
        #expect(!String(decoding: bytes, as: UTF8.self).contains("lon=\"180"))
        let export = SpecimenExport(extremeSpecimens, photographs: InventedPhotographs())
        #expect(export.leftOut(.gpx).map(\.number) == ["nowhere"])
    }

    @Test("GPX has the height above the sea, the geoid, the fix, and all else in a namespace of its own")
    func waypoint() throws {
        let folder = try TemporaryFolder()
        try folder.put(try written([fullSpecimen()], .gpx), "s.gpx")
        let schema = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Waypoints.xsd"
        let valid = try ProgramRun(["xmllint", "--noout", "--schema", schema, "s.gpx"], in: folder.path)
        #expect(valid.status == 0, "\(valid.text)")
        let read = try ProgramRun(["ogrinfo", "-al", "s.gpx", "waypoints"], in: folder.path)
        for line in [
            "ele (Real) = 366.9", "time (DateTime) = 2026/05/30 12:03:07.250+00", "geoidheight (Real) = -28.488",
            "name (String) = KNZ-2026-0001", "type (String) = Gneiss", "fix (String) = dgps", "sat (Integer) = 11",
            "hdop (Real) = 0.8", "konza_igsn (String) = IEKIO0001",
        ] {
            #expect(read.text.contains(line), "\(line) is not in \(read.text)")
        }
    }

    @Test("KML keeps every place, and a specimen without one")
    func kml() throws {
        let folder = try TemporaryFolder()
        try folder.put(try written(extremeSpecimens, .kml), "s.kml")
        let sound = try ProgramRun(["xmllint", "--noout", "s.kml"], in: folder.path)
        #expect(sound.status == 0, "\(sound.text)")
        let found = try read("s.kml", folder, name: "Name")
        #expect(found.count == extremes.count)
        for case (let name, let place?) in extremes {
            let pair = numbers(found[name])
            try #require(pair.count >= 2, "\(name): \(String(describing: found[name]))")
            #expect(abs(pair[0] - place.1) < 1e-7 && abs(pair[1] - place.0) < 1e-7, "\(name): \(pair)")
        }
    }

    @Test("deleted specimens are in no form", arguments: ExportForm.allCases.filter { $0 != .metpetdb })
    func deleted(form: ExportForm) throws {
        var gone = specimen("GONE-4711", at: (1, 2), serial: 2)
        gone.deletedAt = noon
        let bytes = try written([specimen("KEPT", at: (1, 2)), gone], form)
        #expect(bytes == (try written([specimen("KEPT", at: (1, 2))], form)))
    }

    @Test("text of any kind stays well-formed, and comes back as it was but for what XML forbids")
    func hostileText() throws {
        let seed = RandomTest.seed(of: "hostile text in place forms")
        var hostile = HostileText(generator: SeededGenerator(seed: seed))
        let specimens = (1...40).map { serial in
            var specimen = specimen("n\(serial)", at: (1, 2), serial: UInt64(serial))
            specimen.rockType = hostile.next()
            specimen.description = hostile.next()
            specimen.regions = [hostile.next()]
            specimen.minerals = [.init(name: hostile.next(), amount: hostile.next())]
            return specimen
        }
        let folder = try TemporaryFolder()
        for form in [ExportForm.gpx, .kml, .geojson] { try folder.put(try written(specimens, form), "s.\(form)") }
        let found = try python(
            """
            import json, xml.etree.ElementTree as E
            g = '{http://www.topografix.com/GPX/1/1}'
            k = '{http://www.opengis.net/kml/2.2}'
            gpx = [w.find(g + 'desc').text for w in E.parse('s.gpx').getroot().iter(g + 'wpt')]
            kml = [p.find(".//*[@name='description']/" + k + 'value').text
                   for p in E.parse('s.kml').getroot().iter(k + 'Placemark')]
            geo = [f['properties']['description'] for f in json.load(open('s.geojson'))['features']]
            print(json.dumps([gpx, kml, geo]))
            """, in: folder.path)
        let lists = try #require(found as? [[String]])
        let sound = specimens.map { specimen in
            String(
                String.UnicodeScalarView(
                    (specimen.description ?? "").unicodeScalars.map { scalar in
                        let isForbidden = scalar.value < 0x20 && !"\t\n\r".unicodeScalars.contains(scalar)
                        return isForbidden || scalar.value == 0xFFFE || scalar.value == 0xFFFF ? "\u{FFFD}" : scalar
                    }))
        }
        #expect(lists[0].map { Array($0.unicodeScalars) } == sound.map { Array($0.unicodeScalars) })
        #expect(lists[1].map { Array($0.unicodeScalars) } == sound.map { Array($0.unicodeScalars) })
        #expect(lists[2].map { Array($0.utf8) } == specimens.map { Array(($0.description ?? "").utf8) })
    }
}
