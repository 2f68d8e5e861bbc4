internal import Geodesy
internal import KonzaModel

/// Two fixes that cannot both be right: between them lies more than anything moves in the time between them.
///
/// Seconds are those of the steady clock, since a receiver that is wrong about the place may be wrong about the time. At least one
/// second is allowed for, so that an outlier of some hundred metres at ten fixes a second, which honest receivers have in
/// a street or below a cliff, is none.
struct ImpossibleStep: Equatable {
    /// Metres, and the seconds between the arrivals.
    var metres: Double
    var seconds: Double
    var at: MonotonicInstant

    /// What vehicles and aircraft keep below, m/s; a receiver that says that it is faster, as one on a rocket does, is allowed its
    /// own speed besides.
    private static let fastest = 1000.0
    /// No receiver's own speed counts beyond it, m/s: that of leaving the Earth.
    private static let fastestTold = 11_200.0
    /// How far off a fix may be that tells no error, metres.
    private static let unknownError = 100.0

    /// - Returns: nil if both can be right, or are not of live receivers.
    init?(from earlier: Fix, to later: Fix) {
        guard earlier.source == .live, later.source == .live, let from = earlier.coordinate, let to = later.coordinate
        else { return nil }
        let distance = WGS84.chord(from, to)
        let between = max(0, later.arrival.seconds(since: earlier.arrival))
        let told = min(max(earlier.speed ?? 0, later.speed ?? 0), Self.fastestTold)
        let errors = [earlier, later].reduce(0.0) { $0 + 3 * ($1.horizontalAccuracy?.metres ?? Self.unknownError) }
        guard distance > errors + (Self.fastest + told) * max(1, between) else { return nil }
        (metres, seconds, at) = (distance, between, later.arrival)
    }
}
