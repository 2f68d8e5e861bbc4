public import KonzaModel

/// Why a server did not do what was asked. Its words never hold a password or a token.
public struct MetPetDBError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable {
        /// The request never reached it.
        case unreachable
        /// No whole answer came: it may have been done, or not.
        case lost
        /// The account is not let in.
        case login
        /// Fields are refused, and nothing was stored (400).
        case fields
        /// Something was refused after a row may have been stored (400 with `error`).
        case halfDone
        /// The object is somebody else's (403).
        case forbidden
        /// There is no such object, or, for images, the request is refused (404).
        case missing
        /// It failed, before or after storing (5xx).
        case failed
        /// It wants to be asked later (408, 425, 429, 503 with a time).
        case busy
        /// It points elsewhere, where neither token nor data are sent (3xx).
        case redirected
        /// The answer is none that this server gives.
        case unreadable
        /// The question cannot be put to this server.
        case question
        /// The address or an account's words are not usable.
        case badAddress
        /// Something here, such as a file, cannot be read.
        case local
        case cancelled
    }

    public let reason: Reason
    /// "cannot ..., why, remedy".
    public let description: String
    /// The server's words for each field.
    public var refusals: [Submission.Refusal] = []
    /// When it wants to be asked again, seconds.
    public var retryAfter: Double?

    init(_ reason: Reason, _ description: String, refusals: [Submission.Refusal] = [], retryAfter: Double? = nil) {
        self.reason = reason
        self.description = description
        self.refusals = refusals
        self.retryAfter = retryAfter
    }

    /// There is nobody to submit for.
    public static let noAccount = MetPetDBError(
        .login,
        "cannot reach MetPetDB: there is no account; set [MetPetDB] Email= and the credential metpetdb-password, or the "
            + "credential metpetdb-token, restart konza-courier, and flush the outbox")

    /// Whether what was asked for may have been done all the same.
    public var mayHaveTakenEffect: Bool {
        switch reason {
        case .lost, .halfDone, .failed, .unreadable, .busy, .missing, .cancelled: true
        case .unreachable, .login, .fields, .forbidden, .redirected, .question, .badAddress, .local: false
        }
    }
}
