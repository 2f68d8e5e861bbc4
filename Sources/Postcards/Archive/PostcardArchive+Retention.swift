internal import KonzaModel
public import Storage
internal import Synchronization

extension PostcardArchive {
    /// Deletes what is older than the age limit and what is over the other limits, oldest unprotected first. `keep`
    /// does the same before each write; this is for a station that takes no postcards for a long time.
    ///
    /// - Returns: how many postcards were deleted.
    @discardableResult
    public func enforceLimits() throws(StorageError) -> Int {
        try store.changing { database throws(StorageError) in
            try expire(database) + prune(database, kind.state.withLock { $0.excess(for: nil) })
        }
    }

    /// Looks when the oldest postcard was taken, for ``PostcardArchive/figures``. It blocks; where the index cannot be read, what was
    /// found before stays.
    public func lookForOldest() {
        let look = Result { () throws(StorageError) in
            try store.read { connection throws(DatabaseError) in try PostcardTable.oldest(in: &connection) }
        }
        // That there is none is an answer, too.
        if case .success(let found) = look { kind.state.withLock { $0.oldestAt = found } }
    }

    /// Makes room for a postcard by the limits and the disk's free space, and sets it aside until `giveRoomBack`.
    ///
    /// - Returns: the index to write to.
    /// - Throws: `insufficientStorage` if deleting every unprotected postcard would not be enough; none is deleted
    ///   then, but those past the age limit.
    func makeRoom(for needed: Int64, _ id: PostcardID) throws(StorageError) -> Database {
        try store.changing { database throws(StorageError) in
            try expire(database)
            // Space that an open file still holds comes back late: after three rounds it is a shortage.
            for _ in 0..<3 {
                let space = try store.freeSpace()
                let lack = store.lack(for: needed, free: space.free)
                let (excess, isHopeless) = kind.state.withLock { state in
                    (state.excess(for: needed, lack, space), state.isHopeless(for: needed, lack, space))
                }
                if isHopeless { break }
                guard excess.space == 0 && excess.files == 0 || kind.state.withLock({ $0.isWhole }) else {
                    // The oldest postcards may be among those that the index does not know yet.
                    throw .database(.rebuilding("old postcards can be deleted when the index knows all of them"))
                }
                try prune(database, excess)
                if excess.space == 0, excess.files == 0 { return try setAside(needed, id, database) }
            }
            throw .insufficientStorage(shortage(needed: needed, try store.freeSpace()))
        }
    }

    /// Counts a postcard as being written. Only under upkeep.
    private func setAside(_ needed: Int64, _ id: PostcardID, _ database: Database) throws(StorageError) -> Database {
        try markDay(of: id, in: database)
        let current = try store.holdIndex(for: needed)
        kind.state.withLock { state in
            state.inFlight.insert(id)
            state.inFlightBytes = state.inFlightBytes.addingClamped(needed)
        }
        return current
    }

    /// Notes that a day's folder is being written to, so that the next start compares it with the index before
    /// anything else: only there can a crash have left a postcard without its row.
    private func markDay(of id: PostcardID, in database: Database) throws(StorageError) {
        let day = PostcardNames.folder(id)
        guard !kind.state.withLock({ $0.openDays.contains(day) }) else { return }
        _ = try store.commit(database) { connection throws(DatabaseError) in
            try PostcardTable.days.set(day, in: &connection)
        }
        kind.state.withLock { _ = $0.openDays.insert(day) }
    }

    /// Counts a postcard as written, or as given up, in one step with what is stored.
    func giveRoomBack(_ needed: Int64, _ id: PostcardID, keptBytes: Int64?, isProtected: Bool) {
        kind.state.withLock { state in
            state.inFlight.remove(id)
            state.inFlightBytes = state.inFlightBytes.addingClamped(-needed)
            if let keptBytes { state.totals.add(bytes: keptBytes, isProtected: isProtected) }
        }
        store.letIndexGo(of: needed)
    }

    /// Postcards that were written at the same time could not make room for one another; what they are too many by
    /// goes now. A failure here costs nobody's postcard: the next one tries again.
    func trim() {
        guard !kind.state.withLock({ $0.excess(for: nil) }).isNone else { return }
        _ = try? store.duringUpkeep { database throws(StorageError) in
            try prune(database, kind.state.withLock { $0.excess(for: nil) })
        }
    }

    /// The numbers of a shortage, with what is free now.
    func shortage(needed: Int64) -> StorageShortage {
        shortage(needed: needed, (try? store.freeSpace()) ?? DiskSpace(free: 0, total: 0))
    }

    private func shortage(needed: Int64, _ space: DiskSpace) -> StorageShortage {
        kind.state.withLock { state in
            var shortage = StorageShortage(
                needed: needed, free: space.free, reserve: state.limits.spaceReserve, stored: state.totals.bytes,
                limit: state.limits.maximumBytes, prunable: state.totals.prunableBytes,
                freeFiles: space.lackOfFiles(for: state.inFlight.count + 1) > 0 ? space.freeFiles : nil)
            shortage.subject = "postcard"
            return shortage
        }
    }

