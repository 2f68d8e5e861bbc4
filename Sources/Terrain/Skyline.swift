internal import Geodesy
internal import Glibc
public import KonzaModel

/// Where the ground ends and the sky begins, all around a place, as the elevations tell: they know no trees and no houses.
public struct Skyline: Sendable, Equatable {
    public struct Point: Sendable, Equatable {
        /// Degrees above the horizontal, with refraction.
        public let elevation: Double
        /// How far away it is, metres.
        public let distance: Double
        /// The height of the ground there, metres above mean sea level.
        public let ground: Double
        /// How far the elevations reach in this direction, metres.
        public let reach: Double
    }

    public let place: Coordinate
    /// The height of the eye, metres above mean sea level.
    public let height: Double
    /// At equal steps of azimuth from true north, clockwise; nil where there is no ground to look at.
    public let points: [Point?]

    /// The elevation in a direction, between the two nearest points.
    ///
    /// - Parameter azimuth: degrees from true north.
    /// - Returns: degrees; nil where one of the two points has none.
    public func elevation(azimuth: Double) -> Double? {
        guard azimuth.isFinite, !points.isEmpty else { return nil }
        let turn = azimuth / 360 - (azimuth / 360).rounded(.down)
        let index = turn * Double(points.count)
        let first = Int(index) % points.count
        guard let from = points[first], let to = points[(first + 1) % points.count] else { return nil }
        return from.elevation + (to.elevation - from.elevation) * (index - index.rounded(.down))
    }
}

/// How light goes over the ground.
public enum Refraction {
    /// The part of the Earth's curvature that light follows near the ground: 0.13, the usual value of surveyors (Gauss).
    public static let coefficient = 0.13

    /// How much higher than it is a point on the ground appears.
    ///
    /// - Parameter distance: metres.
    /// - Returns: degrees.
    public static func raising(distance: Double) -> Double {
        coefficient * distance / (2 * meanRadius) * 180 / .pi
    }

    /// IUGG, metres.
    static let meanRadius = 6_371_008.8
}

extension TerrainModel {
    /// The step along a direction, and how far one looks, metres.
    static let skylineStep = 10.0
    static let skylineReach = 15_000.0

    /// The skyline seen from a place. The last few are kept.
    ///
    /// - Parameters:
    ///   - place: where one stands.
    ///   - eye: the height of the eye above the ground, metres.
    ///   - azimuths: how many directions, 4 to 3600.
    /// - Returns: nil where the height of the ground is not known.
    public func skyline(from place: Coordinate, eye: Double = 2.5, azimuths: Int = 720) -> Skyline? {
        guard let ground = height(at: place) else { return nil }
        return skyline(from: place, height: ground + eye, azimuths: azimuths)
    }

    /// The skyline seen from a place at a height above mean sea level, metres; it need not be above known ground.
    public func skyline(from place: Coordinate, height: Double, azimuths: Int = 720) -> Skyline? {
        guard height.isFinite, abs(height) < 20_000, !grids.isEmpty else { return nil }
        let count = min(max(azimuths, 4), 3600)
        return skylines.value(SkylineCache.Key(place, height: height, azimuths: count)) {
            let path = Path(from: place)
            let points = (0..<count).map { index in
                skyline(Double(index) * 2 * .pi / Double(count), along: path, height: height)
            }
            return Skyline(place: place, height: height, points: points)
        }
    }

    /// The skyline in one direction.
    ///
    /// - Parameters:
    ///   - place: where one stands.
    ///   - height: of the eye, metres above mean sea level.
    ///   - azimuth: degrees from true north.
    /// - Returns: nil where nothing is known of the ground.
    public func horizon(from place: Coordinate, height: Double, azimuth: Double) -> Skyline.Point? {
        guard height.isFinite, azimuth.isFinite, !grids.isEmpty else { return nil }
        return skyline(azimuth * .pi / 180, along: Path(from: place), height: height)
    }

    /// The point of the skyline in one direction.
    private func skyline(_ azimuth: Double, along path: Path, height: Double) -> Skyline.Point? {
        let (east, north) = (sin(azimuth), cos(azimuth))
        var best: (slope: Double, distance: Double, ground: Double)?
        var reach = 0.0
        for step in 1...Int(Self.skylineReach / Self.skylineStep) {
            let distance = Double(step) * Self.skylineStep
            let place = path.place(east: east * distance, north: north * distance)
            guard let ground = self.height(latitude: place.latitude, longitude: place.longitude) else { break }
            reach = distance
            let slope = (ground - height - path.drop(distance)) / distance
            if slope > best?.slope ?? -.infinity { best = (slope, distance, ground) }
        }
        return best.map {
            Skyline.Point(
                elevation: atan($0.slope) * 180 / .pi, distance: $0.distance, ground: $0.ground, reach: reach)
        }
    }

    /// The highest that the ground between two places rises in sight of the first, degrees above the horizontal, with
    /// refraction: what is lower than this at the second place is hidden.
    ///
    /// - Parameters:
    ///   - place: where one stands.
    ///   - height: of the eye, metres above mean sea level.
    ///   - target: where one looks to. The last 30 m before it do not count: they belong to the target.
    /// - Returns: nil if nothing is known of the ground between.
    public func groundElevation(from place: Coordinate, height: Double, towards target: Coordinate) -> Double? {
        let path = Path(from: place)
        let distance = WGS84.chord(place, target)
        let end = min(distance - 30, 100_000)
        guard end > Self.skylineStep else { return nil }
        var best: Double?
        for step in 1...Int(end / Self.skylineStep) {
            let along = Double(step) * Self.skylineStep
            let part = along / distance
            let ground = self.height(
                latitude: place.latitude + (target.latitude - place.latitude) * part,
                longitude: place.longitude + (target.longitude - place.longitude) * part)
            guard let ground else { continue }
            best = max(best ?? -.infinity, (ground - height - path.drop(along)) / along)
        }
        return best.map { atan($0) * 180 / .pi }
    }
}

/// Ways over the ellipsoid from one place, in closed form: within a metre up to 20 km, but near the poles.
private struct Path {
    private let latitude: Double
    private let longitude: Double
    private let perNorth: Double
    private let perEast: Double
    private let narrowing: Double
    private let bending: Double
    private let curvature: Double

    init(from place: Coordinate) {
        let radians = place.latitude * .pi / 180
        let sine = sin(radians)
        let square = 1 - WGS84.eccentricitySquared * sine * sine
        let normal = WGS84.semiMajorAxis / square.squareRoot()
        let meridian = normal * (1 - WGS84.eccentricitySquared) / square
        let tangent = tan(radians)
        latitude = place.latitude
        longitude = place.longitude
        perNorth = 180 / .pi / meridian
        perEast = 180 / .pi / (normal * max(cos(radians), 1e-9))
        narrowing = tangent / meridian
        bending = tangent / (2 * normal)
        curvature = (1 - Refraction.coefficient) / (2 * (meridian * normal).squareRoot())
    }

    /// The place so many metres away: a geodesic that sets out in that direction, to the second order.
    func place(east: Double, north: Double) -> (latitude: Double, longitude: Double) {
        (
            latitude + perNorth * (north - east * east * bending),
            longitude + perEast * east * (1 + north * narrowing)
        )
    }

    /// How far the ground falls away below the horizontal, less the refraction, metres.
    func drop(_ distance: Double) -> Double { distance * distance * curvature }
}
