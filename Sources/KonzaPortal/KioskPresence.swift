internal import KonzaModel
internal import Synchronization

/// What the kiosk's page last said of itself, kept in memory. The session of the kiosk's browser reads it in `GET /health`,
/// and starts the browser anew when the page falls silent: a page that has crashed does not heal by itself.
final class KioskPresence: Sendable {
    /// One heartbeat of the page: sent every 10 seconds, and only after the browser has drawn a frame.
    struct Heartbeat: Sendable, Equatable {
        /// The screen that is shown.
        let screen: String
        /// Of the pages that the browser runs.
        let build: String
        /// Whether nobody is using it.
        let isIdle: Bool
    }

    /// For monitors. Without a heartbeat since the portal started there is no screen.
    struct Report: Encodable, Sendable, Equatable {
        private enum CodingKeys: String, CodingKey {
            case silentSeconds, screen, build
            case isIdle = "idle"
        }

        /// Whole seconds since the last heartbeat, or since the portal started.
        let silentSeconds: Int
        let screen: String?
        let build: String?
        let isIdle: Bool
    }

    private let clock: any StationClock
    private let last: Mutex<(heartbeat: Heartbeat?, at: MonotonicInstant)>

    init(clock: any StationClock) {
        self.clock = clock
        last = Mutex((nil, clock.monotonic()))
    }

    func note(_ heartbeat: Heartbeat) {
        let now = clock.monotonic()
        last.withLock { $0 = (heartbeat, now) }
    }

    var report: Report {
        let (heartbeat, at) = last.withLock { $0 }
        return Report(
            silentSeconds: Int(clock.monotonic().seconds(since: at)), screen: heartbeat?.screen,
            build: heartbeat?.build,
            isIdle: heartbeat?.isIdle ?? false)
    }
}
