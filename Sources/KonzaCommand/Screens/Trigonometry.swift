internal import Glibc

/// The C library's functions, so that a screen does not import it.
enum Trigonometry {
    static func sine(_ angle: Double) -> Double { sin(angle) }
    static func cosine(_ angle: Double) -> Double { cos(angle) }

    /// The distance between two places on a sphere of the Earth's mean radius, metres (haversine).
    static func distance(
        _ first: (latitude: Double, longitude: Double), _ second: (latitude: Double, longitude: Double)
    ) -> Double {
        let radians = Double.pi / 180
        let north = sin((second.latitude - first.latitude) * radians / 2)
        let east = sin((second.longitude - first.longitude) * radians / 2)
        let square = north * north + cos(first.latitude * radians) * cos(second.latitude * radians) * east * east
        return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
    }
}
