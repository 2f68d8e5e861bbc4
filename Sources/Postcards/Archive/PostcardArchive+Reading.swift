public import KonzaModel
public import KonzaSystem
internal import Storage
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
    /// - Throws: `invalid` for a limit out of range, `database` if the index cannot be read.
    public func list(_ query: PostcardQuery) throws(PostcardError) -> PostcardPage {
        try postcards { () throws(StorageError) in try page(query) }
    }

    private func page(_ query: PostcardQuery) throws(StorageError) -> PostcardPage {
        guard (1...PostcardQuery.maximumLimit).contains(query.limit) else {
            throw .invalid("a page holds 1 to \(PostcardQuery.maximumLimit) postcards")
        }
        var rows = try store.read { connection throws(DatabaseError) in
            try PostcardListing(query: query).rows(in: &connection)
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

    /// One postcard.
    ///
    /// - Throws: `notFound`; `pictureMissing` if its picture was lost; `database` if the index cannot be read.
    public func record(_ id: PostcardID) throws(PostcardError) -> PostcardRecord {
        let entry = try postcards { () throws(StorageError) in
            try store.read { connection throws(DatabaseError) in try PostcardTable.entry(id, in: &connection) }
        }
        guard let entry, entry.state != .deleting, let sidecar = Sidecar(encoded: Array(entry.record.utf8)) else {
            throw absence(of: id)
        }
        if entry.state == .missing { throw .pictureMissing(id, .postcard) }
        return sidecar.record
    }

    /// What is to be said of a postcard without a row: as long as not every postcard has one, it may be there.
    func absence(of id: PostcardID) -> PostcardError {
        guard kind.state.withLock({ $0.isWhole }) || store.isStandingIn else {
            return .storage(.database(.rebuilding("postcard \(id) is not in the index yet, which is being made anew")))
        }
        return .notFound(id)
    }

    /// Opens one of a postcard's pictures.
    ///
    /// - Throws: `notFound` if there is no such postcard or it was kept without this picture; `pictureMissing` if the
    ///   file is gone; `file` if it cannot be opened.
    public func openPicture(
        _ picture: PostcardPicture, of id: PostcardID
    ) throws(PostcardError) -> StoredPicture {
        let record = try record(id)
        let isKept =
            switch picture {
            case .postcard: true
            case .original: record.hasOriginal
            case .thumbnail: record.hasThumbnail
            case .animation: record.hasAnimation
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
            guard error.isAbsent else { throw .storage(.file(error)) }
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
        try? store.duringUpkeep { database throws(StorageError) in
            let entry = try store.commit(database) { connection throws(DatabaseError) in
                let entry = try PostcardTable.entry(id, in: &connection)
                guard let entry, entry.state == .kept else { return PostcardTable.Entry?.none }
                try PostcardTable.setState(.missing, of: id, in: &connection)
                return entry
            }
            guard let entry else { return }
            kind.state.withLock { state in
                state.totals.remove(entry)
                state.totals.missingCount += 1
            }
            store.remark(PostcardKind.missing(kind.state.withLock { $0.totals.missingCount }))
        }
    }
}
