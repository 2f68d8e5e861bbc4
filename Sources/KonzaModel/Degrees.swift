internal import Glibc

/// Trigonometry in degrees.
enum Degrees {
    static func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
    static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
    /// - Returns: -90 to 90.
    static func arcsine(_ sine: Double) -> Double { asin(sine) * 180 / .pi }
}
