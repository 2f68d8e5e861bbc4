internal import CPostgres
internal import KonzaModel
internal import KonzaSystem

/// One connection to a PostgreSQL server, for one thread at a time. Every call blocks until the server has answered, at
/// most for the time that it is given: a server that stands still is noticed as one that is gone.
@safe public struct PostgresConnection: ~Copyable {
    /// The longest that a statement may take where nobody says otherwise, seconds.
    public static let usualPatience = 30.0
    /// The longest that a connection may take, seconds; libpq knows none below 2.
    private static let connectSeconds = 2.0...10.0

    private let connection: OpaquePointer
    private let address: PostgresAddress
    private let clock = SystemClock()
    /// The longest that a statement may take unless its caller says otherwise, seconds.
    private let patience: Double
    /// Whether it can be used no more.
    public private(set) var isOver = false

    /// Connects, in UTF-8 and UTC.
    ///
    /// - Parameters:
    ///   - address: of the database.
    ///   - program: the name that the server shows for the connection.
    ///   - patience: the longest that a statement may take unless its caller says otherwise, seconds.
    /// - Throws: ``PostgresError``.
    public init(
        _ address: PostgresAddress, program: String, patience: Double = usualPatience
    ) throws(PostgresError) {
        let seconds = min(max(patience, Self.connectSeconds.lowerBound), Self.connectSeconds.upperBound)
        unsafe connection = try Self.open(address, program, seconds: Int(seconds.rounded(.up)))
        self.address = address
        self.patience = patience
    }

    private static func open(
        _ address: PostgresAddress, _ program: String, seconds: Int
    ) throws(PostgresError) -> OpaquePointer {
        // What follows the address takes the place of what is in it.
        var settings = [
            ("dbname", address.text), ("client_encoding", "UTF8"), ("connect_timeout", "\(seconds)"),
            ("application_name", program), ("tcp_user_timeout", "30000"),
        ]
        if let password = address.password { settings.append(("password", password)) }
        guard
            let connection = unsafe withCStrings(
                settings.map(\.0),
                { names in
                    unsafe withCStrings(settings.map { $0.1 }) { values in unsafe PQconnectdbParams(names, values, 1) }
                })
        else { throw PostgresError(.unreachable, "cannot reach \(address): out of memory") }
        if unsafe PQstatus(connection) == CONNECTION_OK {
            unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
        }
        guard unsafe PQstatus(connection) == CONNECTION_OK, unsafe PQsetnonblocking(connection, 1) == 0 else {
            let words = address.cleaned(unsafe String(cString: PQerrorMessage(connection)))
            unsafe PQfinish(connection)
            throw connectError(words, address)
        }
        guard unsafe settle(connection, seconds: Double(seconds)) else {
            unsafe PQfinish(connection)
            throw PostgresError(
                .late, "cannot use \(address): it took the connection and did not answer; it is tried again")
        }
        return unsafe connection
    }

    /// The session's own settings, with a deadline: that of libpq's ended when the server let the client in.
    private static func settle(_ connection: OpaquePointer, seconds: Double) -> Bool {
        let clock = SystemClock()
        let deadline = clock.monotonic().advanced(bySeconds: seconds)
        guard unsafe PQsendQuery(connection, "SET TIME ZONE 'UTC'; SET client_min_messages = error") == 1 else {
            return false
        }
        while unsafe PQflush(connection) >= 0 {
            guard unsafe PQisBusy(connection) == 1 else {
                guard let result = unsafe PQgetResult(connection) else { return true }
                unsafe PQclear(result)
                continue
            }
            let left = deadline.seconds(since: clock.monotonic())
            guard left > 0 else { return false }
            _ = try? waitForEvents(
                on: [(unsafe PQsocket(connection), .readable)], milliseconds: Int32(left * 1000) + 1)
            if unsafe PQconsumeInput(connection) == 0 { return false }
        }
        return false
    }

    deinit { unsafe PQfinish(connection) }

    private static func connectError(_ words: String, _ address: PostgresAddress) -> PostgresError {
        // There is no code for what happens before a session; the words are the server's.
        if words.contains("authentication failed") || words.contains("pg_hba.conf") || words.contains("no password") {
            return PostgresError(
                .refused, "cannot use \(address): \(words); check the user, its password and pg_hba.conf")
        }
        if words.contains("does not exist") {
            return PostgresError(.refused, "cannot use \(address): \(words); create it, or correct the address")
        }
        if words.contains("starting up") || words.contains("shutting down") || words.contains("too many") {
            return PostgresError(.busy, "cannot use \(address) now: \(words); it is tried again")
        }
        return PostgresError(
            .unreachable, "cannot reach \(address): \(words); check that PostgreSQL runs and listens there")
    }

