/// Where a printer is: a queue of this machine's CUPS, or a printer that speaks IPP itself.
public struct PrinterAddress: Sendable, Equatable {
    /// Nil for the CUPS of this machine, as its own client finds it (client.conf(5)).
    let host: String?
    let port: UInt16
    /// The path of the request.
    let resource: String
    /// The printer's name in requests.
    public let uri: String
    let encrypts: Bool
    /// Until a connection, or an answer on it, is waited for no longer.
    var seconds = 8.0

    /// Reads a queue's name, or an `ipp:` or `ipps:` URI (RFC 3510, RFC 7472); nil if the text is neither.
    public init?(_ text: String) {
        let scheme = ["ipp://", "ipps://"].first { text.hasPrefix($0) }
        guard let scheme else {
            let isName = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/#?'\"\\".utf8.contains($0) }
            guard isName, (1...127).contains(text.utf8.count) else { return nil }
            self.init(host: nil, port: 631, resource: "/printers/\(text)", uri: "ipp://localhost/printers/\(text)")
            return
        }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !authority.contains("@") else { return nil }
        var host = authority
        var port: UInt16 = 631
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else { return nil }
            host = authority[..<colon]
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        let resource = path.count > 1 ? String(path) : "/ipp/print"
        self.init(
            host: String(host), port: port, resource: resource, uri: "\(scheme)\(authority)\(resource)",
            encrypts: scheme == "ipps://")
    }

    /// A queue of the CUPS at a Unix socket.
    init(socket: String, queue: String) {
        self.init(host: socket, port: 0, resource: "/printers/\(queue)", uri: "ipp://localhost/printers/\(queue)")
    }

    private init(host: String?, port: UInt16, resource: String, uri: String, encrypts: Bool = false) {
        self.host = host
        self.port = port
        self.resource = resource
        self.uri = uri
        self.encrypts = encrypts
    }
}
