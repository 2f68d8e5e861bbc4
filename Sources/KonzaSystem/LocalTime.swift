internal import Glibc
public import KonzaModel

/// The station's civil time, by the system's time zone database (tzfile(5)).
public enum LocalTime {
    /// Chooses the time zone for the process, by its name in the database. An empty name keeps the system's zone.
    /// Call once, before any other thread runs.
    ///
    /// - Returns: false if the database has no such zone.
    public static func setZone(_ name: String) -> Bool {
        guard !name.isEmpty else {
            tzset()
            return true
        }
        guard !name.hasPrefix("/"), !name.contains(".."),
            unsafe access("/usr/share/zoneinfo/\(name)", R_OK) == 0
        else { return false }
        unsafe setenv("TZ", ":\(name)", 1)
        tzset()
        return true
    }

    /// The zone as the time zone database names it: the one that was set, or the system's (localtime(5)).
    ///
    /// - Returns: nil if the system does not say.
    public static var zoneName: String? {
        if let set = unsafe getenv("TZ").map({ unsafe String(cString: $0) }), !set.isEmpty {
            return String(set.drop { $0 == ":" })
        }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/etc/localtime", &bytes, bytes.count)
        guard count > 0 else { return nil }
        let path = String(decoding: bytes.prefix(count), as: UTF8.self)
        return path.firstRange(of: "zoneinfo/").map { String(path[$0.upperBound...]) }
    }

    /// The local offset from UTC at an instant, in seconds east.
    public static func offsetSeconds(at instant: UTCInstant) -> Int {
        var seconds = time_t(instant.nanoseconds / 1_000_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe parts.tm_gmtoff
    }

    /// The local time to the minute with its zone, for people: `2026-11-25 09:15 CST`, and `UTC-03` where the zone has no name.
    public static func text(_ instant: UTCInstant) -> String {
        var seconds = time_t(instant.nanoseconds / 1_000_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return instant.rfc3339 }
        let name = unsafe parts.tm_zone.map { unsafe String(cString: $0) } ?? ""
        let civil = CivilTime(instant, offsetSeconds: unsafe parts.tm_gmtoff)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let zone = name.first?.isLetter == true ? name : "UTC\(name)"
        return "\(civil.year)-\(two(civil.month))-\(two(civil.day)) \(two(civil.hour)):\(two(civil.minute)) \(zone)"
    }
}
