/// What the stand-in does wrong with one request, as MetPetDB or the network before it does.
public enum StandInFault: Sendable, Equatable, CaseIterable {
    /// Nothing.
    case none
    /// 500 with a traceback, and nothing stored.
    case failBefore
    /// Stored, then 500 with a traceback.
    case failAfter
    /// Stored in part (a sample without its lists), then 400 `{"error": [...]}`.
    case refuseHalfway
    /// The connection ends, and nothing is stored.
    case dropBefore
    /// Stored, then the connection ends without a byte.
    case dropAfter
    /// Stored, then the connection ends in the middle of the answer.
    case cutAnswer
    /// Nothing is stored, and no answer ever comes.
    case silentBefore
    /// Stored, and no answer ever comes.
    case silentAfter
    /// A proxy's 502 with a page, and nothing stored.
    case badGateway
    /// Stored, then a proxy's 504 with a page.
    case gatewayTimeout
    /// 503 with `Retry-After: 1`, and nothing stored.
    case busy
    /// 302 to another host, and nothing stored.
    case redirect
    /// The token is revoked before the request is looked at.
    case revokeToken
}

/// The lasting quirks of a server; each can be switched off.
public struct StandInQuirks: Sendable {
    /// No samples found are answered with `[]` in place of a page.
    public var bareEmptyList = true
    /// Every valid image is answered with 500, and not stored (Django REST framework 3.7 and 3.8).
    public var imagesAlwaysFail = false
    /// A body in chunks is passed over.
    public var ignoresChunkedBodies = true
    /// Seconds that an answer is held back.
    public var delaySeconds = 0.0

    public init() {}
}

/// A request as the stand-in saw it.
public struct StandInRequest: Sendable, Equatable {
    public let method: String
    public let path: String
    public let query: [String: String]
    /// Names in lower case.
    public let headers: [String: String]
    public let body: [UInt8]
    /// Whether the whole body came in chunks.
    public let isChunked: Bool

    /// Without the ids in the path, such as `PUT /api/samples/*/`.
    public var kind: String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return method + " " + parts.map { $0.count == 36 ? "*" : String($0) }.joined(separator: "/")
    }
}