    // MARK: - Statements

    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - sql: the statement, `$1` standing for the first parameter.
    ///   - parameters: the values.
    ///   - seconds: the longest that it may take; nil for the connection's patience.
    /// - Returns: its rows.
    /// - Throws: ``PostgresError``.
    @discardableResult
    public mutating func run(
        _ sql: String, _ parameters: [PostgresValue] = [], seconds: Double? = nil
    ) throws(PostgresError) -> PostgresRows {
        let literals = parameters.map(\.literal)
        guard literals.allSatisfy({ !($0?.utf8.contains(0) ?? false) }) else {
            throw PostgresError(.data, code: "22021", "cannot send a text with a NUL character: PostgreSQL keeps none")
        }
        let deadline = clock.monotonic().advanced(bySeconds: seconds ?? patience)
        let isSent = unsafe withCStrings(literals) { values in
            unsafe PQsendQueryParams(connection, sql, Int32(literals.count), nil, values, nil, nil, 0)
        }
        guard isSent == 1 else { throw broken() }
        return try outcome(until: deadline)
    }

    /// Runs several statements without parameters, as one transaction unless they say otherwise.
    ///
    /// - Throws: ``PostgresError``.
    public mutating func script(_ sql: String, seconds: Double? = nil) throws(PostgresError) {
        let deadline = clock.monotonic().advanced(bySeconds: seconds ?? patience)
        guard unsafe PQsendQuery(connection, sql) == 1 else { throw broken() }
        _ = try outcome(until: deadline)
    }

