/// Why an occupation is over.
public enum OccupationEnd: String, Sendable, Codable, CaseIterable {
    /// The claimed horizontal error came down to the wanted one.
    case accuracyReached
    /// The time limit passed first.
    case timeOut
    case endedByUser
    /// No fix that could be used came for too long.
    case receiverLost
    /// The fixes came from another receiver: two are never averaged.
    case receiverChanged
}

/// Why a fix was not taken into an occupation at all, before anything was averaged.
public enum OccupationRefusal: String, Sendable, Codable, CaseIterable {
    /// The receiver had no 2D or 3D solution.
    case noFix
    /// A further report of an epoch that was counted, or a straggler from before it.
    case repeated
    /// Too old when it was offered, or from before the occupation.
    case stale
    /// The receiver, or the source, simulates.
    case simulated
    /// Not an observation of the sky: dead reckoning, or a surveyed place that the receiver was told.
    case estimated
    /// From another kind of source than the first fix: live and recorded are never mixed.
    case otherSource
    /// From another receiver than the fixes before, which ends the occupation.
    case otherReceiver
}

/// What the claimed error of an occupation rests on beside its fixes.
public enum OccupationErrorBasis: String, Sendable, Codable, CaseIterable {
    /// Assumptions that hold for receivers in general.
    case general
    /// How this receiver wandered at this place while the station stood still.
    case standing
}

/// The mean of the fixes that a receiver gave while it stood still, with the error that is claimed for it.
public struct OccupationResult: Sendable, Equatable {
    /// The mean place, WGS 84, degrees.
    public var coordinate: Coordinate
    /// Metres above the WGS 84 ellipsoid, if the fixes told it.
    public var altitudeHAE: Double?
    /// Metres above mean sea level, if the fixes told it.
    public var altitudeMSL: Double?
    /// The geoid above the ellipsoid there, metres.
    public var geoidSeparation: Double?

    /// The radius around the place that holds the true one with a probability of 95 %, metres.
    public var horizontalError: Double
    /// The height is right within this with a probability of 95 %, metres.
    public var verticalError: Double?
    /// What both rest on beside the fixes.
    public var errorBasis = OccupationErrorBasis.general
    /// The part of the horizontal error that no averaging removes, as a 95 % radius, metres: `horizontalError` is never less.
    public var systematicError: Double
    /// The standard deviation of the used fixes around the mean to the east, the north and up, metres. It says how the
    /// receiver wandered, not how far off the mean is.
    public var spreadEast: Double
    public var spreadNorth: Double
    public var spreadUp: Double?

    /// How many fixes the mean is made of.
    public var fixesUsed: Int
    /// How many were rejected as outliers, by `rejectionRule`.
    public var fixesRejected: Int
    /// How many were good but left out, since a long occupation keeps every second, fourth... fix only.
    public var fixesThinned: Int
    /// What never got as far as the average.
    public var fixesRefused: [OccupationRefusal: Int]
    /// To how many independent fixes the used ones are worth, from 1: 1 Hz fixes resemble each other for minutes.
    public var effectiveFixes: Double
    /// The rule that tells outliers, by a stable name.
    public var rejectionRule: String

    /// From the first used epoch to the last, seconds.
    public var seconds: Double
    /// The instants of the first and the last used epoch, if the receiver told the time.
    public var start: UTCInstant?
    public var end: UTCInstant?
    /// How many of the used fixes were 3D; the others were 2D.
    public var fixes3D: Int
    /// How many of the used fixes were made in each way.
    public var statuses: [FixStatus: Int]
    /// The median number of satellites used, and the median HDOP with its range.
    public var satellites: Double?
    public var horizontalDilution: Double?
    public var horizontalDilutionRange: ClosedRange<Double>?
    /// The receiver as gpsd names it: driver and device.
    public var receiver: String?
    public var source: SourceKind
    /// Nil while the occupation goes on.
    public var endReason: OccupationEnd?

    /// The datum of the coordinates.
    public var datum: String { "WGS 84" }
    /// `horizontalError` as the accuracy of a position.
    public var horizontalAccuracy: Accuracy { Accuracy(metres: horizontalError, source: .average, confidence: 0.95) }
    /// `verticalError` as the accuracy of a height.
    public var verticalAccuracy: Accuracy? {
        verticalError.map { Accuracy(metres: $0, source: .average, confidence: 0.95) }
    }

    /// A result of a mean, its error and the fixes in it; what else is known is set afterwards.
    public init(
        coordinate: Coordinate, horizontalError: Double, systematicError: Double, fixesUsed: Int,
        effectiveFixes: Double, rejectionRule: String, seconds: Double, source: SourceKind
    ) {
        self.coordinate = coordinate
        self.horizontalError = horizontalError
        self.systematicError = systematicError
        self.fixesUsed = fixesUsed
        self.effectiveFixes = effectiveFixes
        self.rejectionRule = rejectionRule
        self.seconds = seconds
        self.source = source
        spreadEast = 0
        spreadNorth = 0
        fixesRejected = 0
        fixesThinned = 0
        fixesRefused = [:]
        fixes3D = 0
        statuses = [:]
    }
}
