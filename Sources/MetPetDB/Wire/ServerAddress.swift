/// Where a server is: the base that the paths of its interface are added to.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// Without a slash at the end.
    public let text: String
    /// Scheme, host and port, which alone appear in messages.
    public let origin: String

    /// - Parameter text: an `http` or `https` URL without a query, a fragment or an account.
    /// - Throws: ``MetPetDBError`` that says what is wrong, without repeating an account.
    public init(_ text: String) throws(MetPetDBError) {
        let schemes = ["https://", "http://"]
        guard let scheme = schemes.first(where: text.lowercased().hasPrefix) else {
            throw MetPetDBError(.badAddress, "cannot use the address: it has to begin with https:// or http://")
        }
        var rest = text.dropFirst(scheme.count)
        guard !rest.contains("@") else {
            throw MetPetDBError(
                .badAddress, "cannot use the address: it holds an account; set the account by the credentials")
        }
        guard !rest.contains(where: { $0 == "?" || $0 == "#" || $0 == "\\" }),
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), rest.utf8.count <= 500
        else {
            throw MetPetDBError(.badAddress, "cannot use the address: it may only hold a host, a port and a path")
        }
        while rest.hasSuffix("/") { rest.removeLast() }
        let host = rest.prefix { $0 != "/" }
        guard !host.isEmpty else { throw MetPetDBError(.badAddress, "cannot use the address: it names no host") }
        origin = scheme + host
        self.text = scheme + rest
    }

    public var description: String { text }

    /// The URL of a path with a query.
    ///
    /// - Parameters:
    ///   - path: with a slash at the start, and as MetPetDB wants it, one at the end.
    ///   - query: names and values, encoded here.
    /// - Returns: the whole URL.
    func url(_ path: String, _ query: [(String, String)] = []) -> String {
        guard !query.isEmpty else { return text + path }
        let pairs = query.map { "\($0.0)=\(percentEncoded($0.1))" }
        return text + path + "?" + pairs.joined(separator: "&")
    }
}

/// Percent-encodes all but the unreserved characters (RFC 3986 section 2.3).
func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            bytes.append(byte)
        default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// - Returns: nil for a `%` without two hexadecimal digits, and for bytes that are no UTF-8.
func percentDecoded(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
            return nil
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
}
