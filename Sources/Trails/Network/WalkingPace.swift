internal import Glibc

/// How fast people walk: W. Tobler's hiking function (1993).
enum WalkingPace {
    /// The greatest of all slopes' speeds, m/s: 6 km/h, gently downhill.
    static let greatest = 6 / 3.6
    /// Beside a trail one is slower by this factor (Tobler).
    static let offTrail = 0.6
    /// On the flat, m/s.
    static let flat = speed(slope: 0)

    /// - Parameter slope: rise over run; uphill positive. Beyond 1 the surface model is not to be believed.
    /// - Returns: m/s.
    static func speed(slope: Double) -> Double {
        greatest * exp(-3.5 * abs(min(1, max(-1, slope)) + 0.05))
    }
}
