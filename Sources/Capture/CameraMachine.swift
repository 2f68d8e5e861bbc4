internal import KonzaModel

/// The life of a camera as a value: what to do next, and what each outcome means. It knows no device.
///
/// Closed devices are tried again with a growing pause that only a good frame resets, so that a device which opens
/// and fails at once is not hammered. A silent stream is restarted at the first time-out and the device reopened at
/// the tenth in a row, as Chromium does. A queue in error is restarted once, since videobuf2 leaves that state at
/// STREAMOFF, and reopened if it fails again before a good frame.
struct CameraMachine: Sendable, Equatable {
    enum State: Sendable, Equatable {
        /// No device; nil tries at once.
        case closed(until: MonotonicInstant?)
        /// Open and not streaming.
        case resting
        case streaming
    }

    /// What to do next.
    enum Step: Sendable, Equatable {
        case open
        case waitForDevice(milliseconds: Int32)
        case startStream
        case waitForDemand(milliseconds: Int32)
        case waitForFrame(milliseconds: Int32)
        case stopStream
    }

    /// What came of it.
    enum Event: Sendable, Equatable {
        case opened
        case openFailed
        case deviceAdded
        case started
        case stopped
        /// A frame came, sound or not.
        case frame(isGood: Bool)
        case timedOut
        /// The driver's queue reports an error while the device is there (EIO, POLLERR).
        case streamBroke
        /// The device failed or is gone.
        case lost
    }

    /// What an event demands at once.
    enum Reaction: Sendable, Equatable {
        case proceed
        /// STREAMOFF and STREAMON.
        case restartStream
        case close
    }

    static let frameWait: Int32 = 1000
    static let restingWait: Int32 = 2000
    static let timeoutLimit = 10
    static let pauses: [Double] = [0.25, 0.5, 1, 2, 5]

    private(set) var state = State.closed(until: nil)
    private(set) var failuresInRow = 0
    private(set) var timeoutsInRow = 0
    private var breaksInRow = 0

    func step(now: MonotonicInstant, isWanted: Bool) -> Step {
        switch state {
        case .closed(let until):
            guard let until, until > now else { return .open }
            let milliseconds = ((until.nanoseconds - now.nanoseconds) / 1_000_000) + 1
            return .waitForDevice(milliseconds: Int32(clamping: milliseconds))
        case .resting:
            return isWanted ? .startStream : .waitForDemand(milliseconds: Self.restingWait)
        case .streaming:
            return isWanted ? .waitForFrame(milliseconds: Self.frameWait) : .stopStream
        }
    }

    mutating func handle(_ event: Event, now: MonotonicInstant) -> Reaction {
        switch event {
        case .opened, .stopped:
            state = .resting
            return .proceed
        case .openFailed, .lost:
            let wasOpen = event == .lost
            pause(from: now)
            return wasOpen ? .close : .proceed
        case .deviceAdded:
            if case .closed = state { state = .closed(until: nil) }
            return .proceed
        case .started:
            state = .streaming
            timeoutsInRow = 0
            return .proceed
        case .frame(let isGood):
            timeoutsInRow = 0
            if isGood {
                failuresInRow = 0
                breaksInRow = 0
            }
            return .proceed
        case .streamBroke:
            breaksInRow += 1
            if breaksInRow == 1 { return .restartStream }
            pause(from: now)
            return .close
        case .timedOut:
            return handleTimeout(now)
        }
    }

    private mutating func handleTimeout(_ now: MonotonicInstant) -> Reaction {
        timeoutsInRow += 1
        if timeoutsInRow >= Self.timeoutLimit {
            pause(from: now)
            return .close
        }
        return timeoutsInRow == 1 ? .restartStream : .proceed
    }

    private mutating func pause(from now: MonotonicInstant) {
        let pause = Self.pauses[min(failuresInRow, Self.pauses.count - 1)]
        failuresInRow += 1
        timeoutsInRow = 0
        breaksInRow = 0
        state = .closed(until: now.advanced(bySeconds: pause))
    }
}
