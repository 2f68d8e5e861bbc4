public import KonzaModel
public import KonzaSystem
internal import Synchronization

/// Plays a recording, or paints a scene, through the same checks and counters as a real camera, on demand only.
public final class RecordedCamera: Service {
    public let name = "recorded camera"

    private let recording: Recording
    private let frameRate: Double
    private let rotation: PictureTurn.Rotation
    private let kind: SourceKind
    private let hub: FrameHub
    /// A device has a thread; this one reads pictures from a disk, or paints them.
    private let thread = BlockingThreads(named: "recorded camera", limit: 1)

    /// - Parameters:
    ///   - recording: what to play.
    ///   - frameRate: pictures a second, 0.01 to 120.
    ///   - rotation: the clockwise turn that puts the pictures upright.
    ///   - hub: where the frames go.
    public init(
        recording: Recording, frameRate: Double = 10, rotation: PictureTurn.Rotation = .none, hub: FrameHub
    ) {
        self.recording = recording
        self.rotation = rotation
        self.frameRate = frameRate.isFinite ? min(max(frameRate, 0.01), 120) : 10
        self.hub = hub
        switch recording {
        case .path: kind = .recorded
        case .generator: kind = .simulated
        }
    }

    /// Plays until the task is cancelled. A recording that cannot be read is a state of the hub's status; it is tried
    /// again every few seconds.
    public func run() async throws {
        try await withTaskExecutorPreference(thread) { try await serve() }
    }

    private func serve() async throws {
        let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        hub.attach(kind) { waker.yield() }
        defer { hub.detach() }
        while !Task.isCancelled {
            do throws(CameraError) {
                var reader = try RecordingReader(recording)
                try await play(&reader, wakes)
            } catch {
                fail(error)
                try? await hub.clock.sleep(until: hub.clock.monotonic().advanced(bySeconds: 3))
                answerControls()
            }
        }
    }

    private func play(_ reader: inout RecordingReader, _ wakes: AsyncStream<Void>) async throws(CameraError) {
        var player = Player(kind: kind, rotation: rotation, hub: hub)
        var due = hub.clock.monotonic()
        var ahead: (data: FrameData, origin: String)?
        while !Task.isCancelled {
            answerControls()
            guard hub.isWanted(at: hub.clock.monotonic()) else {
                player.rest()
                // A scene is painted for its instant; of a recording each picture is shown.
                if kind == .simulated { ahead = nil }
                for await _ in wakes { break }
                due = hub.clock.monotonic()
                continue
            }
            player.begin(at: due)
            let picture = if let ahead { ahead } else { try reader.next(at: due) }
            player.show(picture.data, from: picture.origin, at: due)
            due = max(due.advanced(bySeconds: 1 / frameRate), hub.clock.monotonic())
            // A frame comes when it is exposed, as from a camera: what it takes to read or paint it is spent before.
            ahead = hub.isWanted(at: hub.clock.monotonic()) ? try reader.next(at: due) : nil
            try? await hub.clock.sleep(until: due)
        }
        player.rest()
    }

    private func fail(_ error: CameraError) {
        hub.update { record in
            record.isStreaming = false
            record.counters.openFailures &+= 1
            record.evidence.phase = .closed(error)
        }
        hub.reviewHealth()
    }

    private func answerControls() {
        for request in hub.takeControlRequests() {
            request.continuation.resume(
                throwing: CameraError(.unknownControl, "cannot set a control: a recorded camera has none"))
        }
    }
}

/// Takes a recording's pictures to the hub and keeps the record.
private struct Player {
    private let kind: SourceKind
    private let rotation: PictureTurn.Rotation
    private let hub: FrameHub
    private var sequence: UInt64 = 0
    private var isPlaying = false

    init(kind: SourceKind, rotation: PictureTurn.Rotation, hub: FrameHub) {
        self.kind = kind
        self.rotation = rotation
        self.hub = hub
        hub.update { record in
            record.counters.opens &+= 1
            record.evidence.phase = .idle
        }
        hub.reviewHealth()
    }

    mutating func begin(at now: MonotonicInstant) {
        guard !isPlaying else { return }
        isPlaying = true
        hub.update { record in
            record.isStreaming = true
            record.evidence.phase = .streaming(since: now)
        }
        hub.changes.send(.streaming(true))
    }

    mutating func rest() {
        guard isPlaying else { return }
        isPlaying = false
        hub.update { record in
            record.isStreaming = false
            record.counters.idleStops &+= 1
            record.evidence.phase = .idle
        }
        hub.changes.send(.streaming(false))
        hub.reviewHealth()
    }

    /// Checks one picture and hands it on. Its instant is exact: nothing exposes it but this moment.
    mutating func show(_ data: FrameData, from origin: String, at now: MonotonicInstant) {
        sequence &+= 1
        hub.update { $0.counters.frames &+= 1 }
        do throws(FrameFault) {
            let picture = try unsafe data.withBytes { bytes throws(FrameFault) in
                try unsafe inspectPicture(bytes, rotation)
            }
            if picture.repaired != nil { hub.update { $0.counters.huffmanTablesAdded &+= 1 } }
            let frame = Frame(
                data: picture.repaired ?? data.prefix(picture.count), width: picture.width, height: picture.height,
                sequence: sequence, exposedAt: now, timestampSource: .startOfExposure, source: kind, turn: picture.turn,
                uprightSize: picture.uprightSize)
            hub.publish(frame, earliest: now, arrival: now)
        } catch {
            hub.update { record in
                record.note(error, at: now)
                record.evidence.lastFault = "\(error.name) in \(origin)"
            }
        }
        hub.reviewHealth()
    }
}

extension FrameData {
    /// The first bytes of this data, sharing its memory.
    func prefix(_ count: Int) -> FrameData {
        guard count < self.count else { return self }
        return unsafe withBytes { bytes in
            unsafe FrameData(lending: UnsafeRawBufferPointer(rebasing: bytes[0..<count])) { [self] in
                withExtendedLifetime(self) {}
            }
        }
    }
}
