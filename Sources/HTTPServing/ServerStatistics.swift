/// What the server has done since it began, for `/metrics`.
public struct ServerStatistics: Sendable, Equatable {
    /// Answers by class of status: index 2 counts 2xx.
    public var answersByClass = [UInt64](repeating: 0, count: 6)
    /// Requests refused before their handler, by the kind of problem.
    public var refusals: [String: UInt64] = [:]
    /// Connections open now.
    public var openConnections = 0
    /// Connections taken since the start.
    public var acceptedConnections: UInt64 = 0
    /// Connections turned away since all places, or those of one user, were taken.
    public var refusedConnections: UInt64 = 0
    /// Connections closed because a head, a body or an answer took too long.
    public var timedOutConnections: UInt64 = 0
    /// Bodies and answers refused since other ones held the memory for them.
    public var memoryRefusals: UInt64 = 0
    /// Bytes of memory in bodies that have come in and answers that are not taken yet, as far as they are counted.
    public var heldBytes = 0
    /// Bytes of disk in bodies that were too large for memory.
    public var uploadBytes = 0
    /// Requests whose head was never whole: too large or broken, or its client has gone.
    public var unreadHeads: UInt64 = 0
    /// Connections that ended without a readable request line.
    public var silentConnections: UInt64 = 0
    /// TLS handshakes that came to their end, and those of them that resumed a session.
    public var handshakes: UInt64 = 0
    public var resumedHandshakes: UInt64 = 0
    /// Connections that ended before their TLS handshake did.
    public var failedHandshakes: UInt64 = 0
    /// Streams cut since their client read too slowly.
    public var droppedStreams: UInt64 = 0
    /// Streams open now.
    public var openStreams = 0
    /// Asynchronous handlers under way.
    public var asynchronousRequests = 0
    /// Errors of handlers that were no problems of their own.
    public var internalErrors: UInt64 = 0

    public init() {}

    mutating func countAnswer(_ status: Int) {
        let index = status / 100
        if answersByClass.indices.contains(index) { answersByClass[index] += 1 }
    }
}
