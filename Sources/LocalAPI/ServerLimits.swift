/// What one client, and all clients together, may take of the server.
public struct ServerLimits: Sendable {
    /// Connections of all users.
    public var connections = 1200
    /// Connections of one user; nil for five sixths of the total, so that some are left for the others.
    public var connectionsPerUser: Int?
    /// Bytes of a request target.
    public var targetBytes = 8192
    /// Bytes of the request line and all headers together.
    public var headerBytes = 16_384
    /// Bytes of a body, where the route says nothing else.
    public var bodyBytes = 65_536
    /// Bytes of a refused body that are read and dropped, so that the client gets to read the refusal.
    public var discardedBytes = 1_048_576
    /// Seconds from the connection, or the end of the last request, to the next request line.
    public var idleSeconds = 60.0
    /// Seconds from the request line to the end of the head.
    public var headSeconds = 10.0
    /// Seconds from the head to the end of the body.
    public var bodySeconds = 30.0
    /// Seconds to take an answer of known length, if it is not so long that the next limit gives it more.
    public var replySeconds = 300.0
    /// A client that takes an answer at least so quickly is not cut off, bytes a second.
    public var replyBytesPerSecond = 16_384.0
    /// Asynchronous handlers under way.
    public var asynchronousRequests = 64

    public init() {}

    var effectiveConnectionsPerUser: Int { connectionsPerUser ?? max(1, connections - connections / 6) }

    /// How long a client may take for an answer of so many bytes, seconds.
    func replySeconds(forBytes count: Int) -> Double { max(replySeconds, Double(count) / replyBytesPerSecond) }

    /// The pool of one connection in libmicrohttpd: the head of the request, and beside it that of the answer.
    var connectionMemory: Int { max(headerBytes * 2, 32_768) }
}
