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

    /// What became of the request with a key, whatever it asked for; reserves nothing.
    ///
    /// - Parameter key: of the request.
    /// - Returns: `new` for one that was never made, or came to nothing; `inProgress`; `existing` with its postcard, which may
    ///   have been deleted since.
    /// - Throws: `rebuilding` for a key that is not known while postcards are still missing from the index.
    public func outcome(ofKey key: String) throws(StorageError) -> IdempotencyOutcome<PostcardRecord> {
        // A key leaves those in progress after its row was written: nothing is missed in between.
        if kind.state.withLock({ $0.inProgress[key] != nil }) { return .inProgress }
        do throws(DatabaseError) {
            let now = store.operatingTime.now
            let finished = try store.readable.read { connection throws(DatabaseError) in
                try IdempotencyTable.postcards.find(key, now: now, in: &connection)
            }
            if let finished { return .existing(finished.id) }
            guard kind.state.withLock({ $0.isWhole }) else {
                throw .rebuilding("the keys of requests are not all known yet")
            }
            return .new
        } catch {
            throw .database(error)
        }
    }

    /// Gives a reserved key up: its request came to nothing.
    public func abandon(_ key: String) {
        kind.state.withLock { _ = $0.inProgress.removeValue(forKey: key) }
    }
}
