public import Geodesy
internal import Glibc
internal import JSONCoding

/// A pose that was found by clicks, as it is kept.
public struct Calibration: Sendable, Equatable, Codable {
    /// The largest file that is read, bytes.
    public static let mostBytes = 1 << 17
    private static let form = 1

    public struct Fit: Sendable, Equatable, Codable {
        public var name: String
        public var point: PicturePoint
        /// Pixels.
        public var residual: Double
        public var residualWithout: Double?
    }

    private var form: Int
    /// RFC 3339.
    public let createdAt: String
    public let viewpoint: Viewpoint
    public let pose: CameraPose
    public let covariance: [Double]
    public let chiSquared: Double
    public let freedom: Int
    public let fits: [Fit]
    /// The index of the click that is most likely wrong.
    public let suspect: Int?
    /// The last comparison of the skyline; nil before the first.
    public var verification: Verification?

    /// A comparison of the skyline in a picture with the computed one.
    public struct Verification: Sendable, Equatable, Codable {
        /// RFC 3339.
        public var checkedAt: String
        /// Pixels of the picture that was calibrated with.
        public var deviation: Double

        public init(checkedAt: String, deviation: Double) {
            (self.checkedAt, self.deviation) = (checkedAt, deviation)
        }
    }

    /// Whether the skyline was found where it should be, or was not looked for yet.
    public var isReliable: Bool { (verification?.deviation ?? 0) <= SkylineCheck.mostDeviation }

    /// - Parameters:
    ///   - createdAt: the instant, RFC 3339.
    ///   - viewpoint: of the camera.
    ///   - solved: the pose.
    ///   - clicks: that it is from.
    ///   - judgement: of them.
    public init(
        createdAt: String, viewpoint: Viewpoint, solved: SolvedPose, clicks: [Click],
        judgement: (fits: [ClickFit], suspect: Int?)
    ) {
        form = Self.form
        (self.createdAt, self.viewpoint, pose) = (createdAt, viewpoint, solved.pose)
        (covariance, chiSquared, freedom) = (solved.covariance, solved.chiSquared, solved.freedom)
        fits = zip(clicks, judgement.fits).map { click, fit in
            Fit(
                name: click.name, point: click.point, residual: fit.residual, residualWithout: fit.residualWithout)
        }
        suspect = judgement.suspect
    }

    /// Reads what ``bytes()`` wrote.
    ///
    /// - Throws: what keeps it from being read.
    public init(bytes: [UInt8]) throws {
        let read = try JSONText.decode(Self.self, from: bytes)
        guard read.form == Self.form, read.covariance.count == 64, read.covariance.allSatisfy(\.isFinite),
            read.viewpoint.place != nil, read.pose.focal > 0, (1...65_535).contains(read.pose.width),
            (1...65_535).contains(read.pose.height)
        else { throw PoseError(reason: "the calibration that is kept is damaged; calibrate again") }
        self = read
    }

    public func bytes() throws -> [UInt8] { try JSONText.encode(self) }

    public var solved: SolvedPose {
        SolvedPose(pose: pose, covariance: covariance, chiSquared: chiSquared, freedom: freedom)
    }

    /// How far labels of places 3 km away whose own place is known are off, over the frame: the middle one and the one that 95 %
    /// are below, pixels of one standard deviation.
    public var frameError: (median: Double, upper: Double) {
        let solved = solved
        var sigmas: [Double] = []
        for row in 0..<9 {
            for column in 0..<16 {
                let point = PicturePoint(
                    x: (Double(column) + 0.5) / 16 * Double(pose.width),
                    y: (Double(row) + 0.5) / 9 * Double(pose.height))
                guard let direction = pose.direction(of: point),
                    let label = solved.label(direction * 3000, placeError: 0)
                else { continue }
                sigmas.append(label.error.sigma)
            }
        }
        sigmas.sort()
        guard let last = sigmas.last else { return (.infinity, .infinity) }
        return (sigmas[sigmas.count / 2], sigmas.count > 20 ? sigmas[sigmas.count * 95 / 100] : last)
    }
}

extension CameraPose {
    /// The direction that a point of the picture shows: the inverse of ``project(_:)`` for what is far away.
    ///
    /// - Parameter point: of the picture.
    /// - Returns: a vector of the length 1; nil where the distortion has no inverse.
    public func direction(of point: PicturePoint) -> Vector? {
        let (u, v) = ((point.x - Double(width) / 2) / focal, (point.y - Double(height) / 2) / focal)
        let bent = hypot(u, v)
        // Newton's method for r (1 + k1 r²) = bent.
        var straight = bent
        for _ in 0..<20 {
            let slope = 1 + 3 * k1 * straight * straight
            guard slope > 0.1 else { return nil }
            straight -= (straight * (1 + k1 * straight * straight) - bent) / slope
        }
        let factor = bent > 0 ? straight / bent : 1
        let (x, y) = (u * factor, v * factor)
        let (sa, ca) = (sin(azimuth * .pi / 180), cos(azimuth * .pi / 180))
        let (sp, cp) = (sin(pitch * .pi / 180), cos(pitch * .pi / 180))
        let (sr, cr) = (sin(roll * .pi / 180), cos(roll * .pi / 180))
        let across = x * cr - y * sr
        let above = -x * sr - y * cr
        let found = Vector(
            x: sa * cp + across * ca - above * sa * sp, y: ca * cp - across * sa - above * ca * sp, z: sp + above * cp)
        return found * (1 / found.length)
    }
}
