internal import Access
internal import Announcements
internal import HTTPServing
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Learning
internal import Muster
internal import People
internal import Printing
internal import Settings
internal import Storage
internal import Systemd
internal import TakeHome
internal import Trips

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
        "permissions-policy": "camera=(self), microphone=(), payment=(), usb=(), geolocation=(self)",
    ]
    private let servers: [HTTPServer]
    private let listeners: NetworkListeners
    /// The portal's own socket; nil where it could not be had.
    private let socket: String?
    private let station: StationLink
    private let remote: RemoteSettingsLook
    private let printing: PortalPrinting
    private let announcements: PortalAnnouncements
    private let content: PortalContent
    private let trips: PortalTrips
    private let events: StationEvents
    private let streams: OpenStreams
    private let unseen: UnseenCards
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
        // Beside what the portal needs itself, within the unit's MemoryMax=.
        let memory = MemoryBudget(bytes: 24 << 20)
        events = StationEvents(store.database, memory: memory, clock: clock)
        if let complaint = store.complaint { log(.error, complaint) }
        let register = try DeviceRegister(store.database, clock: clock)
        let addresses = PortalAddresses(portal, port: loopbackPort)
        let certificates = CertificateKeeper(portal, station: settings.general.station, state: state, clock: clock)
        let door = KioskDoor(store.database, clock: clock)
        let people = try PeopleRegister(store.database, clock: clock)
        streams = OpenStreams(devices: register, people: people, clock: clock)
        let choices = KioskChoices(store.database, languages: pages.languages)
        let remote = RemoteSettingsLook(settings, station: station)
        self.remote = remote
        let session = SessionReply(
            { remote.settings }, choices: choices, hasDoor: { door.hasPIN }, hasCrew: { people.hasPeople })
        let access = AccessRoutes(
            register, door: door, clock: clock, address: addresses.address(for:),
            session: { (principal, device) throws(Problem) in try session.answer(principal, device) },
            ended: { [streams] in streams.end(device: $0) }, note: { log(.notice, $0) },
            kioskUser: { AccessPolicy.userID(named: portal.kioskUser) })
        let kiosk = KioskPresence(clock: clock)
        let health = HealthRoutes(station: station, complaint: store.complaint, kiosk: kiosk) { log(.error, $0) }
        content = PortalContent(settings, database: store.database, health: health, clock: clock)
        let shares = ShareRegister(store.database, clock: clock)
        let rights = Rights(kiosk: KioskRights(store.database, clock: clock))
        printing = PortalPrinting(
            settings.printing, database: store.database, station: station, clock: clock, log: log)
        let prints = PrintRoutes(service: printing.service) { [station] principal, id throws(Problem) in
            try rights.checkPostcard(id.description, by: principal)
            try station.require(postcard: id.description)
        }
        let trails = TrailsHome(place: TakeHomePlace(portal)) { [station] name throws(Problem) in
            try station.track(of: name)
        }
        let map = MapRoutes(settings)
        if let complaint = map.complaint { log(.error, complaint) }
        let gallery = PortalGallery(
            portal.gallery, database: store.database, station: station, rights: rights, clock: clock, log: log)
        let collectors = CollectorRights(store.database) { gallery.isShown($0) }
        let deleted: @Sendable (String) -> Void = { [printing] postcard in
            gallery.forget(postcard)
            collectors.forget(postcard)
            printing.forget(postcard)
        }
        unseen = UnseenCards(
            store.database, clock: clock, afterSeconds: portal.unseenAfter,
            ask: { [station] request throws(Problem) in
                try station.answer(request, withinSeconds: StationLink.lookSeconds)
            }, deleted: deleted)
        announcements = PortalAnnouncements(
            store.database, content: portal.content, people: PeopleGate(people), clock: clock,
            changed: { [events] in events.post(.announcements) }, log: log)
        let muster = try MusterLedger(
            store.database, rules: MusterRules(settings.muster), gate: RequiredAnnouncements(), clock: clock)
        people.onRemoval { person, connection throws(DatabaseError) in
            try MusterLedger.forget(person.number, person.name, &connection)
            try AnnouncementRegister.forget(
                author: person.name, as: TripRegister.removedName(person.number), &connection)
        }
        trips = PortalTrips(
            settings, database: store.database, people: people, language: { choices.current.language },
            trails: { [station] in station.trailNames }, clock: clock, log: log)
        let faults = PortalFaults(
            printing: printing.service, outbox: trips.outbox, announcements: announcements.register,
            files: announcements.files, calendars: content.feeds, muster: muster, clock: clock)
        health.look { faults.found }
        let classes = ClassRegister(
            world: pages.content(of: "learning/data/world.json") ?? [],
            prairie: pages.content(of: "learning/data/prairie.json") ?? [], clock: clock)
        let frames = FrameRelay(clock: clock) { [station] request throws(Problem) in try station.answer(request) }
        let routes =
            pages.routes(station: settings.general.station) + access.routes
            + health.routes
            + KioskRoutes(presence: kiosk, build: pages.build, choices: choices).routes
            + KioskChoicesRoutes(choices: choices).routes + UnseenCardRoutes(cards: unseen).routes
            + CertificateRoutes(certificates, addresses).routes
            + TakeHomeRoutes(shares, place: TakeHomePlace(portal)) { [station] principal, id throws(Problem) in
                try rights.checkPostcard(id, by: principal)
                try station.require(postcard: id)
            }.routes
            + prints.routes + trails.routes
            + map.routes
            + gallery.routes + announcements.routes + trips.routes
            + PeopleRoutes(people, note: { log(.notice, $0) }).routes
            + LearningRoutes(
                ProgressRegister(store.database, clock: clock), decks: DeckFolder("\(portal.content)/decks"),
                classes: classes, link: { "\(addresses.address(for: .visitor))/learn/join?code=\($0)" }
            ).routes
            + content.routes
            + StationEventRoutes(events: events, people: people, streams: streams).routes
            + MusterRoutes(
                muster, people: people, link: { "\(addresses.address(for: .visitor))/muster#\($0)" },
                note: { log(.notice, $0) }
            ).routes
            + Forwarding(
                station: station, rights: rights, frames: frames, people: people, streams: streams,
                unseen: unseen, collectors: collectors, deleted: deleted
            ).routes
        let maker = ServerMaker(settings, try Router(PortalContract.adding(to: routes)), memory: memory, log: log)
        var servers: [HTTPServer] = []
        if loopbackPort > 0 {
            let otherwise: Role = portal.loopback == .kiosk ? .kiosk : .visitor
            let server = try maker.make(
                DeviceAuthentication(
                    register, isEncrypted: false, otherwise: otherwise, origins: settings.api.allowedOrigins))
            _ = try PortalSockets.listen(server, passed: passed, port: port, log: log)
            servers.append(server)
        }
        // What is wrong with the network or a certificate does not close the kiosk.
        let telephones = TakeHomePages(
            shares, station: settings.general.station, clock: clock,
            isThere: { [station] id throws(Problem) in try station.has(postcard: id) },
            picture: { [station] id throws(Problem) in try station.picture(of: id) },
            animation: { [station] id throws(Problem) in try station.animation(of: id) })
        let links = try Router(
            telephones.routes + trails.public + pages.files(["style/take-home.css"])
                + CertificateRoutes(certificates, addresses).public)
        listeners = try NetworkListeners(
            portal, certificates: certificates, health: health, log: log,
            tablets: { try maker.make(DeviceAuthentication(register, isEncrypted: true)) },
            telephones: { try maker.make(nil, links) })
        listeners.tend()
        servers += listeners.servers
        // Where the folder of the socket is not there, konza cannot reach the portal; the kiosk does not need it to.
        var isListening = false
        let socket = options.state.map { "\($0)/portal.sock" } ?? portal.socket
        do {
            let server = try maker.make(nil)
            try? makeFolders(folderAndName(of: socket).folder, mode: 0o755)
            try server.listen(onUnixSocket: socket)
            servers.append(server)
            isListening = true
        } catch {
            log(.error, "konza cannot reach the portal: \(error)")
        }
        self.socket = isListening ? socket : nil
        self.servers = servers
    }

    /// Tends the addresses of the network until the task is cancelled.
    func tendNetwork() async { await listeners.run() }

    /// Tends what changes by itself until the task is cancelled.
    func tendStationLife() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [announcements] in await announcements.tend() }
            group.addTask { [trips] in await trips.tend() }
            group.addTask { [remote] in await remote.tend() }
            group.addTask(executorPreference: globalConcurrentExecutor) { [unseen] in await unseen.tend() }
            // Looks every second, and as a rule for nothing: no thread is started for that.
            group.addTask(executorPreference: globalConcurrentExecutor) { [streams] in await streams.tend() }
        }
    }

    /// Reads what the operator writes, whenever it changes, until the task is cancelled.
    func tendContent() async { await content.tend() }

    /// Tells systemd's watchdog that the portal lives, as long as its own socket answers, which is not among the connections that
    /// others may fill; until the task is cancelled.
    func feedWatchdog(_ manager: ServiceManager) async {
        guard let interval = manager.watchdogSeconds else { return }
        let port = port
        let socket = socket
        while !Task.isCancelled {
            let answers = await onBlockingThread {
                // Without a socket, and without the kiosk's page, there is nothing that answers without a certificate.
                guard port > 0 || socket != nil else { return true }
                let address = socket == nil ? "http://127.0.0.1:\(port)" : "http://localhost"
                var request = HTTPRequest("GET", url: "\(address)/v1/session", unixSocket: socket)
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
        events.close()
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
    private let memory: MemoryBudget
    private let log: Log

    init(_ settings: StationSettings, _ router: Router, memory: MemoryBudget, log: Log) {
        self.settings = settings
        self.router = router
        self.memory = memory
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
