import Foundation
import FoundationXML
import JPEGCoding
import KonzaModel
import KonzaTesting
import Testing

@testable import Stamping

@Suite struct PictureFactsTests {
    private static let instant = UTCInstant(nanoseconds: 1_780_149_787_250_000_000)

    private func position(
        _ latitude: Double, _ longitude: Double, altitude: Double? = 415.2, mode: FixMode = .threeDimensional,
        source: SourceKind = .live
    ) throws -> PositionAtInstant {
        var position = PositionAtInstant(
            time: Self.instant, coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)),
            mode: mode, status: .differential, method: .interpolated, gapSeconds: 1, source: source)
        position.altitudeMSL = altitude
        position.altitudeHAE = altitude.map { $0 - 29.1 }
        position.geoidSeparation = -29.1
        position.speed = 1.5
        position.track = 359.996
        position.accuracy = Accuracy(metres: 3.42, source: .receiver)
        position.dop.horizontal = 0.9
        position.dop.position = 1.6
        position.satellitesUsed = 11
        return position
    }

    private func facts(_ position: PositionAtInstant?, offset: Int = -5 * 3600) -> PictureFacts {
        var facts = PictureFacts(exposedAt: Self.instant, utcOffsetSeconds: offset)
        facts.position = position
        facts.make = "Logitech"
        facts.model = "HD Pro Webcam C920"
        facts.software = "konzad 1.0"
        facts.imageDescription = "Greetings from Konza Prairie"
        facts.userComment = "Bison <seen> & heard"
        facts.title = "Greetings \"from\" <Konza> & 'Prairie'"
        facts.artist = "Konza Prairie Biological Station"
        facts.copyright = "KPBS"
        facts.place = .init(
            location: "Nature Trail", city: "Manhattan", state: "Kansas", country: "United States")
        return facts
    }

    private func picture() throws -> FrameData {
        try JPEGCompressor().compress(samplePicture(width: 400, height: 300))
    }

    private func read(_ facts: PictureFacts, _ options: [String] = ["-n"]) throws -> [String: String] {
        try exiftool(PictureAssembler.assemble(picture(), with: facts).array, options)
    }

    @Test func `XMP is well-formed XML whatever the texts hold`() throws {
        var hostile = facts(try position(39.1069, -96.6091))
        hostile.title = "a\u{1B}\u{FFFE}]]>\r\n\"'&<b>"
        hostile.place?.city = "\0"
        let segment = try XMPSegment(facts: hostile).bytes()
        let packet = segment[(segment.firstIndex(of: UInt8(ascii: "<")) ?? 0)...]
        #expect(XMLParser(data: Data(packet)).parse())
    }

    @Test func `everything that is known is read back by exiftool`() throws {
        let tags = try read(facts(position(39.1069, -96.6091)))
        let expected: [String: String] = [
            "GPS:GPSVersionID": "2 3 0 0", "GPS:GPSLatitudeRef": "N", "GPS:GPSLatitude": "39.1069",
            "GPS:GPSLongitudeRef": "W", "GPS:GPSLongitude": "96.6091", "GPS:GPSAltitudeRef": "0",
            "GPS:GPSAltitude": "415.2", "GPS:GPSTimeStamp": "14:03:07.25", "GPS:GPSDateStamp": "2026:05:30",
            "GPS:GPSSatellites": "11", "GPS:GPSStatus": "A", "GPS:GPSMeasureMode": "3", "GPS:GPSDOP": "1.6",
            "GPS:GPSSpeedRef": "K", "GPS:GPSSpeed": "5.4", "GPS:GPSTrackRef": "T", "GPS:GPSTrack": "0",
            "GPS:GPSMapDatum": "WGS-84", "GPS:GPSProcessingMethod": "GPS", "GPS:GPSDifferential": "1",
            "GPS:GPSHPositioningError": "3.42", "GPS:GPSAreaInformation": "Nature Trail",
            "IFD0:Make": "Logitech", "IFD0:Model": "HD Pro Webcam C920", "IFD0:Software": "konzad 1.0",
            "IFD0:ModifyDate": "2026:05:30 09:03:07", "IFD0:Orientation": "1",
            "IFD0:ImageDescription": "Greetings from Konza Prairie",
            "IFD0:Artist": "Konza Prairie Biological Station", "IFD0:Copyright": "KPBS",
            "ExifIFD:DateTimeOriginal": "2026:05:30 09:03:07", "ExifIFD:CreateDate": "2026:05:30 09:03:07",
            "ExifIFD:SubSecTimeOriginal": "250", "ExifIFD:SubSecTimeDigitized": "250",
            "ExifIFD:OffsetTimeOriginal": "-05:00", "ExifIFD:OffsetTimeDigitized": "-05:00",
            "ExifIFD:OffsetTime": "-05:00", "ExifIFD:UserComment": "Bison <seen> & heard",
            "ExifIFD:ExifImageWidth": "400", "ExifIFD:ExifImageHeight": "300",
            "XMP-dc:Title": "Greetings \"from\" <Konza> & 'Prairie'",
            "XMP-dc:Description": "Greetings from Konza Prairie", "XMP-photoshop:City": "Manhattan",
            "XMP-photoshop:State": "Kansas", "XMP-photoshop:Country": "United States",
            "XMP-iptcCore:Location": "Nature Trail", "XMP-xmp:CreateDate": "2026:05:30 09:03:07.250-05:00",
            "XMP-exif:GPSAltitude": "415.2", "XMP-exif:GPSAltitudeRef": "0",
            "XMP-exif:GPSDateTime": "2026:05:30 14:03:07.250Z", "Composite:GPSDateTime": "2026:05:30 14:03:07.25Z",
            "Composite:SubSecDateTimeOriginal": "2026:05:30 09:03:07.250-05:00",
            "Composite:GPSAltitude": "415.2", "XMP-konza:AltitudeHAE": "386.1",
            "XMP-konza:PositionMethod": "interpolated",
        ]
        for (name, value) in expected.sorted(by: { $0.key < $1.key }) { #expect(tags[name] == value, "\(name)") }
        #expect(tags["GPS:GPSImgDirection"] == nil)
    }

    @Test func `exiftool and exiv2 find nothing to complain of`() throws {
        var facts = try facts(position(39.1069, -96.6091))
        facts.thumbnail = try Thumbnail.make(of: picture(), longestEdge: 160)
        let bytes = try PictureAssembler.assemble(picture(), with: facts).array
        let tags = try exiftool(bytes, ["-validate", "-warning", "-error"])
        #expect(tags["ExifTool:Validate"] == "OK", "\(tags)")
        let folder = try TemporaryFolder()
        let path = try folder.file("picture.jpg", bytes)
        let print = try folder.run("exiv2", ["-pa", path])
        #expect(print.status == 0)
        #expect(print.errors.isEmpty, "\(print.errors)")
        #expect(String(decoding: print.output, as: UTF8.self).contains("Xmp.exif.GPSLatitude"))
        let decoded = try folder.run("djpeg", ["-outfile", "/dev/null", path])
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.errors)")
    }

    struct Angles: Sendable {
        let latitude: Double
        let longitude: Double
        let letters: String
        let north: String
        let east: String

        init(_ latitude: Double, _ longitude: Double, _ letters: String, _ north: String, _ east: String) {
            (self.latitude, self.longitude, self.letters) = (latitude, longitude, letters)
            (self.north, self.east) = (north, east)
        }
    }

    static let angles: [Angles] = [
        Angles(39.1069, -96.6091, "NW", "39 6 24.84", "96 36 32.76"),
        Angles(-33.8568, 151.2153, "SE", "33 51 24.48", "151 12 55.08"),
        Angles(0, 0, "NE", "0 0 0", "0 0 0"),
        // Rounds to 0, so it is not south or west.
        Angles(-0.000_000_000_1, -0.000_000_000_1, "NE", "0 0 0", "0 0 0"),
        Angles(89.9999999, -179.9999999, "NW", "89 59 59.99964", "179 59 59.99964"),
        Angles(-90, 180, "SE", "90 0 0", "180 0 0"),
        // 59.99999 seconds stay; a ten-millionth of a second below the minute becomes the minute.
        Angles(10.499_999_997_222_2, 10.499_999_999_972_2, "NE", "10 29 59.99999", "10 30 0"),
        Angles(45.01666667, -0.5, "NW", "45 1 1.2e-05", "0 30 0"),
    ]

    @Test(arguments: angles)
    func `angles are exact and never show 60`(
        angles: Angles
    ) throws {
        let (latitude, longitude) = (angles.latitude, angles.longitude)
        let facts = try facts(position(latitude, longitude))
        let bytes = try PictureAssembler.assemble(picture(), with: facts).array
        let tags = try exiftool(bytes, ["-c", "%d %d %.6f"])
        func trimmed(_ text: String) -> String {
            var parts = text.split(separator: " ").map(String.init)
            if let last = parts.indices.last, let value = Double(parts[last]) {
                parts[last] = value == value.rounded() ? String(Int(value)) : String(value)
            }
            return parts.joined(separator: " ")
        }
        #expect(tags["GPS:GPSLatitude"].map(trimmed) == angles.north)
        #expect(tags["GPS:GPSLongitude"].map(trimmed) == angles.east)
        let numbers = try exiftool(bytes)
        #expect(numbers["GPS:GPSLatitudeRef"] == String(angles.letters.prefix(1)))
        #expect(numbers["GPS:GPSLongitudeRef"] == String(angles.letters.suffix(1)))
        for (name, value) in [("Latitude", latitude), ("Longitude", longitude)] {
            let exif = try #require(numbers["Composite:GPS\(name)"].flatMap(Double.init))
            let xmp = try #require(numbers["XMP-exif:GPS\(name)"].flatMap(Double.init))
            // Half a millionth of an arc second, and half of XMP's last place.
            #expect(abs(exif - value) <= 1.5e-10 + 1e-13)
            #expect(abs(xmp - value) <= 2.5e-10)
        }
    }

    @Test func `random angles keep minutes and seconds below 60`() {
        let seed: UInt64 = 0x5EED_0009
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let whole = Double(Int.random(in: 0..<180, using: &random))
            let angle =
                whole + Double(Int.random(in: 0...3600, using: &random)) / 3600
                + Double.random(in: -1e-9...1e-9, using: &random)
            let exact = ExactAngle(degrees: angle)
            #expect(exact.minutes < 60 && exact.secondMillionths < 60_000_000, "seed \(seed)")
            let minutes = exact.xmpText.split(separator: ",").last.flatMap { Double($0) } ?? 60
            #expect(minutes < 60, "seed \(seed)")
        }
    }

    @Test func `below sea level the number stays positive and the reference says so`() throws {
        let tags = try read(facts(position(36.2, -116.8, altitude: -85.95)))
        #expect(tags["GPS:GPSAltitude"] == "85.95")
        #expect(tags["GPS:GPSAltitudeRef"] == "1")
        #expect(tags["Composite:GPSAltitude"] == "-85.95")
        #expect(try read(facts(position(36.2, -116.8, altitude: -0.001)))["GPS:GPSAltitudeRef"] == "0")
    }

    @Test func `without a fix there is no GPS directory, and no GPS in XMP`() throws {
        let tags = try read(facts(nil))
        #expect(!tags.keys.contains { $0.contains("GPS") }, "\(tags.keys.sorted())")
        #expect(tags["ExifIFD:DateTimeOriginal"] == "2026:05:30 09:03:07")
    }

    @Test func `a fix in two dimensions has no altitude and the horizontal dilution`() throws {
        let tags = try read(facts(position(39.1, -96.6, mode: .twoDimensional)))
        #expect(!tags.keys.contains { $0.contains("Altitude") || $0.contains("Geoid") })
        #expect(tags["GPS:GPSMeasureMode"] == "2")
        #expect(tags["GPS:GPSDOP"] == "0.9")
    }

    @Test(arguments: [(SourceKind.recorded, "GPS (recorded)"), (.simulated, "GPS (simulated)"), (.manual, "MANUAL")])
    func `what was not measured live says so`(source: SourceKind, words: String) throws {
        let tags = try read(facts(position(39.1, -96.6, source: source)))
        #expect(tags["GPS:GPSProcessingMethod"] == words)
        #expect(tags["XMP-konza:PositionSource"] == source.rawValue)
    }

    /// Offset in seconds, its text, and the local time of 14:03:07 UTC.
    @Test(arguments: [
        (0, "+00:00", "2026:05:30 14:03:07"),
        (5 * 3600 + 1800, "+05:30", "2026:05:30 19:33:07"),
        (-(3 * 3600 + 1800), "-03:30", "2026:05:30 10:33:07"),
        (12 * 3600 + 2700, "+12:45", "2026:05:31 02:48:07"),
        // Local mean time of old zones has seconds: whole minutes are written, the instant stays.
        (-(5 * 3600 + 50 * 60 + 36), "-05:51", "2026:05:30 08:12:07"),
    ])
    func `zones are written to the minute`(offset: Int, text: String, local: String) throws {
        let tags = try read(facts(position(39.1, -96.6), offset: offset))
        #expect(tags["ExifIFD:OffsetTimeOriginal"] == text)
        #expect(tags["ExifIFD:DateTimeOriginal"] == local)
        #expect(tags["GPS:GPSTimeStamp"] == "14:03:07.25")
        #expect(tags["GPS:GPSDateStamp"] == "2026:05:30")
    }

    @Test func `texts of any script are read back`() throws {
        var facts = facts(nil)
        facts.userComment = "Grüße, 草原, 🦬"
        facts.imageDescription = "Grüße von der Prärie 🦬"
        facts.title = "مرحبا"
        let tags = try read(facts)
        #expect(tags["ExifIFD:UserComment"] == "Grüße, 草原, 🦬")
        #expect(tags["IFD0:ImageDescription"] == "Grüße von der Prärie 🦬")
        #expect(tags["XMP-dc:Title"] == "مرحبا")
    }

    @Test func `control characters from people are refused, from devices replaced`() throws {
        var facts = facts(nil)
        facts.model = " Cam\u{1}era\n"
        #expect(try read(facts)["IFD0:Model"] == "Cam era")
        facts.userComment = "bell \u{7}"
        #expect(throws: MetadataError.controlCharacter(field: "comment")) {
            try PictureAssembler.assemble(picture(), with: facts)
        }
        facts.userComment = String(repeating: "x", count: 70_000)
        #expect(throws: MetadataError.tooLarge(segment: "EXIF")) {
            try PictureAssembler.assemble(picture(), with: facts)
        }
    }

    @Test func `the thumbnail is found, and shrunk or dropped when there is no room`() throws {
        var facts = facts(nil)
        facts.thumbnail = try Thumbnail.make(of: picture(), longestEdge: 160)
        func embedded() throws -> [UInt8] {
            let folder = try TemporaryFolder()
            let path = try folder.file("picture.jpg", PictureAssembler.assemble(picture(), with: facts).array)
            return Array(try folder.run("exiftool", ["-b", "-ThumbnailImage", path]).output)
        }
        let found = try FrameData(embedded())
        let first = try JPEGStructure(parsing: found)
        #expect(first.width == 160 && first.height == 120)
        #expect(!first.segments.contains { $0.marker.applicationNumber != nil })
        #expect(try JPEGDecoder().decode(found).warningCount == 0)
        // A picture far too large for a segment is made into a thumbnail.
        facts.thumbnail = try JPEGCompressor(quality: 100, subsampling: .none).compress(
            samplePicture(width: 640, height: 480))
        let shrunk = try FrameData(embedded())
        #expect(try JPEGStructure(parsing: shrunk).width == 160)
        // And nothing is left of it beside a long comment.
        facts.userComment = String(repeating: "x", count: 64_000)
        #expect(try embedded().isEmpty)
    }

    @Test(arguments: [
        (400, 300, 320, 320, 240), (300, 400, 160, 120, 160), (100, 50, 320, 100, 50), (999, 7, 160, 160, 1),
    ])
    func `thumbnails keep the shape`(width: Int, height: Int, edge: Int, newWidth: Int, newHeight: Int) throws {
        let picture = samplePicture(width: width, height: height)
        let small = try Thumbnail.make(of: JPEGCompressor().compress(picture), longestEdge: edge)
        let structure = try JPEGStructure(parsing: small)
        #expect(structure.width == newWidth && structure.height == newHeight)
    }

    @Test func `facts replace what the picture had, colour profiles and comments stay, the coded data is untouched`()
        throws
    {
        let folder = try TemporaryFolder()
        let source = try picture()
        let path = try folder.file("camera.jpg", source.array)
        let set = try folder.run(
            "exiftool",
            [
                "-q", "-overwrite_original", "-GPSLatitude=10", "-GPSLatitudeRef=S", "-XMP:Title=old", "-IPTC:City=old",
                "-Comment=kept", path,
            ])
        #expect(set.status == 0, "\(set.errors)")
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path))) + [0, 0, 0]
        // A colour profile, which stays, and a multi-picture index, whose offsets would be wrong.
        for (number, name) in [(2, "ICC_PROFILE\0\u{1}\u{1}"), (2, "MPF\0")] {
            bytes.insert(contentsOf: [0xFF, 0xE0 + UInt8(number), 0, UInt8(name.utf8.count + 2)] + name.utf8, at: 2)
        }
        let camera = FrameData(bytes)
        let pieces = try PictureAssembler.assemble(camera, with: facts(position(39.1069, -96.6091)))
        let tags = try exiftool(pieces.array)
        #expect(tags["GPS:GPSLatitude"] == "39.1069")
        #expect(tags["XMP-dc:Title"] == "Greetings \"from\" <Konza> & 'Prairie'")
        #expect(tags["IPTC:City"] == nil)
        #expect(tags["File:Comment"] == "kept")
        let before = try JPEGStructure(parsing: camera)
        let after = try JPEGStructure(parsing: FrameData(pieces.array))
        #expect(after.segments.filter { $0.marker == .application(2) }.count == 1)
        #expect(after.segments[1].marker == .application(1))
        #expect(after.hasJFIF && after.trailingByteCount == 0)
        let start = try #require(before.scans.first).header.offset
        let newStart = try #require(after.scans.first).header.offset
        #expect(Array(pieces.array[newStart...]) == Array(camera.array[start..<(before.endOffset + 2)]))
        // Doing it twice changes nothing.
        let again = try PictureAssembler.assemble(
            FrameData(pieces.array), with: facts(position(39.1069, -96.6091)))
        #expect(again.array == pieces.array)
    }

    @Test func `a Motion-JPEG frame loses its AVI1 segment and gains tables`() throws {
        var bytes = try picture().array
        let structure = try JPEGStructure(parsing: bytes.span)
        for segment in structure.segments.reversed() where segment.marker == .huffmanTables {
            bytes.removeSubrange(segment.range)
        }
        let header = try #require(structure.segment(.application(0)))
        bytes.replaceSubrange(
            header.range, with: [0xFF, 0xE0, 0, 16] + Array("AVI1".utf8) + [UInt8](repeating: 0, count: 10))
        #expect(try JPEGStructure(parsing: bytes.span).hasAVI1)
        let pieces = try PictureAssembler.assemble(FrameData(bytes), with: facts(nil))
        let after = try JPEGStructure(parsing: FrameData(pieces.array))
        #expect(!after.hasAVI1 && after.missingHuffmanTables.isEmpty)
        let decoded = try JPEGDecoder().decode(FrameData(pieces.array))
        #expect(decoded.warningCount == 0)
        #expect(decoded.image == (try JPEGDecoder().decode(picture()).image))
    }
}
