internal import Archive
internal import Capture
internal import Drawing
internal import KonzaModel
internal import KonzaSystem

/// What is done now and then: memory goes back while nobody needs it, and postcards that are too old go.
struct Housekeeping: Service {
    let name = "housekeeping"

    /// Seconds between two rounds.
    private static let period = 10.0
    /// A station that has rested for so long lets go of its drawings and fonts, seconds.
    private static let restBeforeRelease = 60.0
    /// Seconds between two looks at the age of postcards.
    private static let retentionPeriod = 3600.0

    let parts: StationParts
    let desk: PostcardDesk

    func run() async throws {
        var lastWork = parts.clock.monotonic()
        var hasReleased = false
        var nextRetention = parts.clock.monotonic()
        while !Task.isCancelled {
            let now = parts.clock.monotonic()
            let status = parts.hub.status()
            if desk.underWay > 0 || status.demand > 0 || status.isStreaming {
                lastWork = now
                hasReleased = false
            } else if !hasReleased {
                // The camera's own buffers are gone by now; what is left on the heap's free lists goes at once, the
                // drawings and fonts after a while.
                if now.seconds(since: lastWork) >= Self.restBeforeRelease {
                    parts.artist.releaseMemory()
                    hasReleased = true
                }
                Heap.trim()
            }
            if now >= nextRetention {
                nextRetention = now.advanced(bySeconds: Self.retentionPeriod)
                await enforceLimits()
            }
            try await parts.clock.sleep(until: now.advanced(bySeconds: Self.period))
        }
    }

    private func enforceLimits() async {
        do {
            let count = try await onDedicatedThread(named: "retention") { [archive = parts.archive] in
                try archive.enforceLimits()
            }
            if count > 0 { parts.log(.notice, "retention: deleted \(count) postcards") }
        } catch {
            parts.log(.warning, "retention: \(error)")
        }
    }
}
