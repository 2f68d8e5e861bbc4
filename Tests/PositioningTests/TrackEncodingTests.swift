import Foundation
import FoundationXML
import KonzaModel
import Testing

@testable import Positioning

@Suite struct TrackEncodingTests {
    private func points(_ places: [(Double, Double, Double)]) throws -> [TrackPoint] {
        try places.map { seconds, latitude, longitude in
            var point = fix(seconds, latitude, longitude)
            point.altitudeHAE = 386.9
            point.altitudeMSL = 415.2
            point.geoidSeparation = -28.3
            point.dop = DilutionOfPrecision(horizontal: 0.9, vertical: 1.4, position: 1.7)
            point.satellitesUsed = 9
            return try #require(TrackPoint(point))
        }
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("GPX has the members of the schema, in its order, with the height above the sea")
    func gpx() throws {
        let text = TrackEncoding.gpx(try points([(0, 39.1069, -96.6091)]), name: "A & <B>")
        let expected =
            "<trkpt lat=\"39.106900000\" lon=\"-96.609100000\"><ele>415.200</ele>"
            + "<time>2026-05-30T14:00:00.000Z</time><geoidheight>-28.300</geoidheight><fix>3d</fix><sat>9</sat>"
            + "<hdop>0.90</hdop><vdop>1.40</vdop><pdop>1.70</pdop></trkpt>"
        #expect(text.contains(expected))
        #expect(text.contains("<name>A &amp; &lt;B&gt;</name><src>live</src>"))
    }

    @Test("GPX never says longitude 180, which its schema has not")
    func eastEdge() throws {
        let text = TrackEncoding.gpx(try points([(0, 1, 180), (1, 1, 179.999_999_999_6)]))
        #expect(!text.contains("lon=\"180"))
        #expect(text.contains("lon=\"-180.000000000\""))
    }

    @Test("GPX is well-formed whatever the track is called")
    func hostileName() throws {
        let text = TrackEncoding.gpx(try points([(0, 1, 2)]), name: "a\u{1B}\n\u{FFFF}]]>\"")
        #expect(text.contains("<name>a\u{FFFD}&#10;\u{FFFD}]]&gt;&quot;</name>"))
        #expect(XMLParser(data: Data(text.utf8)).parse())
    }

    @Test("GPX is well-formed XML, with a segment for each part of the track")
    func wellFormed() throws {
        let text = TrackEncoding.gpx(try points([(0, 1, 2), (1, 1, 2), (100, 1, 2)]))
        let counter = ElementCounter()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = counter
        #expect(parser.parse())
        #expect(counter.counts["trkseg"] == 2)
        #expect(counter.counts["trkpt"] == 3)
        #expect(counter.counts["fix"] == 3)
    }

    @Test(
        "a differential fix is dgps, a flat one 2d",
        arguments: [
            (FixStatus.differential, FixMode.threeDimensional, "dgps"), (.rtkFixed, .threeDimensional, "dgps"),
            (.normal, .twoDimensional, "2d"), (.encryptedPulse, .threeDimensional, "pps"),
        ])
    func fixKinds(_ status: FixStatus, _ mode: FixMode, _ word: String) throws {
        var point = fix(0, mode: mode)
        point.status = status
        let text = TrackEncoding.gpx([try #require(TrackPoint(point))])
        #expect(text.contains("<fix>\(word)</fix>"))
        #expect(!text.contains("<ele>"))
    }

    @Test("GeoJSON is a line of longitude, latitude and height above the ellipsoid")
    func geoJSON() throws {
        let text = TrackEncoding.geoJSON(try points([(0, 39.10690001, -96.6091), (1, 39.107, -96.6091)]))
        let feature = try object(text)
        #expect(feature["type"] as? String == "Feature")
        let geometry = try #require(feature["geometry"] as? [String: Any])
        #expect(geometry["type"] as? String == "LineString")
        #expect(geometry["coordinates"] as? [[Double]] == [[-96.6091, 39.1069, 386.9], [-96.6091, 39.107, 386.9]])
        let properties = try #require(feature["properties"] as? [String: Any])
        #expect(properties["times"] as? [String] == ["2026-05-30T14:00:00.000Z", "2026-05-30T14:00:01.000Z"])
        #expect(text.contains("-96.6091000,39.1069000,386.900"))
    }

    @Test("a line over the antimeridian is cut there, on both sides")
    func antimeridian() throws {
        let feature = try object(TrackEncoding.geoJSON(try points([(0, 10, 179.9), (1, 11, -179.9), (2, 12, 179.9)])))
        let geometry = try #require(feature["geometry"] as? [String: Any])
        #expect(geometry["type"] as? String == "MultiLineString")
        #expect(
            geometry["coordinates"] as? [[[Double]]] == [
                [[179.9, 10, 386.9], [180, 10.5, 386.9]],
                [[-180, 10.5, 386.9], [-179.9, 11, 386.9], [-180, 11.5, 386.9]],
                [[180, 11.5, 386.9], [179.9, 12, 386.9]],
            ])
    }

    @Test("a pause ends a line; no points are no geometry, one is a point")
    func shapes() throws {
        func type(_ places: [(Double, Double, Double)]) throws -> String? {
            let geometry = try object(TrackEncoding.geoJSON(try points(places)))["geometry"]
            return (geometry as? [String: Any])?["type"] as? String
        }
        #expect(try type([]) == nil)
        #expect(try type([(0, 1, 2)]) == "Point")
        #expect(try type([(0, 1, 2), (1, 1, 2), (100, 1, 2), (101, 1, 2)]) == "MultiLineString")
    }

    @Test(
        "numbers are rounded to their decimals, never with an exponent",
        arguments: [
            (0.0, 7, "0.0000000"), (-0.00000001, 7, "0.0000000"), (-96.60909999999, 7, "-96.6091000"),
            (1e-9, 9, "0.000000001"), (0.05, 1, "0.1"), (Double.nan, 2, "0"), (-1.5, 0, "-2"),
        ])
    func numbers(_ value: Double, _ decimals: Int, _ text: String) {
        #expect(DecimalText.text(value, decimals) == text)
    }
}

private final class ElementCounter: NSObject, XMLParserDelegate {
    var counts: [String: Int] = [:]

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        counts[name, default: 0] += 1
    }
}
