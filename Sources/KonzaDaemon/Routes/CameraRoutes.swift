internal import Capture
internal import HTTPServing
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Synchronization

/// `/v1/camera`: the camera, its controls, one frame, the preview.
struct CameraRoutes: Sendable {
    /// Bytes that may wait for a slow preview client: a few frames.
    static let previewBacklog = 4 << 20
    /// A still frame on request may be this old, seconds.
    static let frameAge = 0.5
    /// The largest number of a frame: one that every reader of JSON takes exactly (RFC 8259 section 6).
    private static let latestFrame = (1 << 53) - 1
    /// The widest JPEG (T.81 B.2.2).
    private static let widestFrame = 65_535

    private let parts: StationParts
    private let previews: PreviewDesk
    private let uprightFrames: UprightFrames
    private let reducedFrames: ReducedFrames

    init(parts: StationParts) {
        self.parts = parts
        uprightFrames = UprightFrames(memory: parts.pictureMemory)
        reducedFrames = ReducedFrames(memory: parts.pictureMemory, clock: parts.clock)
        previews = PreviewDesk(parts: parts)
    }

    var routes: [Route] {
        [
            Route(
                .get, "/v1/camera", access: .everyone, operation: "getCamera",
                summary: "The camera: device, formats, counters, health",
                replies: [Reply(200, "The camera.", schema: "Camera")],
                handler: .immediate { _ in
                    try camera()
                }),
            Route(
                .patch, "/v1/camera/controls", access: .only(.ranger, .keeper), operation: "setCameraControls",
                summary: "Set controls by name, such as {\"brightness\": 128}",
                body: RequestBody(schema: "CameraControlValues", isRequired: true),
                replies: [Reply(200, "The camera.", schema: "Camera")],
                handler: .asynchronous { request in try await setControls(request) }
            ).failing(.cameraControl),
            Route(
                .get, "/v1/camera/frame.jpg", access: .everyone, operation: "getFrame",
                summary: "A frame as it is now, not stamped",
                query: [
                    QueryParameter(
                        "after", "Wait for a frame newer than the one with this value of the header Konza-Frame.",
                        .count(0...Self.latestFrame)),
                    QueryParameter(
                        "width",
                        "Pixels across that are enough: the picture has them, and is reduced to 1/2, 1/4 or 1/8 where that is "
                            + "no fewer. One that was made within the last tenth of a second may be given.",
                        .count(1...Self.widestFrame)),
                ],
                produces: ["image/jpeg"], replies: [Reply(200, "A JPEG, numbered by the header Konza-Frame.")],
                handler: .asynchronous { request in
                    try await frame(after: request.queryInteger("after"), width: request.queryInteger("width"))
                }),
            Route(
                .get, "/v1/camera/preview", access: .everyone, operation: "watchCamera",
                summary: "Frames as they come, as multipart Motion-JPEG",
                query: [QueryParameter("fps", "At most so many frames a second.", .range(0.1...60))],
                produces: ["multipart/x-mixed-replace"], replies: [Reply(200, "Parts without end.")],
                handler: .immediate { request in
                    let rate = request.queryNumber("fps")
                    return try previews.open(framesPerSecond: rate)
                }),
        ].map { $0.failing(.cameraUnavailable) }
    }

    /// A frame after that with the number, which is in microseconds of the steady clock; one of another boot, which is later
    /// than now, counts as none.
    private func frame(after number: Int?, width: Int?) async throws -> Response {
        do {
            let known = number.map { MonotonicInstant(nanoseconds: (Int64($0) + 1) * 1000) }
                .flatMap { $0 <= parts.clock.monotonic() ? $0 : nil }
            guard let width else { return answer(try await upright(notBefore: known)) }
            if let fresh = reducedFrames.fresh(width: width, exposedNotBefore: known) { return answer(fresh) }
            return answer(try reducedFrames.reduced(try await upright(notBefore: known), width: width))
        } catch let error as CameraError {
            throw Problem(error)
        } catch let error as JPEGCodingError {
            throw Problem(turning: error)
        }
    }

