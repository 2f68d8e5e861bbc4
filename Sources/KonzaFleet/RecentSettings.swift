internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Synchronization

/// The configuration as it was a few seconds ago at most: it is asked for with every message.
final class RecentSettings: Sendable {
    /// How old it may be, seconds.
    private static let period = 5.0

    private struct Read {
        var settings: StationSettings
        var at: MonotonicInstant
    }

    private let file: SettingsFile
    private let clock = SystemClock()
    private let read: Mutex<Read>

    init(_ file: SettingsFile) {
        self.file = file
        read = Mutex(Read(settings: file.latest(), at: clock.monotonic()))
    }

    var current: StationSettings {
        let now = clock.monotonic()
        return read.withLock { read in
            if now.seconds(since: read.at) >= Self.period { read = Read(settings: file.latest(), at: now) }
            return read.settings
        }
    }
}
