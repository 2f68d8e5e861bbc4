public import Geodesy
internal import Glibc

/// A landmark that somebody showed in the picture.
public struct Click: Sendable, Equatable {
    /// As people know it.
    public var name: String
    public var point: PicturePoint
    /// East, north and up of the place of the camera, metres, raised by the refraction.
    public var target: Vector
    /// The standard deviation of the target's place in each direction, metres.
    public var placeError: Double

    public init(name: String, point: PicturePoint, target: Vector, placeError: Double) {
        self.name = name
        self.point = point
        self.target = target
        self.placeError = placeError
    }
}

/// What is known beforehand, as standard deviations; infinite for what is not.
public struct PosePriors: Sendable, Equatable {
    /// Pixels of the focal length, by the data sheet; with the part of it that it may be off.
    public var focal: Double?
    public var focalError = 0.15
    public var k1Error = 0.15
    /// Of the camera's place, metres.
    public var horizontalError: Double
    public var verticalError: Double
    /// Of a click, pixels.
    public var clickError = 2.0
    /// What the errors of the targets' places are weighed with, pixels.
    var weighing: Double?

    public init(focal: Double? = nil, horizontalError: Double, verticalError: Double) {
        self.focal = focal
        self.horizontalError = horizontalError
        self.verticalError = verticalError
    }
}

/// Why no pose follows from the clicks, and what to do.
public struct PoseError: Error, Sendable, Equatable, CustomStringConvertible {
    public let reason: String
    public var description: String { "cannot tell how the camera looks: \(reason)" }
}

/// How a camera looks, with how exactly that is known.
public struct SolvedPose: Sendable, Equatable {
    public let pose: CameraPose
    /// Of the parameters in the order azimuth, pitch, roll, focal, k1, east, north, up: 8 by 8, row by row.
    public let covariance: [Double]
    /// The sum of squared residuals over their errors, and the observations that are left over.
    public let chiSquared: Double
    public let freedom: Int

    public init(pose: CameraPose, covariance: [Double], chiSquared: Double, freedom: Int) {
        self.pose = pose
        self.covariance = covariance
        self.chiSquared = chiSquared
        self.freedom = freedom
    }

    /// The standard error of a parameter by its index.
    public func standardError(_ parameter: Int) -> Double { max(0, covariance[parameter * 9]).squareRoot() }

    /// Where a target is in the picture, and how exactly.
    ///
    /// - Parameters:
    ///   - target: east, north and up of the place of the camera, metres.
    ///   - placeError: the standard deviation of the target's place in each direction, metres.
    /// - Returns: nil for what is not before the camera.
    public func label(_ target: Vector, placeError: Double) -> (point: PicturePoint, error: PointError)? {
        guard let point = pose.project(target), let slopes = PoseSolver.slopes(pose, target) else { return nil }
        var (xx, xy, yy) = (0.0, 0.0, 0.0)
        for row in 0..<8 {
            for column in 0..<8 {
                let value = covariance[row * 8 + column]
                xx += slopes[row].x * value * slopes[column].x
                xy += slopes[row].x * value * slopes[column].y
                yy += slopes[row].y * value * slopes[column].y
            }
        }
        let own = PoseSolver.placeError(placeError, pose.focal, target)
        return (point, PointError(xx: xx + own * own, xy: xy, yy: yy + own * own))
    }
}

/// Finds the pose of a camera from clicks on landmarks by least squares (Levenberg-Marquardt), with the camera's own place among
/// the unknowns: without it the claimed error would be too small.
public enum PoseSolver {
    /// Fewer do not tell the pose.
    public static let fewestClicks = 3
    public static let mostClicks = 100
    /// Steps of the numerical slopes, in the units of the parameters.
    private static let steps = [1e-4, 1e-4, 1e-4, 1e-3, 1e-6, 1e-3, 1e-3, 1e-3]

    /// - Parameters:
    ///   - clicks: on at least three landmarks that do not lie in one line.
    ///   - width: of the picture, pixels.
    ///   - height: of the picture, pixels.
    ///   - priors: what is known beforehand.
    ///   - start: where to begin; nil to begin with the two outermost clicks.
    /// - Returns: the pose with its covariance.
    /// - Throws: why there is none.
    public static func solve(
        _ clicks: [Click], width: Int, height: Int, priors: PosePriors, start: CameraPose? = nil
    ) throws(PoseError) -> SolvedPose {
        try check(clicks, width: width, clickError: priors.clickError)
        let solved: SolvedPose
        do throws(PoseError) {
            solved = try fit(clicks, width, height, priors, start)
        } catch {
            guard let index = outlier(clicks, width: width, height: height, priors: priors) else { throw error }
            throw PoseError(
                reason:
                    "the click on \(clicks[index].name) does not fit the others, which agree; click on it again, or "
                    + "leave it out")
        }
        // Of so few nobody can say which one is wrong, and a wrong one would turn the whole view.
        guard clicks.count >= fewestForJudgement || solved.chiSquared <= plausible(solved.freedom) else {
            throw PoseError(
                reason:
                    "the \(clicks.count) clicks do not agree: click on each again, or on a further landmark, which tells "
                    + "the wrong one from the others")
        }
        return solved
    }

