internal import JPEGCoding
internal import KonzaModel

/// Builds the APP1 segment with EXIF 2.32 (CIPA DC-008).
struct ExifSegment {
    /// The largest payload of a JPEG segment, after its length.
    static let largestPayload = 65_533
    private static let prefix = Array("Exif\0\0".utf8)

    let facts: PictureFacts
    let width: Int
    let height: Int
    /// Whether the components are YCbCr, which asks for YCbCrPositioning.
    let isYCbCr: Bool

    /// The whole segment, marker included.
    ///
    /// - Throws: `tooLarge` if the texts alone do not fit.
    func bytes() throws(MetadataError) -> [UInt8] {
        let bare = tiff(thumbnail: nil)
        let room = Self.largestPayload - Self.prefix.count - bare.count
        guard room >= 0 else { throw .tooLarge(segment: "EXIF") }
        var payload = bare
        // The directory of the thumbnail takes about a hundred bytes.
        if let thumbnail = facts.thumbnail.flatMap({ Thumbnail.stripped($0, within: room - 128) }) {
            payload = tiff(thumbnail: thumbnail)
        }
        return [0xFF, 0xE1] + UInt16(payload.count + Self.prefix.count + 2).bigEndianBytes + Self.prefix + payload
    }

    private func tiff(thumbnail: [UInt8]?) -> [UInt8] {
        var first = mainDirectory
        let details = exifDirectory
        let gps = GPSDirectory(facts)?.directory
        // Pointers hold their place until the sizes are known; their size does not depend on their value.
        let start = 8
        let detailsOffset = start + first.byteCount + 12 * (gps == nil ? 1 : 2)
        let gpsOffset = detailsOffset + details.byteCount
        let thumbnailOffset = gpsOffset + (gps?.byteCount ?? 0)
        first.entries.append(.long(0x8769, UInt32(clamping: detailsOffset)))
        if gps != nil { first.entries.append(.long(0x8825, UInt32(clamping: gpsOffset))) }

        var bytes = Array("MM".utf8) + UInt16(42).bigEndianBytes + UInt32(start).bigEndianBytes
        bytes += first.laidOut(at: start, next: thumbnail == nil ? 0 : thumbnailOffset)
        bytes += details.laidOut(at: detailsOffset, next: 0)
        if let gps { bytes += gps.laidOut(at: gpsOffset, next: 0) }
        if let thumbnail { bytes += Self.thumbnailDirectory(thumbnail, at: thumbnailOffset) }
        return bytes
    }

    /// IFD0.
    private var mainDirectory: TIFFDirectory {
        var entries: [TIFFEntry] = []
        if let text = facts.imageDescription { entries.append(.text(0x010E, text)) }
        if let text = facts.make { entries.append(.text(0x010F, text)) }
        if let text = facts.model { entries.append(.text(0x0110, text)) }
        if (1...8).contains(facts.orientation) { entries.append(.short(0x0112, UInt16(facts.orientation))) }
        entries += Self.resolution
        if let text = facts.software { entries.append(.text(0x0131, text)) }
        entries.append(.text(0x0132, facts.exifDateTime))
        if let text = facts.artist { entries.append(.text(0x013B, text)) }
        // Centred, as JFIF has it.
        if isYCbCr { entries.append(.short(0x0213, 1)) }
        if let text = facts.copyright { entries.append(.text(0x8298, text)) }
        return TIFFDirectory(entries: entries)
    }

    /// The Exif IFD. Nothing is known of the exposure, so nothing is said.
    private var exifDirectory: TIFFDirectory {
        let fraction = (facts.localTime.nanosecond / 1_000_000).padded(3)
        var entries: [TIFFEntry] = [
            .undefined(0x9000, Array("0232".utf8)),
            .text(0x9003, facts.exifDateTime), .text(0x9004, facts.exifDateTime),
            .text(0x9010, facts.offsetText), .text(0x9011, facts.offsetText), .text(0x9012, facts.offsetText),
            .text(0x9290, fraction), .text(0x9291, fraction), .text(0x9292, fraction),
            .undefined(0xA000, Array("0100".utf8)),
            // sRGB.
            .short(0xA001, 1),
            .long(0xA002, UInt32(clamping: width)), .long(0xA003, UInt32(clamping: height)),
        ]
        if isYCbCr { entries.append(.undefined(0x9101, [1, 2, 3, 0])) }
        if let text = facts.userComment { entries.append(.undefined(0x9286, Self.comment(text))) }
        return TIFFDirectory(entries: entries)
    }

    /// The characters' code in eight bytes, then the characters without a NUL (EXIF 2.32 section 4.6.5, UserComment).
    private static func comment(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return Array("ASCII\0\0\0".utf8) + text.utf8 }
        return Array("UNICODE\0".utf8) + text.utf16.flatMap(\.bigEndianBytes)
    }

    /// 72 per inch: EXIF's word for not known.
    private static let resolution: [TIFFEntry] = [
        .rationals(0x011A, [Rational(72, 1)]), .rationals(0x011B, [Rational(72, 1)]), .short(0x0128, 2),
    ]

    /// IFD1 and the thumbnail after it.
    private static func thumbnailDirectory(_ thumbnail: [UInt8], at offset: Int) -> [UInt8] {
        var directory = TIFFDirectory(entries: [.short(0x0103, 6)] + resolution)
        directory.entries.append(.long(0x0202, UInt32(clamping: thumbnail.count)))
        let end = offset + directory.byteCount + 12
        directory.entries.append(.long(0x0201, UInt32(clamping: end)))
        return directory.laidOut(at: offset, next: 0) + thumbnail
    }
}

extension PictureFacts {
    /// `YYYY:MM:DD HH:MM:SS` at the place.
    var exifDateTime: String {
        let time = localTime
        return "\(time.year.padded(4)):\(time.month.padded(2)):\(time.day.padded(2)) "
            + "\(time.hour.padded(2)):\(time.minute.padded(2)):\(time.second.padded(2))"
    }
}
