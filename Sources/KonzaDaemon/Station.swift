internal import Capture
internal import Drawing
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Scenery
internal import Settings
internal import Specimens
internal import Stamping
internal import Systemd

/// The composed station: its parts, its services, its server. It starts whatever is missing, and says what is.
final class Station: Sendable {
    /// What a stop may take, seconds; systemd is told to wait longer.
    private static let graceSeconds = 1.5

    let parts: StationParts
    let desk: PostcardDesk
    private let options: Options
    private let manager: ServiceManager
    private let server: HTTPServer
    private let lock: FolderLock?
    private let features: [Feature]
    private let monitor: HealthMonitor

    init(_ settings: StationSettings, _ options: Options, manager: ServiceManager, log: Log) async throws {
        self.options = options
        self.manager = manager
        lock = try Self.lock(settings.general.state)
        let data = DataFolder.find()
        let parts = try StationParts.make(settings, data: data, clock: SystemClock(), log: log)
        self.parts = parts
        desk = PostcardDesk(parts: parts)
        let outbox = OutboxDesk(specimens: SpecimenDesk(parts: parts))
        let watch = ArchiveWatch(parts: parts)
        let trails = TrailDesk(parts: parts)
        let counters = CounterBox()
        let nouns: [Feature] = [
            .position(parts, data: data), .camera(parts), .postcards(parts, desk), .storage(parts, watch),
            .specimens(parts, outbox, OccupationDesk(specimens: outbox.specimens)), .samples(parts, outbox),
            .trails(parts, trails),
            .terrain(parts), .view(parts, trails), .fleet(parts, counters),
        ]
        let statistics = StatisticsBox()
        let (itself, health) = Feature.station(parts, with: nouns, counters: counters) { statistics.current }
        features = nouns + [itself]
        monitor = HealthMonitor(parts: parts, health: health, manager: manager, socketPath: settings.general.socket)
        server = try Self.server(settings, parts, features.flatMap(\.routes))
        statistics.attach(server)
        await watch.openArchive()
        try listen(settings)
    }

    // MARK: Composition

    /// Two daemons on one archive would sweep each other's files away.
    ///
    /// - Returns: nil where the folder cannot be written at all: the archive says why.
    private static func lock(_ folder: String) throws -> FolderLock? {
        try? makeFolders(folder)
        do throws(SystemError) {
            return try FolderLock(folder: folder)
        } catch {
            guard FolderLock.isHeldByAnother(error) else { return nil }
            throw SystemError(
                code: error.code,
                action:
                    "use \(folder): another konzad keeps its postcards there; end it, or set another [General] State=")
        }
    }

    private static func server(
        _ settings: StationSettings, _ parts: StationParts, _ routes: [Route]
    ) throws -> HTTPServer {
        let router = try Router(ContractRoutes.adding(to: routes, version: ProgramVersion.number))
        var limits = ServerLimits()
        limits.connections = settings.api.maxConnections
        limits.bodyBytes = Int(settings.api.maxBody)
        limits.headSeconds = settings.api.requestTimeout
        limits.bodySeconds = settings.api.requestTimeout
        limits.idleSeconds = settings.api.idleTimeout
        return try HTTPServer(
            router: router, limits: limits, memory: parts.memory, uploads: ScratchUploads(parts.specimens),
            origins: OriginPolicy(hosts: settings.api.allowedHosts, origins: settings.api.allowedOrigins),
            access: AccessPolicy(
                AccessPolicy.Names(
                    group: settings.api.group, courier: settings.api.courierUser, portal: settings.api.portalUser,
                    fleet: settings.api.fleetUser)),
            onInternalError: { parts.log(.error, "a defect in the API: \($0)") })
    }

    private func listen(_ settings: StationSettings) throws {
        if let passed = try manager.passedSockets().first {
            try server.listen(onDescriptor: passed)
        } else {
            try server.listen(
                onUnixSocket: settings.general.socket, mode: 0o666,
                group: AccessPolicy.groupID(named: settings.api.group))
        }
    }

    // MARK: Life

    /// Serves until a signal ends it.
    ///
    /// - Returns: how it ended.
    func run(_ signals: Signals) async -> ExitCode {
        let features = features
        parts.settings.onChange { old, new in
            for feature in features { feature.reload(old, new) }
        }
        for feature in features { feature.start() }
        let services = [monitor] + features.flatMap(\.services)
        var tasks = services.map { service in Task { _ = try? await service.run() } }
        manager.tellReady()
        parts.log(.notice, "konzad \(ProgramVersion.number) serves \(parts.settings.current.general.socket)")
        if options.takesFirstPostcard { tasks.append(Task { await FirstPostcard(station: self).run() }) }
        // The configuration's disk may stand still; a signal to stop is heard all the same.
        let reloading = RepeatedReading(named: "configuration") { [self] in reload() }
        for await signal in signals.values {
            guard signal == .hangup else { break }
            if !reloading.ask() { parts.log(.error, "cannot reload: the system has no thread left; try again") }
        }
        await stop(tasks)
        return .ok
    }

    /// Takes the configuration again. A bad one changes nothing.
    private func reload() {
        guard let path = options.configuration else {
            parts.log(.notice, "cannot reload: konzad runs without a configuration")
            return
        }
        manager.tellReloading(clock: parts.clock)
        defer { manager.tellReady() }
        do throws(SettingsErrors) {
            let new = try StationSettings.load(path: path)
            let changes = parts.settings.replace(with: new)
            parts.tally.reloadTaken()
            let waiting = changes.filter(\.needsRestart).map { "[\($0.section)] \($0.key)=" }
            parts.log(
                .notice,
                waiting.isEmpty
                    ? "took the configuration again: \(counted(changes.count, "setting")) changed"
                    : "took the configuration again; these take effect at the next start: \(waiting.joined(separator: ", "))"
            )
        } catch {
            parts.tally.reloadRefused(error.problems.first?.description ?? "it cannot be read")
            for line in error.problems.map(\.description) { parts.log(.error, line) }
            parts.log(.error, "cannot take the configuration: the old settings stay in force")
            // Told at once, however soon the next one comes.
            monitor.review()
        }
    }

    private func stop(_ tasks: [Task<Void, Never>]) async {
        manager.tellStopping()
        parts.log(.notice, "stopping")
        for feature in features.reversed() { await feature.finish(Self.graceSeconds) }
        await server.stop(graceSeconds: 0.3)
        for feature in features { await feature.stop() }
        for task in tasks { task.cancel() }
    }
}
