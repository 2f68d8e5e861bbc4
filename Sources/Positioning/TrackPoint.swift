internal import Geodesy
public import KonzaModel

/// What the track keeps of a fix: a fix with a time and a place.
public struct TrackPoint: Sendable, Equatable {
    public let time: UTCInstant
    public let coordinate: Coordinate
    public let mode: FixMode
    public let status: FixStatus
    public let source: SourceKind
    /// Metres above the ellipsoid and above mean sea level, and the geoid above the ellipsoid.
    public let altitudeHAE: Double?
    public let altitudeMSL: Double?
    public let geoidSeparation: Double?
    /// m/s over ground, degrees from true north, m/s up.
    public let speed: Double?
    public let track: Double?
    public let climb: Double?
    public let horizontalAccuracy: Accuracy?
    public let verticalAccuracy: Accuracy?
    /// The receiver's or gpsd's error of the speed, m/s.
    public let speedError: Double?
    public let dop: DilutionOfPrecision
    public let satellitesUsed: Int?
    public let sequence: UInt64
    /// The receiver's device path as gpsd names it.
    public let device: String?

    /// - Returns: nil if the fix has no time or no place.
    public init?(_ fix: Fix) {
        guard let time = fix.time, let coordinate = fix.coordinate, fix.mode >= .twoDimensional else { return nil }
        self.time = time
        self.coordinate = coordinate
        mode = fix.mode
        status = fix.status
        source = fix.source
        let isThreeDimensional = fix.mode == .threeDimensional
        altitudeHAE = isThreeDimensional ? fix.altitudeHAE : nil
        altitudeMSL = isThreeDimensional ? fix.altitudeMSL : nil
        geoidSeparation = fix.geoidSeparation
        speed = fix.speed
        track = fix.track
        climb = fix.climb
        horizontalAccuracy = fix.horizontalAccuracy
        verticalAccuracy = isThreeDimensional ? fix.verticalAccuracy : nil
        speedError = fix.errors.eps
        dop = fix.dop
        satellitesUsed = fix.satellitesUsed
        sequence = fix.sequence
        device = fix.device
    }

    /// The velocity east, north and up at this place, if the receiver gave one.
    var velocity: Vector? {
        guard let speed else { return nil }
        // A receiver at rest gives a speed near zero and often no course.
        guard let track else { return speed < 0.5 ? Vector(x: 0, y: 0, z: climb ?? 0) : nil }
        return Course.velocity(speed: speed, track: track, climb: climb ?? 0)
    }
}

/// Why the track has no position at an instant.
public enum TrackError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    case beforeTrack(oldest: UTCInstant)
    case afterTrack(newest: UTCInstant, limitSeconds: Double)
    case gapTooLarge(seconds: Double, limitSeconds: Double)
    case jump(metres: Double, seconds: Double)

    /// A stable name for programs.
    public var kind: String {
        switch self {
        case .empty: "no-track"
        case .beforeTrack: "before-track"
        case .afterTrack: "after-track"
        case .gapTooLarge: "track-gap"
        case .jump: "track-jump"
        }
    }

    public var description: String {
        switch self {
        case .empty:
            "cannot tell the position at that instant: there is no track yet; wait for the receiver's first fix"
        case .beforeTrack(let oldest):
            "cannot tell the position at that instant: the track begins at \(oldest); ask for a later instant"
        case .afterTrack(let newest, let limit):
            "cannot tell the position at that instant: the newest fix is of \(newest) and positions are "
                + "extrapolated by at most \(DecimalText.text(limit, 1)) s; ask again when a newer fix is in"
        case .gapTooLarge(let seconds, let limit):
            "cannot tell the position at that instant: the fixes around it are \(DecimalText.text(seconds, 1)) s "
                + "apart and gaps over \(DecimalText.text(limit, 1)) s are not interpolated; ask for an instant "
                + "nearer to a fix"
        case .jump(let metres, let seconds):
            "cannot tell the position at that instant: the fixes around it are \(DecimalText.text(metres / 1000, 1)) km "
                + "and only \(DecimalText.text(seconds, 1)) s apart, so one of them is wrong; ask for an instant of a fix"
        }
    }
}

extension TrackPoint {
    /// Faster than this between two fixes, m/s, nothing at a field station moves: it is a jump.
    private static let jumpSpeed = 100.0

    /// How far this fix is from an earlier one, metres, if that is farther than anything moves in the time between them
    /// and than the errors of both explain; else nil.
    func jump(from earlier: TrackPoint) -> Double? {
        let seconds = time.seconds(since: earlier.time)
        let distance = WGS84.chord(earlier.coordinate, coordinate)
        let tolerance = 3 * ((earlier.horizontalAccuracy?.metres ?? 20) + (horizontalAccuracy?.metres ?? 20))
        return distance > tolerance + Self.jumpSpeed * max(0, seconds) ? distance : nil
    }
}
