public import KonzaModel
internal import Storage
internal import Synchronization

extension SpecimenArchive {
    /// Changes what is said about a specimen, durably. A change makes what was submitted or refused ready again.
    ///
    /// - Parameters:
    ///   - id: of the specimen.
    ///   - revision: the one that the caller read; nil takes any.
    ///   - instant: when, by the clock that its times are from.
    ///   - edit: what changes; its id, times, revision and photographs' files are the archive's.
    /// - Returns: the specimen as it is now; the revision stays where nothing changed.
    /// - Throws: `notFound` also for a tombstone, `revisionConflict`, `numberTaken`, `tooLarge`, what the edit throws.
    @discardableResult
    public func change(
        _ id: SpecimenID, expecting revision: Int? = nil, at instant: UTCInstant,
        _ edit: (inout Specimen) throws(SpecimenError) -> Void
    ) throws(SpecimenError) -> Specimen {
        try writing(to: id) { database throws(SpecimenError) in
            let old = try living(id)
            if let revision, revision != old.specimen.revision { throw .revisionConflict(old.specimen.revision) }
            var new = old
            try edit(&new.specimen)
            return try put(new, over: old, at: instant, database)
        }
    }

    /// Makes a specimen a tombstone: it is gone from every list, keeps its number, and can be restored for 30 days.
    public func delete(_ id: SpecimenID, at instant: UTCInstant) throws(SpecimenError) {
        _ = try writing(to: id, usesReserve: true) { database throws(SpecimenError) in
            let old = try living(id)
            var new = old
            new.specimen.deletedAt = instant
            return try put(new, over: old, at: instant, database)
        }
    }

    /// Takes a deletion back.
    ///
    /// - Returns: the specimen; one that is not deleted stays as it is.
    /// - Throws: `notFound` once the 30 days are over.
    public func restore(_ id: SpecimenID, at instant: UTCInstant) throws(SpecimenError) -> Specimen {
        try writing(to: id) { database throws(SpecimenError) in
            let old = try stored(id)
            guard let deletedAt = old.specimen.deletedAt else { return old.specimen }
            // One that was deleted while the clock was not set has an unknown age.
            guard !Self.isSet(deletedAt) || instant.seconds(since: deletedAt) < Self.tombstoneSeconds else {
                throw .notFound(id)
            }
            var new = old
            new.specimen.deletedAt = nil
            return try put(new, over: old, at: instant, database)
        }
    }

    /// A specimen that is not deleted, as it is stored.
    func living(_ id: SpecimenID) throws(SpecimenError) -> StoredSpecimen {
        let found = try stored(id)
        guard found.specimen.deletedAt == nil else { throw .notFound(id) }
        return found
    }

    func stored(_ id: SpecimenID) throws(SpecimenError) -> StoredSpecimen {
        let record = try read { connection throws(DatabaseError) in try SpecimenTable.record(id, in: &connection) }
        guard let record, let stored = StoredText.decode(StoredSpecimen.self, record.utf8) else {
            // As long as not every specimen has its row, it may be there.
            if !store.isStandingIn { try requireWhole() }
            throw .notFound(id)
        }
        return stored
    }

    /// Writes a changed specimen. The submissions' files come first: should a crash leave them alone, an update that
    /// changes nothing is sent, and no change is forgotten.
    func put(
        _ changed: StoredSpecimen, over old: StoredSpecimen, at instant: UTCInstant, _ database: Database
    ) throws(SpecimenError) -> Specimen {
        guard changed.specimen != old.specimen else { return old.specimen }
        let id = old.specimen.id
        var new = changed
        if new.specimen.number != old.specimen.number { try checkNumber(new.specimen.number, for: id) }
        new.specimen.id = id
        new.specimen.createdAt = old.specimen.createdAt
        new.specimen.changedAt = instant
        new.specimen.revision = old.specimen.revision + 1
        let text = try StoredText.encode(new, limit: StoredSpecimen.maximumSize)
        let before = try StoredText.encode(old, limit: .max)
        let revived = try revived(new.specimen, isRenumbered: new.specimen.number != old.specimen.number)
        let replacements =
            revived.map { Replacement(name: SpecimenNames.submission($0.new.target), new: $0.text, old: $0.old) }
            + [Replacement(name: SpecimenNames.specimen, new: text, old: before)]
        try replace(replacements, of: id, database) { connection throws(DatabaseError) in
            try SpecimenTable.put(new, text: text, in: &connection)
            for one in revived { try SubmissionTable.put(one.new, text: one.text, in: &connection) }
        }
        retries.withLock { [clock = store.clock] retries in
            for one in revived { retries.note(one.new, delay: 0, now: clock.monotonic()) }
        }
        return StoredText.decode(Specimen.self, text) ?? new.specimen
    }

    private struct Revived: Sendable {
        let new: Submission
        let text: [UInt8]
        let old: [UInt8]
    }

    /// The submissions that a change of their specimen makes ready again. One under way becomes so when it ends, and a
    /// conflict stays but for one: where another sample has the number, another number ends it.
    private func revived(_ specimen: Specimen, isRenumbered: Bool) throws(SpecimenError) -> [Revived] {
        var revived: [Revived] = []
        for submission in try submissions(of: specimen.id) {
            let hadForeignNumber = submission.state == .conflict && submission.remoteID == nil && isRenumbered
            guard submission.state == .submitted || submission.state == .refused || hadForeignNumber else { continue }
            var new = submission
            new.makeReady(at: now)
            if hadForeignNumber {
                new.step = nil
                new.sent = nil
                new.lastKnown = nil
            }
            revived.append(
                Revived(
                    new: new, text: try StoredText.encode(new, limit: Self.maximumSubmission),
                    old: try StoredText.encode(submission, limit: .max)))
        }
        return revived
    }
}
