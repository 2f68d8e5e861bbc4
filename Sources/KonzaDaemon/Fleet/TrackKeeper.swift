internal import FleetMessaging
internal import Forwarding
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Settings
internal import Storage
internal import Synchronization

/// Puts the station's way and counts of each hour into the fleet's outbox. What is not an hour yet is lost with the power; an orderly
/// stop ends the hour early.
final class TrackKeeper: Service {
    let name = "fleet-track"

    /// Seconds between two looks at the track, which reaches back half an hour.
    private static let period = 60.0
    /// What one message covers, seconds.
    static let hour = 3600.0

    /// The hour that is not over yet.
    private struct Hour {
        let from: UTCInstant
        let begun: MonotonicInstant
        var way = Way()
    }

    private struct State {
        var hour: Hour?
        /// The last fix that was looked at.
        var seen: UTCInstant?
    }

    private let parts: StationParts
    private let counters: CounterBox
    /// Something was put into the outbox.
    private let onKept: @Sendable () -> Void
    private let state = Mutex(State())

    init(parts: StationParts, counters: CounterBox, onKept: @escaping @Sendable () -> Void) {
        self.parts = parts
        self.counters = counters
        self.onKept = onKept
    }

    func run() async throws {
        while !Task.isCancelled {
            let now = parts.clock.monotonic()
            look(at: now)
            if let hour = over(at: now) { await keep(hour) }
            try await parts.clock.sleep(until: now.advanced(bySeconds: Self.period))
        }
    }

    /// The station stops: what there is of the hour is kept.
    func finish() async {
        let now = parts.clock.monotonic()
        look(at: now)
        if let hour = over(at: now, evenEarly: true) { await keep(hour) }
    }

    private func look(at now: MonotonicInstant) {
        guard parts.settings.current.fleet.broker != nil else { return state.withLock { $0.hour = nil } }
        let fixes = parts.board.fixes(since: state.withLock { $0.seen })
        let start = parts.time.now().instant
        state.withLock { state in
            var hour = state.hour ?? Hour(from: start, begun: now)
            for point in fixes { hour.way.add(point) }
            state.seen = fixes.last?.time ?? state.seen
            state.hour = hour
        }
    }

    private func over(at now: MonotonicInstant, evenEarly isEarly: Bool = false) -> Hour? {
        state.withLock { state in
            guard let hour = state.hour, isEarly || now.seconds(since: hour.begun) >= Self.hour else { return nil }
            state.hour = nil
            return hour
        }
    }

    private func keep(_ hour: Hour) async {
        let now = parts.time.now()
        let track = FleetTrack(
            id: SpecimenID.random(at: now.instant).description, createdAt: now.instant,
            timeSource: now.source.rawValue, from: hour.from, to: now.instant, points: hour.way.points.map(Self.point),
            counters: FleetMetrics.body(of: counters.text))
        do {
            let body = try Response.encode(track)
            let isKept = try await parts.onOutbox { archive throws(StorageError) in try archive.addTrack(track.id, body)
            }
            if isKept { onKept() }
        } catch {
            parts.log(.warning, "an hour of the track is not kept for the fleet: \(error)")
        }
    }

    /// What is worth its bytes.
    private static func point(_ point: TrackPoint) -> PositionReply {
        var reply = PositionReply(state: .fix)
        reply.timestamp = point.time
        reply.latitude = point.coordinate.latitude
        reply.longitude = point.coordinate.longitude
        reply.altitudeMSL = point.altitudeMSL
        reply.accuracy = point.horizontalAccuracy?.metres
        reply.speed = point.speed
        reply.source = point.source
        return reply
    }
}
