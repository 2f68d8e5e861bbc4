internal import HTTPServing
internal import KonzaSystem
internal import Systemd

/// Where the kiosk's page is served on loopback: on the socket that systemd listens on (konza-portal.socket), so that a
/// browser that starts first is not refused; else on the configured port.
enum PortalSockets {
    /// Listens.
    ///
    /// - Parameters:
    ///   - server: serves the connections.
    ///   - passed: what systemd passed.
    ///   - port: the configured one.
    ///   - log: is told when the socket's port is another one.
    /// - Returns: the port that is served.
    /// - Throws: ``ListenError`` if the port cannot be had.
    static func listen(
        _ server: HTTPServer, passed: [PassedSocket], port: UInt16, log: Log
    ) throws -> UInt16 {
        guard let socket = passed.first(where: { $0.port != nil }), let actual = socket.port else {
            return try server.listen(onAddress: "127.0.0.1", port: port)
        }
        if actual != port {
            log(
                .warning,
                "konza-portal.socket listens on port \(actual), and [Portal] Port= is \(port): run systemctl daemon-reload "
                    + "and systemctl restart konza-portal.socket konza-portal.service; until then \(actual) is served")
        }
        try server.listen(onDescriptor: socket.descriptor)
        return actual
    }
}
