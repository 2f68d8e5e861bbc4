public import Geodesy
internal import Glibc

/// A point of a picture: pixels from its left and its upper edge.
public struct PicturePoint: Sendable, Equatable, Codable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    func squaredDistance(to other: PicturePoint) -> Double {
        let (across, down) = (other.x - x, other.y - y)
        return across * across + down * down
    }
}

/// How a fixed camera looks, and where it hangs beside the place that it was said to be at.
///
/// The principal point is the middle of the picture. A direction with the tangents x (right) and y (down) lands at
/// `middle + focal * (x, y) * (1 + k1 * r²)`.
public struct CameraPose: Sendable, Equatable, Codable {
    /// Of the picture, pixels.
    public var width: Int
    public var height: Int
    /// Degrees clockwise from true north.
    public var azimuth: Double
    /// Degrees upwards.
    public var pitch: Double
    /// Degrees clockwise, seen from behind the camera.
    public var roll: Double
    /// Pixels.
    public var focal: Double
    /// The radial distortion, negative for a barrel.
    public var k1: Double
    /// Metres east, north and up of the place that the targets' vectors begin at.
    public var east = 0.0
    public var north = 0.0
    public var up = 0.0

    public init(
        width: Int, height: Int, azimuth: Double, pitch: Double, roll: Double, focal: Double, k1: Double
    ) {
        (self.width, self.height) = (width, height)
        (self.azimuth, self.pitch, self.roll) = (azimuth, pitch, roll)
        (self.focal, self.k1) = (focal, k1)
    }

    /// Where a target is in the picture, which may be beside it.
    ///
    /// - Parameter target: east, north and up of the place of the camera, metres; a body in the sky as far away as wanted.
    /// - Returns: nil for what is behind the camera, or so far aside that the distortion is not monotonic there.
    public func project(_ target: Vector) -> PicturePoint? {
        let direction = Vector(x: target.x - east, y: target.y - north, z: target.z - up)
        let (sa, ca) = (sin(azimuth * .pi / 180), cos(azimuth * .pi / 180))
        let (sp, cp) = (sin(pitch * .pi / 180), cos(pitch * .pi / 180))
        let (sr, cr) = (sin(roll * .pi / 180), cos(roll * .pi / 180))
        let depth = direction.x * sa * cp + direction.y * ca * cp + direction.z * sp
        guard depth > 0.001 * direction.length, direction.length > 0 else { return nil }
        let across = direction.x * ca - direction.y * sa
        let above = -direction.x * sa * sp - direction.y * ca * sp + direction.z * cp
        let x = (across * cr - above * sr) / depth
        let y = -(above * cr + across * sr) / depth
        let square = x * x + y * y
        guard 1 + 3 * k1 * square > 0.1 else { return nil }
        let factor = focal * (1 + k1 * square)
        return PicturePoint(x: Double(width) / 2 + factor * x, y: Double(height) / 2 + factor * y)
    }

    /// Whether a point lies in the picture.
    public func contains(_ point: PicturePoint) -> Bool {
        (0...Double(width)).contains(point.x) && (0...Double(height)).contains(point.y)
    }

    /// Horizontal, degrees, without the distortion.
    public var fieldOfView: Double { 2 * atan(Double(width) / 2 / focal) * 180 / .pi }

    /// The focal length, pixels, of a lens without distortion that has a horizontal field of view, degrees.
    public static func focal(width: Int, fieldOfView: Double) -> Double {
        Double(width) / 2 / tan(fieldOfView / 2 * .pi / 180)
    }

    /// What is solved for, in the order of the covariance.
    public static let parameters = ["azimuth", "pitch", "roll", "focal", "k1", "east", "north", "up"]

    subscript(parameter: Int) -> Double {
        get {
            switch parameter {
            case 0: azimuth
            case 1: pitch
            case 2: roll
            case 3: focal
            case 4: k1
            case 5: east
            case 6: north
            default: up
            }
        }
        set {
            switch parameter {
            case 0: azimuth = newValue
            case 1: pitch = newValue
            case 2: roll = newValue
            case 3: focal = newValue
            case 4: k1 = newValue
            case 5: east = newValue
            case 6: north = newValue
            default: up = newValue
            }
        }
    }
}

/// How far a point of the picture may be off: a covariance, pixels squared.
public struct PointError: Sendable, Equatable {
    public let xx: Double
    public let xy: Double
    public let yy: Double

    /// The longer half axis of the ellipse of one standard deviation, pixels.
    public var sigma: Double {
        let middle = (xx + yy) / 2
        let half = ((xx - yy) * (xx - yy) / 4 + xy * xy).squareRoot()
        return (middle + half).squareRoot()
    }

    /// Whether a point so far away lies in the ellipse that holds 95 % (chi squared with two degrees of freedom).
    public func holds95(_ x: Double, _ y: Double) -> Bool {
        let determinant = xx * yy - xy * xy
        guard determinant > 0 else { return false }
        return (yy * x * x - 2 * xy * x * y + xx * y * y) / determinant <= 5.991_464_547
    }
}
