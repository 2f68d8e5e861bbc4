/// How the position is judged and kept. Every duration is in seconds.
public struct PositionSettings: Sendable, Equatable {
    /// A fix older than this is no longer shown as live.
    public var staleAfterSeconds: Double
    /// The least time without a word after which gpsd, or a receiver, counts as silent. A receiver that reports
    /// slowly is given twice its cycle.
    public var silentAfterSeconds: Double
    /// How far back the track reaches.
    public var trackSeconds: Double
    /// The most points that the track holds, whatever the rate.
    public var trackPoints: Int
    /// The widest gap between two fixes that is interpolated.
    public var largestGapSeconds: Double
    /// The furthest beyond the newest fix that is extrapolated.
    public var largestExtrapolationSeconds: Double
    /// How far the receiver's time may run ahead of the steady clock between two epochs before the track is begun
    /// anew, as it is when the time goes back: the date of another GPS week, a recording that starts over.
    public var largestClockStepSeconds: Double

    public init(
        staleAfterSeconds: Double = 2.5, silentAfterSeconds: Double = 3, trackSeconds: Double = 1800,
        trackPoints: Int = 18_000, largestGapSeconds: Double = 10, largestExtrapolationSeconds: Double = 2,
        largestClockStepSeconds: Double = 60
    ) {
        self.staleAfterSeconds = staleAfterSeconds
        self.silentAfterSeconds = silentAfterSeconds
        self.trackSeconds = trackSeconds
        self.trackPoints = trackPoints
        self.largestGapSeconds = largestGapSeconds
        self.largestExtrapolationSeconds = largestExtrapolationSeconds
        self.largestClockStepSeconds = largestClockStepSeconds
    }
}
