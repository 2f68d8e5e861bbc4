internal import KonzaModel

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

    /// Whether nobody on the way reads what is sent: by `https`, or not off this machine.
    public var isConfidential: Bool {
        if origin.hasPrefix("https://") { return true }
        let host = origin.dropFirst("http://".count)
        if host == "[::1]" || host.hasPrefix("[::1]:") { return true }
        let name = host.prefix { $0 != ":" }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return name.lowercased() == "localhost"
            || numbers.first == "127" && numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// Refuses to be told a secret that others could read. Credentials in clear text are anybody's (RFC 7617 section 4).
    ///
    /// - Parameter setting: which names the address, for the words.
    /// - Throws: ``MetPetDBError`` with `badAddress` unless it ``isConfidential``.
    public func expectConfidential(setting: String) throws(MetPetDBError) {
        guard !isConfidential else { return }
        throw MetPetDBError(
            .badAddress,
            "cannot send the account to \(origin): without https everyone on the way could read it; set \(setting) to "
                + "the server's https:// address")
    }

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
