public import KonzaModel

/// Why there is no room for something, with the numbers. All in bytes unless named otherwise.
public struct StorageShortage: Error, Sendable, Equatable {
    /// What there is no room for, as in "postcard".
    public var subject = "record"
    /// What it would take.
    public var needed: Int64
    /// What the disk has free.
    public var free: Int64
    /// What must stay free.
    public var reserve: Int64
    /// What the archive holds.
    public var stored: Int64
    /// What it may hold at most; nil without a limit.
    public var limit: Int64?
    /// What deleting every unprotected postcard would give back.
    public var prunable: Int64
    /// How many files the disk still has room for (inodes), where these are what is short; else nil.
    public var freeFiles: Int64?

    public init(
        needed: Int64, free: Int64, reserve: Int64, stored: Int64, limit: Int64?, prunable: Int64,
        freeFiles: Int64? = nil
    ) {
        self.needed = needed
        self.free = free
        self.reserve = reserve
        self.stored = stored
        self.limit = limit
        self.prunable = prunable
        self.freeFiles = freeFiles
    }
}

/// Why the store could not do what it was asked.
public enum StorageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No room, and deleting what may be deleted cannot make it.
    case insufficientStorage(StorageShortage)
    /// Nothing can be written now; reads go on.
    case unavailable(PartHealth)
    /// The caller's values cannot be kept or searched for.
    case invalid(String)
    /// More bytes than a file may have.
    case tooLarge(bytes: Int, limit: Int)
    /// Too many requests with an idempotency key are in progress.
    case tooManyInProgress(limit: Int)
    case file(FileError)
    case database(DatabaseError)

    /// The disk has no space left, by its own word.
    public var isDiskFull: Bool {
        switch self {
        case .unavailable(let health): health.kind == StorageHealth.diskFullKind
        case .file(let error): error.isDiskFull
        case .database(let error): error.isDiskFull
        default: false
        }
    }

    public var description: String {
        switch self {
        case .insufficientStorage(let shortage) where shortage.freeFiles != nil:
            """
            cannot keep the \(shortage.subject): the disk has room for \(counted(shortage.freeFiles ?? 0, "more file")), whatever their size; \
            delete postcards or other small files
            """
        case .insufficientStorage(let shortage):
            """
            cannot keep the \(shortage.subject): it takes \(ByteText(shortage.needed)), \(ByteText(shortage.free)) are free and \
            \(ByteText(shortage.reserve)) must stay free; delete or unprotect postcards, or make room on the disk
            """
        case .unavailable(let health): "cannot keep anything now: \(health.reason)"
        case .invalid(let reason): "cannot accept this: \(reason)"
        case .tooLarge(let bytes, let limit):
            "cannot keep this: it takes \(bytes) bytes and may take \(limit); say less"
        case .tooManyInProgress(let limit):
            "cannot reserve the idempotency key: \(limit) requests are in progress; wait for some to end"
        case .file(let error): error.description
        case .database(let error): error.description
        }
    }
}

/// A number of bytes in words: `812 B`, `4.2 MB`.
package struct ByteText: CustomStringConvertible {
    package let description: String

    package init(_ bytes: Int64) {
        var value = Double(bytes)
        var unit = "B"
        for next in ["kB", "MB", "GB", "TB"] where abs(value) >= 1000 {
            value /= 1000
            unit = next
        }
        let tenths = Int64((value * 10).rounded())
        description = unit == "B" ? "\(bytes) B" : "\(tenths / 10).\(abs(tenths % 10)) \(unit)"
    }
}

/// Runs a body and words its error as the store's.
package func storing<Value>(_ body: () throws(DatabaseError) -> Value) throws(StorageError) -> Value {
    do throws(DatabaseError) {
        return try body()
    } catch {
        throw .database(error)
    }
}

/// Runs a body and words its error as the store's.
package func storing<Value>(_ body: () throws(FileError) -> Value) throws(StorageError) -> Value {
    do throws(FileError) {
        return try body()
    } catch {
        throw .file(error)
    }
}

extension Database {
    /// Runs a body as one transaction, durable on return and undone if the body throws.
    package func write<Value: Sendable>(
        storing body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        try storing { () throws(DatabaseError) in try write(body) { $0 } }
    }
}