    /// Deletes what is past the age limit. A clock that was never set, or that nobody vouches for, knows no ages.
    @discardableResult
    private func expire(_ database: Database) throws(StorageError) -> Int {
        guard let age = kind.state.withLock({ $0.limits.maximumAge }), age.isFinite, age < 9e9,
            let now = store.believedTime(), CivilTime(now).year >= 2024
        else { return 0 }
        var deleted = 0
        while true {
            let old = try candidates(database, before: now.advanced(bySeconds: -age))
            if old.isEmpty { return deleted }
            try delete(old.map(\.id), isPruned: true, from: database)
            deleted += old.count
        }
    }

    /// Deletes the oldest unprotected postcards until the excess is gone, or none is left.
    @discardableResult
    func prune(_ database: Database, _ excess: Excess) throws(StorageError) -> Int {
        var bytesLeft = max(excess.space, excess.bytes)
        // Most deletions give back four files; the next round sees what they did.
        var countLeft = max(excess.count, (excess.files + 3) / 4)
        var deleted = 0
        while bytesLeft > 0 || countLeft > 0 {
            var chosen: [PostcardID] = []
            for candidate in inOrderOfAge(try candidates(database, before: UTCInstant(nanoseconds: .max))) {
                guard bytesLeft > 0 || countLeft > 0 else { break }
                chosen.append(candidate.id)
                bytesLeft = bytesLeft.addingClamped(-candidate.bytes)
                countLeft -= 1
            }
            if chosen.isEmpty { return deleted }
            try delete(chosen, isPruned: true, from: database)
            deleted += chosen.count
        }
        return deleted
    }

    /// The candidates, which are ordered by their dates, without those that were kept last, or those alone where there
    /// are no others: a card that is kept while the clock says 1970 is not the oldest.
    private func inOrderOfAge(_ candidates: [PostcardTable.Candidate]) -> [PostcardTable.Candidate] {
        let newest = Dictionary(
            kind.state.withLock { $0.newest }.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: max)
        let others = candidates.filter { newest[$0.id] == nil }
        return others.isEmpty ? candidates.sorted { (newest[$0.id] ?? 0) < (newest[$1.id] ?? 0) } : others
    }

    private func candidates(
        _ database: Database, before instant: UTCInstant
    ) throws(StorageError) -> [PostcardTable.Candidate] {
        try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                try PostcardTable.prunable(before: instant, limit: 200, in: &connection)
            }
        }
    }
}

/// How far the archive is, or would be, over its limits; nothing is below zero.
struct Excess: Sendable {
    /// Bytes that the disk lacks.
    var space: Int64 = 0
    /// Bytes over the limit.
    var bytes: Int64 = 0
    /// Postcards over the limit.
    var count = 0
    /// Files that the disk has no room for, whatever their size.
    var files = 0

    var isNone: Bool { space <= 0 && bytes <= 0 && count <= 0 && files <= 0 }
}

extension DiskSpace {
    /// The four files of a postcard and the folder of a new day.
    private static let filesOfPostcard: Int64 = 5

    /// How many more files the disk would have to take for so many postcards.
    func lackOfFiles(for postcards: Int) -> Int {
        guard let freeFiles else { return 0 }
        return Int(max(0, Self.filesOfPostcard * Int64(postcards) - freeFiles))
    }
}

extension PostcardTable.Totals {
    /// Files that deleting every unprotected postcard gives back at least: picture, sidecar, thumbnail.
    var prunableFiles: Int { (count - protectedCount) * 3 }
}

extension PostcardKind.State {
    /// The excess with a further postcard of `needed` bytes and all that are being written, or (nil) of what is
    /// stored alone.
    fileprivate func excess(
        for needed: Int64?, _ lack: Int64 = 0, _ space: DiskSpace = DiskSpace(free: .max, total: .max)
    ) -> Excess {
        let coming = needed.map { $0.addingClamped(inFlightBytes) } ?? 0
        var excess = Excess()
        if needed != nil {
            excess.space = max(0, lack)
            excess.files = space.lackOfFiles(for: inFlight.count + 1)
        }
        if let limit = limits.maximumBytes {
            excess.bytes = max(0, totals.bytes.addingClamped(coming).addingClamped(-limit))
        }
        if let limit = limits.maximumCount {
            excess.count = max(0, totals.count + (needed == nil ? 0 : inFlight.count + 1) - limit)
        }
        return excess
    }

    /// Whether the postcard has no place even when every unprotected one is deleted. Those being written do not count
    /// against the limits here: once written they can be deleted too.
    fileprivate func isHopeless(for needed: Int64, _ lack: Int64, _ space: DiskSpace) -> Bool {
        if lack > totals.prunableBytes { return true }
        if space.lackOfFiles(for: inFlight.count + 1) > totals.prunableFiles { return true }
        let unprunable = totals.bytes.addingClamped(-totals.prunableBytes)
        if let limit = limits.maximumBytes, unprunable.addingClamped(needed) > limit { return true }
        if let limit = limits.maximumCount, totals.protectedCount >= limit { return true }
        return false
    }
}
