internal import KonzaModel

/// Whose error estimate gpsd passes on.
///
/// Where a receiver sends none, gpsd multiplies a DOP by a fixed range error (gpsd 3.22 `gpsd_error_model()`; the
/// horizontal factor 19 was measured, 15 is the one for epx and epy), four times less with status DGPS and no less
/// with RTK. It takes the DOP of an earlier report than the one that it sends with the fix, so a value that is such a
/// product of any of the last DOPs is the model's. A receiver whose own value happens to be the same is then called a
/// model: the cautious way to be wrong. So is one whose earlier DOPs are not known yet.
struct FixAccuracy {
    private static let horizontalFactors = [19.0, 4.75, 15, 3.75]
    private static let axisFactors = [15.0, 3.75]
    private static let verticalFactors = [23.0, 5.75]
    /// Without so many reports of DOPs before a fix nothing shows that the receiver measured its error.
    private static let leastHistory = 2

    var errors: ErrorEstimates
    var status: FixStatus
    /// What stands for the fix now.
    var dop: DilutionOfPrecision
    /// The last DOPs, those after the fix among them.
    var history: [DilutionOfPrecision]
    /// How many of them came before the fix.
    var earlier: Int
    /// What the receiver itself says of its errors, and whether it says it of this epoch.
    var statement: ErrorStatement?
    var isStatementOfEpoch = false

    /// The horizontal error: the receiver's statement, else eph, else from epx and epy, else of the DOP alone as gpsd
    /// would compute it.
    var horizontal: Accuracy? { stated(statement?.horizontal, against: horizontalOfReport) }

    /// The vertical error: the receiver's statement, else epv, else of the DOP alone.
    var vertical: Accuracy? { stated(statement?.vertical, against: verticalOfReport) }

    /// An error smaller than this, metres, is believed of no receiver: the best geodetic ones reach 1 mm after hours.
    static let leastBelievable = 0.001

    /// Whether a stated error can be one. An implausible one is taken as not stated.
    static func isBelievable(_ metres: Double) -> Bool { metres >= leastBelievable }

    /// Why an accuracy is not what one would expect, if it is not.
    static func note(_ fix: Fix) -> String? {
        let stated = [fix.errors.eph, fix.errors.epv, fix.errors.axes].compactMap { $0 }
        guard !stated.contains(where: { !isBelievable($0) }) else { return implausible }
        guard fix.status == .rtkFixed || fix.status == .rtkFloat, fix.horizontalAccuracy?.source == .model else {
            return nil
        }
        return "the accuracy is gpsd's model, which knows nothing of RTK: the position is likely far better"
    }

    /// What is reported about an error estimate that is not believed.
    static let implausible = "the receiver states an error below 1 mm, which is not believed and taken as not stated"

    /// A statement about this epoch wins over any model, one about an earlier epoch only over a smaller figure; of two
    /// figures of the receiver's the greater one counts.
    private func stated(_ metres: Double?, against reported: Accuracy?) -> Accuracy? {
        guard let metres, Self.isBelievable(metres) else { return reported }
        let stated = Accuracy(metres: metres, source: .receiver, confidence: ErrorStatement.confidence)
        guard let reported else { return isStatementOfEpoch ? stated : nil }
        if isStatementOfEpoch, reported.source == .model { return stated }
        return metres > reported.metres ? stated : reported
    }

    private var horizontalOfReport: Accuracy? {
        if let eph = errors.eph, Self.isBelievable(eph) {
            return Accuracy(metres: eph, source: source(eph, \.horizontal, Self.horizontalFactors))
        }
        if let epx = errors.epx, let epy = errors.epy, let metres = errors.axes, Self.isBelievable(metres) {
            let east = source(epx, \.x, Self.axisFactors)
            let north = source(epy, \.y, Self.axisFactors)
            return Accuracy(metres: metres, source: east == .receiver && north == .receiver ? .receiver : .model)
        }
        return modelled(dop.horizontal, status == .differential ? 4.75 : 19)
    }

    private var verticalOfReport: Accuracy? {
        if let epv = errors.epv, Self.isBelievable(epv) {
            return Accuracy(metres: epv, source: source(epv, \.vertical, Self.verticalFactors))
        }
        return modelled(dop.vertical, status == .differential ? 5.75 : 23)
    }

    /// What gpsd's model would make of a DOP.
    private func modelled(_ dilution: Double?, _ factor: Double) -> Accuracy? {
        dilution.map { $0 * factor }.flatMap { Self.isBelievable($0) ? Accuracy(metres: $0, source: .model) : nil }
    }

    private func source(
        _ metres: Double, _ member: KeyPath<DilutionOfPrecision, Double?>, _ factors: [Double]
    ) -> Accuracy.Source {
        let dilutions = (history + [dop]).compactMap { $0[keyPath: member] }
        guard !dilutions.isEmpty, earlier >= Self.leastHistory else { return .model }
        // gpsd prints errors with three decimals and DOPs with two.
        let isModel = dilutions.contains { dilution in
            factors.contains { abs(metres - $0 * dilution) <= 0.001 + $0 * 0.005 }
        }
        return isModel ? .model : .receiver
    }
}

extension ErrorEstimates {
    /// The horizontal error of the two axes together, metres.
    fileprivate var axes: Double? {
        guard let epx, let epy else { return nil }
        return (epx * epx + epy * epy).squareRoot()
    }
}
