public import KonzaModel
public import KonzaSystem
internal import Synchronization

/// A picture that is open for reading. The descriptor stays good when the postcard is deleted meanwhile.
public struct StoredPicture: ~Copyable, Sendable {
    public let descriptor: FileDescriptor
    public let byteCount: Int64
    public let modified: UTCInstant
    /// A strong entity tag (RFC 9110 section 8.8.3), quoted. A picture never changes under its id.
    public let entityTag: String

    /// Gives up the descriptor.
    public consuming func takeDescriptor() -> FileDescriptor { descriptor }
}

extension PostcardArchive {
    /// The postcards that match, newest first.
    ///
    /// - Throws: `ArchiveError.invalid` for a limit out of range, `database` if the index cannot be read.
    public func list(_ query: PostcardQuery) throws(ArchiveError) -> PostcardPage {
        guard (1...PostcardQuery.maximumLimit).contains(query.limit) else {
            throw .invalid("a page holds 1 to \(PostcardQuery.maximumLimit) postcards")
        }
        let (condition, values) = Self.condition(query)
        let sql = """
            SELECT created_ns, id, record FROM postcards WHERE \(condition)
            ORDER BY created_ns DESC, id DESC LIMIT ?
            """
        var rows = try read { connection throws(DatabaseError) in
            try connection.rows(sql, values + [.integer(Int64(query.limit + 1))]) { row in
                (row.integer(0), row.text(1), row.text(2))
            }
        }
        let hasMore = rows.count > query.limit
        if hasMore { rows.removeLast() }
        let next = hasMore ? rows.last : nil
        return PostcardPage(
            postcards: rows.compactMap { Sidecar(encoded: Array($0.2.utf8))?.record },
            next: next.flatMap { row in
                PostcardID(row.1).map { PostcardCursor(createdNanoseconds: row.0, id: $0) }
            })
    }

    private static func condition(_ query: PostcardQuery) -> (String, [SQLValue]) {
        var conditions = ["state = 0"]
        var values: [SQLValue] = []
        func add(_ condition: String, _ more: SQLValue...) {
            conditions.append(condition)
            values += more
        }
        if let cursor = query.cursor {
            add("(created_ns, id) < (?, ?)", .integer(cursor.createdNanoseconds), .text(cursor.id.description))
        }
        // The record's instants have the same form and length, so that their order is that of the texts. The time of
        // keeping, which orders the list, may be hours from the exposure where a clock was set between the two.
        // A record that is not JSON is left out, as it is of every page.
        let exposure = "iif(json_valid(record), json_extract(record, '$.exposedAt'), NULL)"
        if let from = query.from { add("\(exposure) >= ?", .text(ExactInstant(from).text)) }
        if let to = query.to { add("\(exposure) < ?", .text(ExactInstant(to).text)) }
        if let box = query.box {
            add("latitude BETWEEN ? AND ?", .real(box.south), .real(box.north))
            add(
                box.crossesAntimeridian ? "(longitude >= ? OR longitude <= ?)" : "longitude BETWEEN ? AND ?",
                .real(box.west), .real(box.east))
        }
        return (conditions.joined(separator: " AND "), values)
    }

    /// One postcard.
    ///
    /// - Throws: `notFound`; `pictureMissing` if its picture was lost; `database` if the index cannot be read.
    public func record(_ id: PostcardID) throws(ArchiveError) -> PostcardRecord {
        let entry = try read { connection throws(DatabaseError) in try PostcardTable.entry(id, in: &connection) }
        guard let entry, entry.state != .deleting, let sidecar = Sidecar(encoded: Array(entry.record.utf8)) else {
            throw .notFound(id)
        }
        if entry.state == .missing { throw .pictureMissing(id, .postcard) }
        return sidecar.record
    }

    /// Opens one of a postcard's pictures.
    ///
    /// - Throws: `notFound` if there is no such postcard or it was kept without this picture; `pictureMissing` if the
    ///   file is gone; `file` if it cannot be opened.
    public func openPicture(
        _ picture: PostcardPicture, of id: PostcardID
    ) throws(ArchiveError) -> StoredPicture {
        let record = try record(id)
        let isKept =
            switch picture {
            case .postcard: true
            case .original: record.hasOriginal
            case .thumbnail: record.hasThumbnail
            }
        guard isKept else { throw .notFound(id) }
        let path = path(of: picture, id)
        do throws(FileError) {
            let file = try Folder.open(path)
            let status = try Folder.status(of: file.number, path: path)
            return StoredPicture(
                descriptor: file, byteCount: status.byteCount, modified: status.modified,
                entityTag: "\"\(id)-\(picture.rawValue)\"")
        } catch {
            guard error.isAbsent else { throw .file(error) }
            // A deletion may have come in between.
            _ = try self.record(id)
            if picture == .postcard { markMissing(id) }
            throw .pictureMissing(id, picture)
        }
    }

