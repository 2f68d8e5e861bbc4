internal import Capture
internal import Drawing
internal import KonzaModel
internal import KonzaSystem
internal import Postcards
internal import Specimens

/// What is done now and then: memory goes back while nobody needs it, postcards that are too old go, and so do specimens that were
/// deleted long ago.
struct Housekeeping: Service {
    let name = "housekeeping"

    /// Seconds between two rounds, and before the first, which comes when the start is over.
    private static let period = 10.0
    private static let startSeconds = 2.0
    /// A station that has rested for so long lets go of its drawings and fonts too, seconds.
    private static let restBeforeRelease = 10.0
    /// Seconds after which a station that rests lets go of the code that it has used since.
    private static let releasePeriod = 20.0
    /// Seconds between two looks at the age of postcards.
    private static let retentionPeriod = 3600.0

    /// How much has been given back since the last work.
    private enum Rest {
        case working
        case resting(since: MonotonicInstant)
        case released(at: MonotonicInstant)
    }

    let parts: StationParts
    let desk: PostcardDesk

    func run() async throws {
        var rest = Rest.working
        var nextRetention = parts.clock.monotonic()
        try await parts.clock.sleep(until: parts.clock.monotonic().advanced(bySeconds: Self.startSeconds))
        while !Task.isCancelled {
            let now = parts.clock.monotonic()
            desk.shots.sweep()
            rest = await onBlockingThread { [rest] in
                parts.archive.lookForOldest()
                return next(rest, now)
            }
            if now >= nextRetention {
                nextRetention = now.advanced(bySeconds: Self.retentionPeriod)
                await enforceLimits()
            }
            try await parts.clock.sleep(until: now.advanced(bySeconds: Self.period))
        }
    }

    private func next(_ rest: Rest, _ now: MonotonicInstant) -> Rest {
        let status = parts.hub.status()
        if desk.underWay > 0 || status.demand > 0 || status.isStreaming { return .working }
        switch rest {
        case .working:
            // The camera's buffers are gone by now.
            ProgramPages.giveBack()
            return .resting(since: now)
        case .resting(let since) where now.seconds(since: since) >= Self.restBeforeRelease:
            parts.artist.releaseMemory()
            desk.releaseMemory()
            ProgramPages.giveBack()
            return .released(at: now)
        case .released(let instant) where now.seconds(since: instant) >= Self.releasePeriod:
            ProgramPages.giveBack()
            return .released(at: now)
        case .resting, .released:
            return rest
        }
    }

    private func enforceLimits() async {
        do {
            let count = try await onBlockingThread { [archive = parts.archive] in
                try archive.enforceLimits()
            }
            if count > 0 { parts.log(.notice, "retention: deleted \(counted(count, "postcard"))") }
        } catch {
            parts.log(.warning, "retention: \(error)")
        }
        await removeTombstones()
    }

    /// What was deleted a month ago is removed, by a clock that can be believed.
    private func removeTombstones() async {
        guard let now = parts.time.believedNow else { return }
        do {
            let count = try await onBlockingThread { [specimens = parts.specimens] in
                try specimens.purge(at: now)
            }
            if count > 0 { parts.log(.notice, "removed \(counted(count, "specimen")) deleted 30 days ago") }
        } catch {
            parts.log(.warning, "cannot remove deleted specimens: \(error)")
        }
    }
}
