public import KonzaModel
internal import KonzaSystem
internal import Storage

extension SpecimenArchive {
    /// Really removes what was deleted more than 30 days ago: the photographs, the records, last `specimen.json`, the
    /// folder, and then the row. What a crash leaves half removed is a tombstone still, and is removed the next time.
    ///
    /// - Parameter instant: by a clock that is known to be set; a clock that is not knows no ages.
    /// - Returns: how many specimens were removed.
    /// - Throws: what the disk refuses.
    @discardableResult
    public func purge(at instant: UTCInstant) throws(SpecimenError) -> Int {
        guard Self.isSet(instant) else { return 0 }
        let limit = instant.advanced(bySeconds: -Self.tombstoneSeconds)
        var removed = 0
        while true {
            let doomed = try read { connection throws(DatabaseError) in
                try SpecimenTable.deleted(before: limit, limit: 50, in: &connection)
            }
            if doomed.isEmpty { return removed }
            for id in doomed { try purge(id, before: limit, at: instant) }
            removed += doomed.count
        }
    }

    /// Whether an instant is by a clock that was set.
    static func isSet(_ instant: UTCInstant) -> Bool { CivilTime(instant).year >= 2024 }

    private func purge(_ id: SpecimenID, before limit: UTCInstant, at instant: UTCInstant) throws(SpecimenError) {
        try writing(to: id, usesReserve: true) { database throws(SpecimenError) in
            let tombstone = try stored(id)
            // It may have been restored since the list was made.
            guard let deletedAt = tombstone.specimen.deletedAt, deletedAt <= limit else { return }
            guard Self.isSet(deletedAt) else {
                // Deleted while the clock was not set, perhaps a minute ago: the 30 days begin now.
                var dated = tombstone
                dated.specimen.deletedAt = instant
                _ = try put(dated, over: tombstone, at: instant, database)
                return
            }
            let path = folder(of: id)
            try specimens { () throws(StorageError) in
                try storing { () throws(FileError) in
                    let names = try Folder.entries(path).filter { !$0.isFolder }.map(\.name)
                    for name in names where name != SpecimenNames.specimen {
                        try store.operations.remove("\(path)/\(name)")
                    }
                    try store.operations.remove("\(path)/\(SpecimenNames.specimen)")
                    if Folder.exists(path) { try store.operations.synchronizeFolder(path) }
                }
                files.removeEmptyFolder(path)
                try commit(id, database) { connection throws(DatabaseError) in
                    try SpecimenTable.remove(id, from: &connection)
                }
            }
        }
    }
}
