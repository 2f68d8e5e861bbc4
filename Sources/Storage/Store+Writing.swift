internal import KonzaModel
internal import Synchronization

extension Store {
    /// Runs a change of the index as one durable transaction.
    package func commit<Value: Sendable>(
        _ database: Database, _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        let value = try database.write(
            { connection throws(StorageError) in
                let value = try storing { () throws(DatabaseError) in try body(&connection) }
                try storing { () throws(FileError) in try operations.willCommit(in: folder) }
                return value
            }, failing: { .database($0) })
        try storing { () throws(FileError) in try operations.didCommit(in: folder) }
        return value
    }

    /// The index to write to, after an attempt to open one that is not open.
    ///
    /// - Throws: `StorageError.unavailable` while there is none.
    @discardableResult
    func writable() throws(StorageError) -> Database {
        if case .standIn = state.withLock({ $0.index }) { reopenIfDue() }
        return try state.withLock { state throws(StorageError) in try state.writable() }
    }

    /// Runs a body that deletes or changes, one at a time, on the index that is in use when its turn comes.
    ///
    /// - Throws: `unavailable` while there is none, and what the body throws.
    package func duringUpkeep<Value: Sendable>(
        _ body: (Database) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try upkeep.withLock { _ throws(StorageError) in
            try body(try state.withLock { state throws(StorageError) in try state.writable() })
        }
    }

    /// The same, after an attempt to open an index that is not open.
    package func changing<Value: Sendable>(
        _ body: (Database) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        // Whoever opens it holds the upkeep for as long as that takes.
        try writable()
        return try duringUpkeep(body)
    }

    // MARK: - Room

    package func freeSpace() throws(StorageError) -> DiskSpace {
        try storing { () throws(FileError) in try operations.space(ofFolder: folder) }
    }

    /// How many bytes the disk lacks for what is being written and for so many more, beside the reserve.
    package func lack(for bytes: Int64, free: Int64) -> Int64 {
        state.withLock { $0.lack(bytes, free) }
    }

    /// Counts a write as under way: from here to `letIndexGo` the index is not opened anew, and its room is set aside.
    /// Only under upkeep, so that two writes never share the same room.
    ///
    /// - Returns: the index to write to; it may have failed while room was made.
    package func holdIndex(for bytes: Int64) throws(StorageError) -> Database {
        try state.withLock { state throws(StorageError) in
            let current = try state.writable()
            state.writes += 1
            state.writeBytes = state.writeBytes.addingClamped(bytes)
            return current
        }
    }

    /// A write is over.
    package func letIndexGo(of bytes: Int64) {
        state.withLock { state in
            state.writes -= 1
            state.writeBytes = state.writeBytes.addingClamped(-bytes)
        }
    }

    /// Makes room for what comes, where records that may be deleted can give it, and counts it as under way.
    ///
    /// - Parameters:
    ///   - bytes: nil for a small change, which may use the reserve.
    ///   - subject: what it is, for the refusal.
    /// - Returns: the index to write to; give it back with `letIndexGo`.
    /// - Throws: `insufficientStorage`, and `unavailable` while there is no index.
    package func holdIndex(makingRoomFor bytes: Int64?, _ subject: String) throws(StorageError) -> Database {
        try changing { database throws(StorageError) in
            if let bytes { try makeRoom(for: bytes, subject, database) }
            return try holdIndex(for: bytes ?? 0)
        }
    }

    private func makeRoom(for bytes: Int64, _ subject: String, _ database: Database) throws(StorageError) {
        for _ in 0..<3 {
            var lacking = lack(for: bytes, free: try freeSpace().free)
            if lacking <= 0 { return }
            guard lacking <= deletable.bytes else { break }
            for kind in kinds where lacking > 0 {
                let given = kind.deletable.bytes
                guard given > 0 else { continue }
                try kind.makeWay(for: lacking, in: database, of: self)
                lacking = lacking.addingClamped(-given)
            }
        }
        throw .insufficientStorage(shortage(of: subject, needed: bytes))
    }

    /// What deleting every record of any kind that may be deleted would give back.
    var deletable: DeletableSpace {
        kinds.map(\.deletable).reduce(DeletableSpace()) { sum, one in
            DeletableSpace(bytes: sum.bytes.addingClamped(one.bytes), files: sum.files + one.files)
        }
    }

    /// The numbers of a shortage, with what is free now. What the kind itself holds is for the kind to add.
    package func shortage(of subject: String, needed: Int64) -> StorageShortage {
        let free = (try? freeSpace().free) ?? 0
        let reserve = state.withLock { $0.spaceReserve }
        var shortage = StorageShortage(
            needed: needed, free: free, reserve: reserve, stored: 0, limit: nil, prunable: deletable.bytes)
        shortage.subject = subject
        return shortage
    }

    /// How much may be written before the next look at the disk's free space. Nothing is deleted to make room.
    ///
    /// - Throws: `insufficientStorage` where the reserve would be touched.
    func roomForScratch(_ wanted: Int64) throws(StorageError) -> Int64 {
        let free = try freeSpace().free
        guard free.addingClamped(-state.withLock({ $0.spaceReserve })) >= wanted else {
            throw .insufficientStorage(shortage(of: "export", needed: wanted))
        }
        return wanted
    }

    /// Whether so many bytes of what can be had again may be written: the reserve is not for them.
    package func hasRoom(for bytes: Int64) -> Bool { (try? roomForScratch(bytes)) != nil }

    // MARK: - A full disk

    package var spaceReserveFile: SpaceReserveFile { SpaceReserveFile(folder: folder, files: files) }

    /// Does what gives space back, or must not be forgotten, also on a full disk: there once more, with the space of
    /// the reserve.
    package func usingReserve<Value, Failure: Error>(
        isDiskFull: (Failure) -> Bool, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        do throws(Failure) {
            return try body()
        } catch {
            guard isDiskFull(error), spaceReserveFile.release() else { throw error }
        }
        defer { spaceReserveFile.fill() }
        return try body()
    }
}

extension Store.State {
    /// The index to write to.
    func writable() throws(StorageError) -> Database {
        switch index {
        case .ready(let database): return database
        case .standIn(nil, _): throw .unavailable(rebuilding)
        case .standIn(_, let health): throw .unavailable(health)
        }
    }

    /// The store's health while there is no index.
    var rebuilding: PartHealth { StorageHealth.rebuilding(progress) }

    func lack(_ coming: Int64, _ free: Int64) -> Int64 {
        coming.addingClamped(writeBytes).addingClamped(spaceReserve).addingClamped(-max(0, free))
    }
}
