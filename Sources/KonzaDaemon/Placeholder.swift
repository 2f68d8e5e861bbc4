internal import Capture
internal import Drawing
internal import JPEGCoding
internal import KonzaModel
internal import Settings
internal import Synchronization

/// The picture that watchers get while the camera gives none: it says why, in the words of `/v1/status`. Drawn once
/// for a reason.
final class Placeholder: Sendable {
    private struct Drawn {
        let reason: String
        let data: FrameData
    }

    private let parts: StationParts
    private let newest = Mutex<Drawn?>(nil)

    /// Pixels: legible on a kiosk's page, small on the wire.
    private static let width = 1280
    private static let height = 720

    init(parts: StationParts) {
        self.parts = parts
    }

    /// The placeholder for now; nil while the camera is well, or if it cannot be drawn.
    func frame() -> Frame? {
        let health = parts.hub.status().health
        guard health.level == .failed, let data = picture(health.reason) else { return nil }
        return Frame(
            data: data, width: Self.width, height: Self.height, sequence: 0, exposedAt: parts.clock.monotonic(),
            timestampSource: .arrival, source: .simulated)
    }

    private func picture(_ reason: String) -> FrameData? {
        if let drawn = newest.withLock({ $0 }), drawn.reason == reason { return drawn.data }
        guard
            let image = try? parts.artist.placeholder(
                width: Self.width, height: Self.height, title: "No picture from the camera", reasons: [reason]),
            let data = try? JPEGCompressor(quality: 85).compress(image)
        else { return nil }
        newest.withLock { $0 = Drawn(reason: reason, data: data) }
        return data
    }
}
