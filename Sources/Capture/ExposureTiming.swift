internal import KonzaModel

/// When a frame was exposed, on `CLOCK_MONOTONIC`.
struct Exposure: Sendable, Equatable {
    /// The best estimate of the start of the exposure.
    var start: MonotonicInstant
    /// No light of the frame is older than this. A shot is judged by it.
    var earliest: MonotonicInstant
    var source: Frame.TimestampSource
    /// The driver's timestamp claims to be monotonic and cannot be; it was not used.
    var isTimestampBad = false
}

/// Derives the time of exposure from what the driver gives, erring to the early side.
///
/// A driver's start-of-exposure timestamp is taken as it is. An end-of-frame timestamp comes after the exposure and
/// the readout, and neither lasts longer than a frame interval: the exposure began about one interval before it, two
/// at the most. Without a monotonic timestamp (v4l2loopback gives none) the same reckoning goes back from the
/// arrival; the bound then goes back from the instant when the queue was last seen empty, since a frame may have
/// waited there. The interval is the longer of the promised and the last measured one: cameras slow down in the dark.
struct ExposureTiming: Sendable {
    /// Nanoseconds from frame to frame as the driver promises it.
    private let nominalInterval: Int64
    private var measuredInterval: Int64 = 0
    private var previous: (timestamp: Int64, sequence: UInt64)?

    /// How far a timestamp may lie behind its arrival, or before it by the clock's grain, nanoseconds.
    static let oldest: Int64 = 5_000_000_000
    static let grain: Int64 = 5_000_000
    static let longestInterval: Int64 = 1_000_000_000

    init(frameRate: Double?) {
        let interval = frameRate.map { $0 > 0 ? 1e9 / $0 : 0 } ?? 0
        // Unknown: 15 frames a second, which no camera in common use falls short of by itself in daylight.
        nominalInterval = interval > 0 && interval < 1e9 ? Int64(interval) : 66_666_667
    }

    /// The frame interval reckoned with, nanoseconds.
    var interval: Int64 { max(nominalInterval, measuredInterval) }

    /// - Parameters:
    ///   - timestamp: the driver's, nanoseconds.
    ///   - flags: what the driver says of it.
    ///   - sequence: the widened frame counter.
    ///   - arrival: when the buffer was taken.
    ///   - lastEmpty: when the queue was last seen empty.
    /// - Returns: the exposure's start, with its bound.
    mutating func exposure(
        timestamp: Int64, flags: BufferFlags, sequence: UInt64, arrival: MonotonicInstant,
        lastEmpty: MonotonicInstant
    ) -> Exposure {
        guard flags.contains(.monotonic) else { return unstamped(arrival: arrival, lastEmpty: lastEmpty) }
        let (age, overflow) = arrival.nanoseconds.subtractingReportingOverflow(timestamp)
        guard !overflow, age >= -Self.grain, age <= Self.oldest else {
            previous = nil
            var exposure = unstamped(arrival: arrival, lastEmpty: lastEmpty)
            exposure.isTimestampBad = true
            return exposure
        }
        measure(timestamp, sequence)
        let instant = MonotonicInstant(nanoseconds: timestamp)
        if flags.contains(.startOfExposure) {
            return Exposure(start: instant, earliest: instant, source: .startOfExposure)
        }
        return Exposure(
            start: MonotonicInstant(nanoseconds: timestamp - interval),
            earliest: MonotonicInstant(nanoseconds: timestamp - 2 * interval), source: .endOfFrame)
    }

    /// Forgets the last frame, at the start of a stream.
    mutating func restart() {
        previous = nil
        measuredInterval = 0
    }

    private func unstamped(arrival: MonotonicInstant, lastEmpty: MonotonicInstant) -> Exposure {
        let start = MonotonicInstant(nanoseconds: arrival.nanoseconds - interval)
        let bound = MonotonicInstant(nanoseconds: min(lastEmpty, arrival).nanoseconds - 2 * interval)
        return Exposure(start: start, earliest: bound, source: .arrival)
    }

    private mutating func measure(_ timestamp: Int64, _ sequence: UInt64) {
        defer { previous = (timestamp, sequence) }
        guard let previous, sequence > previous.sequence, timestamp > previous.timestamp else { return }
        let frames = Int64(clamping: sequence - previous.sequence)
        measuredInterval = min((timestamp - previous.timestamp) / max(frames, 1), Self.longestInterval)
    }
}

/// Widens the driver's 32-bit frame counter, and counts what it says is missing.
struct SequenceCounter: Sendable, Equatable {
    private var last: UInt32?
    private(set) var value: UInt64 = 0
    private(set) var gaps: UInt64 = 0
    private(set) var lost: UInt64 = 0

    /// Takes the counter of the next frame; it may wrap, stand still (some drivers never count) or start again.
    ///
    /// - Returns: the widened counter, which always grows.
    mutating func advance(to sequence: UInt32) -> UInt64 {
        defer { last = sequence }
        guard let last else {
            value &+= 1
            return value
        }
        let step = sequence &- last
        // Half the range back is a counter that began again, not two thousand million lost frames.
        if step > 1, step < 1 << 31 {
            gaps &+= 1
            lost &+= UInt64(step - 1)
            value &+= UInt64(step)
        } else {
            value &+= 1
        }
        return value
    }

    /// The next frame's counter is unrelated to the last one's: the stream begins again.
    mutating func restart() { last = nil }
}
