internal import Capture
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Synchronization

/// Turns the changes of the parts into events.
final class EventFeed: Service {
    let name = "events"

    /// One epoch may come as several reports, milliseconds apart: they are told as one.
    private static let settlingSeconds = 0.05

    private let parts: StationParts
    private let isPositionPending = Mutex(false)

    init(parts: StationParts) {
        self.parts = parts
    }

    func run() async throws {
        let position = parts.board.changes.subscribe { [weak self] _ in self?.positionChanged() }
        let camera = parts.hub.changes.subscribe { [weak self] change in self?.cameraChanged(change) }
        defer {
            position.cancel()
            camera.cancel()
        }
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
    }

    private func positionChanged() {
        guard parts.events.listenerCount > 0 else { return }
        let isFirst = isPositionPending.withLock { isPending in
            defer { isPending = true }
            return !isPending
        }
        guard isFirst else { return }
        Task {
            try? await parts.clock.sleep(until: parts.clock.monotonic().advanced(bySeconds: Self.settlingSeconds))
            isPositionPending.withLock { $0 = false }
            parts.events.post(PositionReply(parts.board.snapshot()))
        }
    }

    private func cameraChanged(_ change: CameraChange) {
        switch change {
        case .health, .streaming, .opened, .closed:
            guard parts.events.listenerCount > 0 else { return }
            // Off the camera's thread, whose lock a status would take.
            Task { [parts] in
                let status = parts.hub.status()
                parts.events.post(
                    CameraEvent(source: status.source, streaming: status.isStreaming, health: status.health))
            }
        case .controls: break
        }
    }
}
