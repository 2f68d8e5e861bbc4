/// A host and a port.
public struct Endpoint: Sendable, Equatable, LosslessStringConvertible {
    /// A name or a numeric address, without brackets.
    public let host: String
    /// 1 to 65535.
    public let port: UInt16

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port` or `[address]:port`.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
            text[text.index(after: colon)...].utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        if isBracketed { host = host.dropFirst().dropLast() }
        let isHost = host.unicodeScalars.allSatisfy { scalar in
            scalar.isLetterOrDigit || "-._".unicodeScalars.contains(scalar)
                || isBracketed && ":%".unicodeScalars.contains(scalar)
        }
        guard !host.isEmpty, host.utf8.count <= 253, isHost else { return nil }
        self.init(host: String(host), port: port)
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Where a broker listens: `mqtt://host:port`, or `mqtts://` for TLS.
public struct BrokerAddress: Sendable, Equatable, LosslessStringConvertible {
    public let hasTLS: Bool
    public let host: String
    public let port: UInt16

    /// The ports that are registered for the two (IANA).
    private static let plainPort: UInt16 = 1883
    private static let tlsPort: UInt16 = 8883

    /// - Returns: nil unless the text is such an address; without a port it is the registered one.
    public init?(_ text: String) {
        guard let scheme = ["mqtts://", "mqtt://"].first(where: text.hasPrefix) else { return nil }
        hasTLS = scheme == "mqtts://"
        let rest = String(text.dropFirst(scheme.count))
        let registered = hasTLS ? Self.tlsPort : Self.plainPort
        guard let endpoint = Endpoint(rest) ?? Endpoint("\(rest):\(registered)") else { return nil }
        host = endpoint.host
        port = endpoint.port
    }

    public var description: String {
        "\(hasTLS ? "mqtts" : "mqtt")://\(Endpoint(host: host, port: port))"
    }
}
