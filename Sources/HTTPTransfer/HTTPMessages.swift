/// One request to send.
public struct HTTPRequest: Sendable {
    public var method: String
    /// An absolute `http` or `https` URL; over a Unix socket its host is only a name.
    public var url: String
    /// The socket to go through in place of the network.
    public var unixSocket: String?
    public var headers: [(name: String, value: String)] = []
    public var body: [UInt8]?
    /// A body that is read while it is sent, in place of ``body``.
    public var upload: UploadBody?
    /// Whether sending the request twice does no harm. Where it does, a connection of its own is opened: on a kept one
    /// that turns out to be closed libcurl would send it again.
    public var isRepeatable = true
    /// The account that signs the request (AWS Signature Version 4); nil for none. The header `x-amz-content-sha256` must be
    /// there: without it libcurl 7.88 signs the hash of no bytes, whatever the body is.
    public var signing: HTTPSigning?
    /// The most bytes to send in a second; nil for as fast as it goes.
    public var bytesPerSecond: Int?
    /// A file of certificates (PEM) to trust in place of the system's.
    public var certificateAuthorities: String?
    /// Whether any server is trusted. For what is checked by other means, such as its hash; nothing secret may be in the
    /// request.
    public var trustsAnyone = false
    /// A file with a certificate and its key (PEM) to show to the server.
    public var clientCertificate: String?
    /// The only network interface to send by; nil for whichever the system takes.
    public var interface: String?
    /// Seconds until connected.
    public var connectSeconds = 5.0
    /// Seconds for everything; nil for a stream without an end.
    public var totalSeconds: Double? = 30
    /// Seconds without a single byte after which to give up.
    public var silenceSeconds: Int?
    /// Bytes of the answer's body.
    public var maximumBytes = 64 * 1024 * 1024

    public init(_ method: String = "GET", url: String, unixSocket: String? = nil) {
        self.method = method
        self.url = url
        self.unixSocket = unixSocket
    }
}

/// The answer to a request.
public struct HTTPAnswer: Sendable {
    public var status: Int
    /// Names in lower case, in order.
    public var headers: [(name: String, value: String)]
    /// Empty where it was given to a receiver of chunks.
    public var body: [UInt8]

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header of that name.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name == name }?.value
    }
}

/// Why no answer came.
public struct TransferError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// There is no such socket.
        case socketMissing
        /// The socket may not be opened.
        case permissionDenied
        /// Nobody answers.
        case notConnected
        case timedOut
        /// The answer has more bytes than are wanted.
        case tooLarge
        /// The receiver of the answer, or a cancellation, ended it.
        case cancelled
        case badRequest
        /// The body to send could not be read.
        case unreadableBody
        /// The other side's certificate does not hold.
        case untrusted
        /// The answer broke off or is no HTTP.
        case broken
    }

    public let reason: Reason
    public let description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
