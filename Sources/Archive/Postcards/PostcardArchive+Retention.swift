internal import KonzaModel
internal import Synchronization

extension PostcardArchive {
    /// Deletes what is older than the age limit and what is over the other limits, oldest unprotected first. `keep`
    /// does the same before each write; this is for a station that takes no postcards for a long time.
    ///
    /// - Returns: how many postcards were deleted.
    @discardableResult
    public func enforceLimits() throws(ArchiveError) -> Int {
        let database = try writable()
        return try duringUpkeep { () throws(ArchiveError) in
            let expired = try expire(database)
            let over = excess(needed: 0, more: 0, free: .max)
            guard over.bytes > 0 || over.count > 0 else { return expired }
            return expired + (try prune(database, bytes: over.bytes, count: over.count))
        }
    }

    /// Makes room for a postcard by the limits and the disk's free space, and sets it aside until `giveRoomBack`.
    ///
    /// - Returns: the index to write to.
    /// - Throws: `insufficientStorage` if deleting every unprotected postcard would not be enough; none is deleted
    ///   then, but those past the age limit.
    func makeRoom(for needed: Int64) throws(ArchiveError) -> Database {
        let database = try writable()
        try duringUpkeep { () throws(ArchiveError) in
            try expire(database)
            for attempt in 1...3 {
                let free = try freeSpace()
                let over = excess(needed: needed, more: 1, free: free)
                if over.bytes <= 0 && over.count <= 0 { return }
                let shortage = shortage(needed: needed, free: free)
                let (prunableCount, prunableBytes) = state.withLock {
                    ($0.totals.count - $0.totals.protectedCount, $0.totals.prunableBytes)
                }
                // Space that an open file still holds comes back late: after three rounds it is a shortage.
                guard over.bytes <= prunableBytes, over.count <= prunableCount, attempt < 3 else {
                    throw .insufficientStorage(shortage)
                }
                try prune(database, bytes: over.bytes, count: over.count)
            }
        }
        return try state.withLock { state throws(ArchiveError) in
            // The index may have failed while room was made.
            guard case .ready(let current) = state.index else { throw .unavailable(Self.health(of: state.index)) }
            state.inFlightBytes = state.inFlightBytes.addingClamped(needed)
            state.inFlightCount += 1
            return current
        }
    }

    func giveRoomBack(_ needed: Int64) {
        state.withLock { state in
            state.inFlightBytes = state.inFlightBytes.addingClamped(-needed)
            state.inFlightCount -= 1
        }
    }

    private static func health(of index: Index) -> PartHealth {
        switch index {
        case .ready: .ok("the index is usable")
        case .standIn(_, let health): health
        }
    }

    func freeSpace() throws(ArchiveError) -> Int64 {
        try archive { () throws(FileError) in try operations.space(ofFolder: folder) }.free
    }

    func shortage(needed: Int64, free: Int64) -> StorageShortage {
        state.withLock { state in
            StorageShortage(
                needed: needed, free: free, reserve: state.limits.spaceReserve, stored: state.totals.bytes,
                limit: state.limits.maximumBytes, prunable: state.totals.prunableBytes)
        }
    }

    /// How far the archive would be over its limits with a further postcard, all writers counted.
    private func excess(needed: Int64, more: Int, free: Int64) -> (bytes: Int64, count: Int) {
        state.withLock { state in
            let coming = needed.addingClamped(state.inFlightBytes)
            let overSpace = coming.addingClamped(state.limits.spaceReserve).addingClamped(free == .max ? .min : -free)
            let overBytes = state.limits.maximumBytes.map { limit in
                state.totals.bytes.addingClamped(coming).addingClamped(-limit)
            }
            let overCount = state.limits.maximumCount.map { limit in
                state.totals.count + state.inFlightCount + more - limit
            }
            return (max(0, overSpace, overBytes ?? 0), max(0, overCount ?? 0))
        }
    }

    /// Deletes what is past the age limit. A clock that was never set knows no ages.
    @discardableResult
    private func expire(_ database: Database) throws(ArchiveError) -> Int {
        let now = clock.utc()
        guard let age = state.withLock({ $0.limits.maximumAge }), CivilTime(now).year >= 2024,
            age.isFinite, age < 9e9
        else { return 0 }
        var deleted = 0
        while true {
            let old = try candidates(database, before: now.advanced(bySeconds: -age))
            if old.isEmpty { return deleted }
            try delete(old.map(\.id), from: database)
            deleted += old.count
        }
    }

    /// Deletes the oldest unprotected postcards until so many bytes and so many postcards are gone.
    @discardableResult
    private func prune(_ database: Database, bytes: Int64, count: Int) throws(ArchiveError) -> Int {
        var bytesLeft = bytes
        var countLeft = count
        var deleted = 0
        while bytesLeft > 0 || countLeft > 0 {
            var chosen: [PostcardID] = []
            for candidate in try candidates(database, before: UTCInstant(nanoseconds: .max)) {
                guard bytesLeft > 0 || countLeft > 0 else { break }
                chosen.append(candidate.id)
                bytesLeft = bytesLeft.addingClamped(-candidate.bytes)
                countLeft -= 1
            }
            if chosen.isEmpty { return deleted }
            try delete(chosen, from: database)
            deleted += chosen.count
        }
        return deleted
    }

    private func candidates(
        _ database: Database, before instant: UTCInstant
    ) throws(ArchiveError) -> [PostcardTable.Candidate] {
        try archive { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                try PostcardTable.prunable(before: instant, limit: 200, in: &connection)
            }
        }
    }

    /// Runs a body that deletes or changes, one at a time.
    func duringUpkeep<Value: Sendable>(
        _ body: () throws(ArchiveError) -> Value
    ) throws(ArchiveError) -> Value {
        try upkeep.withLock { _ throws(ArchiveError) in try body() }
    }
}
