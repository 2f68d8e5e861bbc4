public import KonzaModel

extension Submission {
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
            records[target].flatMap { StoredText.decode(Submission.self, $0.utf8) }
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

    /// Asks for a specimen to be sent to a target, at once, whatever came of earlier tries. What is under way or in
    /// conflict stays so.
    ///
    /// - Throws: `notFound`.
    /// - Returns: the record as it is now.
    @discardableResult
    public func submit(_ id: SpecimenID, to target: SubmissionTarget) throws(SpecimenError) -> Submission {
        try writing { database throws(SpecimenError) in
            let specimen = try living(id).specimen
            let old = try submissions(of: id).first { $0.target == target }
            var new = old ?? Submission(specimen: id, target: target, changedAt: now)
            switch old?.state {
            case .sending, .conflict: return new
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
    /// - Throws: `submissionConflict` with the record as it is, `notFound`, `submissionNotFound`, `tooLarge`.
    public func write(_ submission: Submission) throws(SpecimenError) -> Submission {
        try writing { database throws(SpecimenError) in
            let specimen = try stored(submission.specimen).specimen
            let old = try self.submission(submission.specimen, to: submission.target)
            guard old.version == submission.version else { throw .submissionConflict(old) }
            var new = submission
            if new.state == .submitted, new.submittedRevision != specimen.revision {
                new.makeReady(at: now)
            } else {
                new.version += 1
                new.changedAt = now
            }
            return try put(new, over: old, database)
        }
    }

    /// Ends a conflict.
    ///
    /// - Throws: `submissionConflict` if there is none, `notFound`, `submissionNotFound`.
    /// - Returns: the record as it is now.
    public func resolve(
        _ id: SpecimenID, _ target: SubmissionTarget, keeping choice: ConflictChoice
    ) throws(SpecimenError) -> Submission {
        try writing { database throws(SpecimenError) in
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

    private func put(
        _ new: Submission, over old: Submission?, _ database: Database
    ) throws(SpecimenError) -> Submission {
        let text = try StoredText.encode(new, limit: Self.maximumSubmission)
        var before: [UInt8]?
        if let old { before = try StoredText.encode(old, limit: .max) }
        try replace(
            [Replacement(name: SpecimenNames.submission(new.target), new: text, old: before)],
            in: SpecimenNames.folder(new.specimen), database
        ) { connection throws(DatabaseError) in try SubmissionTable.put(new, text: text, in: &connection) }
        return StoredText.decode(Submission.self, text) ?? new
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
        }.compactMap { StoredText.decode(Submission.self, $0.utf8) }
    }

    /// The submission that is to be worked on now.
    ///
    /// - Parameters:
    ///   - targets: only these.
    ///   - flushedAt: delays that were set before this instant do not count.
    /// - Returns: nil if none is due.
    /// - Throws: what keeps the index from being read.
    public func due(
        targets: Set<SubmissionTarget>, flushedAt: UTCInstant? = nil
    ) throws(SpecimenError) -> (specimen: Specimen, submission: Submission)? {
        guard !targets.isEmpty else { return nil }
        let record = try read { [now] connection throws(DatabaseError) in
            try SubmissionTable.due(now: now, flushedAt: flushedAt, targets: targets, in: &connection)
        }
        guard let record, let submission = StoredText.decode(Submission.self, record.utf8) else { return nil }
        return (try stored(submission.specimen).specimen, submission)
    }
}
