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
    let specimens: SpecimenDesk
    let outbox: OutboxDesk
    let occupations: OccupationDesk
    private let options: Options
    private let manager: ServiceManager
    private let server: HTTPServer
    private let lock: FolderLock?
    private let receiver: RestartableService
    private let camera: RestartableService
    private let monitor: HealthMonitor
    private let watch: ArchiveWatch
    private let templates: RepeatedReading

    init(_ settings: StationSettings, _ options: Options, manager: ServiceManager, log: Log) async throws {
        self.options = options
        self.manager = manager
        lock = try Self.lock(settings.general.state)
        let data = DataFolder.find()
        let clock = SystemClock()
        let parts = try StationParts.make(settings, data: data, clock: clock, log: log)
        self.parts = parts
        desk = PostcardDesk(parts: parts)
        specimens = SpecimenDesk(parts: parts)
        outbox = OutboxDesk(specimens: specimens)
        templates = RepeatedReading(named: "templates") {
            for problem in parts.library.reload() { parts.log(.warning, problem.message) }
        }
        occupations = OccupationDesk(specimens: specimens)
        receiver = RestartableService("receiver", parts.clock, log) {
            try Self.receiver(parts.settings.current, parts.board, data: data)
        }
        camera = RestartableService("camera", parts.clock, log) { try Self.camera(parts.settings.current, parts) }
        monitor = HealthMonitor(parts: parts, manager: manager, socketPath: settings.general.socket)
        watch = ArchiveWatch(parts: parts)
        server = try Self.server(settings, parts, desk, outbox, occupations)
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

    private static func receiver(
        _ settings: StationSettings, _ board: PositionBoard, data: String
    ) throws -> any Service {
        switch settings.position.source {
        case .gpsd:
            let endpoint = GPSDEndpoint(host: settings.position.gpsd.host, port: settings.position.gpsd.port)
            return try GPSDSource(endpoint: endpoint, board: board)
        case .recorded:
            return try RecordedSource(
                file: settings.position.recording ?? "\(data)/recordings/konza-nature-trail.nmea", board: board,
                speed: settings.position.recordingRate)
        }
    }

    private static func camera(
        _ settings: StationSettings, _ parts: StationParts
    ) throws -> any Service {
        let camera = settings.camera
        switch camera.source {
        case .v4l2:
            return try V4L2Camera(settings: CameraSettings(camera), hub: parts.hub)
        case .recorded:
            return RecordedCamera(
                recording: camera.recording.map(Capture.Recording.path) ?? prairie(settings, parts),
                frameRate: Double(camera.frameRate), hub: parts.hub)
        }
    }

    /// The painted scene, which lets go of its memory when nobody watches.
    private static func prairie(_ settings: StationSettings, _ parts: StationParts) -> Capture.Recording {
        let camera = PrairieCamera(
            width: settings.camera.width, height: settings.camera.height, time: parts.time, clock: parts.clock)
        camera.restWhenUnwatched(parts.hub)
        return camera.recording
    }

    private static func server(
        _ settings: StationSettings, _ parts: StationParts, _ desk: PostcardDesk, _ outbox: OutboxDesk,
        _ occupations: OccupationDesk
    ) throws -> HTTPServer {
        let statistics = StatisticsBox()
        let exports = ExportDesk(specimens: outbox.specimens)
        let groups: [[Route]] = [
            PositionRoutes(parts: parts).routes, CameraRoutes(parts: parts).routes,
            PostcardRoutes(parts: parts, desk: desk).routes, SpecimenRoutes(desk: outbox.specimens).routes,
            PhotographRoutes(
                desk: PhotographDesk(specimens: outbox.specimens), limit: Int(settings.specimens.maxPhotograph)
            ).routes,
            OccupationRoutes(desk: occupations).routes, LabelRoutes(desk: outbox.specimens).routes,
            ExportRoutes(parts: parts, desk: exports).routes, OutboxRoutes(parts: parts, desk: outbox).routes,
            VocabularyRoutes(desk: outbox.specimens).routes,
            SampleRoutes(
                desk: SampleDesk(outbox: outbox),
                filter: SampleFilter(parts: parts, vocabulary: outbox.specimens.vocabulary)
            ).routes,
            StatusRoutes(parts: parts).routes,
            EventRoutes(parts: parts).routes,
            MetricsRoutes(
                parts: parts, desk: desk, outbox: outbox, occupations: occupations, exports: exports,
                statistics: { statistics.current }
            ).routes,
        ]
        let routes = groups.flatMap { $0 }
        let router = try Router(try ContractRoutes.adding(to: routes, version: ProgramVersion.number))
        var limits = ServerLimits()
        limits.connections = settings.api.maxConnections
        limits.bodyBytes = Int(settings.api.maxBody)
        limits.headSeconds = settings.api.requestTimeout
        limits.bodySeconds = settings.api.requestTimeout
        limits.idleSeconds = settings.api.idleTimeout
        let server = try HTTPServer(
            router: router, limits: limits, memory: parts.memory, uploads: ScratchUploads(parts.specimens),
            origins: OriginPolicy(hosts: settings.api.allowedHosts, origins: settings.api.allowedOrigins),
            access: AccessPolicy(
                AccessPolicy.Names(
                    group: settings.api.group, courier: settings.api.courierUser, portal: settings.api.portalUser)),
            onInternalError: { parts.log(.error, "a defect in the API: \($0)") })
        statistics.attach(server)
        return server
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
    /// - Returns: the exit status.
    func run(_ signals: Signals) async -> Int32 {
        receiver.start()
        camera.start()
        let feed = EventFeed(parts: parts)
        let housekeeping = Housekeeping(parts: parts, desk: desk)
        let helpers: [any Service] = [monitor, feed, housekeeping, parts.standing, watch]
        var tasks = helpers.map { service in Task { _ = try? await service.run() } }
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
        return 0
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
            let old = parts.settings.current
            let changes = StationSettings.difference(from: old, to: new)
            parts.settings.replace(with: new)
            parts.setArchiveLimits()
            if old.position != new.position {
                // Another source's fixes are not this one's.
                if old.position.source != new.position.source || old.position.recording != new.position.recording {
                    parts.board.reset()
                }
                receiver.restart()
            }
            if old.camera != new.camera {
                parts.hub.expectSuccessor()
                camera.restart()
            }
            desk.releaseMemory()
            parts.tally.reloadTaken()
            templates.ask()
            let waiting = changes.filter(\.needsRestart).map { "[\($0.section)] \($0.key)=" }
            parts.log(
                .notice,
                waiting.isEmpty
                    ? "took the configuration again: \(changes.count) settings changed"
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
        await occupations.close()
        await desk.close(graceSeconds: Self.graceSeconds)
        await server.stop(graceSeconds: 0.3)
        receiver.stop()
        camera.stop()
        await parts.standing.save()
        for task in tasks { task.cancel() }
    }
}