    /// Where a picture of a postcard lies, whether it is there or not.
    public func path(of picture: PostcardPicture, _ id: PostcardID) -> String {
        "\(folder)/\(PostcardNames.folder(id))/\(PostcardNames.name(id, .init(picture)))"
    }

    /// Somebody took the file away while the daemon ran.
    private func markMissing(_ id: PostcardID) {
        try? duringUpkeep { database throws(ArchiveError) in
            let entry = try commit(database) { connection throws(DatabaseError) in
                let entry = try PostcardTable.entry(id, in: &connection)
                guard let entry, entry.state == .kept else { return PostcardTable.Entry?.none }
                try PostcardTable.setState(.missing, of: id, in: &connection)
                return entry
            }
            guard let entry else { return }
            state.withLock { state in
                state.totals.remove(entry)
                state.totals.missingCount += 1
                state.remark = ArchiveHealth.missing(state.totals.missingCount)
            }
        }
    }

    /// How full the archive is and how it is, by what is so now. Waits for the disk.
    public func usage() -> ArchiveUsage {
        refresh()
        return figures
    }

    /// Brings `figures` up to date: looks at the disk, and opens the index where it is not open. Waits for the disk,
    /// and where the index has to be made anew for long.
    public func refresh() {
        reopenIfDue()
        let now = clock.monotonic()
        state.withLock { $0.measuringSince = $0.measuringSince ?? now }
        let space = try? operations.space(ofFolder: folder)
        state.withLock { state in
            state.space = space
            state.isSpaceKnown = true
            state.measuringSince = nil
        }
        // What a deletion on a full disk has used comes back when there is room.
        if case .ready = state.withLock({ $0.index }), let space, space.free > 4 * SpaceReserveFile.size {
            upkeep.withLock { _ in spaceReserveFile.fill() }
        }
    }

    /// How full the archive is and how it is, by what was so at the last `refresh()` and what was written since. Waits
    /// for nothing.
    public var figures: ArchiveUsage {
        let now = clock.monotonic()
        return state.withLock { state in
            ArchiveUsage(
                storedBytes: state.totals.bytes, count: state.totals.count,
                protectedCount: state.totals.protectedCount, missingCount: state.totals.missingCount,
                prunableBytes: state.totals.prunableBytes, freeBytes: state.space?.free,
                capacityBytes: state.space?.total, limits: state.limits, health: Self.health(state, at: now))
        }
    }

    /// A disk that is asked for its free space for longer does not answer, seconds.
    private static let patience = 5.0

    private static func health(_ state: State, at now: MonotonicInstant) -> PartHealth {
        switch state.index {
        case .standIn(nil, _): return state.rebuilding
        case .standIn(_, let health): return health
        case .ready: break
        }
        if let since = state.measuringSince, now.seconds(since: since) > patience {
            return ArchiveHealth.silent(now.seconds(since: since))
        }
        guard state.isSpaceKnown else { return .ok("the disk has not been looked at yet") }
        guard let space = state.space else {
            return state.lastFailure
                ?? PartHealth(
                    level: .failed, kind: "archive-failed",
                    reason: "the archive's folder cannot be looked at; see that it is there and its disk is mounted")
        }
        let free = space.free
        let lacksFiles = space.lackOfFiles(for: 1) > state.totals.prunableFiles
        let isFull =
            free.addingClamped(state.totals.prunableBytes)
            < max(state.limits.spaceReserve, SpaceReserveFile.size).addingClamped(state.refusedBytes)
        if isFull || lacksFiles {
            return ArchiveHealth.diskFull(
                StorageShortage(
                    needed: 0, free: free, reserve: state.limits.spaceReserve, stored: state.totals.bytes,
                    limit: state.limits.maximumBytes, prunable: state.totals.prunableBytes,
                    freeFiles: lacksFiles ? space.freeFiles : nil))
        }
        if free < SpaceReserveFile.size {
            return ArchiveHealth.nearlyFull(free: free, prunable: state.totals.prunableBytes)
        }
        if let health = ArchiveHealth.full(of: state.totals, by: state.limits) { return health }
        // A full disk is no longer one when space is seen again; other failures stand until a postcard is kept.
        if let failure = state.lastFailure, failure.kind != ArchiveHealth.diskFullKind { return failure }
        if let remark = state.remark { return remark }
        let postcards = state.totals.count == 1 ? "1 postcard" : "\(state.totals.count) postcards"
        return .ok("\(postcards), \(ByteText(state.totals.bytes)); \(ByteText(free)) free")
    }

    /// Reads from the index; from a new one, made from the files at once, where the old one turns out to be damaged.
    private func read<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(ArchiveError) -> Value {
        do throws(DatabaseError) {
            return try readable.read(body)
        } catch {
            note(.database(error))
            guard error.needsReopening else { throw .database(error) }
        }
        reopenIfDue()
        return try archive { () throws(DatabaseError) in try readable.read(body) }
    }
}
