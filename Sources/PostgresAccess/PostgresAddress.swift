internal import CPostgres

/// Where a database is: an address as libpq reads it (PostgreSQL documentation, section 34.1.1), a URI or pairs of
/// keyword and value.
public struct PostgresAddress: Sendable, Equatable, CustomStringConvertible {
    let text: String
    /// Taken out of the address, or given apart; never in a message.
    let password: String?
    /// Host and database, for people.
    public let description: String

    /// - Parameters:
    ///   - text: of the address.
    ///   - password: takes the place of one in the address.
    /// - Throws: ``PostgresError`` if libpq cannot read it. The text is not repeated: a password may be in it.
    public init(_ text: String, password: String? = nil) throws(PostgresError) {
        guard !text.utf8.contains(0), let parts = Self.parts(text) else {
            throw PostgresError(
                .badRequest,
                "cannot read the address of the database: expected postgresql://USER@HOST:PORT/NAME or host=HOST dbname=NAME"
            )
        }
        self.text = text
        self.password = password ?? parts["password"]
        let host = parts["host"] ?? parts["hostaddr"] ?? "this machine"
        description =
            "\(parts["dbname"] ?? parts["user"] ?? "the database") at \(host)"
            + (parts["port"].map { ":\($0)" } ?? "")
    }

    private static func parts(_ text: String) -> [String: String]? {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(text, &message) else {
            unsafe PQfreemem(message)
            return nil
        }
        defer { unsafe PQconninfoFree(options) }
        var parts: [String: String] = [:]
        var next = unsafe options
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val {
                unsafe parts[String(cString: keyword)] = String(cString: value)
            }
            unsafe next += 1
        }
        return parts
    }

    /// A message of libpq's or the server's without the password, on one line.
    func cleaned(_ message: String) -> String {
        var words = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if let password, password.count > 2 { words = words.replacing(password, with: "...") }
        return String(words.prefix(400))
    }
}