    /// Hands over many rows at once.
    ///
    /// - Parameters:
    ///   - statement: a `COPY ... FROM STDIN`.
    ///   - rows: the rows.
    ///   - seconds: the longest that it may take; nil for the connection's patience.
    /// - Throws: ``PostgresError``.
    public mutating func copy(
        _ statement: String, _ rows: CopyText, seconds: Double? = nil
    ) throws(PostgresError) {
        let deadline = clock.monotonic().advanced(bySeconds: seconds ?? patience)
        guard unsafe PQsendQuery(connection, statement) == 1 else { throw broken() }
        try flush(until: deadline)
        guard let answer = unsafe try result(until: deadline) else { throw broken() }
        let status = unsafe PQresultStatus(answer)
        guard status == PGRES_COPY_IN else {
            let failure = unsafe error(of: answer)
            unsafe PQclear(answer)
            _ = try? outcome(until: deadline)
            throw failure
        }
        unsafe PQclear(answer)
        // A part at a time: libpq keeps what the server has not taken yet.
        for start in stride(from: 0, to: rows.bytes.count, by: 65_536) {
            let part = rows.bytes[start..<min(start + 65_536, rows.bytes.count)]
            let code = unsafe part.withUnsafeBytes { bytes in
                unsafe PQputCopyData(
                    connection, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
            }
            guard code == 1 else { throw broken() }
            try flush(until: deadline)
        }
        guard unsafe PQputCopyEnd(connection, nil) == 1 else { throw broken() }
        _ = try outcome(until: deadline)
    }

    /// Runs a body in a transaction: COMMIT where it returns, ROLLBACK where it throws. Where COMMIT itself loses the
    /// connection, nobody knows: what the body does has to bear being done again.
    ///
    /// - Returns: what the body returns.
    /// - Throws: ``PostgresError``.
    @discardableResult
    public mutating func transaction<Value>(
        _ body: (inout PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        try run("BEGIN")
        do throws(PostgresError) {
            let value = try body(&self)
            try run("COMMIT")
            return value
        } catch {
            if !isOver {
                do throws(PostgresError) { try run("ROLLBACK") } catch { isOver = true }
            }
            throw error
        }
    }

    // MARK: - Waiting

    /// The last result of what was sent, or its first error.
    private mutating func outcome(until deadline: MonotonicInstant) throws(PostgresError) -> PostgresRows {
        try flush(until: deadline)
        var rows = PostgresRows(columns: 0, values: [], affected: 0)
        var failure: PostgresError?
        while let answer = unsafe try result(until: deadline) {
            defer { unsafe PQclear(answer) }
            switch unsafe PQresultStatus(answer) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: rows = unsafe Self.rows(of: answer)
            case PGRES_EMPTY_QUERY: break
            default: failure = failure ?? (unsafe error(of: answer))
            }
        }
        if let failure { throw failure }
        return rows
    }

    private static func rows(of answer: OpaquePointer) -> PostgresRows {
        let (count, columns) = unsafe (PQntuples(answer), PQnfields(answer))
        var values: [String?] = []
        values.reserveCapacity(Int(count * columns))
        for row in 0..<count {
            for column in 0..<columns {
                if unsafe PQgetisnull(answer, row, column) == 1 {
                    values.append(nil)
                } else {
                    values.append(unsafe String(cString: PQgetvalue(answer, row, column)))
                }
            }
        }
        let affected = unsafe Int(String(cString: PQcmdTuples(answer))) ?? 0
        return PostgresRows(columns: Int(columns), values: values, affected: affected)
    }

    private mutating func flush(until deadline: MonotonicInstant) throws(PostgresError) {
        while true {
            switch unsafe PQflush(connection) {
            case 0: return
            case 1:
                let found = try wait(for: [.readable, .writable], until: deadline)
                if found.contains(.readable), unsafe PQconsumeInput(connection) == 0 { throw broken() }
            default: throw broken()
            }
        }
    }

    private mutating func result(until deadline: MonotonicInstant) throws(PostgresError) -> OpaquePointer? {
        while unsafe PQisBusy(connection) == 1 {
            _ = try wait(for: .readable, until: deadline)
            if unsafe PQconsumeInput(connection) == 0 { throw broken() }
        }
        return unsafe PQgetResult(connection)
    }

    private mutating func wait(
        for events: PollEvents, until deadline: MonotonicInstant
    ) throws(PostgresError) -> PollEvents {
        while true {
            let left = deadline.seconds(since: clock.monotonic())
            guard left > 0 else {
                isOver = true
                throw PostgresError(
                    .late,
                    "cannot wait for \(address) any longer: it did not answer in time; check its machine and its load")
            }
            let milliseconds = Int32(min(left * 1000, 60_000).rounded(.up))
            let socket = unsafe PQsocket(connection)
            guard socket >= 0,
                let found = try? waitForEvents(on: [(socket, events)], milliseconds: milliseconds)
            else { throw broken() }
            if let first = found.first, !first.isEmpty { return first }
        }
    }

    // MARK: - Errors

    private mutating func broken() -> PostgresError {
        isOver = true
        let words = address.cleaned(unsafe String(cString: PQerrorMessage(connection)))
        return PostgresError(
            .lost, "the connection to \(address) broke\(words.isEmpty ? "" : " (\(words))"); it is made again")
    }

    private mutating func error(of answer: OpaquePointer) -> PostgresError {
        let state = unsafe PQresultErrorField(answer, Int32(UInt8(ascii: "C")))
        let code = unsafe state.map { unsafe String(cString: $0) } ?? ""
        let primary = unsafe PQresultErrorField(answer, Int32(UInt8(ascii: "M")))
        let words = unsafe address.cleaned(String(cString: primary ?? PQresultErrorMessage(answer)))
        if unsafe PQstatus(connection) != CONNECTION_OK {
            isOver = true
            return PostgresError(.lost, code: code, "the connection to \(address) broke (\(words)); it is made again")
        }
        let (reason, remedy) = PostgresError.meaning(ofCode: code)
        let end = remedy.map { "; \($0)" } ?? ""
        return PostgresError(reason, code: code, "\(address) says: \(words) (\(code))\(end)")
    }
}

/// Lends texts as C does, with a null pointer for each nil and one after the last.
private func withCStrings<Value>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
) -> Value {
    let pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { text in unsafe text.flatMap { unsafe copied($0) }
    }
    defer { for index in unsafe pointers.indices { unsafe pointers[index]?.deallocate() } }
    let constant = unsafe pointers.map { unsafe UnsafePointer<CChar>($0) } + [nil]
    return unsafe constant.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
}

private func copied(_ text: String) -> UnsafeMutablePointer<CChar>? {
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    unsafe bytes.withUnsafeBufferPointer { source in
        if let base = source.baseAddress { unsafe copy.initialize(from: base, count: source.count) }
    }
    return unsafe copy
}
