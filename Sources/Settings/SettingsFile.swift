public import KonzaSystem
internal import Synchronization

/// The configuration, read anew when it is asked for. What cannot be read leaves the last good one in place.
public final class SettingsFile: Sendable {
    private struct State {
        var good: StationSettings?
        var complained = ""
    }

    private let path: String
    private let log: Log
    private let state: Mutex<State>

    /// - Parameters:
    ///   - path: of the file.
    ///   - log: for what is wrong with it, once.
    public init(path: String, log: Log) {
        self.path = path
        self.log = log
        state = Mutex(State())
        _ = latest()
    }

    /// The last good one; nil before any.
    public var current: StationSettings? { state.withLock { $0.good } }

    /// The file as it is now, or the last good one.
    public func latest() -> StationSettings {
        do throws(SettingsErrors) {
            let settings = try StationSettings.load(path: path)
            state.withLock { $0 = State(good: settings) }
            return settings
        } catch {
            let words = error.problems.map(\.description).joined(separator: "; ")
            let isNew = state.withLock { state in
                defer { state.complained = words }
                return state.complained != words
            }
            if isNew { log(.error, words) }
            return current ?? StationSettings()
        }
    }
}
