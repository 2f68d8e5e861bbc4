internal import Geodesy
internal import Glibc
package import KonzaModel

/// A point of the plane that touches the ellipsoid in the middle of the network: metres east and north.
package struct PlanePoint: Sendable, Equatable {
    package var east: Double
    package var north: Double

    package init(_ east: Double, _ north: Double) {
        self.east = east
        self.north = north
    }

    func distance(to other: PlanePoint) -> Double {
        let (x, y) = (other.east - east, other.north - north)
        return (x * x + y * y).squareRoot()
    }

    /// Degrees from north, 0 up to 360.
    func bearing(to other: PlanePoint) -> Double {
        Course.degrees(east: other.east - east, north: other.north - north)
    }
}

/// Coordinates on the plane at a place: east and north of the local frame, heights 0. Five kilometres from the place
/// lengths are right to a millimetre.
package struct LocalPlane: Sendable {
    private let frame: LocalFrame

    package init(at place: Coordinate) {
        frame = LocalFrame(at: place)
    }

    package func point(_ place: Coordinate) -> PlanePoint {
        let local = frame.local(direction: WGS84.earthCentred(place) - frame.origin)
        return PlanePoint(local.x, local.y)
    }

    /// The place on the ellipsoid above or below a point of the plane.
    package func coordinate(_ point: PlanePoint) -> Coordinate? {
        // The plane is above the ellipsoid by the square of the distance over the diameter.
        let square = point.east * point.east + point.north * point.north
        let down = square / (2 * WGS84.semiMajorAxis)
        return WGS84.place(
            frame.origin + frame.earthCentred(direction: Vector(x: point.east, y: point.north, z: -down)))
    }
}

/// Where a point is nearest to a line from `start` to `end`.
struct Foot {
    /// 0 at the start, 1 at the end.
    let share: Double
    /// Of the point from the line, metres, squared.
    let squaredDistance: Double
    /// Above 0: the point is left of the line.
    let side: Double

    init(of point: PlanePoint, on start: PlanePoint, _ end: PlanePoint) {
        let (dx, dy) = (end.east - start.east, end.north - start.north)
        let (px, py) = (point.east - start.east, point.north - start.north)
        let square = dx * dx + dy * dy
        share = square > 0 ? min(1, max(0, (px * dx + py * dy) / square)) : 0
        let (rx, ry) = (px - share * dx, py - share * dy)
        squaredDistance = rx * rx + ry * ry
        side = dx * py - dy * px
    }
}

extension Coordinate {
    /// The place a share of the way to another one, for ways of a few kilometres.
    func between(_ other: Coordinate, share: Double) -> Coordinate {
        let latitude = latitude + (other.latitude - latitude) * share
        let east = (other.longitude - longitude).remainder(dividingBy: 360) * share
        let longitude = abs(longitude + east) > 180 ? (longitude + east).remainder(dividingBy: 360) : longitude + east
        return Coordinate(latitude: latitude, longitude: longitude) ?? self
    }
}
