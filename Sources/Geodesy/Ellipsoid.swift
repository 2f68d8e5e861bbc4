internal import Glibc
public import KonzaModel

/// A vector in an earth-centred, earth-fixed or a local frame, metres or m/s.
@frozen
public struct Vector: Equatable, Sendable {
    public var x: Double
    public var y: Double
    public var z: Double

    @inlinable
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    public static let zero = Vector(x: 0, y: 0, z: 0)

    public var length: Double { (x * x + y * y + z * z).squareRoot() }

    @inlinable
    public static func + (left: Vector, right: Vector) -> Vector {
        Vector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
    }

    @inlinable
    public static func - (left: Vector, right: Vector) -> Vector {
        Vector(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
    }

    @inlinable
    public static func * (left: Vector, factor: Double) -> Vector {
        Vector(x: left.x * factor, y: left.y * factor, z: left.z * factor)
    }
}

/// The WGS 84 ellipsoid (NIMA TR8350.2).
public enum WGS84 {
    /// Metres.
    public static let semiMajorAxis = 6_378_137.0
    public static let flattening = 1 / 298.257_223_563
    /// Metres.
    public static let semiMinorAxis = semiMajorAxis * (1 - flattening)
    public static let eccentricitySquared = flattening * (2 - flattening)
    static let secondEccentricitySquared = eccentricitySquared / (1 - eccentricitySquared)

    /// Earth-centred coordinates of a place at a height above the ellipsoid.
    public static func earthCentred(_ place: Coordinate, height: Double = 0) -> Vector {
        let latitude = place.latitude * .pi / 180
        let longitude = place.longitude * .pi / 180
        let sine = sin(latitude)
        let normal = semiMajorAxis / (1 - eccentricitySquared * sine * sine).squareRoot()
        let equatorial = (normal + height) * cos(latitude)
        return Vector(
            x: equatorial * cos(longitude), y: equatorial * sin(longitude),
            z: (normal * (1 - eccentricitySquared) + height) * sine)
    }

    /// The place below or above an earth-centred point, by Bowring's formula twice (Survey Review 28, 1985); near
    /// the surface that is exact to well below a micrometre, at the poles too.
    public static func place(_ point: Vector) -> Coordinate? {
        let equatorial = hypot(point.x, point.y)
        var reduced = atan2(point.z * semiMajorAxis, equatorial * semiMinorAxis)
        var latitude = 0.0
        for _ in 0..<2 {
            let sine = sin(reduced)
            let cosine = cos(reduced)
            latitude = atan2(
                point.z + secondEccentricitySquared * semiMinorAxis * sine * sine * sine,
                equatorial - eccentricitySquared * semiMajorAxis * cosine * cosine * cosine)
            reduced = atan((1 - flattening) * tan(latitude))
        }
        let longitude = equatorial > 0 ? atan2(point.y, point.x) : 0
        return Coordinate(latitude: latitude * 180 / .pi, longitude: longitude * 180 / .pi)
    }

    /// The straight distance between two places, metres: within a millimetre of the geodesic up to 10 km.
    public static func chord(_ first: Coordinate, _ second: Coordinate) -> Double {
        (earthCentred(second) - earthCentred(first)).length
    }
}

/// The directions east, north and up at a place, in the earth-centred frame.
public struct LocalFrame: Sendable {
    /// Earth-centred.
    public let origin: Vector
    private let east: Vector
    private let north: Vector
    private let up: Vector

    /// - Parameters:
    ///   - place: where it is.
    ///   - height: above the ellipsoid, metres.
    public init(at place: Coordinate, height: Double = 0) {
        let latitude = place.latitude * .pi / 180
        let longitude = place.longitude * .pi / 180
        origin = WGS84.earthCentred(place, height: height)
        east = Vector(x: -sin(longitude), y: cos(longitude), z: 0)
        north = Vector(
            x: -sin(latitude) * cos(longitude), y: -sin(latitude) * sin(longitude), z: cos(latitude))
        up = Vector(x: cos(latitude) * cos(longitude), y: cos(latitude) * sin(longitude), z: sin(latitude))
    }

    /// East, north, up to earth-centred, for a direction.
    public func earthCentred(direction local: Vector) -> Vector { east * local.x + north * local.y + up * local.z }

    /// Earth-centred to east, north, up, for a direction.
    public func local(direction global: Vector) -> Vector {
        Vector(x: dot(east, global), y: dot(north, global), z: dot(up, global))
    }

    private func dot(_ left: Vector, _ right: Vector) -> Double {
        left.x * right.x + left.y * right.y + left.z * right.z
    }
}

/// Angles of travel.
public enum Course {
    /// The velocity over ground as east, north, up.
    public static func velocity(speed: Double, track: Double, climb: Double = 0) -> Vector {
        let angle = track * .pi / 180
        return Vector(x: speed * sin(angle), y: speed * cos(angle), z: climb)
    }

    /// Degrees from true north, 0 up to 360, of a direction east and north.
    public static func degrees(east: Double, north: Double) -> Double {
        let angle = atan2(east, north) * 180 / .pi
        return angle < 0 ? angle + 360 : angle
    }
}
