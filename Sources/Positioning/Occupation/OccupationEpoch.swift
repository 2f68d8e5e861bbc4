internal import Glibc
internal import KonzaModel

/// What an occupation keeps of one epoch.
struct OccupationEpoch {
    /// Seconds on the steady clock since the occupation began: the receiver's own time may jump.
    var seconds: Double
    var time: UTCInstant?
    var coordinate: Coordinate
    var isThreeDimensional: Bool
    var status: FixStatus
    var altitudeHAE: Double?
    var altitudeMSL: Double?
    var geoidSeparation: Double?
    /// What the receiver says of its error, as a standard deviation on one axis, metres; nil if it says nothing.
    var horizontalSigma: Double?
    var verticalSigma: Double?
    /// Whether the error was worked out of the DOP, so that it tells the geometry and nothing of this receiver.
    var isModelled: Bool
    var satellites: Int?
    var horizontalDilution: Double?

    /// - Returns: nil without a 2D or 3D place.
    init?(_ fix: Fix, seconds: Double) {
        guard let coordinate = fix.coordinate, fix.mode >= .twoDimensional else { return nil }
        self.seconds = seconds
        self.coordinate = coordinate
        time = fix.time
        isThreeDimensional = fix.mode == .threeDimensional
        status = fix.status
        geoidSeparation = fix.geoidSeparation?.finite
        satellites = fix.satellitesUsed
        horizontalDilution = fix.dop.horizontal?.finite
        let claim = StatedError.horizontal(fix)
        horizontalSigma = claim?.sigma
        isModelled = claim?.isModelled ?? true
        guard isThreeDimensional else { return }
        altitudeHAE = fix.altitudeHAE?.finite
        altitudeMSL = fix.altitudeMSL?.finite
        verticalSigma = StatedError.vertical(fix)
    }
}

/// A receiver's word on its error, as a standard deviation on one axis.
///
/// gpsd's manual leaves open which probability an error has. A receiver's own is taken for what most mean by it: 68 %
/// within the radius. gpsd's model is documented as 95 %. With RTK that model is wrong by two orders of magnitude, and
/// typical values stand in for it.
enum StatedError {
    struct Claim: Equatable {
        var sigma: Double
        var isModelled: Bool
    }

    /// Taken for the probability of a receiver's own error, and of gpsd's model.
    static let receiverConfidence = 0.68
    static let modelConfidence = 0.95
    /// Standard deviations on one horizontal axis with RTK where nobody tells them, metres. Typical of the technique:
    /// centimetres with whole ambiguities, decimetres without.
    static let rtkFixedSigma = 0.03
    static let rtkFloatSigma = 0.3
    /// A 2D solution takes its height for granted, and errs horizontally with it: its word is worth half.
    static let twoDimensionalFactor = 2.0

    static func horizontal(_ fix: Fix) -> Claim? {
        guard let accuracy = fix.horizontalAccuracy, let metres = accuracy.metres.positive else { return nil }
        if accuracy.source == .model, let typical = rtkSigma(fix.status) {
            return Claim(sigma: typical, isModelled: true)
        }
        let sigma = metres / radius(within: confidence(of: accuracy))
        let factor = fix.mode == .twoDimensional ? twoDimensionalFactor : 1
        return Claim(sigma: sigma * factor, isModelled: accuracy.source == .model)
    }

    static func vertical(_ fix: Fix) -> Double? {
        guard let accuracy = fix.verticalAccuracy, let metres = accuracy.metres.positive else { return nil }
        if accuracy.source == .model, let typical = rtkSigma(fix.status) { return 2 * typical }
        return metres / interval(within: confidence(of: accuracy))
    }

    /// The radius in standard deviations that a two-dimensional normal variable keeps within with a probability.
    static func radius(within probability: Double) -> Double { (-2 * log(1 - probability)).squareRoot() }

    /// The distance in standard deviations that a normal variable keeps within with a probability, by bisection.
    static func interval(within probability: Double) -> Double {
        var (low, high) = (0.0, 10.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if erf(middle / 2.0.squareRoot()) < probability { low = middle } else { high = middle }
        }
        return low
    }

    private static func confidence(of accuracy: Accuracy) -> Double {
        let assumed = accuracy.source == .model ? modelConfidence : receiverConfidence
        return min(max(accuracy.confidence ?? assumed, 0.1), 0.999)
    }

    private static func rtkSigma(_ status: FixStatus) -> Double? {
        switch status {
        case .rtkFixed: rtkFixedSigma
        case .rtkFloat: rtkFloatSigma
        default: nil
        }
    }
}

extension Double {
    /// The value, or nil if it is not a number.
    var finite: Double? { isFinite ? self : nil }
    fileprivate var positive: Double? { isFinite && self > 0 ? self : nil }
}
