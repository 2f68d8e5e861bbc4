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
            xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
            xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/"
            xmlns:stDim="http://ns.adobe.com/xap/1.0/sType/Dimensions#"
            xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#"
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
        if let regions = facts.regions { lines += Self.regions(regions) }
        if let gps = GPSDirectory(facts) { for (name, value) in gps.properties { simple(name, value) } }
        return lines
    }

    /// The names in the picture, twice: as IPTC's Photo Metadata Standard 2019.1 has image regions, and as the Metadata Working
    /// Group's guidelines 2.0 have them, which older photo managers read. A region is a square about the place.
    private static func regions(_ regions: PictureFacts.Regions) -> String {
        let (width, height) = (Double(regions.width), Double(regions.height))
        var images = ""
        var names = ""
        for (index, region) in regions.list.enumerated() {
            let (left, right) = (max(0, region.x - region.reach), min(width, region.x + region.reach))
            let (top, bottom) = (max(0, region.y - region.reach), min(height, region.y + region.reach))
            guard right > left, bottom > top else { continue }
            let name = XMLText.escaped(region.name)
            images += """
                    <rdf:li rdf:parseType="Resource">
                     <Iptc4xmpExt:RegionBoundary rdf:parseType="Resource">
                      <Iptc4xmpExt:rbShape>rectangle</Iptc4xmpExt:rbShape>
                      <Iptc4xmpExt:rbUnit>relative</Iptc4xmpExt:rbUnit>
                      <Iptc4xmpExt:rbX>\(part(left, width))</Iptc4xmpExt:rbX>
                      <Iptc4xmpExt:rbY>\(part(top, height))</Iptc4xmpExt:rbY>
                      <Iptc4xmpExt:rbW>\(part(right - left, width))</Iptc4xmpExt:rbW>
                      <Iptc4xmpExt:rbH>\(part(bottom - top, height))</Iptc4xmpExt:rbH>
                     </Iptc4xmpExt:RegionBoundary>
                     <Iptc4xmpExt:rId>label-\(index + 1)</Iptc4xmpExt:rId>
                     <Iptc4xmpExt:Name><rdf:Alt><rdf:li xml:lang="x-default">\(name)</rdf:li></rdf:Alt></Iptc4xmpExt:Name>
                    </rdf:li>

                """
            names += """
                     <rdf:li rdf:parseType="Resource">
                      <mwg-rs:Area stArea:x="\(part((left + right) / 2, width))" stArea:y="\(part((top + bottom) / 2, height))"
                        stArea:w="\(part(right - left, width))" stArea:h="\(part(bottom - top, height))" stArea:unit="normalized"/>
                      <mwg-rs:Name>\(name)</mwg-rs:Name>
                     </rdf:li>

                """
        }
        guard !images.isEmpty else { return "" }
        return """
               <Iptc4xmpExt:ImageRegion>
                <rdf:Bag>
            \(images)    </rdf:Bag>
               </Iptc4xmpExt:ImageRegion>
               <mwg-rs:Regions rdf:parseType="Resource">
                <mwg-rs:AppliedToDimensions stDim:w="\(regions.width)" stDim:h="\(regions.height)" stDim:unit="pixel"/>
                <mwg-rs:RegionList>
                 <rdf:Bag>
            \(names)     </rdf:Bag>
                </mwg-rs:RegionList>
               </mwg-rs:Regions>

            """
    }

    /// A part of a length, 0 to 1, with six decimal places.
    private static func part(_ value: Double, _ whole: Double) -> String {
        let millionths = Int((min(1, max(0, value / whole)) * 1e6).rounded())
        return "\(millionths / 1_000_000).\((millionths % 1_000_000).padded(6))"
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
