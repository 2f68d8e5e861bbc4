import Foundation
import KonzaModel
import Testing

@Suite("RFC 3339 date-times")
struct RFC3339Tests {
    @Test(
        "are written in UTC with milliseconds",
        arguments: [
            // The epoch, a leap day, the end of a century that is no leap year, before the epoch.
            (0, "1970-01-01T00:00:00.000Z"),
            (951_827_696_789_000_000, "2000-02-29T12:34:56.789Z"),
            (4_107_542_399_999_999_999, "2100-02-28T23:59:59.999Z"),
            (-1_000_000, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func written(nanoseconds: Int64, text: String) {
        #expect(UTCInstant(nanoseconds: nanoseconds).rfc3339 == text)
    }

    @Test(
        "are read with any fraction and offset",
        arguments: [
            ("2026-05-30T14:03:07Z", "2026-05-30T14:03:07.000Z"),
            ("2026-05-30t14:03:07.25z", "2026-05-30T14:03:07.250Z"),
            ("2026-05-30 09:03:07.123456789-05:00", "2026-05-30T14:03:07.123Z"),
            ("2026-05-30T19:33:07.9999999999+05:30", "2026-05-30T14:03:07.999Z"),
            // The leap second of 2016 is POSIX's next second.
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ])
    func read(text: String, normal: String) throws {
        #expect(try #require(UTCInstant(rfc3339: text)).rfc3339 == normal)
    }

    @Test(
        "are refused when they are not whole",
        arguments: [
            "", "2026-05-30", "2026-05-30T14:03Z", "2026-05-30T14:03:07", "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z", "2026-05-30T24:00:00Z", "2026-05-30T14:03:07.Z", "2026-05-30T14:03:07Zx",
            "1500-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "２026-05-30T14:03:07Z",
        ])
    func refused(text: String) {
        #expect(UTCInstant(rfc3339: text) == nil)
    }

    @Test("agree with Foundation on every day of four centuries")
    func agreement() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for day in stride(from: -100_000, through: 100_000, by: 17) {
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
            let civil = CivilTime(UTCInstant(nanoseconds: Int64(day) * 86_400_000_000_000))
            #expect(civil.year == parts.year && civil.month == parts.month && civil.day == parts.day)
            #expect(civil.instant().nanoseconds == Int64(day) * 86_400_000_000_000)
        }
    }
}

@Suite("A coordinate")
struct CoordinateTests {
    @Test(
        "exists only with both parts in range",
        arguments: [(90.0, 180.0, true), (-90, -180, true), (90.1, 0, false), (0, 180.1, false), (.nan, 0, false)])
    func range(latitude: Double, longitude: Double, isValid: Bool) {
        #expect((Coordinate(latitude: latitude, longitude: longitude) != nil) == isValid)
    }
}
