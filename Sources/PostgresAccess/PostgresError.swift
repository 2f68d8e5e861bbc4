/// Why a database did not do what it was asked.
public struct PostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable, CaseIterable {
        /// Nobody answers at the address, or not in time.
        case unreachable
        /// It does not let this user in.
        case refused
        /// It starts, stops, or has no connection left.
        case busy
        /// The connection broke; whether a COMMIT under way took effect is not known.
        case lost
        /// An answer did not come in time; whether a COMMIT under way took effect is not known.
        case late
        /// It stood in another transaction's way: the same again succeeds.
        case conflict
        /// A value does not fit its column or its rule.
        case data
        /// The user lacks a right.
        case rights
        /// There is no such table, column or function.
        case missing
        /// No room is left.
        case full
        /// The server is a standby, or was set to read-only.
        case readOnly = "read-only"
        /// Anything else that a statement came to.
        case statement
        /// What was to be asked cannot be.
        case badRequest = "bad-request"
    }

    public let reason: Reason
    /// The server's code (PostgreSQL documentation, appendix A); empty where it did not come to one.
    public let code: String
    public let description: String

    public init(_ reason: Reason, code: String = "", _ description: String) {
        self.reason = reason
        self.code = code
        self.description = description
    }

    /// Whether the connection is of no use any more.
    public var endsConnection: Bool {
        switch reason {
        case .unreachable, .refused, .busy, .lost, .late: true
        default: false
        }
    }

    /// What a code means, and what to do about it.
    static func meaning(ofCode code: String) -> (reason: Reason, remedy: String?) {
        switch code {
        case "40001", "40P01", "55P03": return (.conflict, "it is tried again")
        case "42501": return (.rights, "give the user the right, or let the tables' owner do it")
        case "25006": return (.readOnly, "name the primary server, not a standby")
        case "53300": return (.busy, "raise max_connections, or have fewer workers")
        case "53100", "53200", "53400": return (.full, "free some room on the database's machine")
        case "57014": return (.late, "it took too long and was cancelled")
        case "57P01", "57P02", "57P03": return (.busy, "the server starts or stops; it is tried again")
        default: break
        }
        switch code.prefix(2) {
        case "08": return (.lost, nil)
        // Beside bad values: one that is too large for an index.
        case "22", "23", "54": return (.data, nil)
        case "28": return (.refused, "check the user, its password and pg_hba.conf")
        case "3D", "3F": return (.missing, "create it, or correct the address")
        case "42": return (.missing, nil)
        default: return (.statement, nil)
        }
    }
}
