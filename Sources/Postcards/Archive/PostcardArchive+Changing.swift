public import KonzaModel
internal import Storage
internal import Synchronization

extension PostcardArchive {
    /// Deletes a postcard, protected or not. Durable on return; deleting what is not there is no error.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func delete(_ id: PostcardID) throws(PostcardError) -> Bool {
        let wasThere = try noting { () throws(StorageError) in
            try store.changing { database throws(StorageError) in try delete([id], isPruned: false, from: database) > 0
            }
        }
        if !wasThere {
            let absence = absence(of: id)
            guard absence == .notFound(id) else { throw absence }
        }
        return wasThere
    }

    /// Keeps a postcard from retention, or no longer.
    ///
    /// - Throws: `PostcardError.notFound`, and what the disk refuses.
    /// - Returns: the record as it is now.
    @discardableResult
    public func protect(_ id: PostcardID, _ isProtected: Bool) throws(PostcardError) -> PostcardRecord {
        let record = try noting { () throws(StorageError) in
            try store.changing { database throws(StorageError) in
                try setProtection(of: id, to: isProtected, in: database)
            }
        }
        guard let record else { throw absence(of: id) }
        return record
    }

    /// The sidecar first, so that the wish outlives the index, then the row.
    ///
    /// - Returns: nil without such a postcard.
    private func setProtection(
        of id: PostcardID, to isProtected: Bool, in database: Database
    ) throws(StorageError) -> PostcardRecord? {
        let entry = try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in try PostcardTable.entry(id, in: &connection) }
        }
        guard let entry, entry.state == .kept, var sidecar = Sidecar(encoded: Array(entry.record.utf8)) else {
            return nil
        }
        guard sidecar.isProtected != isProtected else { return sidecar.record }
        sidecar.isProtected = isProtected
        let text = try sidecar.encoded()
        try storing { () throws(FileError) in
            try files.replace(
                DurableFiles.Item(name: PostcardNames.name(id, .sidecar), content: FileContent(text)),
                in: "\(folder)/\(PostcardNames.folder(id))")
        }
        // The row's size stays what it was, so that the totals lose what they gained.
        try store.commit(database) { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE postcards SET protected = ?, record = ? WHERE id = ? AND state = 0",
                [
                    .integer(isProtected ? 1 : 0), .text(String(decoding: text, as: UTF8.self)),
                    .text(id.description),
                ])
        }
        kind.state.withLock { state in
            state.totals.protectedCount += isProtected ? 1 : -1
            state.totals.prunableBytes = state.totals.prunableBytes
                .addingClamped(isProtected ? -entry.storedBytes : entry.storedBytes)
        }
        return sidecar.record
    }

    /// Deletes postcards: the rows are marked (from here on they are gone, whatever happens), then the files are
    /// removed, then the rows. What a crash leaves is finished at the next start. Only under `upkeep`.
    ///
    /// - Parameters:
    ///   - ids: of the postcards.
    ///   - isPruned: whether they are too old or too many, and nobody asked for it.
    ///   - database: the index.
    /// - Returns: how many there were.
    /// - Throws: what the disk refuses.
    @discardableResult
    func delete(_ ids: [PostcardID], isPruned: Bool, from database: Database) throws(StorageError) -> Int {
        defer { store.spaceReserveFile.fill() }
        let doomed: [Doomed]
        do throws(StorageError) {
            doomed = try store.usingReserve(isDiskFull: \.isDiskFull) { () throws(StorageError) in
                try mark(ids, isPruned: isPruned, in: database)
            }
        } catch {
            // With no reserve left either, the pictures that are to go make the room: should a crash come now, the
            // postcard is known to have lost them.
            guard error.isDiskFull else { throw error }
            for id in ids { removeFiles(of: id, [.animation, .thumbnail, .original, .postcard]) }
            doomed = try mark(ids, isPruned: isPruned, in: database)
        }
        guard !doomed.isEmpty else { return 0 }
        kind.state.withLock { state in
            for one in doomed { state.totals.remove(one.entry) }
        }
        // A file that cannot be removed now stays marked, and is removed at the next start.
        let gone = doomed.map(\.id).filter { removeFiles(of: $0) }
        for relative in Set(gone.map(PostcardNames.folder)) {
            try storing { () throws(FileError) in try synchronizeOrRemove("\(folder)/\(relative)") }
        }
        do throws(StorageError) {
            try store.commit(database) { connection throws(DatabaseError) in
                for id in gone { try PostcardTable.remove(id, from: &connection) }
            }
        } catch {
            // A disk that others fill at once has no room for this either. They are deleted all the same: the rows are
            // marked, which nobody sees, and are removed at the next start.
            guard error.isDiskFull else { throw error }
        }
        return doomed.count
    }

    /// A postcard whose deletion has begun, and its row as it was.
    private struct Doomed: Sendable {
        let id: PostcardID
        let entry: PostcardTable.Entry
    }

    private func mark(
        _ ids: [PostcardID], isPruned: Bool, in database: Database
    ) throws(StorageError) -> [Doomed] {
        try store.commit(database) { connection throws(DatabaseError) in
            var doomed: [Doomed] = []
            for id in ids {
                guard let entry = try PostcardTable.entry(id, in: &connection), entry.state != .deleting else {
                    continue
                }
                try PostcardTable.doom(id, isPruned: isPruned, in: &connection)
                doomed.append(Doomed(id: id, entry: entry))
            }
            return doomed
        }
    }

    /// Makes removals durable, and takes away the day's folder if they emptied it.
    private func synchronizeOrRemove(_ path: String) throws(FileError) {
        guard Folder.exists(path) else { return }
        try store.operations.synchronizeFolder(path)
        files.removeEmptyFolder(path)
    }
}