    private func upright(notBefore known: MonotonicInstant?) async throws -> Frame {
        let patience = ExposureTaker.patience(parts.hub)
        let frame =
            if let known {
                try await parts.hub.shot(exposedNotBefore: known, timeoutSeconds: patience)
            } else {
                try await parts.hub.frame(notOlderThanSeconds: Self.frameAge, timeoutSeconds: patience)
            }
        return try uprightFrames.upright(frame)
    }

    private func answer(_ frame: Frame) -> Response {
        var response = Response.data(frame.data, type: "image/jpeg")
        response.headers["cache-control"] = "no-store"
        response.headers["konza-exposed-at"] = parts.time.reading(at: frame.exposedAt).instant.rfc3339
        response.headers["konza-source"] = frame.source.rawValue
        response.headers["konza-frame"] = String(max(0, frame.exposedAt.nanoseconds / 1000))
        return response
    }

    private func setControls(_ request: Request) async throws -> Response {
        var members = RequestMembers(try request.json())
        let values = members.allNumbers()
        try members.finish()
        var whole: [String: Int64] = [:]
        for (name, value) in values {
            guard let integer = Int(exactly: value), CameraReply.controlValues.contains(integer) else {
                throw Problem(
                    .invalidRequest, "cannot set \(name) to \(value): controls take whole numbers",
                    errors: [.init(path: "/\(name)", detail: "expected a whole number, true or false")])
            }
            whole[name] = Int64(integer)
        }
        do {
            _ = try await parts.hub.setControls(whole)
        } catch let error as CameraError {
            throw Problem(.cameraControl, error.message)
        }
        return try camera()
    }

    private func camera() throws(Problem) -> Response {
        try .json(
            CameraReply(
                parts.hub.status(), newest: parts.hub.latest(), previewClients: previews.count,
                settings: parts.settings.current.camera))
    }
}

/// Sends frames to those who watch. Each client has a bounded queue of its own; one that reads too slowly is dropped.
final class PreviewDesk: Sendable {
    private let parts: StationParts
    private let limiter: Limiter
    private let placeholder: Placeholder
    private let frames: PreviewFrames
    private let turner: PreviewTurner

    init(parts: StationParts) {
        self.parts = parts
        turner = PreviewTurner(memory: parts.pictureMemory) { [hub = parts.hub] in hub.reportDamagedScan() }
        frames = PreviewFrames(parts.memory)
        limiter = Limiter(parts.settings.current.api.maxPreviews, of: "a preview")
        placeholder = Placeholder(parts: parts)
    }

    /// How many watch.
    var count: Int { limiter.count }

    func open(framesPerSecond: Double?) throws(Problem) -> Response {
        try limiter.enter()
        let client = PreviewClient(
            parts: parts, placeholder: placeholder, frames: frames, turner: turner, framesPerSecond: framesPerSecond)
        frames.add(client.stream)
        client.start(on: parts.hub)
        client.stream.onEnd { [limiter, frames] in
            client.stop()
            frames.remove(client.stream)
            limiter.leave()
        }
        var response = Response.stream(client.stream, type: client.contentType)
        response.headers["cache-control"] = "no-store"
        return response
    }
}

/// One client of the preview.
private final class PreviewClient: Sendable {
    private struct State {
        var framing = MultipartPreview()
        var subscription: Subscription?
        var nextDue: MonotonicInstant?
        var silence: Task<Void, Never>?
        var lastFrame: MonotonicInstant?
        /// When the placeholder is due again.
        var nextStand: MonotonicInstant?
        /// Bytes of a frame that there was no memory for.
        var lacking: Int?
    }

    let stream = ResponseStream(limit: CameraRoutes.previewBacklog)
    let contentType = MultipartPreview().contentType
    private let parts: StationParts
    private let placeholder: Placeholder
    private let frames: PreviewFrames
    private let turner: PreviewTurner
    private let interval: Double?
    private let state = Mutex(State())
    /// Held while a part is made and queued: frames and what fills their silence come from two threads.
    private let order = Mutex(())

