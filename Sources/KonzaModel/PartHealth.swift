/// How one part of the station is, with a single reason that every surface repeats: the API, the placeholder
/// picture, `systemctl status`, the watchdog.
public struct PartHealth: Sendable, Equatable, Codable {
    public enum Level: String, Sendable, Codable, Comparable {
        case ok
        case degraded
        case failed

        public static func < (left: Level, right: Level) -> Bool { left.order < right.order }

        private var order: Int {
            switch self {
            case .ok: 0
            case .degraded: 1
            case .failed: 2
            }
        }
    }

    public var level: Level
    /// A stable name for programs, such as `camera-disconnected`.
    public var kind: String
    /// One sentence for people: what is wrong, why, and what to do about it.
    public var reason: String

    public init(level: Level, kind: String, reason: String) {
        self.level = level
        self.kind = kind
        self.reason = reason
    }

    public static func ok(_ reason: String) -> PartHealth { PartHealth(level: .ok, kind: "ok", reason: reason) }
}
