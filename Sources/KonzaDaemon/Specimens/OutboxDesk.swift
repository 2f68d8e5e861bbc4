internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Specimens
internal import Synchronization

/// Joins the archive's submissions with whoever sends them: hands out errands, takes reports, and reports each step.
final class OutboxDesk: Sendable {
    /// What falls due while nothing else happens is noticed so soon, seconds.
    private static let lookAround = 5.0
    /// A vocabulary that could not be fetched is asked for again after so long, seconds.
    static let vocabularyPause = 3600.0

    private struct State {
        /// Whether the last errand was a question: then what waits to be sent comes first.
        var gaveQuestion = false
        var vocabularyNotBefore: MonotonicInstant?
        var courier: (seenAt: MonotonicInstant, hasNetwork: Bool)?
    }

    let specimens: SpecimenDesk
    /// What others want to know from the courier.
    let questions: CourierQuestions
    let bell = Bell()
    private let state = Mutex(State())

    init(specimens: SpecimenDesk) {
        self.specimens = specimens
        questions = CourierQuestions(clock: specimens.parts.clock, bell: bell)
        specimens.changes.subscribeForever { [bell] _ in bell.ring() }
    }

    private var parts: StationParts { specimens.parts }
    private var archive: SpecimenArchive { parts.specimens }

    /// The targets that the settings allow.
    var targets: Set<SubmissionTarget> {
        let settings = parts.settings.current
        var targets: Set<SubmissionTarget> = []
        if settings.metPetDB.submit { targets.insert(.metpetdb) }
        if settings.sesar.submit { targets.insert(.sesar) }
        return targets
    }

    /// When a courier last asked for an errand; nil if none has since the start.
    var courierSeenAt: MonotonicInstant? { state.withLock { $0.courier?.seenAt } }

    // MARK: Submissions

    /// Asks for a specimen to be sent.
    func submit(_ id: SpecimenID, _ request: SubmitRequest) async throws(Problem) -> Submission {
        guard targets.contains(request.target) else {
            let section = request.target == .metpetdb ? "MetPetDB" : "SESAR"
            throw Problem(
                .targetDisabled,
                "cannot submit to \(request.target.rawValue): it is switched off; set [\(section)] Submit=yes")
        }
        var specimen = try await specimens.onDisk { [archive] () throws(SpecimenError) in try archive.specimen(id) }
        if let reason = request.override, specimen.position != nil {
            var patch = SpecimenPatch()
            patch.override = .set(reason)
            specimen = try await specimens.change(id, patch, expecting: nil)
        }
        try specimens.checkAccuracy(of: specimen)
        let submission = try await specimens.onDisk { [archive] () throws(SpecimenError) in
            try archive.submit(id, to: request.target)
        }
        tell(submission)
        return submission
    }

    /// Takes a record that its sender has brought further.
    func write(_ submission: Submission) async throws(Problem) -> Submission {
        let stored = try await specimens.onDisk { [archive] () throws(SpecimenError) in try archive.write(submission) }
        tell(stored)
        return stored
    }

    func resolve(
        _ id: SpecimenID, _ target: SubmissionTarget, keeping choice: ConflictChoice
    ) async throws(Problem) -> Submission {
        let submission = try await specimens.onDisk { [archive] () throws(SpecimenError) in
            try archive.resolve(id, target, keeping: choice)
        }
        tell(submission)
        return submission
    }

    /// Tells how far a photograph is; nothing is kept.
    func tell(_ progress: SendingProgress, _ id: SpecimenID, _ target: SubmissionTarget) throws(Problem) {
        guard parts.events.listenerCount > 0 else { return }
        let submission = try Problem.wording { () throws(SpecimenError) in try archive.submission(id, to: target) }
        var event = OutboxEvent(submission)
        event.photograph = progress.photograph
        event.sentBytes = progress.sentBytes
        event.totalBytes = progress.totalBytes
        parts.events.post(event)
    }

    private func tell(_ submission: Submission) {
        parts.events.post(OutboxEvent(submission))
        bell.ring()
    }

    /// Forgets every delay: what is ready is tried now.
    func flush() {
        archive.flushDelays()
        state.withLock { $0.vocabularyNotBefore = nil }
        bell.ring()
    }

