internal import Capture
internal import JPEGCoding
internal import KonzaModel
internal import KonzaSystem
internal import Scenery
internal import Synchronization

/// The built-in scene as a camera's pictures: painted for the station's own hour and day, compressed as konzad
/// compresses everything, with a restart marker after each row of MCUs.
final class PrairieCamera: Sendable {
    private let scene: PrairieScene?
    private let compressor = JPEGCompressor(quality: 90)
    private let time: TimeKeeper
    private let start: MonotonicInstant
    /// Ends with the camera: a reload makes another.
    private let whileWatched = Mutex<Subscription?>(nil)

    /// - Parameters:
    ///   - width: pixels.
    ///   - height: pixels.
    ///   - time: whose hour the scene shows.
    ///   - clock: counts the frames.
    init(width: Int, height: Int, time: TimeKeeper, clock: any StationClock) {
        scene = PrairieScene(width: width, height: height)
        self.time = time
        start = clock.monotonic()
    }

    var recording: Recording { .generator { [self] instant in try picture(at: instant) } }

    /// Lets go of the painted backdrop whenever the stream ends, for as long as the camera is in use.
    func restWhenUnwatched(_ hub: FrameHub) {
        let subscription = hub.changes.subscribe { [weak self] change in
            if case .streaming(false) = change { self?.rest() }
        }
        whileWatched.withLock { $0 = subscription }
    }

    private func rest() { scene?.releaseMemory() }

    private func picture(at instant: MonotonicInstant) throws -> FrameData {
        guard let scene else {
            throw CameraError(
                .formatRefused, "cannot paint the scene: set [Camera] Width= and Height= to 64 to 8192 pixels")
        }
        let utc = time.reading(at: instant).instant
        let local = CivilTime(utc, offsetSeconds: LocalTime.offsetSeconds(at: utc))
        let hour = Double(local.hour) + Double(local.minute) / 60 + Double(local.second) / 3600
        let index = UInt64(max(0, instant.seconds(since: start)) * PrairieScene.framesPerSecond)
        return try compressor.compress(
            scene.frame(index: index, at: SceneMoment(hour: hour, dayOfYear: local.dayOfYear)))
    }
}
