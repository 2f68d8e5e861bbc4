/// What one client, and all clients together, may take of the server.
///
/// Of the connections and the asynchronous handlers one user, or one address of the network, holds at most as much as is left for the others (a half,
/// while the others hold nothing). That does not bind root and the daemon's own user. The memory of bodies and answers
/// is reserved in a `MemoryBudget`, by the same rule.
public struct ServerLimits: Sendable {
    /// Connections of all users.
    public var connections = 1200
    /// Connections of root and of the daemon's own user beyond that. The daemon itself is never turned away.
    public var reservedConnections = 16
    /// Connections of one address of the network, within its share of all: a browser has six of each host.
    public var connectionsOfAddress = 64
    /// Connections that are open while the kernel may buffer answers as generously as it likes; those that come when
    /// more are open get ``tightSendBuffer``. The kernel's buffers count as the daemon's memory, too.
    public var roomyConnections = 64
    /// Bytes of answers that the kernel is asked to buffer for a connection at the most (socket(7), `SO_SNDBUF`).
    public var tightSendBuffer = 16_384
    /// Bytes of a request target.
    public var targetBytes = 8192
    /// Bytes of the request line and all headers together.
    public var headerBytes = 16_384
    /// Bytes of a body, where the route says nothing else.
    public var bodyBytes = 65_536
    /// Bytes of a refused body that are read and dropped, so that the client gets to read the refusal.
    public var discardedBytes = 4 << 20
    /// Seconds from the connection to the end of the TLS handshake.
    public var handshakeSeconds = 10.0
    /// Seconds from the connection (with TLS, from the end of its handshake), or the end of the last request, to the next
    /// request line.
    public var idleSeconds = 60.0
    /// Seconds from the request line to the end of the head.
    public var headSeconds = 10.0
    /// Seconds from the head to the end of the body.
    public var bodySeconds = 30.0
    /// Seconds to take an answer of known length, if it is not so long that the next limit gives it more.
    public var replySeconds = 300.0
    /// A client that takes an answer at least so quickly is not cut off, bytes a second.
    public var replyBytesPerSecond = 16_384.0
    /// A body or an answer of at most so many bytes is not reserved in the memory budget: the number of connections bounds their sum.
    public var uncountedBytes = 4096
    /// Memory to read a body of JSON that is not reserved: the number of handlers bounds its sum.
    public var uncountedReading = 65_536
    /// Bytes of a body that go to memory, where larger ones are spooled to a file.
    public var unspooledBytes = 65_536
    /// Bytes of disk that spooled bodies may take.
    public var uploadBytes = 512 << 20
    /// Asynchronous handlers under way.
    public var asynchronousRequests = 64

    public init() {}

    /// The connections that libmicrohttpd takes. It stops listening at its limit, so there are places for those that
    /// are turned away; each is free again as soon as its thread comes round.
    var acceptedConnections: Int { connections + reservedConnections + 64 }

    /// Descriptors for the connections, a file for each of them, and everything else that the daemon opens.
    var descriptors: Int { 2 * acceptedConnections + 512 }

    /// How long a client may take for an answer of so many bytes, seconds.
    func replySeconds(forBytes count: Int) -> Double { max(replySeconds, Double(count) / replyBytesPerSecond) }

    /// The fields that a head of so many bytes may have: libmicrohttpd keeps 64 bytes for each of them beside it, and the
    /// head of the answer has to fit in, too.
    func fields(inHeadOf bytes: Int) -> Int { (connectionMemory - bytes - 4096) / 64 }

    /// The pool of one connection in libmicrohttpd: the head of the request, and beside it that of the answer.
    var connectionMemory: Int { max(headerBytes * 2, 32_768) }
}
