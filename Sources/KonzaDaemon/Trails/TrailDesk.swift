internal import Astronomy
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Settings
internal import Storage
internal import Synchronization
internal import Terrain
internal import Trails

/// The trails in use, and where the station is on them: it follows the receiver fix by fix, and says when that changes.
final class TrailDesk: Service {
    let name = "trails"
    /// A fix so near in time tells where one is at an instant, seconds.
    private static let presentSeconds = 3.0

    /// What listeners were told last: the match, and the closures in force.
    private struct Told: Equatable {
        let match: TrailIdentity
        let closures: [Int]
    }

    private struct State {
        /// Until what is kept has been read: made for whoever asks so early, and not while the station starts.
        lazy var network = TrailNetwork([DemonstrationTrails.source])
        lazy var matcher = TrailMatcher(network)
        /// The fix of the matcher's last match.
        var matchedAt: UTCInstant?
        var told: Told?
        /// How often the network was made.
        var made: UInt64 = 0
        var imports: UInt64 = 0
        var refusedImports: UInt64 = 0
    }

    let parts: StationParts
    let archive: TrailArchive
    private let state = Mutex(State())

    init(parts: StationParts) {
        self.parts = parts
        archive = TrailArchive(folder: parts.settings.current.general.state)
    }

    var network: TrailNetwork { state.withLock { $0.network } }

    /// The network, and a number that is another one after each change of it.
    var current: (network: TrailNetwork, made: UInt64) { state.withLock { ($0.network, $0.made) } }

    /// How many imports were kept, and how many files were refused.
    var importCounts: (kept: UInt64, refused: UInt64) { state.withLock { ($0.imports, $0.refusedImports) } }

    /// The height of the ground at a place.
    var height: @Sendable (Coordinate) -> Double? {
        { [model = parts.ground.model] place in model.height(at: place) }
    }

    var health: PartHealth {
        if let fault = archive.fault {
            return PartHealth(level: .degraded, kind: "trails-unreadable", reason: fault)
        }
        let network = network
        guard network.sharesAllGround else {
            return PartHealth(
                level: .degraded, kind: "trails-too-dense",
                reason:
                    "so many lines lie on one another that a closure may leave some of its ground open; remove a source with "
                    + "konza trails remove NAME")
        }
        let apart = archive.apart
        return .ok(
            archive.isDemonstrationUsed && !apart.isEmpty
                ? "the demonstration's made-up trails are in use: \(Self.short)"
                : network.isDemonstration
                    ? "the demonstration's made-up trails are in use; konza trails import FILE brings real ones"
                    : "\(counted(network.sources.count, "source")) with \(counted(network.edgeCount, "segment")) in use"
        )
    }

    /// Which segments are closed now, or at another instant.
    func closed(in network: TrailNetwork, at instant: UTCInstant? = nil) -> ClosedEdges {
        ClosedEdges(network, archive.closures, at: instant ?? parts.time.believedNow ?? parts.clock.utc())
    }

    /// The station's own closures, each with the other trails that it closes.
    func closures(at instant: UTCInstant) -> [TrailClosureReply] {
        let network = network
        return archive.closures.map { reply(of: $0, in: network, at: instant) }
    }

    func reply(of closure: TrailClosure, in network: TrailNetwork, at instant: UTCInstant) -> TrailClosureReply {
        var reply = TrailClosureReply(closure, at: instant)
        let also = network.alsoClosed(by: closure)
        reply.alsoCloses = also.isEmpty ? nil : also
        reply.closesNothing = network.isClosing(closure) ? nil : true
        return reply
    }

    /// Why recordings are kept apart, and what to do.
    static let short =
        "recorded trails are used in place of them when they are \(Int(TrailLimits.leastRecorded)) m long together; to use "
        + "shorter ones: konza trails remove \(DemonstrationTrails.sourceName)"

    // MARK: - Following the receiver

