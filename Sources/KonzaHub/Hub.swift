internal import AMQPTransfer
internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import PostgresAccess
internal import Settings
internal import Synchronization
internal import Systemd

/// The workers and the server of one process.
final class Hub: Sendable {
    private let settings: HubSettings
    private let figures: HubFigures
    private let server: HTTPServer
    private let workers: [HubWorker]
    private let steering: HubSteering
    private let enrolment: Enrolment?
    private let enrolmentServer: EnrolmentServer?
    private let log: Log
    private let clock = SystemClock()
    private let running = Mutex(0)

    /// - Throws: if the system has no descriptors left.
    init(
        _ settings: HubSettings, broker: HubSettings.Broker, database: PostgresAddress, credentials: HubCredentials,
        state: String, log: Log
    ) throws {
        self.settings = settings
        self.log = log
        let figures = HubFigures(workers: settings.workers)
        self.figures = figures
        // Another each time: a hub that is started beside another does not take its identity.
        let name = "konza-hub-\(Secret.hexadecimal(bytes: 4))"
        let stops = try (0..<settings.workers).map { _ in try StopSignal() }
        let post = HubPost(
            wakeup: stops[0].wakeup, retaining: Self.retaining(broker, settings, credentials, client: "\(name)-mqtt"))
        workers = stops.enumerated().map { number, stop in
            HubWorker(
                number: number,
                place: .init(
                    broker: Self.place(broker, settings, credentials, client: "\(name)-\(number + 1)"),
                    database: database, workers: settings.workers),
                figures: figures, post: number == 0 ? post : nil, log: log, stop: stop)
        }
        // Whoever asks is told within this time that the database does not answer.
        let readers = PostgresPool(database, program: "konza-hub reader", limit: 4, patience: 10)
        if let endpoint = settings.enrolment {
            let names = settings.enrolmentNames.isEmpty ? [endpoint.host] : settings.enrolmentNames
            let made = Enrolment(
                database: readers, keeper: try FleetAuthorityKeeper(folder: "\(state)/authority", names: names),
                address: "https://\(names[0].contains(":") ? "[\(names[0])]" : names[0]):\(endpoint.port)",
                revocationList: settings.revocationList)
            enrolment = made
            enrolmentServer = try EnrolmentServer(made, at: endpoint, names: names, log: log)
        } else {
            (enrolment, enrolmentServer) = (nil, nil)
        }
        steering = HubSteering(readers: readers, post: post, log: log)
        let routes = HubRoutes(
            readers: readers, post: post, enrolment: enrolment, figures: figures, startedAt: clock.utc(),
            settingsOnTheWay: steering)
        server = try HTTPServer(
            router: try Router(routes.all), access: .everyone, onInternalError: { log(.error, $0) })
    }

    private static func place(
        _ broker: HubSettings.Broker, _ settings: HubSettings, _ credentials: HubCredentials, client name: String
    ) -> HubBrokerPlace {
        let files = settings.tls
        if let virtualHost = broker.virtualHost {
            var client = AMQPSettings(host: broker.host, port: broker.port, virtualHost: virtualHost)
            if let user = credentials.brokerUser { client.user = user }
            if let password = credentials.brokerPassword { client.password = password }
            if broker.isEncrypted {
                client.tls = .init(authorities: files.authorities, certificate: files.certificate, key: files.key)
            }
            return .amqp(client)
        }
        return .mqtt(mqtt(broker, settings, credentials, client: name))
    }

    private static func mqtt(
        _ broker: HubSettings.Broker, _ settings: HubSettings, _ credentials: HubCredentials, client name: String
    ) -> MQTTSettings {
        var client = MQTTSettings(host: broker.host, port: broker.port, clientID: name)
        client.user = credentials.brokerUser
        client.password = credentials.brokerPassword
        // A clean session: what this process has not committed is sent again by its box.
        client.sessionExpirySeconds = 0
        client.mostPacketBytes = HubMessage.mostBytes + 4096
        if broker.isEncrypted { client.tls = settings.tls }
        return client
    }

    /// - Returns: nil where the workers' own connections can have the broker keep messages.
    private static func retaining(
        _ broker: HubSettings.Broker, _ settings: HubSettings, _ credentials: HubCredentials, client name: String
    ) -> HubRetaining? {
        guard let virtualHost = broker.virtualHost, let place = settings.mqtt ?? broker.byMQTT else { return nil }
        var client = mqtt(place, settings, credentials, client: name)
        // Of a virtual host of its own, a user of RabbitMQ's MQTT plugin is named so.
        if virtualHost != "/", let user = client.user { client.user = "\(virtualHost):\(user)" }
        return HubRetaining(client)
    }

    /// - Throws: if the socket cannot be had, or there are no threads left.
    func start() throws {
        // The folder is the service's; whoever is in its group may read what the fleet knows.
        try server.listen(onUnixSocket: settings.socket, mode: 0o660)
        try enrolmentServer?.start()
        for worker in workers {
            running.withLock { $0 += 1 }
            try startThread(named: "hub-\(worker.number + 1)", stackBytes: 2 << 20) { [self] in
                worker.run()
                running.withLock { $0 -= 1 }
            }
        }
    }

    /// Ends the workers, each with what it has taken kept or left to its box.
    func stop() async {
        for worker in workers { worker.stop.set() }
        let end = clock.monotonic().advanced(bySeconds: 8)
        while running.withLock({ $0 }) > 0, clock.monotonic() < end {
            try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: 0.02))
        }
        await enrolmentServer?.stop()
        await server.stop()
    }

    /// Publishes settings again that the broker may have lost.
    func steer() async { await steering.keep() }

    /// Renews what ends by itself, day by day: the list of revoked certificates, and the server's own.
    func keep() async {
        guard let enrolment, let enrolmentServer else { return }
        var pause = 5.0
        while !Task.isCancelled {
            do {
                try await onBlockingThread { try enrolment.writeList() }
                try enrolmentServer.renew()
                pause = 43_200
            } catch {
                log(.warning, "cannot renew the list of revoked certificates, or the hub's own: \(error)")
                pause = min(pause * 2, 3600)
            }
            try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: pause))
        }
    }

    /// Tells systemd how it is, when that changes.
    func tell(_ manager: ServiceManager) async {
        var told = ""
        while !Task.isCancelled {
            let words = HubHealth(figures.workers).reason
            if words != told { manager.tellStatus(words) }
            told = words
            try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: 2))
        }
    }
}

extension HubSettings {
    /// The files of TLS, those that are named.
    fileprivate var tls: MQTTSettings.TLS {
        func file(_ path: String) -> String? { path.isEmpty ? nil : path }
        return .init(authorities: file(authorities), certificate: file(certificate), key: file(key))
    }
}

/// How the hub is, in one sentence.
struct HubHealth {
    let level: PartHealth.Level
    let reason: String

    init(_ workers: [HubFigures.Worker]) {
        let working = workers.count { $0.broker.isUp && $0.database.isUp }
        level = working == workers.count ? .ok : working > 0 ? .degraded : .failed
        let problem = workers.lazy.compactMap { $0.database.problem ?? $0.broker.problem }.first
        reason =
            working == workers.count
            ? "workers that take messages: \(working) of \(workers.count)"
            : "workers that take messages: \(working) of \(workers.count): \(problem ?? "they are starting")"
    }
}
