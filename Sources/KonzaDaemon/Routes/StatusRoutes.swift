internal import Capture
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Postcards
internal import Settings
internal import Specimens
internal import Storage

/// `GET /v1/status`: the whole station on one page.
struct StatusRoutes: Sendable {
    let parts: StationParts
    let health: StationHealth

    var routes: [Route] {
        [
            Route(
                .get, "/v1/status", access: .everyone, operation: "getStatus",
                summary: "The station, one reason per part",
                replies: [Reply(200, "The station.", schema: "Status")],
                handler: .immediate { request in try .json(status(isTold: Self.isTold(request.principal))) })
        ]
    }

    /// Whether somebody is told why a part is not well, with names of files, addresses and figures: a process on this machine, and
    /// those who can do something about it. Others learn what does not work.
    private static func isTold(_ principal: Principal) -> Bool {
        principal.client == nil || principal.has([.ranger, .keeper])
    }

    private static let untold = "a ranger is told why"

    private func status(isTold: Bool) -> StatusReply {
        let health = health.current.map { part, health in
            var told = health
            if !isTold, health.level != .ok { told.reason = Self.untold }
            return (part: part, health: told)
        }
        let named = Dictionary(uniqueKeysWithValues: health.map { ($0.part, $0.health) })
        func of(_ part: String) -> PartHealth { named[part] ?? .ok("") }
        let usage = parts.archive.figures
        let disk = parts.store.figures
        let now = parts.time.now()
        let process = ProcessUsage.current()
        let uptime = parts.clock.monotonic().seconds(since: parts.startedAt)
        var reply = StatusReply(
            version: ProgramVersion.number, startedAt: now.instant.advanced(bySeconds: -uptime),
            uptimeSeconds: Int(uptime), health: StationHealth.overall(health),
            position: .init(health: of("position"), source: parts.board.snapshot().source),
            camera: .init(health: of("camera"), source: parts.hub.status().source),
            templates: .init(health: of("templates")),
            archive: .init(
                health: of("archive"), folder: isTold ? parts.store.folder : "", postcards: usage.count,
                bytes: usage.storedBytes, freeBytes: disk.freeBytes, reserveBytes: disk.spaceReserve),
            clock: .init(
                health: of("clock"), time: now.instant, timeSource: now.source.rawValue,
                synchronized: parts.time.systemIsTrusted),
            process: .init(
                id: process.id, residentBytes: process.residentBytes, openDescriptors: process.openDescriptors,
                cpuSeconds: process.cpuSeconds))
        reply.archive.oldestAt = usage.oldestAt
        reply.archive.comparison = disk.comparison.map {
            .init(folders: $0.folders, allFolders: $0.allFolders, added: $0.added)
        }
        reply.configuration = .init(health: of("configuration"))
        reply.terrain = .init(health: of("terrain"))
        reply.trails = .init(health: of("trails"))
        let fleet = parts.settings.current.fleet
        if fleet.broker != nil || !fleet.gaps.isEmpty { reply.fleet = .init(health: of("fleet")) }
        let specimens = parts.specimens.figures
        reply.outbox = .init(
            health: of("outbox"), specimens: specimens.count,
            waiting: (specimens.outbox[.ready] ?? 0) + (specimens.outbox[.sending] ?? 0),
            submissions: Dictionary(uniqueKeysWithValues: specimens.outbox.map { ($0.key.rawValue, $0.value) }))
        return reply
    }
}