    func run() async throws {
        await load()
        // A match takes some 50 us: on the source's thread it costs less than to wake another one for it.
        let subscription = parts.board.changes.subscribe { [weak self] change in
            switch change {
            case .epoch(let fix), .enriched(let fix): self?.take(fix)
            case .sky, .state: break
            }
        }
        defer { subscription.cancel() }
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    /// Reads what is kept, and makes the network of it.
    func load() async {
        await onBlockingThread { [self] in
            archive.load()
            if let fault = archive.fault { parts.log(.warning, fault) }
            remake()
        }
    }

    /// Makes the network anew, and takes the last fix there, so that nobody waits for the next one. Looks every height up, and so
    /// may wait for the disk.
    func remake() {
        let network = TrailNetwork(archive.current, height: height)
        state.withLock { state in
            state.network = network
            state.made += 1
            state.matcher = TrailMatcher(network)
            state.matchedAt = nil
            state.told = nil
        }
        let snapshot = parts.board.snapshot()
        if snapshot.state == .fix, let fix = snapshot.fix { take(fix, ifFirst: true) }
    }

    /// `ifFirst`: unless a fix was taken since the network was made.
    private func take(_ fix: Fix, ifFirst: Bool = false) {
        guard let fix = TrailFix(fix) else { return }
        let inForce = archive.closures.filter { $0.isInForce(at: fix.time) }.map(\.id)
        let (match, network, isNews) = state.withLock { state in
            guard !ifFirst || state.matchedAt == nil else { return (state.matcher.match, state.network, false) }
            state.matcher.take(fix)
            state.matchedAt = fix.time
            let match = state.matcher.match
            let told = Told(match: state.network.identity(of: match), closures: inForce)
            defer { state.told = told }
            return (match, state.network, state.told != told)
        }
        guard isNews, parts.events.listenerCount > 0 else { return }
        parts.events.post(reply(match, network, at: fix.time, position: Observer(parts.board)?.reply))
    }

    // MARK: - Where

    /// Where the station is on the trails, by the last fixes.
    func nearest() -> NearestTrailReply {
        let snapshot = parts.board.snapshot()
        let (network, match, matchedAt) = state.withLock { ($0.network, $0.matcher.match, $0.matchedAt) }
        guard snapshot.state == .fix, matchedAt != nil else {
            var reply = reply(
                network.unknown(at: snapshot.fix?.coordinate), network, at: snapshot.fix?.time,
                position: Observer(parts.board)?.reply)
            reply.words = "not known: \(snapshot.health.reason)"
            return reply
        }
        return reply(match, network, at: matchedAt, position: Observer(parts.board)?.reply)
    }

    /// Where a place is on the trails, without anybody's walking there.
    func nearest(to observer: Observer, accuracy: Double?, at instant: UTCInstant) -> NearestTrailReply {
        let network = network
        var matcher = TrailMatcher(network)
        let match = matcher.take(TrailFix(time: instant, place: observer.place, accuracy: accuracy, speed: 0))
        return reply(match, network, at: instant, position: observer.reply)
    }

    /// Where the station was on the trails at an instant, by the fixes of the 60 seconds before it.
    ///
    /// - Throws: `no-position` where the track does not have the instant.
    func nearest(at instant: UTCInstant) throws(Problem) -> NearestTrailReply {
        let position: PositionAtInstant
        switch parts.board.position(at: instant) {
        case .success(let found): position = found
        case .failure(let error): throw Problem(.noPosition, "\(error)")
        }
        let network = network
        var matcher = TrailMatcher(network)
        for point in parts.board.fixes(since: instant.advanced(bySeconds: -60)) where point.time < instant {
            matcher.take(TrailFix(point))
        }
        let match = matcher.take(
            TrailFix(
                time: instant, place: position.coordinate, accuracy: position.accuracy?.metres, speed: position.speed,
                course: position.track))
        var observer = ObserverReply(position.coordinate, source: position.source.rawValue)
        observer.accuracy = position.accuracy?.metres
        return reply(match, network, at: instant, position: observer)
    }

    private func reply(
        _ match: TrailMatch, _ network: TrailNetwork, at instant: UTCInstant?, position: ObserverReply?
    ) -> NearestTrailReply {
        var reply = NearestTrailReply(match, network, closed(in: network, at: instant))
        reply.timestamp = instant
        reply.position = position
        return reply
    }

    /// The trail that the station was on at an instant, for people to read; nil where it was on none, or nobody can tell.
    func trailName(at instant: UTCInstant) -> String? {
        let (match, matchedAt, network) = state.withLock { ($0.matcher.match, $0.matchedAt, $0.network) }
        if let matchedAt, abs(instant.seconds(since: matchedAt)) <= Self.presentSeconds {
            guard match.state == .on || match.state == .near else { return nil }
            return network.description(of: match, closed: closed(in: network, at: instant)).trail
        }
        guard let found = try? nearest(at: instant), found.state == "on" || found.state == "near" else { return nil }
        return found.trail
    }

    /// What is known of the way that the station walks now, for a way that begins where it is.
    func presentMatch() -> TrailMatch? {
        guard parts.board.snapshot().state == .fix else { return nil }
        let match = state.withLock { $0.matcher.match }
        return match.state == .on || match.state == .near ? match : nil
    }

    /// The end of civil twilight of the day.
    static func dusk(at place: Coordinate, height: Double?, dayOf instant: UTCInstant) -> UTCInstant? {
        SkyEvents(at: place, height: height ?? 0).twilight(.civil, dayOf: instant).dusk
    }

    // MARK: - Changes

    /// Takes a file in, or only looks at it.
    ///
    /// - Returns: the report.
    /// - Throws: `unusable-trails`, and what the disk says; then nothing has changed.
    func take(_ bytes: [UInt8], source: String, isDryRun: Bool) async throws(Problem) -> TrailReportReply {
        let now = parts.store.time
        let result: Result<TrailReportReply, TrailError> = await onBlockingThread { [self] in
            do throws(TrailError) {
                let built = try TrailImport.source(of: bytes, name: source, at: now)
                if !isDryRun {
                    try archive.keep(built.source)
                    remake()
                }
                let network = isDryRun ? TrailNetwork(archive.current(with: built.source)) : self.network
                var reply = TrailReportReply(
                    built.report, network.besides(of: source), source: source, isDryRun: isDryRun)
                let idle = network.idle(archive.closures.filter { !$0.period.isOver(at: now) })
                reply.idleClosures = idle.isEmpty ? nil : idle
                return .success(reply)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let report):
            state.withLock { $0.imports += isDryRun ? 0 : 1 }
            if !isDryRun {
                parts.log(.notice, "the trails of \(source) were imported: \(counted(report.segments, "segment"))")
            }
            return report
        case .failure(let error):
            state.withLock { $0.refusedImports += 1 }
            throw Problem(error)
        }
    }

    /// Does what waits for the disk.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable () throws(TrailError) -> Value
    ) async throws(Problem) -> Value {
        let result: Result<Value, TrailError> = await onBlockingThread {
            do throws(TrailError) { return .success(try body()) } catch { return .failure(error) }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw Problem(error)
        }
    }
}

extension Problem {
    /// What could not be done with trails.
    init(_ error: TrailError) {
        switch error {
        case .unusableFile: self.init(.unusableTrails, "\(error)")
        case .notFound: self.init(.notFound, "\(error)")
        case .noWay: self.init(.noWay, "\(error)")
        case .tooMany: self.init(.conflict, "\(error)")
        case .cannotKeep(_, let isDiskFull):
            self.init(isDiskFull ? .insufficientStorage : .archiveUnavailable, "\(error)")
        }
    }
}

extension TrailFix {
    /// - Returns: nil for a fix without a time or a place.
    init?(_ fix: Fix) {
        guard let point = TrackPoint(fix) else { return nil }
        self.init(point)
    }

    init(_ point: TrackPoint) {
        self.init(
            time: point.time, place: point.coordinate, accuracy: point.horizontalAccuracy?.metres, speed: point.speed,
            course: point.track)
    }
}
