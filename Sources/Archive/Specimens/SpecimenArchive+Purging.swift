public import KonzaModel

extension SpecimenArchive {
    /// Really removes what was deleted more than 30 days ago: the photographs, the records, last `specimen.json`, the
    /// folder, and then the row. What a crash leaves half removed is a tombstone still, and is removed the next time.
    ///
    /// - Parameter instant: by a clock that is known to be set; a clock that is not knows no ages.
    /// - Returns: how many specimens were removed.
    /// - Throws: what the disk refuses.
    @discardableResult
    public func purge(at instant: UTCInstant) throws(SpecimenError) -> Int {
        guard CivilTime(instant).year >= 2024 else { return 0 }
        let limit = instant.advanced(bySeconds: -Self.tombstoneSeconds)
        var removed = 0
        while true {
            let doomed = try read { connection throws(DatabaseError) in
                try SpecimenTable.deleted(before: limit, limit: 50, in: &connection)
            }
            if doomed.isEmpty { return removed }
            for id in doomed { try purge(id, before: limit) }
            removed += doomed.count
        }
    }

    private func purge(_ id: SpecimenID, before limit: UTCInstant) throws(SpecimenError) {
        try writing { database throws(SpecimenError) in
            // It may have been restored since the list was made.
            guard let deletedAt = try stored(id).specimen.deletedAt, deletedAt <= limit else { return }
            let path = folder(of: id)
            try specimens { () throws(ArchiveError) in
                try archive { () throws(FileError) in
                    let names = try Folder.entries(path).filter { !$0.isFolder }.map(\.name)
                    for name in names where name != SpecimenNames.specimen {
                        try base.operations.remove("\(path)/\(name)")
                    }
                    try base.operations.remove("\(path)/\(SpecimenNames.specimen)")
                    if Folder.exists(path) { try base.operations.synchronizeFolder(path) }
                }
                files.removeEmptyFolder(path)
                try base.commit(database) { connection throws(DatabaseError) in
                    try SpecimenTable.remove(id, from: &connection)
                }
            }
        }
    }
}
