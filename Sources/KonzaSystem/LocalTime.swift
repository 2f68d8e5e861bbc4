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

    /// The local offset from UTC at an instant, in seconds east.
    public static func offsetSeconds(at instant: UTCInstant) -> Int {
        var seconds = time_t(instant.nanoseconds / 1_000_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe parts.tm_gmtoff
    }
}
