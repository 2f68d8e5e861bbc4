internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Settings
internal import Specimens
internal import Storage

/// Opens and changes specimens: joins the request with the vocabulary, the position and the time, has the archive keep
/// the result, and reports it.
final class SpecimenDesk: Sendable {
    let parts: StationParts
    let vocabulary: VocabularyDesk
    /// Called at every change, which may make a submission ready again.
    let changes = Broadcaster<SpecimenID>()

    init(parts: StationParts) {
        self.parts = parts
        vocabulary = VocabularyDesk(archive: parts.specimens)
    }

    var archive: SpecimenArchive { parts.specimens }

    /// The time that records get.
    var now: UTCInstant { parts.time.now().instant }

    /// Runs work that waits for the disk where that holds nobody up, and words its refusals.
    func onDisk<Result: Sendable>(
        _ body: @escaping @Sendable () throws(SpecimenError) -> Result
    ) async throws(Problem) -> Result {
        do throws(SpecimenError) {
            return try await onBlockingThread { [parts] () throws(SpecimenError) in
                try parts.tally.onDisk(parts.clock, body)
            }
        } catch {
            throw Problem(error)
        }
    }

    // MARK: Opening and changing

    func open(_ request: SpecimenRequest, key: IdempotencyKey?) async throws(Problem) -> OpenedSpecimen {
        var patch = request.patch
        patch.rockType = .set(request.rockType)
        try vocabulary.check(&patch)
        let instant = now
        let local = CivilTime(instant, offsetSeconds: LocalTime.offsetSeconds(at: instant))
        var draft = Specimen(
            id: archive.newID(at: instant), number: request.number ?? "", rockType: request.rockType,
            createdAt: instant)
        draft.collectionDate = CalendarDate(year: local.year, month: local.month, day: local.day)
        patch.apply(to: &draft)
        if let position = try settled(patch.position) { draft.position = position }
        try justify(patch.override, &draft.position, at: instant)
        let number: NumberChoice =
            request.number.map { .given($0) } ?? .next(parts.settings.current.specimens.numberTemplate, local)
        let opened = try await onDisk { [archive, draft] () throws(SpecimenError) in
            try archive.open(draft, number: number, key: key)
        }
        if case .new(let specimen) = opened { tell(specimen, "opened") }
        return opened
    }

    func change(
        _ id: SpecimenID, _ request: SpecimenPatch, expecting revision: Int?
    ) async throws(Problem) -> Specimen {
        var patch = request
        try vocabulary.check(&patch)
        let instant = now
        let position = try settled(patch.position)
        let reason = patch.override
        let wanted = parts.settings.current.specimens.wantedAccuracy
        let specimen = try await onDisk { [archive, patch] () throws(SpecimenError) in
            try archive.change(id, expecting: revision, at: instant) { specimen throws(SpecimenError) in
                patch.apply(to: &specimen)
                switch patch.position {
                case .keep: break
                case .clear: specimen.position = nil
                case .set: specimen.position = position
                }
                switch reason {
                case .keep: break
                case .clear: specimen.position?.override = nil
                case .set(let words):
                    guard specimen.position != nil else { throw .invalid(Self.noPositionToJustify) }
                    specimen.position?.override = .init(reason: words, at: instant, wantedAccuracy: wanted)
                }
            }
        }
        tell(specimen, "changed")
        return specimen
    }

    func delete(_ id: SpecimenID) async throws(Problem) {
        let instant = now
        let specimen = try await onDisk { [archive] () throws(SpecimenError) in
            try archive.delete(id, at: instant)
            return try archive.specimen(id)
        }
        tell(specimen, "deleted")
    }

    func restore(_ id: SpecimenID) async throws(Problem) -> Specimen {
        let instant = now
        let specimen = try await onDisk { [archive] () throws(SpecimenError) in
            try archive.restore(id, at: instant)
        }
        tell(specimen, "restored")
        return specimen
    }

    func tell(_ specimen: Specimen, _ change: String) {
        parts.events.post(SpecimenEvent(specimen, change: change))
        changes.send(specimen.id)
    }

