internal import KonzaModel

/// Builds the APP1 segment with XMP (ISO 16684-1, and part 3 for JPEG): titles and places for people's programs,
/// and the position again, agreeing with EXIF to the digit.
struct XMPSegment {
    private static let prefix = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    let facts: PictureFacts

    /// The whole segment, marker included.
    ///
    /// - Throws: `tooLarge` if the texts do not fit.
    func bytes() throws(MetadataError) -> [UInt8] {
        let payload = Self.prefix + packet.utf8
        guard payload.count <= ExifSegment.largestPayload else { throw .tooLarge(segment: "XMP") }
        return [0xFF, 0xE1] + UInt16(payload.count + 2).bigEndianBytes + payload
    }

    private var packet: String {
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
            xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
            xmlns:exif="http://ns.adobe.com/exif/1.0/"
            xmlns:konza="urn:konza:position:1.0">
        \(properties)  </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>
        """
    }

    private var properties: String {
        var lines = ""
        func simple(_ name: String, _ value: String?) {
            if let value { lines += "   <\(name)>\(XMLText.escaped(value))</\(name)>\n" }
        }
        func list(_ name: String, _ kind: String, _ value: String?) {
            guard let value else { return }
            let language = kind == "Alt" ? " xml:lang=\"x-default\"" : ""
            lines +=
                "   <\(name)><rdf:\(kind)><rdf:li\(language)>\(XMLText.escaped(value))</rdf:li>"
                + "</rdf:\(kind)></\(name)>\n"
        }
        list("dc:title", "Alt", facts.title)
        list("dc:description", "Alt", facts.imageDescription)
        list("dc:creator", "Seq", facts.artist)
        list("dc:rights", "Alt", facts.copyright)
        simple("xmp:CreateDate", createDate)
        simple("photoshop:DateCreated", createDate)
        simple("xmp:CreatorTool", facts.software)
        simple("Iptc4xmpCore:Location", facts.place?.location)
        simple("photoshop:City", facts.place?.city)
        simple("photoshop:State", facts.place?.state)
        simple("photoshop:Country", facts.place?.country)
        if let gps = GPSDirectory(facts) { for (name, value) in gps.properties { simple(name, value) } }
        return lines
    }

    /// The time at the place with its offset, to the millisecond.
    private var createDate: String {
        let time = facts.localTime
        return "\(time.year.padded(4))-\(time.month.padded(2))-\(time.day.padded(2))T\(time.hour.padded(2)):"
            + "\(time.minute.padded(2)):\(time.second.padded(2)).\((time.nanosecond / 1_000_000).padded(3))"
            + facts.offsetText
    }
}

extension GPSDirectory {
    /// The same values as EXIF's; the height above the ellipsoid, which EXIF 2.32 has no place for, is our own.
    fileprivate var properties: [(String, String?)] {
        let latitude = ExactAngle(degrees: position.coordinate.latitude)
        let longitude = ExactAngle(degrees: position.coordinate.longitude)
        let altitude = position.writtenAltitude
        return [
            ("exif:GPSVersionID", "2.3.0.0"),
            ("exif:GPSLatitude", latitude.xmpText + (latitude.isNegative ? "S" : "N")),
            ("exif:GPSLongitude", longitude.xmpText + (longitude.isNegative ? "W" : "E")),
            ("exif:GPSAltitudeRef", altitude.map { $0.isBelow ? "1" : "0" }),
            ("exif:GPSAltitude", altitude?.metres.text),
            ("exif:GPSTimeStamp", position.time.rfc3339),
            ("exif:GPSStatus", "A"),
            ("exif:GPSMeasureMode", position.mode == .twoDimensional ? "2" : "3"),
            ("exif:GPSSatellites", position.satellitesUsed.map(String.init)),
            ("exif:GPSDOP", position.writtenDOP?.text),
            ("exif:GPSMapDatum", "WGS-84"),
            ("exif:GPSHPositioningError", Rational(position.accuracy?.metres, over: 100)?.text),
            ("exif:GPSProcessingMethod", position.processingMethod),
            ("konza:AltitudeHAE", position.mode == .threeDimensional ? position.altitudeHAE?.centimetres : nil),
            ("konza:GeoidSeparation", position.mode == .threeDimensional ? position.geoidSeparation?.centimetres : nil),
            ("konza:PositionMethod", position.method.rawValue),
            ("konza:PositionSource", position.source.rawValue),
            ("konza:AccuracySource", position.accuracy?.source.rawValue),
        ]
    }
}

extension Double {
    /// With two decimal places; nil if that makes no sense.
    fileprivate var centimetres: String? {
        guard isFinite, magnitude < 1e9 else { return nil }
        let hundredths = Int((magnitude * 100).rounded())
        return (self < 0 && hundredths > 0 ? "-" : "") + "\(hundredths / 100).\((hundredths % 100).padded(2))"
    }
}