    // MARK: Errands

    /// The courier asks for an errand.
    func noteCourier(hasNetwork: Bool) {
        let now = parts.clock.monotonic()
        state.withLock { $0.courier = (now, hasNetwork) }
    }

    /// What is known of the courier; nil if none ever asked.
    var courier: CourierReply? {
        guard let courier = state.withLock({ $0.courier }) else { return nil }
        let seconds = parts.clock.monotonic().seconds(since: courier.seenAt)
        return CourierReply(seenSecondsAgo: Int(seconds), hasNetwork: courier.hasNetwork)
    }

    /// The next errand; waits for one at most so long.
    func nextErrand(waitingSeconds: Double) async throws(Problem) -> Errand? {
        let deadline = parts.clock.monotonic().advanced(bySeconds: waitingSeconds)
        while true {
            let seen = bell.count
            if let errand = try await errand() { return errand }
            let now = parts.clock.monotonic()
            guard now < deadline, !Task.isCancelled else { return nil }
            await bell.wait(
                after: seen, until: min(deadline, now.advanced(bySeconds: Self.lookAround)), clock: parts.clock)
        }
    }

    private func errand() async throws(Problem) -> Errand? {
        // Questions and submissions take turns: neither waits for ever for the other.
        let gaveQuestion = state.withLock { $0.gaveQuestion }
        if !gaveQuestion, let question = question() { return question }
        let targets = targets
        let due = try await specimens.onDisk { [archive] () throws(SpecimenError) -> DueSubmission? in
            try archive.due(targets: targets).map(DueSubmission.init)
        }
        state.withLock { $0.gaveQuestion = false }
        if let due {
            archive.noteHandOut(of: due.submission)
            // What was said since it was submitted counts as much as what was said before.
            do throws(Problem) {
                try specimens.checkAccuracy(of: due.specimen)
                return due.errand
            } catch {
                try await refuse(due.submission, error)
            }
        }
        return question() ?? vocabularyErrand(parts.clock.monotonic())
    }

    /// Holds a submission back until its specimen is changed. Somebody else's write meanwhile counts more.
    private func refuse(_ submission: Submission, _ problem: Problem) async throws(Problem) {
        var refused = submission
        refused.state = .refused
        refused.refusals = [.init(field: "position", words: problem.detail)]
        do throws(Problem) {
            _ = try await write(refused)
        } catch {
            guard error.kind == .submissionConflict else { throw error }
        }
    }

    private func question() -> Errand? {
        guard let errand = questions.take() else { return nil }
        state.withLock { $0.gaveQuestion = true }
        return errand
    }

    private struct DueSubmission: Sendable {
        let specimen: Specimen
        let submission: Submission

        init(_ due: (specimen: Specimen, submission: Submission)) {
            specimen = due.specimen
            submission = due.submission
        }

        var errand: Errand {
            var errand = Errand(
                id: "submission-\(submission.specimen)-\(submission.target.rawValue)", kind: "submission")
            errand.specimen = specimen
            errand.submission = submission
            errand.photographPaths = Dictionary(
                specimen.photographs.map {
                    ($0.id.description, "/v1/specimens/\(specimen.id)/photographs/\($0.id)/file")
                }, uniquingKeysWith: { first, _ in first })
            return errand
        }
    }

    private func vocabularyErrand(_ now: MonotonicInstant) -> Errand? {
        let settings = parts.settings.current.metPetDB
        let current = specimens.vocabulary.current
        let age = current.fetchedAt.map { parts.time.now().instant.seconds(since: $0) }
        guard age.map({ $0 > settings.vocabularyMaxAge || $0 < 0 }) ?? true || current.origin != settings.url else {
            return nil
        }
        return state.withLock { state in
            if let notBefore = state.vocabularyNotBefore, now < notBefore { return nil }
            state.vocabularyNotBefore = now.advanced(bySeconds: Self.vocabularyPause)
            return Errand(id: "vocabulary", kind: "vocabulary")
        }
    }

    /// Takes what the courier says about an errand.
    func report(_ id: String, _ report: ErrandReport) async throws(Problem) {
        if id == "vocabulary" || id.hasPrefix("submission-") { return }
        try await questions.report(id, report)
    }
}
