/// Why an object is not stored, with what to do about it.
public struct ObjectStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable, Equatable, CaseIterable {
        /// The clocks differ by more than the store allows (15 min at AWS).
        case clock
        /// The store does not know the account, its secret is another one, or it has expired.
        case credentials
        /// The account may not do it.
        case forbidden
        /// There is no such bucket.
        case noBucket
        /// The bucket is in another region, or at another address.
        case region
        /// The store has no room for it, or takes nothing as large.
        case full
        /// The store cannot do it now.
        case busy
        /// No whole answer came: whether the object is stored is not known.
        case network
        /// The store's certificate does not hold.
        case untrustedCertificate
        /// The bytes that arrived have another hash.
        case damaged
        /// The file to send cannot be read, or is shorter than it was.
        case unreadable
        /// The store gave an answer that no rule is for.
        case refused
    }

    public let reason: Reason
    public let description: String
    /// Seconds after which the store asks to try again (RFC 9110 section 10.2.3).
    public let retryAfter: Int?

    public init(_ reason: Reason, _ description: String, retryAfter: Int? = nil) {
        self.reason = reason
        self.description = description
        self.retryAfter = retryAfter
    }

    /// Whether trying again later may help without anybody doing something.
    public var isTransient: Bool {
        switch reason {
        case .busy, .network, .damaged, .clock: true
        case .credentials, .forbidden, .noBucket, .region, .full, .untrustedCertificate, .unreadable, .refused: false
        }
    }
}
