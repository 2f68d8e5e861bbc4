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
