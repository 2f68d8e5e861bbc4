internal import KonzaModel

/// When an occupation ends and what it assumes of the receiver. Durations are in seconds, lengths in metres.
public struct OccupationSettings: Sendable, Equatable {
    /// Ends the occupation once the claimed 95 % horizontal error is no larger; nil to stay for the whole time.
    public var wantedAccuracy: Double?
    /// The occupation ends after this long at the latest.
    public var timeLimit: Double
    /// It does not end by its accuracy earlier.
    public var minimumDuration: Double
    /// It ends when no usable fix came for so long.
    public var lostAfter: Double
    /// A fix that arrived longer ago is refused.
    public var staleAfter: Double
    /// What averaging cannot remove.
    public var systematic: SystematicError
    /// Whether fixes that a simulator made count, as in training. The result says what they are.
    public var acceptsSimulated: Bool

    public init(
        wantedAccuracy: Double? = nil, timeLimit: Double = 600, minimumDuration: Double = 30, lostAfter: Double = 30,
        staleAfter: Double = 5, systematic: SystematicError = SystematicError(), acceptsSimulated: Bool = false
    ) {
        self.wantedAccuracy = wantedAccuracy
        self.timeLimit = timeLimit
        self.minimumDuration = minimumDuration
        self.lostAfter = lostAfter
        self.staleAfter = staleAfter
        self.systematic = systematic
        self.acceptsSimulated = acceptsSimulated
    }
}

/// The errors that stay the same as long as anyone stands at an outcrop, as 95 % radii in metres: orbits and clocks of the
/// satellites, the ionosphere and troposphere beyond the receiver's models, the antenna.
///
/// The defaults are judgements in round numbers, not a standard's: `autonomous` is about the 95 % error of a good
/// single-frequency receiver after hours in the open, and the height is taken to be twice as uncertain, somewhat more
/// than the usual ratio of VDOP to HDOP of about 1.5 (D. Milbert, "Dilution of Precision Revisited", Navigation 55,
/// 2008). Whoever has occupied a surveyed mark with the same receiver sets what was found there.
public struct SystematicError: Sendable, Equatable {
    public var autonomous: Double
    /// With SBAS or another differential correction.
    public var differential: Double
    public var rtkFloat: Double
    public var rtkFixed: Double
    /// The vertical radius in units of the horizontal one.
    public var verticalFactor: Double

    public init(
        autonomous: Double = 1.5, differential: Double = 1.0, rtkFloat: Double = 0.5, rtkFixed: Double = 0.05,
        verticalFactor: Double = 2
    ) {
        self.autonomous = autonomous
        self.differential = differential
        self.rtkFloat = rtkFloat
        self.rtkFixed = rtkFixed
        self.verticalFactor = verticalFactor
    }

    /// The horizontal radius for a way in which fixes are made.
    func horizontal(_ status: FixStatus) -> Double {
        switch status {
        case .differential: differential
        case .rtkFloat: rtkFloat
        case .rtkFixed: rtkFixed
        default: autonomous
        }
    }
}
