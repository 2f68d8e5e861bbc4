internal import CSQLite

/// A value in a column or bound to a parameter.
package enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    package init(_ value: Int64?) { self = value.map(SQLValue.integer) ?? .null }
    package init(_ value: Double?) { self = value.map(SQLValue.real) ?? .null }
    package init(_ value: String?) { self = value.map(SQLValue.text) ?? .null }
}

/// The current row of a statement; valid only inside the closure it is lent to.
@safe package struct Row: ~Copyable {
    fileprivate let statement: OpaquePointer

    fileprivate init(_ statement: OpaquePointer) { unsafe self.statement = statement }

    package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

    package func real(_ column: Int32) -> Double { unsafe sqlite3_column_double(statement, column) }

    package func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

    package func text(_ column: Int32) -> String {
        guard let pointer = unsafe sqlite3_column_text(statement, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: pointer, count: count), as: UTF8.self)
    }
}

extension Row {
    /// The bytes of a value as text in UTF-8: of a number its digits.
    package func textCount(_ column: Int32) -> Int {
        guard unsafe sqlite3_column_text(statement, column) != nil else { return 0 }
        return unsafe Int(sqlite3_column_bytes(statement, column))
    }

    /// Adds the text of a value in UTF-8, without a copy of it in between.
    package func appendText(_ column: Int32, to bytes: inout [UInt8]) {
        guard let pointer = unsafe sqlite3_column_text(statement, column) else { return }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: pointer, count: count))
    }

    /// The bytes of a value, at most so many of them.
    package func bytes(_ column: Int32, limit: Int) -> [UInt8] {
        guard let pointer = unsafe sqlite3_column_blob(statement, column) else { return [] }
        let count = unsafe min(limit, Int(sqlite3_column_bytes(statement, column)))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: pointer, count: count))
    }
}

/// Owns one connection to a database and the statements prepared on it.
@safe package struct Connection: ~Copyable {
    package enum Access {
        /// Reads and writes; creates the file.
        case readWrite
        /// Reads only.
        case readOnly
        /// Reads only, where nothing beside the file can be made: no lock, no log. The file must not change meanwhile.
        case immutable
    }

    /// The tables of the rows that were changed.
    private final class TouchedTables {
        var names: Set<String> = []
    }

    private let handle: OpaquePointer
    private var statements = unsafe [String: OpaquePointer]()
    private var touched: TouchedTables?
    /// How long to wait for another process's lock, milliseconds. Only a shell's `sqlite3` could hold one.
    private static let busyTimeout: Int32 = 2000

    /// Opens a file, or a private database in memory for the path `:memory:`.
    package init(path: String, access: Access) throws(DatabaseError) {
        let flags =
            (access == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY)
            | (access == .immutable ? SQLITE_OPEN_URI : 0) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let name = access == .immutable ? Self.immutableURI(path) : path
        let code = unsafe sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let words = unsafe String(cString: sqlite3_errstr(code))
            unsafe sqlite3_close_v2(opened)
            throw DatabaseError(code: code, action: "open the index \(path)", words: words)
        }
        unsafe self.handle = unsafe handle
        unsafe sqlite3_busy_timeout(handle, Self.busyTimeout)
        unsafe konza_sqlite_be_defensive(handle)
    }

    /// https://sqlite.org/uri.html#uriimmutable
    private static func immutableURI(_ path: String) -> String {
        let plain = path.utf8.map { byte in
            let isPlain = byte.isASCIILetterOrDigit || "/-_.~".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        }
        return "file:\(plain.joined())?immutable=1"
    }

    deinit {
        unsafe statements.values.forEach { unsafe sqlite3_finalize($0) }
        unsafe sqlite3_close_v2(handle)
    }

    /// Has rows and values of more bytes refused, before room is made for them: for files that others wrote.
    package func limit(valueBytes: Int32) { unsafe _ = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, valueBytes) }

    /// Runs a statement that gives no rows, or whose rows do not matter.
    package mutating func run(_ sql: String, _ values: [SQLValue] = []) throws(DatabaseError) {
        _ = try rows(sql, values) { _ in () }
    }

    /// Runs a query and makes a value of each row.
    package mutating func rows<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (borrowing Row) -> Value
    ) throws(DatabaseError) -> [Value] {
        let statement = unsafe try prepared(sql)
        defer {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { unsafe try bind(value, at: Int32(index + 1), of: statement) }
        var made: [Value] = []
        while true {
            let code = unsafe sqlite3_step(statement)
            if code == SQLITE_DONE { return made }
            guard code == SQLITE_ROW else { throw failure(code, "use the index") }
            made.append(make(unsafe Row(statement)))
        }
    }

    /// Runs several statements that take no values, such as a migration's.
    package func script(_ sql: String) throws(DatabaseError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, "change the index") }
    }

    /// How many rows the last statement changed.
    package var changes: Int { unsafe Int(sqlite3_changes(handle)) }

    /// Notes from now on which tables are changed: those that have a rowid, and not by a DELETE without a condition
    /// (https://sqlite.org/c3ref/update_hook.html).
    mutating func noteTables() {
        guard touched == nil else { return }
        let tables = TouchedTables()
        touched = tables
        // The object lives as long as the connection does.
        unsafe sqlite3_update_hook(
            handle,
            { context, _, _, table, _ in
                guard let context = unsafe context, let table = unsafe table else { return }
                let tables = unsafe Unmanaged<TouchedTables>.fromOpaque(context).takeUnretainedValue()
                unsafe tables.names.insert(String(cString: table))
            }, Unmanaged.passUnretained(tables).toOpaque())
    }

    /// The tables that were changed since the last call, whether or not that was committed; none where they are not noted.
    mutating func takeTables() -> Set<String> {
        guard let touched else { return [] }
        defer { touched.names.removeAll() }
        return touched.names
    }

    private mutating func prepared(_ sql: String) throws(DatabaseError) -> OpaquePointer {
        if let statement = unsafe statements[sql] { return unsafe statement }
        var made: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let statement = unsafe made else { throw failure(code, "ask the index") }
        unsafe statements[sql] = unsafe statement
        return unsafe statement
    }

    private func bind(_ value: SQLValue, at index: Int32, of statement: OpaquePointer) throws(DatabaseError) {
        let code =
            switch value {
            case .null: unsafe sqlite3_bind_null(statement, index)
            case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
            case .real(let number): unsafe sqlite3_bind_double(statement, index, number)
            case .text(let text):
                // The byte count is passed, so that a zero character cannot cut the text short.
                unsafe konza_sqlite_bind_text(statement, index, text, Int32(clamping: text.utf8.count))
            }
        guard code == SQLITE_OK else { throw failure(code, "ask the index") }
    }

    private func failure(_ code: Int32, _ action: String) -> DatabaseError {
        unsafe DatabaseError(code: code, action: action, words: String(cString: sqlite3_errmsg(handle)))
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
