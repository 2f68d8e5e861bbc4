internal import KonzaAPI
internal import KonzaModel
internal import Specimens

extension SpecimenDesk {
    /// Makes an average the specimen's position. An override was for the position before, and goes with it.
    func adopt(_ position: SpecimenPosition, for id: SpecimenID) async throws(Problem) {
        let instant = now
        let specimen = try await onDisk { [archive] () throws(SpecimenError) in
            try archive.change(id, at: instant) { $0.position = position }
        }
        tell(specimen, "changed")
    }
}

extension SpecimenPosition {
    /// The result of an occupation. Errors are rounded up to the centimetre, so that no claim grows bolder.
    ///
    /// - Parameters:
    ///   - result: the mean.
    ///   - startedAt: when the occupation began, for a receiver that told no time.
    init(_ result: OccupationResult, startedAt: UTCInstant) {
        func up(_ metres: Double) -> Double { (metres * 100).rounded(.up) / 100 }
        self.init(
            result.coordinate, accuracy: up(result.horizontalError), source: .occupation, kind: result.source)
        altitude = result.altitudeHAE
        altitudeMSL = result.altitudeMSL
        altitudeAccuracy = result.verticalError.map(up)
        let start = result.start ?? startedAt
        let end = result.end ?? start.advanced(bySeconds: result.seconds)
        time = end
        mode = result.fixes3D * 2 > result.fixesUsed ? .threeDimensional : .twoDimensional
        // The way in which most fixes were made; of two the lesser one.
        status = result.statuses.max { ($0.value, -$0.key.rawValue) < ($1.value, -$1.key.rawValue) }?.key
        satellitesUsed = result.satellites.map { Int($0.rounded(.down)) }
        hdop = result.horizontalDilution
        receiver = result.receiver
        averaging = Averaging(
            startedAt: start, endedAt: end, fixesUsed: result.fixesUsed, fixesRejected: result.fixesRejected,
            effectiveFixes: (result.effectiveFixes * 10).rounded() / 10, rule: result.rejectionRule,
            ended: result.endReason?.words ?? "")
    }
}

extension OccupationEnd {
    /// As the API and the records have it.
    var words: String {
        switch self {
        case .accuracyReached: "accuracy-reached"
        case .timeOut: "time-out"
        case .endedByUser: "ended"
        case .receiverLost: "receiver-lost"
        case .receiverChanged: "receiver-changed"
        }
    }
}
