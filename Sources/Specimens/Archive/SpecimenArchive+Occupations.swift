public import KonzaModel
internal import Storage

extension SpecimenArchive {
    /// The largest note of an occupation, bytes.
    public static let maximumOccupation = 64 << 10

    /// Keeps what is known of a specimen's occupation, durably, in place of what was kept before. The text is the
    /// caller's own.
    ///
    /// - Throws: `notFound` also for a tombstone, `tooLarge`, and what the disk refuses.
    public func keepOccupation(_ text: [UInt8], of id: SpecimenID) throws(SpecimenError) {
        guard text.count <= Self.maximumOccupation else {
            throw .tooLarge(bytes: text.count, limit: Self.maximumOccupation)
        }
        try writing(to: id) { _ throws(SpecimenError) in
            _ = try living(id)
            try specimens { () throws(StorageError) in
                try storing { () throws(FileError) in
                    try files.replace(
                        DurableFiles.Item(name: SpecimenNames.occupation, content: FileContent(text)),
                        in: folder(of: id))
                }
            }
        }
    }

    /// What was kept last of a specimen's occupation; nil if there was none.
    ///
    /// - Throws: `notFound`.
    public func occupation(of id: SpecimenID) throws(SpecimenError) -> [UInt8]? {
        _ = try stored(id)
        return try? Folder.contents("\(folder(of: id))/\(SpecimenNames.occupation)", limit: Self.maximumOccupation)
    }
}
