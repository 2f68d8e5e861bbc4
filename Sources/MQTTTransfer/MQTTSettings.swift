/// How to reach a broker, and as whom.
public struct MQTTSettings: Sendable, Equatable {
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
    public var clientID: String
    /// nil for plain TCP.
    public var tls: TLS?
    /// For brokers that know users by password.
    public var user: String?
    public var password: String?
    /// Seconds of silence after which either side asks whether the other is there.
    public var keepAliveSeconds = 300
    /// How long the broker keeps subscriptions and unsent messages of a client that is gone, seconds.
    public var sessionExpirySeconds = 3600
    /// What the broker publishes when the client is gone without a word.
    public var will: MQTTPublication?
    /// How long after, seconds; MQTT 5 alone.
    public var willDelaySeconds = 60
    /// The largest packet that the broker is asked to deliver, bytes; MQTT 5 alone. nil for no bound.
    public var mostPacketBytes: Int?
    /// Whether MQTT 5 is tried before 3.1.1.
    public var triesVersion5 = true

    public init(host: String, port: Int, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }
}

/// The qualities of service that Konza uses. Never 2: brokers lack it, and record ids with upserts do better.
public enum MQTTQuality: Int32, Sendable, CaseIterable {
    case atMostOnce = 0
    case atLeastOnce = 1
}

/// A message to publish.
public struct MQTTPublication: Sendable, Equatable {
    public var topic: String
    public var payload: [UInt8]
    public var quality: MQTTQuality
    /// Whether the broker keeps it for those who subscribe later.
    public var isRetained: Bool
    /// Seconds after which the broker lets go of it (MQTT 5 section 3.3.2.3.3); nil for never.
    public var expirySeconds: Int?

    public init(
        topic: String, payload: [UInt8], quality: MQTTQuality, isRetained: Bool = false, expirySeconds: Int? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.isRetained = isRetained
        self.expirySeconds = expirySeconds
    }
}

/// A message that came.
public struct MQTTMessage: Sendable, Equatable {
    public let topic: String
    public let payload: [UInt8]
    /// Whether the broker had kept it from before the subscription.
    public let isRetained: Bool

    public init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

/// What happened on a connection.
public enum MQTTEvent: Sendable, Equatable {
    /// The broker took the client.
    case connected
    /// The broker took a publication of quality 1. Under MQTT 5 the reason (section 3.4.2.1) says whether anybody got it:
    /// 0x10 nobody has subscribed, 0x87 not allowed; 3.1.1 has none.
    case acknowledged(Int32, reason: Int32)
    /// Whether the broker took each topic filter of a subscription.
    case subscribed(Int32, isGranted: Bool)
    case message(MQTTMessage)
    /// The connection is over.
    case disconnected(MQTTError)
}

/// Why a broker cannot be used.
public struct MQTTError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable, CaseIterable {
        /// Nobody answers, or the connection broke.
        case unreachable
        /// The broker ended the connection before it answered: it does not take the certificate, or does not speak this version.
        case closed
        /// TLS failed: certificate, its names or dates, or a key that does not fit.
        case untrusted
        /// The broker does not let this client in.
        case refused
        /// Another client uses the same identity (0x8E, session taken over).
        case identityInUse = "identity-in-use"
        /// The broker's quota is used up (0x97).
        case full
        /// The broker does not speak the protocol's version.
        case version
        /// What was to be sent cannot be.
        case badRequest = "bad-request"
        /// Nothing was wrong: this side ended it.
        case ended
    }

    public let reason: Reason
    public let description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