    init(
        parts: StationParts, placeholder: Placeholder, frames: PreviewFrames, turner: PreviewTurner,
        framesPerSecond: Double?
    ) {
        self.parts = parts
        self.frames = frames
        self.turner = turner
        self.placeholder = placeholder
        interval = framesPerSecond.map { 1 / $0 }
    }

    private var clock: any StationClock { parts.clock }

    func start(on hub: FrameHub) {
        let subscription = hub.subscribe { [weak self] frame in self?.send(frame) }
        // Browsers hold the last picture back until another follows: it is sent again when frames stop.
        let silence = Task { [weak self, clock] in
            while !Task.isCancelled {
                try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: 0.5))
                self?.fillSilence()
            }
        }
        state.withLock { state in
            state.subscription = subscription
            state.silence = silence
        }
    }

    func stop() {
        let (subscription, silence) = state.withLock { state in
            defer {
                state.subscription = nil
                state.silence = nil
            }
            return (state.subscription, state.silence)
        }
        subscription?.cancel()
        silence?.cancel()
    }

    private func send(_ frame: Frame) {
        guard state.withLock({ isDue(frame, &$0) }) else { return }
        let isMirrored = parts.settings.current.camera.mirror
        guard FrameTurner.isNeeded(for: frame, isMirrored: isMirrored) else { return show(frame) }
        turner.submit(frame, isMirrored: isMirrored, for: ObjectIdentifier(self)) { [weak self] in self?.show($0) }
    }

    private func isDue(_ frame: Frame, _ state: inout State) -> Bool {
        guard let interval else { return true }
        // A little early counts as due, so that 10 of 30 frames a second does not become 7.5.
        if let due = state.nextDue, frame.exposedAt < due.advanced(bySeconds: -0.01) { return false }
        state.nextDue = max(state.nextDue ?? frame.exposedAt, frame.exposedAt.advanced(bySeconds: -interval))
            .advanced(bySeconds: interval)
        return true
    }

    private func show(_ frame: Frame) {
        push { state in
            state.lastFrame = clock.monotonic()
            state.nextStand = nil
            return part(of: frame, exposedAt: frame.exposedAt, &state)
        }
    }

    /// Sends the last picture again when frames stop, and what is wrong when the camera is known to be gone.
    private func fillSilence() {
        let now = clock.monotonic()
        guard isSilent(state.withLock { $0.lastFrame }, now) else { return }
        let stand = placeholder.frame()
        push { state in
            // A frame may have come while the placeholder was drawn.
            guard isSilent(state.lastFrame, now) else { return nil }
            guard let stand else { return state.framing.partAfterSilence() }
            // Each is sent twice, and then again every few seconds: a page that was opened late sees it too.
            if let next = state.nextStand, now < next { return state.framing.partAfterSilence() }
            state.nextStand = now.advanced(bySeconds: 3)
            return part(of: stand, exposedAt: now, &state)
        }
    }

    private func part(of frame: Frame, exposedAt: MonotonicInstant, _ state: inout State) -> MultipartPreview.Part? {
        guard let data = frames.take(frame.data) else {
            state.lacking = frame.data.count
            return nil
        }
        return state.framing.part(for: frame.with(data), exposedAt: parts.time.reading(at: exposedAt).instant)
    }

    private func isSilent(_ lastFrame: MonotonicInstant?, _ now: MonotonicInstant) -> Bool {
        lastFrame.map { now.seconds(since: $0) > 0.5 } ?? true
    }

    /// Queues a part as a whole and in the order in which the parts are made. The end of the stream may call `stop`
    /// from within, which takes the state's lock alone.
    private func push(_ make: (inout State) -> MultipartPreview.Part?) {
        order.withLock { _ in
            let (part, lacking) = state.withLock { state in
                defer { state.lacking = nil }
                return (make(&state), state.lacking)
            }
            if let lacking { frames.dropSlowest(beyond: lacking) }
            guard let part else { return }
            stream.push(part.head)
            stream.push(part.picture)
            stream.push(part.tail)
        }
    }
}
