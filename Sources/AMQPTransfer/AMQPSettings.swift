/// How to reach a broker that speaks AMQP 0-9-1, and as whom.
public struct AMQPSettings: Sendable, Equatable {
    /// The files of a client's TLS.
    public struct TLS: Sendable, Equatable {
        /// Certificates to trust (PEM); nil for the system's.
        public var authorities: String?
        /// The client's own certificate and key (PEM); nil for none.
        public var certificate: String?
        public var key: String?

        public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
        }
    }

    public var host: String
    public var port: Int
    public var virtualHost: String
    public var user: String
    public var password: String
    /// nil for plain TCP.
    public var tls: TLS?
    /// Seconds of silence after which either side says that it is there; after twice as many the other is gone.
    public var heartbeatSeconds = 30
    /// The longest wait for the transport, the login and each answer, seconds.
    public var patienceSeconds = 15

    /// RabbitMQ lets its own user guest in from the same machine alone.
    public init(host: String, port: Int, virtualHost: String = "/", user: String = "guest", password: String = "guest")
    {
        self.host = host
        self.port = port
        self.virtualHost = virtualHost
        self.user = user
        self.password = password
    }
}

/// A durable queue of a broker.
public struct AMQPQueue: Sendable, Equatable {
    public var name: String
    /// Beyond so many messages the oldest goes.
    public var mostMessages: Int
    /// How long a message stays, seconds; nil for ever.
    public var messageSeconds: Int?
    /// Whether one consumer at a time has it, so that what comes is taken in its order.
    public var isSingleActive: Bool

    public init(_ name: String, mostMessages: Int, messageSeconds: Int? = nil, isSingleActive: Bool = false) {
        self.name = name
        self.mostMessages = mostMessages
        self.messageSeconds = messageSeconds
        self.isSingleActive = isSingleActive
    }
}

/// A message that was delivered, and has to be acknowledged.
public struct AMQPDelivery: Sendable, Equatable {
    public let tag: UInt64
    public let routingKey: String
    public let payload: [UInt8]
}

/// Why a broker cannot be used.
public struct AMQPError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable, CaseIterable {
        /// Nobody answers, or the connection broke.
        case unreachable
        /// TLS failed: certificate, its names or dates, or a key that does not fit.
        case untrusted
        /// The broker does not let this client do that.
        case refused
        /// A queue or exchange is there and is another than is wanted, or is gone.
        case mismatch
        /// What was asked for cannot be.
        case badRequest = "bad-request"
    }

    public let reason: Reason
    public let description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
