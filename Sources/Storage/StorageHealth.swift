package import KonzaModel

/// The words for how a store is.
package enum StorageHealth {
    package static let diskFullKind = "disk-full"

    /// What a failure of the disk says about the archive; nil for the caller's own mistakes.
    package static func health(after error: StorageError) -> PartHealth? {
        switch error {
        case .insufficientStorage(let shortage): diskFull(shortage)
        case .unavailable(let health): health
        case .file(let failure): health(failure, failure.description)
        case .database(let failure): failure.isRebuilding ? nil : health(failure)
        case .invalid, .tooLarge, .tooManyInProgress: nil
        }
    }

    static func health(opening error: StorageError, folder: String) -> PartHealth {
        health(after: error)
            ?? PartHealth(level: .failed, kind: "archive-failed", reason: "\(folder): \(error.description)")
    }

    private static func health(_ failure: FileError, _ words: String) -> PartHealth {
        if failure.isDiskFull {
            return PartHealth(level: .failed, kind: diskFullKind, reason: "\(words); make room on the disk")
        }
        if failure.isReadOnly {
            return PartHealth(
                level: .failed, kind: "disk-read-only",
                reason: "\(words); mount it for writing and let konzad's user write there")
        }
        return PartHealth(
            level: .failed, kind: "disk-failed", reason: "\(words); look at the disk and its cable (dmesg)")
    }

    private static func health(_ failure: DatabaseError) -> PartHealth {
        if failure.isDiskFull {
            return PartHealth(level: .failed, kind: diskFullKind, reason: "\(failure); make room on the disk")
        }
        if failure.isReadOnly {
            return PartHealth(
                level: .failed, kind: "disk-read-only",
                reason: "\(failure); mount it for writing and let konzad's user write there")
        }
        if failure.isCorrupt {
            return PartHealth(
                level: .failed, kind: "archive-corrupt",
                reason: "\(failure); it is put aside and made anew from the files within seconds")
        }
        return PartHealth(
            level: .failed, kind: "archive-failed", reason: "\(failure); look at the disk and its cable (dmesg)")
    }

    package static func diskFull(_ shortage: StorageShortage) -> PartHealth {
        if let files = shortage.freeFiles {
            return PartHealth(
                level: .failed, kind: diskFullKind,
                reason: """
                    no room in the archive: the disk has room for \(counted(files, "more file")), whatever their size (df -i); \
                    delete postcards or other small files
                    """)
        }
        return PartHealth(
            level: .failed, kind: diskFullKind,
            reason: """
                no room in the archive: \(ByteText(shortage.free)) free, \(ByteText(shortage.reserve)) must stay free, \
                \(ByteText(shortage.prunable)) could be deleted; delete or unprotect postcards, or make room
                """)
    }

    /// There is no index yet.
    static func rebuilding(_ progress: ComparisonProgress?) -> PartHealth {
        return PartHealth(
            level: .failed, kind: "index-rebuilding",
            reason: "\(progress.map(words) ?? "the index is being opened"); try again in a moment")
    }

    /// How far a comparison is.
    static func words(_ progress: ComparisonProgress) -> String {
        "the index is being compared with the files: \(progress.folders) of \(progress.allFolders) folders are done, "
            + "\(counted(progress.added, "record was", "records were")) added"
    }

    /// An index in memory has no room for all.
    static func cut(_ summaries: [String]) -> String {
        "the index that is read meanwhile is in memory and has room for the newest only: "
            + summaries.joined(separator: ", ")
    }

    /// The disk does not answer.
    static func silent(_ seconds: Double) -> PartHealth {
        PartHealth(
            level: .failed, kind: "disk-silent",
            reason: "the disk has not told its free space for \(Int(seconds)) s; look at the disk and its cable (dmesg)"
        )
    }

    /// Not even the index can be opened for want of space.
    static func fullAtOpening(_ error: StorageError) -> PartHealth {
        PartHealth(
            level: .failed, kind: diskFullKind,
            reason: "the disk is full, and the index cannot be opened (\(error)); make room on the disk by hand")
    }

    /// Nothing can be written but what deletions of old postcards make room for.
    static func nearlyFull(free: Int64, prunable: Int64) -> PartHealth {
        PartHealth(
            level: .degraded, kind: diskFullKind,
            reason: """
                the disk is full: \(ByteText(free)) free; new postcards replace the oldest unprotected ones, which take \
                \(ByteText(prunable)); make room on the disk
                """)
    }

    static func newer(step: String, path: String) -> PartHealth {
        PartHealth(
            level: .failed, kind: "archive-newer",
            reason: """
                the index \(path) was written by a newer konzad (\(step)); nothing was changed: install that version \
                again, or move the index away to have it made anew
                """)
    }
}
