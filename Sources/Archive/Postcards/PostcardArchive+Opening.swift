internal import KonzaModel
internal import Synchronization

extension PostcardArchive {
    /// How often a folder that could not be written is tried again, seconds.
    static let retryInterval = 5.0
    /// How often an index in memory is made again, where not all folders could be read for it, seconds.
    private static let remakeInterval = 60.0

    /// The index to read from.
    ///
    /// - Throws: an error that `isRebuilding` while there is none.
    var readable: Database {
        get throws(DatabaseError) {
            let (database, words) = state.withLock { ($0.index.database, $0.rebuilding.reason) }
            guard let database else { throw .rebuilding(words) }
            return database
        }
    }

    /// The index to write to, after an attempt to open one that is not open.
    ///
    /// - Throws: `ArchiveError.unavailable` while there is none.
    @discardableResult
    func writable() throws(ArchiveError) -> Database {
        if case .standIn = state.withLock({ $0.index }) { reopenIfDue() }
        return try state.withLock { state throws(ArchiveError) in try state.writable() }
    }

    /// Tries to get a usable index, on the caller's thread and not more often than the interval says. Only one caller
    /// does so; the others go on with what there is. Never while postcards or specimens are being written, whose rows
    /// would go astray.
    func reopenIfDue() {
        guard takesOpening() else { return }
        upkeep.withLock { _ in open() }
        state.withLock { state in
            state.isOpening = false
            state.progress = nil
            state.retryAt = clock.monotonic().advanced(bySeconds: Self.retryInterval)
        }
    }

    private func takesOpening() -> Bool {
        let now = clock.monotonic()
        return state.withLock { state in
            guard case .standIn = state.index, !state.isOpening, state.inFlightCount == 0, state.specimenWrites == 0,
                state.retryAt <= now
            else { return false }
            state.isOpening = true
            return true
        }
    }

    private func open() {
        var opening = IndexOpening(folder: folder, files: files, now: clock.utc(), operatingTime: operatingTime)
        opening.progress = { [weak self] progress in self?.state.withLock { $0.progress = progress } }
        do throws(ArchiveError) {
            try usingReserve(isDiskFull: isDiskFull) { () throws(ArchiveError) in try openForWriting(opening) }
        } catch {
            let health =
                isDiskFull(error)
                ? ArchiveHealth.fullAtOpening(error) : ArchiveHealth.health(opening: error, folder: folder)
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
        }
    }

    /// Whether a full disk is the reason: one without room for the index's log and its shared memory SQLite reports in
    /// other words.
    private func isDiskFull(_ error: ArchiveError) -> Bool {
        if error.isDiskFull { return true }
        guard case .database(let failure) = error, !failure.isReadOnly else { return false }
        return ((try? freeSpace().free) ?? .max) < 65_536
    }

    private func openForWriting(_ opening: IndexOpening) throws(ArchiveError) {
        try opening.prepareFolder()
        // A connection that only reads keeps SQLite's shared memory read-only for the whole process.
        state.withLock { state in
            guard state.readsFile, case .standIn(_, let health) = state.index else { return }
            state.index = .standIn(nil, health)
            state.readsFile = false
        }
        let opened = try opening.openForWriting()
        state.withLock { state in
            state.take(opened)
            state.index = .ready(opened.database)
            state.readsFile = false
            state.lastFailure = nil
            state.remakeAt = nil
        }
    }

    private func openStandIn(_ opening: IndexOpening, _ health: PartHealth) {
        if let opened = opening.openForReading() {
            state.withLock { state in
                state.take(opened)
                state.index = .standIn(opened.database, health)
                state.readsFile = true
                state.remakeAt = nil
            }
            return
        }
        guard let made = try? opening.makeInMemory() else { return }
        let remakeAt = made.isWhole ? nil : clock.monotonic().advanced(bySeconds: Self.remakeInterval)
        state.withLock { state in
            state.take(made.opened)
            state.index = .standIn(made.opened.database, made.words.map { health.adding($0) } ?? health)
            state.readsFile = false
            state.remakeAt = remakeAt
        }
    }
}

extension PostcardArchive.State {
    /// The index to write to.
    func writable() throws(ArchiveError) -> Database {
        switch index {
        case .ready(let database): return database
        case .standIn(nil, _): throw .unavailable(rebuilding)
        case .standIn(_, let health): throw .unavailable(health)
        }
    }

    /// The archive's health while there is no index.
    var rebuilding: PartHealth {
        ArchiveHealth.rebuilding(progress)
    }

    fileprivate mutating func take(_ opened: IndexOpening.Opened) {
        totals = opened.totals
        specimens = opened.specimens
        remark = opened.remark ?? remark
    }
}

extension PartHealth {
    fileprivate func adding(_ words: String) -> PartHealth {
        PartHealth(level: level, kind: kind, reason: "\(reason); \(words)")
    }
}
