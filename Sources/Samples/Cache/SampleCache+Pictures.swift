public import KonzaModel
internal import KonzaSystem
public import Storage
internal import Synchronization

/// Pictures of samples: a file each, and a row that says what it is. What is one without the other is removed.
extension SampleCache {
    /// One copy of a picture.
    public struct PictureKey: Sendable, Hashable {
        public let image: String
        public let size: SampleDetails.Image.Size

        /// Nil if the id is none that MetPetDB gives, a UUID or a whole number: it names a file here.
        ///
        /// - Parameters:
        ///   - image: the server's id.
        ///   - size: which copy of it.
        public init?(image: String, size: SampleDetails.Image.Size) {
            let image = image.lowercased()
            let isID = image.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || byte == UInt8(ascii: "-")
            }
            guard isID, (1...36).contains(image.utf8.count) else { return nil }
            self.image = image
            self.size = size
        }

        var fileName: String { "\(image).\(size.rawValue)" }
    }

    /// Uses of other pictures after which the use of one is written down again: a page that is looked at twice costs no
    /// write.
    private static let mostUnwritten: Int64 = 40

    /// Keeps a picture, in place of those that were not used for the longest time. One that is larger than all together
    /// may be is not kept.
    ///
    /// - Parameters:
    ///   - content: the file, checked to be what the type says.
    ///   - type: its media type.
    ///   - key: which picture.
    /// - Throws: `DatabaseError` if it cannot be written.
    public func keep(picture content: FileContent, type: String, as key: PictureKey) throws(DatabaseError) {
        guard content.count <= limits.pictureBytes, limits.pictures > 0 else { return }
        try pictureChange.withLock { _ throws(DatabaseError) in
            try makeRoom(for: content.count, key)
            do throws(FileError) {
                try DurableFiles(operations: SystemFileOperations()).replace(
                    .init(name: key.fileName, content: content), in: pictureFolder)
            } catch {
                throw DatabaseError(code: 10, action: "keep a picture", words: error.description)
            }
            try database.write(
                { connection throws(DatabaseError) in
                    try connection.run(
                        """
                        INSERT INTO pictures (image, size, type, bytes, used)
                        VALUES (?, ?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM pictures))
                        """,
                        [.text(key.image), .text(key.size.rawValue), .text(type), .integer(Int64(content.count))])
                }, failing: \.self)
        }
    }

    /// Lets go of the one that is replaced, and of the longest unused as far as it must be.
    private func makeRoom(for bytes: Int, _ key: PictureKey) throws(DatabaseError) {
        let (most, room) = (limits.pictures - 1, limits.pictureBytes - bytes)
        let gone = try database.write(
            { connection throws(DatabaseError) in
                var gone = try connection.rows(
                    "DELETE FROM pictures WHERE image = ? AND size = ? RETURNING image, size",
                    [.text(key.image), .text(key.size.rawValue)]
                ) { "\($0.text(0)).\($0.text(1))" }
                gone += try connection.rows(
                    """
                    DELETE FROM pictures WHERE rowid IN (
                        SELECT rowid FROM (
                            SELECT rowid, row_number() OVER newest AS place, sum(bytes) OVER newest AS together
                            FROM pictures WINDOW newest AS (ORDER BY used DESC))
                        WHERE place > ? OR together > ?)
                    RETURNING image, size
                    """, [.integer(Int64(most)), .integer(Int64(room))]
                ) { "\($0.text(0)).\($0.text(1))" }
                return gone
            }, failing: \.self)
        remove(gone)
    }

    /// A file without a row is never shown, and is swept at the next start.
    private func remove(_ names: [String]) {
        for name in names { try? SystemFileOperations().remove("\(pictureFolder)/\(name)") }
    }

    /// Where a picture's file is, and its media type. This is a use of it.
    ///
    /// - Returns: nil if it is not kept.
    /// - Throws: `DatabaseError` if the index cannot be read.
    public func picture(_ key: PictureKey) throws(DatabaseError) -> (path: String, type: String)? {
        let values: [SQLValue] = [.text(key.image), .text(key.size.rawValue)]
        let found = try database.read { connection throws(DatabaseError) in
            try connection.rows(
                "SELECT type, used, (SELECT max(used) FROM pictures) FROM pictures WHERE image = ? AND size = ?", values
            ) { (type: $0.text(0), unwritten: $0.integer(2) - $0.integer(1)) }
        }.first
        guard let found else { return nil }
        if found.unwritten >= Self.mostUnwritten {
            try database.write(
                { connection throws(DatabaseError) in
                    try connection.run(
                        """
                        UPDATE pictures SET used = (SELECT max(used) + 1 FROM pictures) WHERE image = ? AND size = ?
                        """, values)
                }, failing: \.self)
        }
        return ("\(pictureFolder)/\(key.fileName)", found.type)
    }

    /// Which of these pictures are kept.
    ///
    /// - Parameter images: the server's ids.
    /// - Returns: the ids whose copy of a size is kept, as they were given.
    /// - Throws: `DatabaseError` if the index cannot be read.
    public func keptPictures(
        of images: [String]
    ) throws(DatabaseError) -> [SampleDetails.Image.Size: [String]] {
        let wanted = Self.encode(images.map { $0.lowercased() })
        let rows = try database.read { connection throws(DatabaseError) in
            try connection.rows(
                "SELECT image, size FROM pictures WHERE image IN (SELECT value FROM json_each(?))", [.text(wanted)]
            ) { (image: $0.text(0), size: $0.text(1)) }
        }
        let kept = Dictionary(grouping: rows, by: \.size).mapValues { Set($0.map(\.image)) }
        return Dictionary(
            uniqueKeysWithValues: SampleDetails.Image.Size.allCases.map { size in
                (size, images.filter { kept[size.rawValue]?.contains($0.lowercased()) == true })
            })
    }

    /// The bytes of all pictures that are kept.
    public func pictureBytes() throws(DatabaseError) -> Int {
        try database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT coalesce(sum(bytes), 0) FROM pictures") { Int($0.integer(0)) }
        }.first ?? 0
    }

    /// Removes files without a row, and rows whose file is not there or is another: what a power cut or another server
    /// leaves.
    func sweepPictures() throws(DatabaseError) {
        let entries: [FolderEntry]
        do throws(FileError) {
            entries = try Folder.entries(pictureFolder)
        } catch {
            throw DatabaseError(code: 14, action: "list the pictures", words: error.description)
        }
        let rows = try database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT rowid, image, size, bytes FROM pictures") {
                (row: $0.integer(0), name: "\($0.text(1)).\($0.text(2))", bytes: $0.integer(3))
            }
        }
        let lost = rows.filter { Folder.status("\(pictureFolder)/\($0.name)")?.byteCount != $0.bytes }
        if !lost.isEmpty {
            try database.write(
                { connection throws(DatabaseError) in
                    for row in lost { try connection.run("DELETE FROM pictures WHERE rowid = ?", [.integer(row.row)]) }
                }, failing: \.self)
        }
        let known = Set(rows.map(\.name)).subtracting(lost.map(\.name))
        remove(entries.map(\.name).filter { !known.contains($0) })
    }
}
