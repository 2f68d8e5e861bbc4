internal import KonzaModel
internal import Synchronization

extension Store {
    /// How often a folder that could not be written is tried again, seconds.
    package static let retryInterval = 5.0
    /// How often an index in memory is made again, where not all folders could be read for it, seconds.
    private static let remakeInterval = 60.0
    /// How long the comparison with the files may keep others from the index, seconds; what is left of it then goes on
    /// while they use it.
    private static let openingPatience = 0.15

    /// Tries to get a usable index, on the caller's thread and not more often than the interval says. Only one caller
    /// does so; the others go on with what there is. Never while something is being written, whose rows would go
    /// astray.
    func reopenIfDue() {
        guard takesOpening() else { return }
        upkeep.withLock { _ in openIndex() }
        state.withLock { state in
            state.isOpening = false
            state.retryAt = clock.monotonic().advanced(bySeconds: Self.retryInterval)
        }
    }

    private func takesOpening() -> Bool {
        let now = clock.monotonic()
        return state.withLock { state in
            guard case .standIn = state.index, !state.isOpening, state.writes == 0, state.retryAt <= now else {
                return false
            }
            state.isOpening = true
            return true
        }
    }

    private func openIndex() {
        let opening = IndexOpening(
            folder: folder, files: files, kinds: kinds, now: clock.utc(), operatingTime: operatingTime)
        do throws(StorageError) {
            try opening.prepareFolder()
            try usingReserve(isDiskFull: isDiskFull) { () throws(StorageError) in try openForWriting(opening) }
        } catch {
            let health =
                isDiskFull(error)
                ? StorageHealth.fullAtOpening(error) : StorageHealth.health(opening: error, folder: folder)
            // An index to read by is made once: what cannot be written does not change.
            let now = clock.monotonic()
            let isThere = state.withLock { state in
                guard case .standIn(let database?, _) = state.index, state.remakeAt.map({ $0 > now }) ?? true else {
                    return false
                }
                state.index = .standIn(database, health)
                return true
            }
            if !isThere { openStandIn(opening, health) }
            state.withLock { $0.progress = nil }
        }
    }

    /// Whether a full disk is the reason: one without room for the index's log and its shared memory SQLite reports in
    /// other words.
    private func isDiskFull(_ error: StorageError) -> Bool {
        if error.isDiskFull { return true }
        guard case .database(let failure) = error, !failure.isReadOnly else { return false }
        return ((try? freeSpace().free) ?? .max) < 65_536
    }

    private func openForWriting(_ opening: IndexOpening) throws(StorageError) {
        // A connection that only reads keeps SQLite's shared memory read-only for the whole process.
        state.withLock { state in
            guard state.readsFile, case .standIn(_, let health) = state.index else { return }
            state.index = .standIn(nil, health)
            state.readsFile = false
        }
        let opened = try opening.openForWriting()
        var comparison = PendingComparison(opened, kinds, opening.scene(opened.database, mayWrite: true))
        try comparison.begin()
        let since = clock.monotonic()
        var hasMore = true
        repeat {
            state.withLock { [progress = comparison.progress] in $0.progress = progress }
            hasMore = try comparison.advance()
        } while hasMore && clock.monotonic().seconds(since: since) < Self.openingPatience
        spaceReserveFile.fill()
        try count(opened.database)
        state.withLock { state in
            state.index = .ready(opened.database)
            state.readsFile = false
            state.lastFailure = nil
            state.remakeAt = nil
            if !hasMore {
                state.progress = nil
                state.remark = comparison.remark(in: folder) ?? state.remark
            }
        }
        pending.withLock { $0 = comparison }
    }

    private func count(_ database: Database) throws(StorageError) {
        try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                for kind in kinds { try kind.count(in: &connection) }
            }
        }
    }

    private func openStandIn(_ opening: IndexOpening, _ health: PartHealth) {
        if let database = opening.openForReading(), (try? count(database)) != nil {
            state.withLock { state in
                state.index = .standIn(database, health)
                state.readsFile = true
                state.remakeAt = nil
            }
            return
        }
        let made = try? opening.makeInMemory { progress in state.withLock { $0.progress = progress } }
        guard let made, (try? count(made.database)) != nil else { return }
        let words = made.isCut ? StorageHealth.cut(kinds.compactMap(\.summary)) : nil
        let remakeAt = made.isWhole ? nil : clock.monotonic().advanced(bySeconds: Self.remakeInterval)
        state.withLock { state in
            state.index = .standIn(made.database, words.map { health.adding($0) } ?? health)
            state.readsFile = false
            state.remakeAt = remakeAt
        }
    }

    // MARK: - What goes on while the index is in use

    /// Goes on with the comparison with the files until it is over, or the index is another one. Others read and write
    /// meanwhile.
    ///
    /// - Returns: whether anything was left to compare.
    func compare() -> Bool {
        var hasWorked = false
        while var comparison = pending.withLock({ $0.take() }) {
            hasWorked = true
            do throws(StorageError) {
                let hasMore = try duringUpkeep { database throws(StorageError) in
                    guard database === comparison.database else { return false }
                    return try comparison.advance()
                }
                guard isInUse(comparison.database) else { return true }
                if !hasMore { try comparison.check() }
                state.withLock { state in
                    state.progress = hasMore ? comparison.progress : nil
                    if !hasMore { state.remark = comparison.remark(in: folder) ?? state.remark }
                }
                if hasMore { pending.withLock { $0 = comparison } }
            } catch {
                // The index is opened again, and compared from the beginning.
                note(error)
                state.withLock { $0.progress = nil }
            }
        }
        return hasWorked
    }

    private func isInUse(_ database: Database) -> Bool {
        state.withLock { state in
            guard case .ready(let current) = state.index else { return false }
            return current === database
        }
    }
}

extension PartHealth {
    fileprivate func adding(_ words: String) -> PartHealth {
        PartHealth(level: level, kind: kind, reason: "\(reason); \(words)")
    }
}
