internal import JSONCoding
internal import KonzaAPI
internal import KonzaModel

/// Texts for the tables.
enum HubText {
    /// Whether a JSON text has an escaped NUL character (RFC 8259 section 7); an unescaped one is no JSON.
    static func hasNUL(_ json: [UInt8]) -> Bool {
        let escape = Array("u0000".utf8)
        var at = 0
        while at < json.count {
            guard json[at] == UInt8(ascii: "\\") else {
                at += 1
                continue
            }
            if json[(at + 1)...].starts(with: escape) { return true }
            at += 2
        }
        return false
    }

    /// `YYYY-MM-DD` in UTC, as PostgreSQL reads it, also beyond the year 9999.
    static func day(milliseconds: UInt64) -> String {
        let days = Int(milliseconds / 86_400_000)
        // Of the days that an instant can hold, the calendar knows; a ULID's clock can be wrong by more.
        guard days < 100_000 else { return "infinity" }
        return day(UTCInstant(nanoseconds: Int64(days) * 86_400_000_000_000))
    }

    static func day(_ instant: UTCInstant) -> String { String(instant.rfc3339.prefix(10)) }

    static func json(_ value: JSONValue) -> String {
        // A value that was read can be written.
        String(decoding: (try? JSONText.encode(value)) ?? Array("{}".utf8), as: UTF8.self)
    }
}