    /// The same for clicks that are enough.
    static func fit(
        _ clicks: [Click], _ width: Int, _ height: Int, _ priors: PosePriors, _ start: CameraPose? = nil
    ) throws(PoseError) -> SolvedPose {
        // The weights must not favour a shorter focal length: they stay as they are while it is solved for, and are made
        // again from what it came to.
        let first = try descend(clicks, width, height, priors, start)
        var weighed = priors
        weighed.weighing = first.pose.focal
        return try descend(clicks, width, height, weighed, first.pose)
    }

    private static func descend(
        _ clicks: [Click], _ width: Int, _ height: Int, _ priors: PosePriors, _ start: CameraPose?
    ) throws(PoseError) -> SolvedPose {
        var pose: CameraPose
        if let start {
            pose = start
        } else {
            pose = try begin(clicks, width: width, height: height, focal: priors.focal)
        }
        var cost = try squares(pose, clicks, priors)
        var damping = 1e-3
        for _ in 0..<100 {
            let (normal, gradient) = try equations(pose, clicks, priors)
            var damped = normal
            for index in 0..<8 { damped[index, index] *= 1 + damping }
            guard let step = damped.solved(gradient) else { throw undetermined }
            var next = pose
            for index in 0..<8 { next[index] += step[index] }
            guard let better = try? squares(next, clicks, priors), better < cost, next.focal > 0 else {
                damping *= 10
                if damping > 1e12 { break }
                continue
            }
            let gain = cost - better
            (pose, cost) = (next, better)
            damping = max(damping / 10, 1e-12)
            if gain < 1e-10 * max(1, cost) { break }
        }
        return try finished(pose, cost, clicks, priors)
    }

    private static var undetermined: PoseError {
        PoseError(reason: "the clicks leave it open; add landmarks that are far apart in the picture")
    }

    private static func finished(
        _ pose: CameraPose, _ cost: Double, _ clicks: [Click], _ priors: PosePriors
    ) throws(PoseError) -> SolvedPose {
        guard let covariance = try equations(pose, clicks, priors).normal.inverse else { throw undetermined }
        let observations = 2 * clicks.count + priorRows(priors)
        let freedom = max(0, observations - 8)
        // Clicks that fit worse than they claim make everything less certain; those that fit better prove nothing.
        let scale = freedom > 0 ? max(1, cost / Double(freedom)) : 1
        var turned = pose
        turned.azimuth = Course.degrees(east: sin(pose.azimuth * .pi / 180), north: cos(pose.azimuth * .pi / 180))
        turned.roll = pose.roll.remainder(dividingBy: 360)
        return SolvedPose(
            pose: turned, covariance: covariance.values.map { $0 * scale }, chiSquared: cost, freedom: freedom)
    }

    // MARK: Which clicks are enough

    static func check(_ clicks: [Click], width: Int, clickError: Double) throws(PoseError) {
        guard clicks.count >= fewestClicks else {
            throw PoseError(reason: "\(fewestClicks) landmarks at least are needed, and five are better")
        }
        guard clicks.count <= mostClicks else {
            throw PoseError(reason: "more than \(mostClicks) clicks are not taken")
        }
        let count = Double(clicks.count)
        let (mx, my) = (clicks.map(\.point.x).reduce(0, +) / count, clicks.map(\.point.y).reduce(0, +) / count)
        var (xx, xy, yy) = (0.0, 0.0, 0.0)
        for click in clicks {
            let (x, y) = (click.point.x - mx, click.point.y - my)
            (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y)
        }
        let middle = (xx + yy) / 2
        let half = ((xx - yy) * (xx - yy) / 4 + xy * xy).squareRoot()
        guard ((middle + half) / count).squareRoot() >= Double(width) * 0.04 else {
            throw PoseError(
                reason: "the landmarks lie too close together; choose some that are far apart in the picture")
        }
        // As far from their common line as clicks on one line would be by chance.
        guard (max(0, middle - half) / count).squareRoot() > clickError else {
            throw PoseError(
                reason:
                    "the landmarks lie in one line; add one that is higher or lower in the picture, or the sun or the moon"
            )
        }
    }

