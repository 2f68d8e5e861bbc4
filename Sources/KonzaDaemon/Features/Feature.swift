internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Settings

/// One noun of the station, as the daemon knows it: what it adds to the API, to the health and the metrics, and what it
/// does while the daemon lives. The station has a list of them and knows no noun itself.
struct Feature: Sendable {
    /// A part of the station that says how it is.
    struct Part: Sendable {
        /// As the status, the events and the metrics name it.
        let name: String
        let health: @Sendable () -> PartHealth

        init(_ name: String, health: @escaping @Sendable () -> PartHealth) {
            self.name = name
            self.health = health
        }
    }

    let name: String
    var routes: [Route] = []
    var parts: [Part] = []
    /// Writes its counts.
    var metrics: @Sendable (inout MetricsText) -> Void = { _ in }
    /// What runs as a task for as long as the daemon lives.
    var services: [any Service] = []
    /// Begins what has a thread of its own; before the services.
    var start: @Sendable () -> Void = {}
    /// Takes settings that have changed: what they were, and what they are. May wait for the disk.
    var reload: @Sendable (_ old: StationSettings, _ new: StationSettings) -> Void = { _, _ in }
    /// Ends, within so many seconds, what is under way, while requests are still answered.
    var finish: @Sendable (_ graceSeconds: Double) async -> Void = { _ in }
    /// Ends the rest, when nobody asks any more.
    var stop: @Sendable () async -> Void = {}

    init(_ name: String) {
        self.name = name
    }
}

/// How each part of the station is, in the order of the features.
struct StationHealth: Sendable {
    let parts: [Feature.Part]

    var current: [(part: String, health: PartHealth)] { parts.map { ($0.name, $0.health()) } }

    /// The worst of the parts, in one sentence for all that are not well.
    static func overall(_ parts: [(part: String, health: PartHealth)]) -> PartHealth {
        let unwell = parts.filter { $0.health.level != .ok }
        guard let worst = unwell.max(by: { $0.health.level < $1.health.level }) else { return .ok("all is well") }
        return PartHealth(
            level: worst.health.level, kind: worst.health.kind,
            reason: unwell.map { "\($0.part): \($0.health.reason)" }.joined(separator: "; "))
    }

    /// One line for `systemctl status`.
    static func summary(_ parts: [(part: String, health: PartHealth)]) -> String {
        let overall = overall(parts)
        return overall.level == .ok ? "all is well" : String(overall.reason.prefix(400))
    }
}
