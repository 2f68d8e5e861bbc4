internal import KonzaModel

/// The words for how the archive is.
enum ArchiveHealth {
    static let diskFullKind = "disk-full"

    /// What a failure of the disk says about the archive; nil for the caller's own mistakes.
    static func health(after error: ArchiveError) -> PartHealth? {
        switch error {
        case .insufficientStorage(let shortage): diskFull(shortage)
        case .unavailable(let health): health
        case .file(let failure): health(failure, failure.description)
        case .database(let failure): failure.isRebuilding ? nil : health(failure)
        case .notFound, .pictureMissing, .invalid, .tooManyInProgress: nil
        }
    }

    static func health(opening error: ArchiveError, folder: String) -> PartHealth {
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

    static func diskFull(_ shortage: StorageShortage) -> PartHealth {
        if let files = shortage.freeFiles {
            return PartHealth(
                level: .failed, kind: diskFullKind,
                reason: """
                    no room in the archive: the disk has room for \(files) more files, whatever their size (df -i); \
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
    static func rebuilding(_ progress: IndexProgress?) -> PartHealth {
        let words = progress.map {
            "the index is being compared with the files: \($0.days) of \($0.allDays) days are done, \($0.indexed) "
                + "postcards were added"
        }
        return PartHealth(
            level: .failed, kind: "index-rebuilding",
            reason: "\(words ?? "the index is being opened"); try again in a moment")
    }

    /// The disk does not answer.
    static func silent(_ seconds: Double) -> PartHealth {
        PartHealth(
            level: .failed, kind: "disk-silent",
            reason: "the disk has not told its free space for \(Int(seconds)) s; look at the disk and its cable (dmesg)"
        )
    }

    /// Not even the index can be opened for want of space.
    static func fullAtOpening(_ error: ArchiveError) -> PartHealth {
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

    static func missing(_ count: Int) -> PartHealth {
        PartHealth(
            level: .degraded, kind: "archive-files-missing",
            reason: "\(count) postcards have lost their pictures; restore the files or delete the postcards")
    }

    /// Whether protected postcards alone fill the archive.
    static func full(of totals: PostcardTable.Totals, by limits: RetentionLimits) -> PartHealth? {
        let bytesAreUsed = limits.maximumBytes.map { totals.bytes.addingClamped(-totals.prunableBytes) >= $0 } ?? false
        let countIsUsed = limits.maximumCount.map { totals.protectedCount >= $0 } ?? false
        guard bytesAreUsed || countIsUsed else { return nil }
        return PartHealth(
            level: .failed, kind: "archive-full",
            reason: """
                \(totals.protectedCount) protected postcards fill the archive's limits; unprotect or delete some, or \
                raise MaxBytes= or MaxCount=
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

    /// What was found out of order at start; nil if nothing was.
    static func remark(
        _ report: Reconciliation.Report, complaint: String?, hadIndex: Bool, folder: String
    ) -> PartHealth? {
        let kept = "\(folder)/\(PostcardNames.lostAndFound)"
        if let complaint {
            return PartHealth(
                level: .degraded, kind: "archive-corrupt-recovered",
                reason: """
                    the index was damaged (\(complaint)) and was made anew from the files: \(report.indexed) \
                    postcards; the damaged one is kept in \(kept)
                    """)
        }
        if report.missing > 0 {
            return missing(report.missing)
        }
        if report.lost > 0 {
            return PartHealth(
                level: .degraded, kind: "archive-files-lost",
                reason: "\(report.lost) files belong to no whole postcard and were moved to \(kept); look at them")
        }
        if !hadIndex && report.indexed > 0 {
            return PartHealth(
                level: .degraded, kind: "archive-index-recovered",
                reason: "the index was gone and was made anew from the files: \(report.indexed) postcards")
        }
        return nil
    }
}
