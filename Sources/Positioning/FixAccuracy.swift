internal import KonzaModel

/// Whose error estimate gpsd passes on.
///
/// Where a receiver sends none, gpsd multiplies a DOP by a fixed range error (gpsd 3.22 `gpsd_error_model()`; the
/// horizontal factor 19 was measured, 15 is the one for epx and epy), four times less with status DGPS and no less
/// with RTK. So a value that is exactly such a product is the model's. A receiver whose own value happens to be the
/// same is then called a model: the cautious way to be wrong.
enum FixAccuracy {
    private static let horizontalFactors = [19.0, 4.75, 15, 3.75]
    private static let axisFactors = [15.0, 3.75]
    private static let verticalFactors = [23.0, 5.75]

    /// The horizontal error: eph, else from epx and epy, else of the DOP alone as gpsd would compute it.
    static func horizontal(_ errors: ErrorEstimates, _ dop: DilutionOfPrecision, _ status: FixStatus) -> Accuracy? {
        if let eph = errors.eph, eph > 0 {
            return Accuracy(metres: eph, source: source(eph, dop.horizontal, horizontalFactors))
        }
        if let epx = errors.epx, let epy = errors.epy, epx > 0 || epy > 0 {
            let east = source(epx, dop.x, axisFactors)
            let north = source(epy, dop.y, axisFactors)
            let metres = (epx * epx + epy * epy).squareRoot()
            return Accuracy(metres: metres, source: east == .receiver && north == .receiver ? .receiver : .model)
        }
        guard let dilution = dop.horizontal, dilution > 0 else { return nil }
        return Accuracy(metres: dilution * (status == .differential ? 4.75 : 19), source: .model)
    }

    /// The vertical error: epv, else of the DOP alone.
    static func vertical(_ errors: ErrorEstimates, _ dop: DilutionOfPrecision, _ status: FixStatus) -> Accuracy? {
        if let epv = errors.epv, epv > 0 {
            return Accuracy(metres: epv, source: source(epv, dop.vertical, verticalFactors))
        }
        guard let dilution = dop.vertical, dilution > 0 else { return nil }
        return Accuracy(metres: dilution * (status == .differential ? 5.75 : 23), source: .model)
    }

    /// Why an accuracy looks worse than it is, if it does.
    static func note(_ fix: Fix) -> String? {
        guard fix.status == .rtkFixed || fix.status == .rtkFloat, fix.horizontalAccuracy?.source == .model else {
            return nil
        }
        return "the accuracy is gpsd's model, which knows nothing of RTK: the position is likely far better"
    }

    private static func source(_ metres: Double, _ dilution: Double?, _ factors: [Double]) -> Accuracy.Source {
        // Without a DOP nothing shows that the receiver measured it.
        guard let dilution else { return .model }
        // gpsd prints errors with three decimals and DOPs with two.
        let isModel = factors.contains { abs(metres - $0 * dilution) <= 0.001 + $0 * 0.005 }
        return isModel ? .model : .receiver
    }
}

extension Fix {
    /// Takes over the sky's dilutions and what follows from them.
    mutating func apply(_ sky: Sky?) {
        if let sky {
            dop = sky.dop
            // A receiver with a fix and none marked as used says nothing about which: that is no count of 0.
            let used = sky.satellites.count { $0.used }
            if used > 0 || mode < .twoDimensional, !sky.satellites.isEmpty { satellitesUsed = used }
        }
        guard mode >= .twoDimensional else { return }
        horizontalAccuracy = FixAccuracy.horizontal(errors, dop, status)
        verticalAccuracy = mode == .threeDimensional ? FixAccuracy.vertical(errors, dop, status) : nil
    }
}