    // MARK: Positions

    private static let noPositionToJustify = "an override needs a position that it is for"

    private func justify(
        _ reason: Change<String>, _ position: inout SpecimenPosition?, at instant: UTCInstant
    ) throws(Problem) {
        guard case .set(let words) = reason else { return }
        guard position != nil else {
            throw Problem(
                .invalidRequest, "cannot take the request: \(Self.noPositionToJustify)", status: 422,
                errors: [.init(path: "/override", detail: Self.noPositionToJustify)])
        }
        position?.override = .init(
            reason: words, at: instant, wantedAccuracy: parts.settings.current.specimens.wantedAccuracy)
    }

    private func settled(_ change: Change<PositionRequest>) throws(Problem) -> SpecimenPosition? {
        guard case .set(let request) = change else { return nil }
        switch request {
        case .given(let given):
            var position = SpecimenPosition(
                given.coordinate, accuracy: given.accuracy, source: .given, kind: .manual)
            position.altitude = given.altitude
            position.altitudeMSL = given.altitudeMSL
            position.altitudeAccuracy = given.altitudeAccuracy
            return position
        case .here:
            let snapshot = parts.board.snapshot()
            guard snapshot.state == .fix, let fix = snapshot.fix, let position = SpecimenPosition(fix) else {
                throw Problem(
                    .noPosition,
                    "cannot tell where the specimen is from: \(snapshot.health.reason); wait for a fix, or give "
                        + "latitude and longitude")
            }
            return position
        }
    }

    /// Whether a specimen's position is good enough to be submitted.
    ///
    /// - Throws: `accuracy-too-low` with the figures.
    func checkAccuracy(of specimen: Specimen) throws(Problem) {
        guard let position = specimen.position else {
            throw Problem(
                .accuracyTooLow,
                "cannot submit \(specimen.number): its position is not known; occupy the place, or give a position")
        }
        let wanted = parts.settings.current.specimens.wantedAccuracy
        guard position.override == nil else { return }
        guard position.kind == .live || position.kind == .manual else {
            throw Problem(
                .accuracyTooLow,
                "cannot submit \(specimen.number): its position is \(position.kind.rawValue), not where anybody stood; "
                    + "take it with a live receiver, or say in override why this is good enough")
        }
        if let accuracy = position.accuracy, accuracy <= wanted { return }
        let known = position.accuracy.map { "known to \($0) m" } ?? "of unknown accuracy"
        var figures = ["wantedAccuracy": wanted]
        figures["accuracy"] = position.accuracy
        throw Problem(
            .accuracyTooLow,
            "cannot submit \(specimen.number): its position is \(known) with 95 % probability and \(wanted) m are "
                + "wanted; occupy the place for longer, or say in override why this is good enough",
            figures: figures)
    }
}

extension SpecimenPosition {
    /// One fix as a specimen's position; nil if it has no place.
    init?(_ fix: Fix) {
        guard let coordinate = fix.coordinate else { return nil }
        self.init(
            coordinate, accuracy: fix.horizontalAccuracy.map { Self.radius95($0, oneSigmaTo95: 1.731) }, source: .fix,
            kind: fix.source)
        altitude = fix.altitudeHAE
        altitudeMSL = fix.altitudeMSL
        altitudeAccuracy = fix.verticalAccuracy.map { Self.radius95($0, oneSigmaTo95: 1.96) }
        time = fix.time
        mode = fix.mode
        status = fix.status
        satellitesUsed = fix.satellitesUsed
        hdop = fix.dop.horizontal
        receiver = fix.device
    }

    /// gpsd's figures state no confidence. They may be as weak as one standard deviation, so that is what they are
    /// taken for: of a plane error with equal axes the square root of -ln 0.05 of it covers 95 %, of a height 1.96.
    private static func radius95(_ accuracy: Accuracy, oneSigmaTo95 factor: Double) -> Double {
        let metres = accuracy.confidence.map { $0 >= 0.95 } == true ? accuracy.metres : accuracy.metres * factor
        return (metres * 100).rounded(.up) / 100
    }
}
