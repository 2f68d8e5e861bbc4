public import KonzaModel

/// A request's own key and the hash of what it asked for, by which a repetition is distinguished from another request that
/// uses the same key (draft-ietf-httpapi-idempotency-key-header).
public struct IdempotencyKey: Sendable, Equatable, Codable {
    /// The longest key, in characters of UTF-8.
    public static let maximumLength = 255

    public let key: String
    /// Any text that is equal for equal requests.
    public let requestHash: String

    public init(key: String, requestHash: String) {
        self.key = key
        self.requestHash = requestHash
    }

    /// A key for a request, told apart from others by its body.
    public init(key: String, body: [UInt8]) {
        self.init(key: key, requestHash: FileContent(body).sha256())
    }

    package var complaint: String? {
        if key.isEmpty || key.utf8.count > Self.maximumLength {
            return "an idempotency key has 1 to \(Self.maximumLength) bytes"
        }
        return requestHash.utf8.count > Self.maximumLength ? "the request's hash is too long" : nil
    }
}

/// What is known of an idempotency key.
public enum IdempotencyOutcome<Kind>: Sendable, Equatable {
    /// The key is the caller's now, until the record is kept, the keeping fails, or `abandon` is called.
    case new
    /// The request was done before, and made this record.
    case existing(RecordID<Kind>)
    /// The same request is being worked on.
    case inProgress
    /// The key was used for another request.
    case conflict
}
