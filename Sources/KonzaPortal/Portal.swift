internal import HTTPServing
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaSystem
internal import Settings
internal import Systemd

/// Serves the pages, and passes what they ask on to konzad, on behalf of whoever asks.
final class Portal: Sendable {
    /// What every answer says to the browser: nothing but our own code and pictures, no frame around us, no referrer to
    /// anybody (Content Security Policy Level 3; HTML; Fetch; Permissions Policy).
    static let answerFields: HeaderFields = [
        "content-security-policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
            + "font-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), payment=(), usb=(), geolocation=(self)",
    ]

    private let server: HTTPServer
    private let station: StationLink
    private let port: UInt16
    private let log: Log

    /// - Parameters:
    ///   - settings: of the station.
    ///   - pages: what browsers get.
    ///   - socket: konzad's.
    ///   - port: on loopback.
    ///   - log: where defects are told.
    /// - Throws: if the port cannot be had, or libcurl does not start.
    init(_ settings: StationSettings, pages: Pages, socket: String, port: UInt16, log: Log) throws {
        self.port = port
        self.log = log
        station = StationLink(socketPath: socket)
        let routes =
            pages.routes(station: settings.general.station) + [SessionRoutes(settings).route]
            + HealthRoutes(station: station).routes
            + Forwarding(station: station, rights: KioskRights(clock: SystemClock())).routes
        var limits = ServerLimits()
        limits.connections = 256
        // All of loopback is one address.
        limits.connectionsOfAddress = 128
        limits.asynchronousRequests = StationLink.mostRequests
        limits.targetBytes = 4096
        server = try HTTPServer(
            router: try Router(routes), limits: limits,
            origins: OriginPolicy(hosts: settings.api.allowedHosts + ["127.0.0.1", "[::1]"]),
            access: AccessPolicy(AccessPolicy.Names(group: settings.api.group)), answerFields: Self.answerFields,
            onInternalError: { log(.error, "a defect in the portal: \($0)") })
        try server.listen(onAddress: "127.0.0.1", port: port)
    }

    /// Tells systemd's watchdog that the portal lives, as long as its own port answers; until the task is cancelled.
    func feedWatchdog(_ manager: ServiceManager) async {
        guard let interval = manager.watchdogSeconds else { return }
        let port = port
        while !Task.isCancelled {
            let answers = await onBlockingThread {
                var request = HTTPRequest("GET", url: "http://127.0.0.1:\(port)/v1/session")
                request.totalSeconds = max(0.5, interval / 4)
                return (try? HTTPConnection().send(request))?.status == 200
            }
            if answers {
                manager.feedWatchdog()
            } else {
                log(.error, "the portal does not answer its own request; the watchdog is not fed")
            }
            try? await Task.sleep(for: .seconds(interval / 3))
        }
    }

    /// Ends all that is under way.
    func stop() async {
        station.close()
        await server.stop(graceSeconds: 0.3)
    }
}
