package import KonzaModel
internal import Synchronization

/// A count of the nanoseconds for which the archive was open, through restarts: by it requests' keys grow old. It goes
/// on with the steady clock alone, so a wall clock that is set, in whatever direction, ends no key before its time.
///
/// After a restart it goes on from the newest key. The first archive's count begins with the time of day, as keys of
/// earlier versions have it.
package final class OperatingTime: Sendable {
    /// A reading, in nanoseconds.
    package struct Reading: Sendable, Hashable {
        package let nanoseconds: Int64
    }

    /// 2100-01-01: a clock that is further ahead is wrong, and the count must not begin near its end.
    private static let latestStart: Int64 = 4_102_444_800_000_000_000

    private let clock: any StationClock
    private let state: Mutex<(base: Int64, since: MonotonicInstant, hasGoneOn: Bool)>

    package init(clock: any StationClock) {
        self.clock = clock
        let start = min(max(0, clock.utc().nanoseconds), Self.latestStart)
        state = Mutex((start, clock.monotonic(), false))
    }

    package var now: Reading {
        let now = clock.monotonic()
        return state.withLock { state in
            let passed = max(0, now.nanoseconds.subtractingClamped(state.since.nanoseconds))
            return Reading(nanoseconds: state.base.addingClamped(passed))
        }
    }

    /// An index was opened.
    ///
    /// - Parameter newest: of the keys in it; nil without any.
    package func goOn(from newest: Reading?) {
        guard let newest else { return }
        let (reached, at) = (now.nanoseconds, clock.monotonic())
        state.withLock { state in
            state = (state.hasGoneOn ? max(newest.nanoseconds, reached) : newest.nanoseconds, at, true)
        }
    }
}
