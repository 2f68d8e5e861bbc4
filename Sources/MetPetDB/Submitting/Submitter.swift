internal import FoundationEssentials
public import KonzaModel

/// Takes submissions to MetPetDB, exactly once each, although that server may store what it answers with an error.
///
/// Every step is recorded before the call that it makes and after it. No sample is created before its number was looked
/// for, and no picture uploaded before the sample's images were; what is found is taken for ours only if it says what we
/// were about to write, and all else is a conflict for a person to decide. What is found to be ours is completed by PUT.
///
/// The calls block. One submitter does one thing at a time.
public struct Submitter<Ledger: OutboxLedger> {
    let client: MetPetDBClient
    let ledger: Ledger
    private let clock: any StationClock
    private let policy: RetryPolicy
    private let random: () -> Double

    /// - Parameters:
    ///   - client: the server and the account.
    ///   - ledger: keeps the records.
    ///   - clock: the station's.
    ///   - policy: when to try again.
    ///   - random: from 0 up to 1, for the jitter.
    public init(
        client: MetPetDBClient, ledger: Ledger, clock: any StationClock, policy: RetryPolicy = RetryPolicy(),
        random: @escaping () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.client = client
        self.ledger = ledger
        self.clock = clock
        self.policy = policy
        self.random = random
    }

    /// Goes on until there is nothing to do, or nothing before a later time.
    ///
    /// - Parameters:
    ///   - submission: as the ledger has it.
    ///   - specimen: what it is of.
    ///   - vocabulary: the server's own, with ids.
    /// - Returns: the record as it was left.
    /// - Throws: ``LedgerError``; nothing is lost by it, and the next try goes on from what was kept.
    public func run(
        _ submission: Submission, of specimen: Specimen, vocabulary: Vocabulary
    ) throws(LedgerError) -> Submission {
        guard policy.isDue(submission, at: clock.utc()) else { return submission }
        var submission = submission
        repeat {
            submission = try advance(submission, of: specimen, vocabulary: vocabulary)
            // A try that came to nothing has set a time for the next; no clock is asked whether that has come already.
        } while submission.nextAttemptAt == nil && (submission.state == .ready || submission.state == .sending)
        return submission
    }

    /// Takes a submission one step further: at most one call that writes.
    ///
    /// A submission that is not `ready` or `sending` is left as it is. `nextAttemptAt` is not looked at.
    ///
    /// - Parameters:
    ///   - submission: as the ledger has it.
    ///   - specimen: what it is of.
    ///   - vocabulary: the server's own, with ids.
    /// - Returns: the record as it was left.
    /// - Throws: ``LedgerError``; nothing is lost by it, and the next try goes on from what was kept.
    public func advance(
        _ submission: Submission, of specimen: Specimen, vocabulary: Vocabulary
    ) throws(LedgerError) -> Submission {
        guard submission.state == .ready || submission.state == .sending else { return submission }
        var record = submission
        record.adoptPhotographs(of: specimen)
        do {
            try step(&record, specimen, vocabulary)
            return record
        } catch let refusals as Refusals {
            record.state = .refused
            record.refusals = refusals.list
            return try keep(record)
        } catch let error as MetPetDBError {
            return try keep(postponed(record, error))
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError(.unavailable, "cannot go on: \(error)")
        }
    }

    private func step(_ record: inout Submission, _ specimen: Specimen, _ vocabulary: Vocabulary) throws {
        if record.remoteID != nil, record.submittedRevision == specimen.revision {
            return try sendNextPhotograph(&record, specimen, vocabulary)
        }
        let body = try SampleBody(specimen, vocabulary: vocabulary)
        if let id = record.remoteID {
            try update(&record, id, specimen, body)
        } else {
            try create(&record, specimen, body)
        }
    }

    // MARK: - The record

    func keep(_ record: Submission) throws(LedgerError) -> Submission {
        var record = record
        record.changedAt = clock.utc()
        return try ledger.record(record)
    }

    func keep(_ record: inout Submission) throws(LedgerError) { record = try keep(record) }

    /// The record after a call that came to nothing, or whose outcome is not known.
    private func postponed(_ record: Submission, _ error: MetPetDBError) -> Submission {
        var record = record
        record.attempts = RetryPolicy.attempts(after: record.attempts)
        var pause = policy.pause(attempts: record.attempts, random: random())
        // A wrong password does not get better by repetition, and an account may be locked.
        if error.reason == .login { pause = max(pause, policy.afterLogin) }
        record.nextAttemptAt = clock.utc().advanced(bySeconds: max(pause, error.retryAfter ?? 0))
        record.lastFailure = error.description
        return record
    }

    /// Marks what was reached, and the end where nothing is left to do.
    func succeed(_ record: inout Submission, _ specimen: Specimen) {
        record.step = nil
        record.sent = nil
        record.stepPhotograph = nil
        record.attempts = 0
        record.nextAttemptAt = nil
        record.lastFailure = nil
        record.refusals = []
        record.state = .sending
        guard record.submittedRevision == specimen.revision,
            record.pictures.allSatisfy({ $0.state == .submitted || $0.state == .refused })
        else { return }
        let refused = record.pictures.filter { $0.state == .refused }
        record.state = refused.isEmpty ? .submitted : .refused
        let names = PhotographNames(specimen.photographs)
        record.refusals = refused.map {
            .init(field: names.name(of: $0.id), words: $0.refusal ?? "the photograph is refused")
        }
        if refused.isEmpty { record.submittedAt = clock.utc() }
    }

    func refuse(_ record: inout Submission, _ error: MetPetDBError) throws {
        record.state = .refused
        record.refusals = error.refusals.isEmpty ? [.init(words: error.description)] : error.refusals
        record.lastFailure = error.description
        try keep(&record)
    }
}

extension Submission {
    /// One entry for each photograph of the specimen, in its order. One that was refused is tried again once the specimen
    /// was changed.
    mutating func adoptPhotographs(of specimen: Specimen) {
        let isChanged = submittedRevision != specimen.revision
        let known = Dictionary(pictures.map { ($0.id, $0) }) { first, _ in first }
        pictures = specimen.photographs.map { photograph in
            guard let picture = known[photograph.id], !(isChanged && picture.state == .refused) else {
                return Picture(id: photograph.id)
            }
            return picture
        }
    }
}
