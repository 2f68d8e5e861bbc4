public import KonzaModel
internal import Storage
internal import Synchronization

extension PostcardArchive {
    /// What the index may grow by for one postcard, bytes: a row, its entries and their pages in the log.
    private static let indexAllowance: Int64 = 65_536
    /// How many of the last postcards retention takes last, whatever their dates.
    private static let newestCount = 64

    /// An id for a postcard that is still to be made, so that it can be told before it is kept.
    public func newID() -> PostcardID {
        let now = store.time
        return kind.state.withLock { $0.ids.next(at: now) }
    }

    /// Keeps a postcard, and returns when it is durable: its files, then its row (with the idempotency key's, in one
    /// transaction). Room is made before anything is written. After a failure nothing of it is left, as far as the
    /// disk obeys, and its idempotency key is free again.
    ///
    /// - Throws: `insufficientStorage` with the numbers, `unavailable` while the archive takes no writes, `invalid`
    ///   for a draft that cannot be kept, `file` and `database` for what the disk refuses.
    public func keep(_ draft: PostcardDraft) throws(PostcardError) -> PostcardRecord {
        defer { if let key = draft.idempotency { abandon(key.key) } }
        do throws(StorageError) {
            let record = try write(draft)
            store.forgetFailure()
            kind.state.withLock { state in
                guard draft.createdAt == nil else { return }
                state.newest.append(record.id)
                if state.newest.count > Self.newestCount { state.newest.removeFirst() }
            }
            trim()
            return record
        } catch {
            let worded = withNumbers(error, draft)
            store.note(worded)
            throw .storage(worded)
        }
    }

    private func write(_ draft: PostcardDraft) throws(StorageError) -> PostcardRecord {
        if let complaint = draft.complaint { throw .invalid(complaint) }
        let now = store.time
        let createdAt = draft.createdAt ?? now
        let id = draft.id ?? kind.state.withLock { $0.ids.next(at: createdAt) }
        let record = draft.record(id: id, createdAt: createdAt)
        let sidecar = Sidecar(record, idempotency: draft.idempotency)
        let text = try sidecar.encoded()
        let bytes = sidecar.storedBytes(sidecarSize: text.count)

        let needed = bytes.addingClamped(Self.indexAllowance)

        let database = try makeRoom(for: needed, id)
        var keptBytes: Int64?
        defer { giveRoomBack(needed, id, keptBytes: keptBytes, isProtected: draft.isProtected) }
        try writeFiles(draft, id, text)
        let operated = store.operatingTime.now
        do throws(StorageError) {
            try store.commit(database) { connection throws(DatabaseError) in
                try PostcardTable.insert(sidecar, text: text, into: &connection)
                if let key = draft.idempotency {
                    try IdempotencyTable.postcards.complete(key, id: id, at: operated, in: &connection)
                }
            }
        } catch {
            takeFilesBack(id, after: error)
            throw error
        }
        keptBytes = bytes
        return record
    }

    /// The picture gets its name last: once it is there, all that belongs to it is there too.
    private func writeFiles(_ draft: PostcardDraft, _ id: PostcardID, _ sidecar: [UInt8]) throws(StorageError) {
        func item(_ part: PostcardNames.Part, _ content: FileContent) -> DurableFiles.Item {
            DurableFiles.Item(name: PostcardNames.name(id, part), content: content)
        }
        var items: [DurableFiles.Item] = []
        if let animation = draft.animation { items.append(item(.animation, animation)) }
        if let thumbnail = draft.thumbnail { items.append(item(.thumbnail, thumbnail)) }
        if let original = draft.original { items.append(item(.original, original)) }
        items.append(item(.sidecar, FileContent(sidecar)))
        items.append(item(.postcard, draft.postcard))
        let relative = PostcardNames.folder(id)
        // Retention may remove an empty day's folder between its making and its use: then it is made again.
        for attempt in 1...3 {
            do throws(FileError) {
                try files.makeFolders(relative, below: folder)
                return try files.write(items, in: "\(folder)/\(relative)")
            } catch {
                guard error.step == .create, error.isAbsent, attempt < 3 else { throw .file(error) }
            }
        }
    }

    /// Removes the files of a postcard whose row was refused. Where the commit's fate is unknown they stay: the next
    /// opening of the index finds them with a row or gives them one.
    private func takeFilesBack(_ id: PostcardID, after error: StorageError) {
        if case .database(let failure) = error, failure.needsReopening { return }
        removeFiles(of: id)
        try? store.operations.synchronizeFolder("\(folder)/\(PostcardNames.folder(id))")
    }

    /// Removes the files of a postcard.
    ///
    /// - Returns: false if one of them stayed.
    @discardableResult
    func removeFiles(of id: PostcardID, _ parts: [PostcardNames.Part] = PostcardNames.Part.allCases) -> Bool {
        var isGone = true
        for part in parts.reversed() {
            let path = "\(folder)/\(PostcardNames.folder(id))/\(PostcardNames.name(id, part))"
            do throws(FileError) {
                try store.operations.remove(path)
            } catch {
                isGone = false
            }
        }
        return isGone
    }

    /// A disk that turned out to be full is told with the same numbers as one that was seen to be.
    private func withNumbers(_ error: StorageError, _ draft: PostcardDraft) -> StorageError {
        guard error.isDiskFull else { return error }
        let needed = [
            draft.postcard.count, draft.original?.count ?? 0, draft.thumbnail?.count ?? 0, draft.animation?.count ?? 0,
        ]
        .reduce(Self.indexAllowance) { $0.addingClamped(Int64($1)) }
        return .insufficientStorage(shortage(needed: needed))
    }
}
