/// Where the objects are: a bucket of a store with S3's interface, addressed by path (`https://host/bucket/key`), which every
/// such store understands.
public struct ObjectStoreAddress: Sendable, Equatable, LosslessStringConvertible {
    /// `https://host[:port]`, without a slash at the end.
    public let origin: String
    public let bucket: String
    /// What the signature names; stores that have none take `us-east-1`.
    public let region: String

    /// Reads `https://host[:port]/bucket`. Without TLS only this machine is taken.
    ///
    /// - Returns: nil unless the text is such an address.
    public init?(_ text: String) { self.init(text, region: nil) }

    /// Nil unless these are an address and a region.
    ///
    /// - Parameters:
    ///   - text: `https://host[:port]/bucket`.
    ///   - region: nil for the one in the name of AWS's host, and else `us-east-1`.
    public init?(_ text: String, region: String?) {
        let isEncrypted = text.hasPrefix("https://")
        guard isEncrypted || text.hasPrefix("http://") else { return nil }
        let scheme = isEncrypted ? "https://" : "http://"
        var parts = text.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 3, parts[2].isEmpty { parts.removeLast() }
        guard parts.count == 2, let host = Self.host(of: parts[0]), Self.isBucket(parts[1]),
            isEncrypted || Self.isThisMachine(host)
        else { return nil }
        let region = region ?? Self.region(inHost: host) ?? "us-east-1"
        guard (1...64).contains(region.utf8.count),
            region.utf8.allSatisfy({ Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        origin = scheme + parts[0]
        bucket = String(parts[1])
        self.region = region
    }

    public var description: String { "\(origin)/\(bucket)" }

    /// Where an object is.
    public func url(of key: ObjectKey) -> String { "\(origin)/\(bucket)/\(key)" }

    /// The host of `host[:port]`; nil if it is none.
    private static func host(of authority: Substring) -> String? {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            host = authority[...end]
            port = rest.isEmpty ? nil : rest.dropFirst()
            let inside = host.dropFirst().dropLast()
            guard !inside.isEmpty, inside.utf8.allSatisfy({ isHexadecimal($0) || $0 == UInt8(ascii: ":") }) else {
                return nil
            }
        } else {
            if let colon = authority.firstIndex(of: ":") {
                host = authority[..<colon]
                port = authority[authority.index(after: colon)...]
            }
            guard (1...253).contains(host.utf8.count),
                host.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
            else { return nil }
        }
        if let port {
            guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(port),
                (1...65_535).contains(number)
            else { return nil }
        }
        return String(host)
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    private static func isBucket(_ text: Substring) -> Bool {
        guard (3...63).contains(text.utf8.count), let first = text.utf8.first, let last = text.utf8.last else {
            return false
        }
        let isEdge: (UInt8) -> Bool = { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        return isEdge(first) && isEdge(last)
            && text.utf8.allSatisfy { isEdge($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
            && !text.contains("..")
    }

    private static func isThisMachine(_ host: String) -> Bool {
        host == "localhost" || host == "127.0.0.1" || host == "[::1]"
    }

    /// `s3.eu-west-1.amazonaws.com`.
    private static func region(inHost host: String) -> String? {
        let labels = host.lowercased().split(separator: ".")
        guard labels.count >= 4, labels[0] == "s3", labels[2] == "amazonaws" else { return nil }
        return String(labels[1])
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}

/// The name of an object in its bucket: letters, digits, `-`, `_`, `.` in parts between slashes. What other characters would
/// become in a signature differs from store to store, and from libcurl's version to version.
public struct ObjectKey: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    /// - Returns: nil unless the text is such a name, of at most 512 bytes, and no part is empty, `.` or `..`.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= 512,
            parts.allSatisfy({ part in
                !part.isEmpty && part != "." && part != ".."
                    && part.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                            || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
                    }
            })
        else { return nil }
        description = text
    }
}