    /// Azimuth and focal length from the two clicks that are farthest apart, the pitch from all.
    private static func begin(
        _ clicks: [Click], width: Int, height: Int, focal: Double?
    ) throws(PoseError) -> CameraPose {
        let sorted = clicks.sorted { $0.point.x < $1.point.x }
        guard let left = sorted.first, let right = sorted.last else { throw undetermined }
        func azimuth(_ click: Click) -> Double { Course.degrees(east: click.target.x, north: click.target.y) }
        let turn = (azimuth(right) - azimuth(left)).remainder(dividingBy: 360)
        guard turn > 0 else {
            throw PoseError(
                reason:
                    "\(right.name) is right of \(left.name) in the picture, and left of it on the ground; click again")
        }
        let middle = Double(width) / 2
        // The angle that the two span, for a focal length: it falls as that rises.
        func span(_ focal: Double) -> Double {
            (atan((right.point.x - middle) / focal) - atan((left.point.x - middle) / focal)) * 180 / .pi
        }
        var (low, high) = (Double(width) * 0.1, Double(width) * 50)
        for _ in 0..<60 {
            let half = (low * high).squareRoot()
            if span(half) > turn { low = half } else { high = half }
        }
        let start = focal ?? high
        let centre = azimuth(left) - atan((left.point.x - middle) / start) * 180 / .pi
        let pitches = clicks.map { click in
            atan2(click.target.z, hypot(click.target.x, click.target.y)) * 180 / .pi
                + atan((click.point.y - Double(height) / 2) / start) * 180 / .pi
        }
        let pitch = pitches.reduce(0, +) / Double(pitches.count)
        return CameraPose(
            width: width, height: height, azimuth: centre, pitch: pitch, roll: 0, focal: start, k1: 0)
    }

    // MARK: The equations

    /// The error that a target's place makes in the picture, pixels.
    static func placeError(_ metres: Double, _ focal: Double, _ target: Vector) -> Double {
        focal * metres / max(target.length, 1)
    }

    private static func weight(_ click: Click, _ focal: Double, _ priors: PosePriors) -> Double {
        let place = placeError(click.placeError, focal, click.target)
        return 1 / (priors.clickError * priors.clickError + place * place)
    }

    private static func priorRows(_ priors: PosePriors) -> Int {
        (priors.focal == nil || !priors.focalError.isFinite ? 0 : 1) + (priors.k1Error.isFinite ? 1 : 0)
            + (priors.horizontalError.isFinite ? 2 : 0) + (priors.verticalError.isFinite ? 1 : 0)
    }

    /// What a parameter is expected to be, and the inverse of its variance.
    private static func prior(_ parameter: Int, _ priors: PosePriors) -> (value: Double, weight: Double) {
        func weight(_ error: Double) -> Double { error.isFinite ? 1 / max(error * error, 1e-18) : 0 }
        switch parameter {
        case 3: return priors.focal.map { ($0, weight($0 * priors.focalError)) } ?? (0, 0)
        case 4: return (0, weight(priors.k1Error))
        case 5, 6: return (0, weight(priors.horizontalError))
        case 7: return (0, weight(priors.verticalError))
        default: return (0, 0)
        }
    }

    private static func squares(
        _ pose: CameraPose, _ clicks: [Click], _ priors: PosePriors
    ) throws(PoseError) -> Double {
        var sum = 0.0
        for click in clicks {
            guard let point = pose.project(click.target) else { throw undetermined }
            let (x, y) = (click.point.x - point.x, click.point.y - point.y)
            sum += (x * x + y * y) * weight(click, reference(pose, priors), priors)
        }
        for parameter in 3..<8 {
            let (value, weight) = prior(parameter, priors)
            sum += (pose[parameter] - value) * (pose[parameter] - value) * weight
        }
        return sum
    }

    private static func reference(_ pose: CameraPose, _ priors: PosePriors) -> Double {
        priors.weighing ?? priors.focal ?? pose.focal
    }

    private static func equations(
        _ pose: CameraPose, _ clicks: [Click], _ priors: PosePriors
    ) throws(PoseError) -> (normal: NormalMatrix, gradient: [Double]) {
        var normal = NormalMatrix(size: 8)
        var gradient = [Double](repeating: 0, count: 8)
        for click in clicks {
            guard let point = pose.project(click.target), let slopes = slopes(pose, click.target) else {
                throw undetermined
            }
            let weight = weight(click, reference(pose, priors), priors)
            let (x, y) = (click.point.x - point.x, click.point.y - point.y)
            for row in 0..<8 {
                gradient[row] += weight * (slopes[row].x * x + slopes[row].y * y)
                for column in 0..<8 {
                    normal[row, column] +=
                        weight * (slopes[row].x * slopes[column].x + slopes[row].y * slopes[column].y)
                }
            }
        }
        for parameter in 3..<8 {
            let (value, weight) = prior(parameter, priors)
            normal[parameter, parameter] += weight
            gradient[parameter] += weight * (value - pose[parameter])
        }
        return (normal, gradient)
    }

    /// How a target's point moves with each parameter; nil where it is not before the camera.
    static func slopes(_ pose: CameraPose, _ target: Vector) -> [PicturePoint]? {
        var slopes: [PicturePoint] = []
        slopes.reserveCapacity(8)
        for (parameter, step) in steps.enumerated() {
            var (less, more) = (pose, pose)
            less[parameter] -= step
            more[parameter] += step
            guard let before = less.project(target), let after = more.project(target) else { return nil }
            slopes.append(
                PicturePoint(x: (after.x - before.x) / (2 * step), y: (after.y - before.y) / (2 * step)))
        }
        return slopes
    }
}
