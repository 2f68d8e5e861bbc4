internal import KonzaAPI

/// Which pages of a browser may talk to the socket through a proxy. A page of another site has an `Origin` of its
/// own (RFC 6454), and a rebound name shows in `Host`.
public struct OriginPolicy: Sendable {
    /// Host names without a port, in lower case.
    public var hosts: Set<String>
    /// Whole origins that are allowed beside those of the hosts, such as `https://kiosk.example`.
    public var origins: Set<String>

    /// - Parameters:
    ///   - hosts: names beside `localhost` and `konza`.
    ///   - origins: origins beside those on the hosts.
    public init(hosts: [String] = [], origins: [String] = []) {
        self.hosts = Set(["localhost", "konza"] + hosts.map { $0.lowercased() })
        self.origins = Set(origins.map { $0.lowercased() })
    }

    /// Refuses what comes from elsewhere. The authority of an absolute-form target takes the place of `Host` (RFC 9112
    /// section 3.2.2).
    func check(_ headers: HeaderFields, authority: String?, isVersion10: Bool) throws(Problem) {
        let named = headers.all("host")
        guard named.count < 2 else {
            throw Problem(.malformedRequest, "cannot take the request: it has two Host headers")
        }
        guard let host = authority ?? named.first ?? (isVersion10 ? "" : nil) else {
            throw Problem(
                .malformedRequest, "cannot take the request: HTTP/1.1 needs a Host header; send Host: localhost")
        }
        guard host.isEmpty || hosts.contains(host) || hosts.contains(Self.name(ofAuthority: host[...])) else {
            throw Problem(
                .foreignOrigin,
                "cannot serve the host \(host.prefix(80)): not one of ours; send Host: localhost or name it in the configuration"
            )
        }
        for origin in headers.all("origin") where !isAllowed(origin: origin.lowercased()) {
            throw Problem(
                .foreignOrigin,
                "cannot serve a page of \(origin.prefix(80)): not one of ours; name it in the configuration")
        }
        if headers.first(lowercased: "sec-fetch-site") == "cross-site" {
            throw Problem(.foreignOrigin, "cannot serve a page of another site")
        }
    }

    private func isAllowed(origin: String) -> Bool {
        if origins.contains(origin) { return true }
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            return hosts.contains(Self.name(ofAuthority: origin.dropFirst(scheme.count)))
        }
        return false
    }

    /// The host of `host:port`, in lower case. A port is digits (RFC 3986 section 3.2.3): with anything else behind it
    /// the whole is taken for a name, which is nobody's.
    private static func name(ofAuthority authority: Substring) -> String {
        var end = authority.firstIndex(of: ":") ?? authority.endIndex
        if authority.hasPrefix("["), let bracket = authority.firstIndex(of: "]") {
            end = authority.index(after: bracket)
        }
        let rest = authority[end...].utf8
        let isPort = rest.first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
        return authority[..<(rest.isEmpty || isPort ? end : authority.endIndex)].lowercased()
    }
}
