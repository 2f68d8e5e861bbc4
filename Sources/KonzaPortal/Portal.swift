internal import Access
internal import HTTPServing
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Printing
internal import Settings
internal import Storage
internal import Systemd
internal import TakeHome

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
    /// How often a certificate of the station's own is looked at, seconds.
    private static let certificateInterval = 6 * 3600.0

    private let servers: [HTTPServer]
    /// Those with TLS among them.
    private let encrypted: [HTTPServer]
    private let certificates: CertificateKeeper
    private let station: StationLink
    private let printing: PortalPrinting
    /// On loopback.
    let port: UInt16
    private let log: Log

    /// - Parameters:
    ///   - settings: of the station.
    ///   - pages: what browsers get.
    ///   - options: what the command line says instead.
    ///   - passed: what systemd passed.
    ///   - port: on loopback, where systemd passed no socket; 0 for none.
    ///   - log: where defects are told.
    /// - Throws: if a port cannot be had, there is no certificate, or libcurl does not start.
    init(
        _ settings: StationSettings, pages: Pages, options: PortalOptions, passed: [PassedSocket], port: UInt16,
        log: Log
    ) throws {
        let loopbackPort = passed.lazy.compactMap(\.port).first ?? port
        self.port = loopbackPort
        self.log = log
        let portal = settings.portal
        let state = options.state ?? portal.state
        let clock = SystemClock()
        station = StationLink(socketPath: options.socket ?? settings.general.socket)
        let store = try PortalStore(folder: state, at: clock.utc())
        if let complaint = store.complaint { log(.error, complaint) }
        let register = try DeviceRegister(store.database, clock: clock)
        let addresses = PortalAddresses(portal, port: loopbackPort)
        let certificates = CertificateKeeper(portal, station: settings.general.station, state: state, clock: clock)
        self.certificates = certificates
        let door = KioskDoor(store.database, clock: clock)
        let session = SessionReply(settings, languages: pages.languages, hasDoor: { door.hasPIN })
        let access = AccessRoutes(
            register, door: door, clock: clock, address: addresses.address(for:),
            session: { (principal, device) throws(Problem) in try session.answer(principal, device) },
            ended: { [station] in station.endStreams(of: $0) }, note: { log(.notice, $0) })
        let kiosk = KioskPresence(clock: clock)
        let health = HealthRoutes(station: station, complaint: store.complaint, kiosk: kiosk)
        let shares = ShareRegister(store.database, clock: clock)
        let rights = Rights(kiosk: KioskRights(store.database, clock: clock))
        printing = PortalPrinting(
            settings.printing, database: store.database, station: station, clock: clock, log: log)
        let prints = PrintRoutes(service: printing.service) { principal, id throws(Problem) in
            try rights.checkPostcard(id.description, by: principal)
        }
        let frames = FrameRelay(clock: clock) { [station] request throws(Problem) in try station.answer(request) }
        let routes =
            pages.routes(station: settings.general.station) + access.routes
            + health.routes
            + KioskRoutes(presence: kiosk, build: pages.build).routes
            + CertificateRoutes(certificates, addresses).routes
            + TakeHomeRoutes(shares, place: TakeHomePlace(portal)) { principal, id throws(Problem) in
                try rights.checkPostcard(id, by: principal)
            }.routes
            + prints.routes
            + Forwarding(station: station, rights: rights, frames: frames).routes
        let maker = ServerMaker(settings, try Router(routes), log: log)
        var servers: [HTTPServer] = []
        var encrypted: [HTTPServer] = []
        if loopbackPort > 0 {
            let otherwise: Role = portal.loopback == .kiosk ? .kiosk : .visitor
            let server = try maker.make(
                DeviceAuthentication(
                    register, isEncrypted: false, otherwise: otherwise, origins: settings.api.allowedOrigins))
            _ = try PortalSockets.listen(server, passed: passed, port: port, log: log)
            servers.append(server)
        }
        // What is wrong with the network or a certificate does not close the kiosk.
        var faults: [String] = []
        if !portal.listen.isEmpty {
            do {
                let identity = try certificates.identity()
                for endpoint in portal.listen {
                    let server = try maker.make(DeviceAuthentication(register, isEncrypted: true))
                    do {
                        try server.listen(onAddress: endpoint.host, port: endpoint.port, tls: identity)
                    } catch {
                        faults.append("tablets are not served at \(endpoint): \(error)")
                        continue
                    }
                    servers.append(server)
                    encrypted.append(server)
                    log(.notice, "the pages are at https://\(endpoint)/ for whoever was paired")
                }
            } catch {
                faults.append("tablets are not served: \(error)")
            }
        }
        if let endpoint = portal.takeHome {
            let telephones = TakeHomePages(shares, station: settings.general.station) {
                [station] id throws(Problem) in try station.picture(of: id)
            }
            let router = try Router(
                telephones.routes + pages.files(["style/take-home.css"])
                    + CertificateRoutes(certificates, addresses).public)
            let server = try maker.make(nil, router)
            do {
                try server.listen(onAddress: endpoint.host, port: endpoint.port)
                servers.append(server)
                log(.notice, "telephones fetch their postcards at http://\(endpoint)/")
            } catch {
                faults.append("telephones do not reach their postcards at \(endpoint): \(error)")
            }
        }
        for fault in faults { log(.error, fault) }
        health.note(faults)
        // Where the folder of the socket is not there, konza cannot reach the portal; the kiosk does not need it to.
        let socket = options.state.map { "\($0)/portal.sock" } ?? portal.socket
        do {
            let server = try maker.make(nil)
            try? makeFolders(folderAndName(of: socket).folder, mode: 0o755)
            try server.listen(onUnixSocket: socket)
            servers.append(server)
        } catch {
            log(.error, "konza cannot reach the portal: \(error)")
        }
        self.servers = servers
        self.encrypted = encrypted
    }

    /// Renews the station's own certificate before it ends, until the task is cancelled.
    func keepCertificate() async {
        guard !encrypted.isEmpty else { return }
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.certificateInterval))
            let certificates = certificates
            do {
                let identity = try await onBlockingThread { try certificates.identity() }
                for server in encrypted { server.replaceIdentity(identity) }
            } catch {
                log(.error, "cannot renew the certificate: \(error)")
            }
        }
    }

    /// Tells systemd's watchdog that the portal lives, as long as its own port answers; until the task is cancelled.
    func feedWatchdog(_ manager: ServiceManager) async {
        guard let interval = manager.watchdogSeconds else { return }
        let port = port
        while !Task.isCancelled {
            let answers = await onBlockingThread {
                // Without the kiosk's page there is no port that answers without a certificate.
                guard port > 0 else { return true }
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
        await printing.service?.stop()
        await withTaskGroup(of: Void.self) { group in
            for server in servers { group.addTask { await server.stop(graceSeconds: 0.3) } }
        }
    }
}

/// Makes servers that differ in who their clients are.
private struct ServerMaker {
    private let settings: StationSettings
    private let router: Router
    /// Beside what the portal needs itself, within the unit's MemoryMax=.
    private let memory = MemoryBudget(bytes: 24 << 20)
    private let log: Log

    init(_ settings: StationSettings, _ router: Router, log: Log) {
        self.settings = settings
        self.router = router
        self.log = log
    }

    /// - Parameters:
    ///   - authentication: nil on the Unix socket, and where everybody is a visitor.
    ///   - other: the routes, where they are others.
    /// - Returns: a server that does not listen yet.
    /// - Throws: if there are no descriptors left.
    func make(_ authentication: DeviceAuthentication?, _ other: Router? = nil) throws(SystemError) -> HTTPServer {
        var limits = ServerLimits()
        limits.connections = 256
        // All of loopback is one address.
        limits.connectionsOfAddress = 128
        limits.asynchronousRequests = StationLink.mostRequests
        limits.targetBytes = 4096
        let hosts = settings.api.allowedHosts + settings.portal.names + ["127.0.0.1", "[::1]"]
        let addresses = (settings.portal.listen + [settings.portal.takeHome].compactMap { $0 }).map {
            $0.host.contains(":") ? "[\($0.host)]" : $0.host
        }
        let log = log
        return try HTTPServer(
            router: other ?? router, limits: limits, memory: memory,
            origins: OriginPolicy(hosts: hosts + addresses, origins: settings.api.allowedOrigins),
            access: AccessPolicy(AccessPolicy.Names(group: settings.api.group)), authentication: authentication,
            answerFields: Portal.answerFields, onInternalError: { log(.error, "a defect in the portal: \($0)") },
            onTransportError: { log(.info, "TLS: \($0)") })
    }
}
