public import KonzaModel

/// The names of a fleet's pictures in the object store: `SITE/BOX/YYYY/MM/ID.jpg` (`.png` for what is one), with a thumbnail beside each. The year and the
/// month are those of the id, in UTC, so that the name of a record never changes. What a box may write is all below one
/// prefix.
public enum FleetObjectKey {
    /// The only names that a box may write.
    public static func prefix(site: String, box: String) -> String { "\(site)/\(box)/" }

    /// Of a record's picture.
    ///
    /// - Parameters:
    ///   - id: the record's.
    ///   - site: of the fleet.
    ///   - box: the station.
    ///   - mediaType: of the file.
    /// - Returns: the name.
    public static func picture<Kind>(
        of id: RecordID<Kind>, site: String, box: String, mediaType: String = "image/jpeg"
    ) -> String {
        stem(of: id, site: site, box: box) + (mediaType == "image/png" ? ".png" : ".jpg")
    }

    /// Of the small picture.
    ///
    /// - Parameters:
    ///   - id: the record's.
    ///   - site: of the fleet.
    ///   - box: the station.
    /// - Returns: the name.
    public static func thumbnail<Kind>(of id: RecordID<Kind>, site: String, box: String) -> String {
        stem(of: id, site: site, box: box) + ".thumb.jpg"
    }

    private static func stem<Kind>(of id: RecordID<Kind>, site: String, box: String) -> String {
        // 48 bits of milliseconds reach beyond what nanoseconds can count; a clock that is so wrong gets the last month.
        let instant = UTCInstant(nanoseconds: Int64(clamping: id.milliseconds).multipliedClamped(by: 1_000_000))
        return prefix(site: site, box: box) + instant.rfc3339.prefix(7).replacing("-", with: "/") + "/\(id)"
    }
}
