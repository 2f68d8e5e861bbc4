public import KonzaModel
public import Storage
internal import Synchronization

extension PostcardArchive {
    /// How many requests with a key may be in progress.
    static let maximumInProgress = 10_000

    /// Asks for a request's key, so that a repeated request is done once. A key that is `new` is the caller's until
    /// `keep` ends, for better or worse, or until `abandon`. Finished keys are remembered for 24 hours of operation, the
    /// last 10 000 of them, also through a restart, and whatever becomes of the clock; keys in progress end with the
    /// process, as the requests do.
    ///
    /// - Throws: `unavailable` for a key that is not known while postcards are still missing from the index: one of
    ///   them may be the key's.
    public func reserve(_ key: IdempotencyKey) throws(StorageError) -> IdempotencyOutcome<PostcardRecord> {
        if let complaint = key.complaint { throw .invalid(complaint) }
        let other = try kind.state.withLock { state throws(StorageError) -> IdempotencyOutcome<PostcardRecord>? in
            if let hash = state.inProgress[key.key] { return hash == key.requestHash ? .inProgress : .conflict }
            guard state.inProgress.count < Self.maximumInProgress else {
                throw .tooManyInProgress(limit: Self.maximumInProgress)
            }
            state.inProgress[key.key] = key.requestHash
            return nil
        }
        if let other { return other }
        do throws(DatabaseError) {
            let now = store.operatingTime.now
            let finished = try store.readable.read { connection throws(DatabaseError) in
                try IdempotencyTable.postcards.find(key.key, now: now, in: &connection)
            }
            guard let finished else {
                guard kind.state.withLock({ $0.isWhole }) else {
                    throw .rebuilding("the keys of requests are not all known yet")
                }
                return .new
            }
            abandon(key.key)
            return finished.requestHash == key.requestHash ? .existing(finished.id) : .conflict
        } catch {
            abandon(key.key)
            throw .database(error)
        }
    }

    /// Gives a reserved key up: its request came to nothing.
    public func abandon(_ key: String) {
        kind.state.withLock { _ = $0.inProgress.removeValue(forKey: key) }
    }
}
