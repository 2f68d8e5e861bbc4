internal import Glibc

extension Coordinate {
    /// The mean radius of the Earth (IUGG), metres.
    private static let meanRadius = 6_371_008.8

    /// The way to another place over a sphere of the Earth's mean radius, metres: within 0.6 % of the way over the
    /// ellipsoid.
    public func distance(to other: Coordinate) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let sineLatitude = sin(radians(other.latitude - latitude) / 2)
        let sineLongitude = sin(radians(other.longitude - longitude) / 2)
        // Haversine: exact for small distances, where the law of cosines is not.
        let h =
            sineLatitude * sineLatitude
            + cos(radians(latitude)) * cos(radians(other.latitude)) * sineLongitude * sineLongitude
        return 2 * Self.meanRadius * asin(min(1, h.squareRoot()))
    }

    /// The direction in which a great circle to another place sets out, degrees from true north, 0 up to 360.
    public func bearing(to other: Coordinate) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let turn = radians(other.longitude - longitude)
        let east = sin(turn) * cos(radians(other.latitude))
        let north =
            cos(radians(latitude)) * sin(radians(other.latitude))
            - sin(radians(latitude)) * cos(radians(other.latitude)) * cos(turn)
        let degrees = atan2(east, north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// The length of a degree of longitude at a latitude, metres.
    public static func lengthOfLongitudeDegree(at latitude: Double) -> Double {
        meanRadius * .pi / 180 * max(0, cos(latitude * .pi / 180))
    }
}
