public import KonzaModel
internal import Storage
internal import Synchronization

extension Submission {
    /// The member that is out of its range, and what it may be; nil if none is.
    public var rangeComplaint: (member: String, expected: String)? {
        if !(0...Self.maximumAttempts).contains(attempts) { return ("attempts", "0 to \(Self.maximumAttempts)") }
        if !(1..<Self.maximumVersion).contains(version) { return ("version", "1 to \(Self.maximumVersion - 1)") }
        if let submittedRevision, !(1...Self.maximumVersion).contains(submittedRevision) {
            return ("submittedRevision", "1 to \(Self.maximumVersion)")
        }
        return nil
    }

    /// The record with its numbers in their ranges, whatever a file says.
    var bounded: Submission {
        var bounded = self
        bounded.attempts = min(max(0, attempts), Self.maximumAttempts)
        bounded.version = min(max(1, version), Self.maximumVersion - 1)
        bounded.submittedRevision = submittedRevision.map { min(max(1, $0), Self.maximumVersion) }
        return bounded
    }

    /// Reads a record of the archive's.
    static func stored(_ text: some Collection<UInt8>) -> Submission? {
        StoredText.decode(Submission.self, text)?.bounded
    }

    /// To be sent, now.
    mutating func makeReady(at instant: UTCInstant) {
        state = .ready
        refusals = []
        conflict = nil
        attempts = 0
        nextAttemptAt = nil
        lastFailure = nil
        version += 1
        changedAt = instant
    }
}

extension SpecimenArchive {
    /// All submissions of a specimen, by their targets.
    public func submissions(of id: SpecimenID) throws(SpecimenError) -> [Submission] {
        let records = try read { connection throws(DatabaseError) in
            try SubmissionTable.records(of: id, in: &connection)
        }
        return SubmissionTarget.allCases.compactMap { target in
            records[target].flatMap { Submission.stored($0.utf8) }
        }
    }

    /// One submission.
    ///
    /// - Throws: `submissionNotFound` if the specimen was never submitted there.
    public func submission(_ id: SpecimenID, to target: SubmissionTarget) throws(SpecimenError) -> Submission {
        guard let found = try submissions(of: id).first(where: { $0.target == target }) else {
            throw .submissionNotFound(id, target)
        }
        return found
    }

    /// Asks for a specimen to be sent to a target, at once, whatever came of earlier tries. What is under way stays so,
    /// but for its delay, which ends; what is in conflict stays so.
    ///
    /// - Throws: `notFound`.
    /// - Returns: the record as it is now.
    @discardableResult
    public func submit(_ id: SpecimenID, to target: SubmissionTarget) throws(SpecimenError) -> Submission {
        try writing(to: id) { database throws(SpecimenError) in
            let specimen = try living(id).specimen
            let old = try submissions(of: id).first { $0.target == target }
            var new = old ?? Submission(specimen: id, target: target, changedAt: now)
            switch old?.state {
            case .sending:
                let key = RetrySchedule.Key(specimen: id, target: target)
                retries.withLock { [clock = store.clock] in $0.makeDue(key, now: clock.monotonic()) }
                return new
            case .conflict: return new
            case .submitted where new.submittedRevision == specimen.revision: return new
            case nil:
                new.state = .ready
                new.pictures = specimen.photographs.map { Submission.Picture(id: $0.id) }
            default: new.makeReady(at: now)
            }
            return try put(new, over: old, database)
        }
    }

    /// Writes a submission's record if nobody else has since the caller read it.
    ///
    /// - Parameter submission: with the version that the caller read. One that ends as submitted, while its specimen
    ///   was changed meanwhile, is kept as ready.
    /// - Returns: the record as it is kept, with its new version.
    ///   The delay until `nextAttemptAt` is kept by the steady clock; it is a day at most.
    /// - Throws: `submissionConflict` with the record as it is, `notFound`, `submissionNotFound`, `tooLarge`, `invalid`
    ///   for a number out of its range.
    public func write(_ submission: Submission) throws(SpecimenError) -> Submission {
        if let complaint = submission.rangeComplaint {
            throw .invalid("the submission's member \(complaint.member): expected \(complaint.expected)")
        }
        return try writing(to: submission.specimen, usesReserve: true) { database throws(SpecimenError) in
            let specimen = try stored(submission.specimen).specimen
            let old = try self.submission(submission.specimen, to: submission.target)
            guard old.version == submission.version else { throw .submissionConflict(old) }
            var new = submission
            let now = now
            var delay = 0.0
            if new.state == .submitted, new.submittedRevision != specimen.revision {
                new.makeReady(at: now)
            } else {
                new.version += 1
                delay = Self.settleDelay(&new, now)
                new.changedAt = now
            }
            return try put(new, over: old, delay: delay, database)
        }
    }

