internal import CSQLite

/// SQLite refused something.
public struct DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The extended result code (https://sqlite.org/rescode.html).
    public let code: Int32
    /// What could not be done, as in "read the index".
    public let action: String
    /// SQLite's own words.
    public let words: String

    public init(code: Int32, action: String, words: String) {
        self.code = code
        self.action = action
        self.words = words
    }

    /// A code that SQLite does not give.
    private static let rebuildingCode: Int32 = -1

    /// There is no index to read by yet.
    package static func rebuilding(_ words: String) -> DatabaseError {
        DatabaseError(code: rebuildingCode, action: "read the index", words: words)
    }

    /// The file's bytes are not those of a sound database, by a check of all of them.
    static func corrupt(_ words: String) -> DatabaseError {
        DatabaseError(code: SQLITE_CORRUPT, action: "use the index", words: words)
    }

    /// The index is being opened or made anew: reads are possible again when that is done.
    public var isRebuilding: Bool { code == Self.rebuildingCode }

    private var primary: Int32 { code & 0xFF }

    /// No space is left for the index.
    public var isDiskFull: Bool { primary == SQLITE_FULL }

    /// The index cannot be opened or written for want of a writable folder.
    public var isReadOnly: Bool {
        primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN || primary == SQLITE_PERM || primary == SQLITE_AUTH
    }

    /// The file's bytes are not those of a sound database.
    public var isCorrupt: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// What is in the file is known only after opening it again: it is damaged, or a commit failed half way.
    package var needsReopening: Bool { isCorrupt || primary == SQLITE_IOERR }

    public var description: String {
        isRebuilding ? "cannot \(action): \(words)" : "cannot \(action): \(words) (SQLite \(code))"
    }
}
