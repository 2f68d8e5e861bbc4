import Calendars
import Foundation
import KonzaModel
import KonzaTesting
import Testing

@Suite("Time zones of calendars")
struct ZoneTests {
    private func offset(_ zone: String, _ text: String) throws -> Int {
        let zone = try #require(ZoneLookup.system.zone(zone))
        return zone.offsetSeconds(at: try #require(UTCInstant(rfc3339: text)))
    }

    @Test("have their offsets on both sides of each change, also after the last of the file")
    func offsets() throws {
        #expect(try offset("America/Chicago", "2026-03-08T07:59:59Z") == -21_600)
        #expect(try offset("America/Chicago", "2026-03-08T08:00:00Z") == -18_000)
        #expect(try offset("America/Chicago", "2026-11-01T06:59:59Z") == -18_000)
        #expect(try offset("America/Chicago", "2026-11-01T07:00:00Z") == -21_600)
        #expect(try offset("America/Chicago", "2101-07-01T00:00:00Z") == -18_000)
        #expect(try offset("America/Chicago", "2101-12-01T00:00:00Z") == -21_600)
        // South of the equator, with a change at midnight.
        #expect(try offset("America/Santiago", "2101-01-01T00:00:00Z") == -10_800)
        #expect(try offset("America/Santiago", "2101-07-01T00:00:00Z") == -14_400)
        #expect(try offset("Asia/Kathmandu", "2026-01-01T00:00:00Z") == 20_700)
        #expect(try offset("UTC", "2026-01-01T00:00:00Z") == 0)
    }

    @Test("are found by the names of the database and of Windows, and nothing else is opened")
    func names() {
        #expect(ZoneLookup.system.zone("Central Standard Time")?.name == "America/Chicago")
        #expect(ZoneLookup.system.zone("/freeassociation.sourceforge.net/America/Chicago")?.name == "America/Chicago")
        #expect(ZoneLookup.system.zone("Cen. Australia Standard Time")?.name == "Australia/Adelaide")
        for name in [
            "", "../../etc/passwd", "/etc/passwd", "Nowhere/At All", ".", "America", "America/../UTC", "tzdata.zi",
        ] {
            #expect(ZoneLookup.system.zone(name) == nil, "\(name)")
        }
    }

    @Test("a damaged file is no zone, and never a trap")
    func damage() throws {
        var generator = SeededGenerator(seed: RandomTest.seed(of: "damaged zones"))
        let good = try #require(Self.file("America/Chicago"))
        #expect(Zone(file: good, name: "x") != nil)
        for count in 0..<good.count { _ = Zone(file: Array(good.prefix(count)), name: "x") }
        for _ in 0..<2000 {
            var bad = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bad[Int.random(in: 0..<bad.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = Zone(file: bad, name: "x")?.offsetSeconds(at: UTCInstant(nanoseconds: 1_800_000_000_000_000_000))
        }
    }

    private static func file(_ name: String) -> [UInt8]? {
        try? [UInt8](Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)")))
    }
}