    /// Ends a conflict.
    ///
    /// - Throws: `submissionConflict` if there is none, `notFound`, `submissionNotFound`.
    /// - Returns: the record as it is now.
    public func resolve(
        _ id: SpecimenID, _ target: SubmissionTarget, keeping choice: ConflictChoice
    ) throws(SpecimenError) -> Submission {
        try writing(to: id) { database throws(SpecimenError) in
            let specimen = try living(id).specimen
            let old = try submission(id, to: target)
            var new = old
            guard new.resolveConflict(choice, revision: specimen.revision, at: now) else {
                throw .submissionConflict(old)
            }
            new.version += 1
            return try put(new, over: old, database)
        }
    }

    /// Settles how long a record waits that its sender has just written, whatever the wall clock did meanwhile, and
    /// sets its `nextAttemptAt` to that where it says something else.
    ///
    /// - Returns: seconds.
    private static func settleDelay(_ record: inout Submission, _ now: UTCInstant) -> Double {
        guard let next = record.nextAttemptAt else { return 0 }
        var delay = RetrySchedule.delay(until: next, from: now, setAt: record.changedAt)
        if record.attempts > 0 { delay = max(delay, RetrySchedule.shortestDelay) }
        if abs(next.seconds(since: now) - delay) > 1 { record.nextAttemptAt = now.advanced(bySeconds: delay) }
        return delay
    }

    private func put(
        _ new: Submission, over old: Submission?, delay: Double = 0, _ database: Database
    ) throws(SpecimenError) -> Submission {
        let text = try StoredText.encode(new, limit: Self.maximumSubmission)
        var before: [UInt8]?
        if let old { before = try StoredText.encode(old, limit: .max) }
        try replace(
            [Replacement(name: SpecimenNames.submission(new.target), new: text, old: before)],
            of: new.specimen, database
        ) { connection throws(DatabaseError) in try SubmissionTable.put(new, text: text, in: &connection) }
        retries.withLock { [clock = store.clock] in $0.note(new, delay: delay, now: clock.monotonic()) }
        return Submission.stored(text) ?? new
    }

    /// Submissions of specimens that are not deleted, newest specimen first.
    ///
    /// - Parameters:
    ///   - states: only these; nil for all.
    ///   - after: the last one of the page before.
    ///   - limit: the most that come back.
    /// - Returns: the records.
    /// - Throws: what keeps the index from being read.
    public func outbox(
        states: Set<Submission.State>? = nil, after: (SpecimenID, SubmissionTarget)? = nil, limit: Int = 200
    ) throws(SpecimenError) -> [Submission] {
        try read { connection throws(DatabaseError) in
            try SubmissionTable.list(states: states, after: after, limit: limit, in: &connection)
        }.compactMap { Submission.stored($0.utf8) }
    }

    /// The submission that is to be worked on now.
    ///
    /// - Parameter targets: only these.
    /// - Returns: nil if none is due.
    /// - Throws: what keeps the index from being read.
    public func due(
        targets: Set<SubmissionTarget>
    ) throws(SpecimenError) -> (specimen: Specimen, submission: Submission)? {
        guard !targets.isEmpty else { return nil }
        try requireWhole()
        let rows = try read { connection throws(DatabaseError) in
            try SubmissionTable.waiting(targets: targets, in: &connection)
        }
        let (wall, now) = (now, store.clock.monotonic())
        for key in retries.withLock({ $0.due(rows, of: targets, wall: wall, now: now) }) {
            // One that was damaged, or changed meanwhile, does not keep the others waiting.
            guard let submission = try submissions(of: key.specimen).first(where: { $0.target == key.target }),
                submission.state == .sending || submission.state == .ready,
                let specimen = try? stored(key.specimen).specimen
            else { continue }
            return (specimen, submission)
        }
        return nil
    }

    /// Delays that were set before this do not count any more.
    public func flushDelays() { retries.withLock { $0.flush() } }

    /// Somebody was given a submission to work on. One that comes back unchanged again and again is delayed.
    public func noteHandOut(of submission: Submission) {
        let key = RetrySchedule.Key(specimen: submission.specimen, target: submission.target)
        retries.withLock { [clock = store.clock] in $0.noteHandOut(key, now: clock.monotonic()) }
    }
}
