/// Where gpsd listens.
public struct GPSDEndpoint: Sendable, Equatable, CustomStringConvertible {
    /// A host name, an IPv4 or an IPv6 address (without brackets).
    public var host: String
    /// 1 to 65535.
    public var port: UInt16

    /// gpsd's place on its own machine (IANA port 2947).
    public static let standard = GPSDEndpoint(host: "127.0.0.1", port: 2947)

    public init(host: String, port: UInt16 = 2947) {
        self.host = host
        self.port = port
    }

    /// Reads `host`, `host:port`, `[address]` or `[address]:port`; an IPv6 address may also stand alone.
    ///
    /// - Returns: nil if the host is empty or the port is not 1 to 65535.
    public init?(_ text: String) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            self.init(host: text[text.index(after: text.startIndex)..<end], port: rest.isEmpty ? nil : rest.dropFirst())
        } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            self.init(host: text[..<colon], port: text[text.index(after: colon)...])
        } else {
            self.init(host: text[...], port: nil)
        }
    }

    private init?(host: Substring, port: Substring?) {
        guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.host = String(host)
        self.port = 2947
        guard let port else { return }
        guard port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(port), number > 0 else {
            return nil
        }
        self.port = number
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
