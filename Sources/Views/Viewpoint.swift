internal import Astronomy
public import Geodesy
internal import Glibc
public import KonzaModel
public import Terrain

/// Where a fixed camera hangs, and what can be seen from there.
public struct Viewpoint: Sendable, Equatable, Codable {
    /// Hidden by so much, and it is labelled all the same: the elevations are not better, degrees.
    static let tolerance = 0.1
    /// As far away as the sky is put, metres.
    private static let sky = 1e10

    public var latitude: Double
    public var longitude: Double
    /// Of the camera, metres above mean sea level.
    public var height: Double
    /// Standard deviations, metres.
    public var horizontalError: Double
    public var verticalError: Double

    public init(place: Coordinate, height: Double, horizontalError: Double, verticalError: Double) {
        (latitude, longitude) = (place.latitude, place.longitude)
        (self.height, self.horizontalError, self.verticalError) = (height, horizontalError, verticalError)
    }

    public var place: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }

    /// A place as the camera sees it: east, north, up, raised by the refraction.
    ///
    /// - Parameters:
    ///   - target: where it is.
    ///   - top: metres above mean sea level.
    /// - Returns: nil if this viewpoint is nowhere.
    public func vector(to target: Coordinate, top: Double) -> Vector? {
        guard let place else { return nil }
        let frame = LocalFrame(at: place, height: height)
        var local = frame.local(direction: WGS84.earthCentred(target, height: top) - frame.origin)
        local.z += local.length * tan(Refraction.raising(distance: local.length) * .pi / 180)
        return local
    }

    /// A direction as the camera sees it.
    ///
    /// - Parameters:
    ///   - azimuth: degrees from true north.
    ///   - elevation: degrees, with refraction.
    /// - Returns: a vector as long as nothing on the ground.
    public static func vector(azimuth: Double, elevation: Double) -> Vector {
        let (a, e) = (azimuth * .pi / 180, elevation * .pi / 180)
        return Vector(x: sky * sin(a) * cos(e), y: sky * cos(a) * cos(e), z: sky * sin(e))
    }

    /// The sun or the moon as the camera sees it at an instant; nil if this viewpoint is nowhere.
    public func vector(toMoon isMoon: Bool, at instant: UTCInstant) -> Vector? {
        guard let place else { return nil }
        let body: CelestialBody = isMoon ? .moon : .sun
        let found = body.horizontal(from: place, height: height, at: instant)
        let raised = found.elevation + Atmosphere().refraction(elevation: found.elevation)
        return Self.vector(azimuth: found.azimuth, elevation: raised)
    }

    /// Degrees from true north and above the horizontal.
    public static func direction(of vector: Vector) -> (azimuth: Double, elevation: Double) {
        (
            Course.degrees(east: vector.x, north: vector.y),
            atan2(vector.z, hypot(vector.x, vector.y)) * 180 / .pi
        )
    }

    /// Whether the ground between does not hide a place.
    public func sees(_ target: Coordinate, _ vector: Vector, over terrain: TerrainModel) -> Bool {
        guard let place,
            let ground = terrain.groundElevation(from: place, height: height, towards: target)
        else { return true }
        return Self.direction(of: vector).elevation >= ground - Self.tolerance
    }

    /// Whether the ground does not hide a direction of the sky.
    public func sees(_ vector: Vector, over terrain: TerrainModel) -> Bool {
        let (azimuth, elevation) = Self.direction(of: vector)
        guard let place, let ground = terrain.horizon(from: place, height: height, azimuth: azimuth) else {
            return elevation > 0
        }
        return elevation >= ground.elevation - Self.tolerance
    }
}
