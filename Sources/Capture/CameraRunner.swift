internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// Joins the state machine with a device: each turn takes the machine's next step and tells it what came of it. Lives
/// on the camera's thread.
struct CameraRunner {
    private let settings: CameraSettings
    private let hub: FrameHub
    private let system: any VideoSystem
    private let wakeup: Wakeup
    private var machine = CameraMachine()
    private var session: CaptureSession?
    private var sequence = SequenceCounter()
    private var controls: ControlKeeper
    /// The device last used: its path, and its name for people.
    private var known: (path: String, card: String)?
    private var reportedError: CameraError?
    private var emptyTurns = 0

    init(settings: CameraSettings, hub: FrameHub, system: any VideoSystem, wakeup: Wakeup) {
        self.settings = settings
        self.hub = hub
        self.system = system
        self.wakeup = wakeup
        controls = ControlKeeper(settings: settings)
    }

    mutating func turn() {
        serveControls()
        let now = hub.clock.monotonic()
        switch machine.step(now: now, isWanted: hub.isWanted(at: now)) {
        case .open: open()
        case .waitForDevice(let milliseconds): waitForDevice(milliseconds)
        case .startStream: startStream()
        case .waitForDemand(let milliseconds): waitForDemand(milliseconds)
        case .waitForFrame(let milliseconds): waitForFrame(milliseconds)
        case .stopStream: stopStream()
        }
        hub.reviewHealth()
    }

    /// Puts the device away at the end of the service.
    mutating func end() {
        try? session?.stop()
        session?.device.close()
        session = nil
        for request in hub.takeControlRequests() {
            request.continuation.resume(
                throwing: CameraError(.stopped, "cannot set a control: the camera is put away; ask again in a moment"))
        }
        hub.keepCopyOfLatest()
    }

    // MARK: Opening

    private var candidates: [String] {
        guard settings.device.isEmpty else { return [settings.device] }
        let all = system.candidates()
        guard let known, all.contains(known.path) else { return all }
        return [known.path] + all.filter { $0 != known.path }
    }

    private mutating func open() {
        var refusals: [CameraError] = []
        for path in candidates {
            do throws(CameraError) {
                if let outcome = try Negotiation.setUp(path, in: system, settings) {
                    return adopt(outcome)
                }
                if !settings.device.isEmpty { refusals.append(noCapture(path)) }
            } catch {
                refusals.append(error)
            }
        }
        hub.update { $0.counters.openFailures &+= 1 }
        // A device that is there and refuses says more than one that is not there.
        fail(with: refusals.first { $0.kind != .missing } ?? missing(refusals.first))
        _ = machine.handle(.openFailed, now: hub.clock.monotonic())
    }

    /// A named node that is there and captures nothing. One that did before is a camera that has gone, as a loopback
    /// device's producer does.
    private func noCapture(_ path: String) -> CameraError {
        if known?.path == path { return missing(nil) }
        return CameraError(.formatRefused, "cannot use \(path): it is no capture device; set another Device=")
    }

    private func missing(_ refusal: CameraError?) -> CameraError {
        if let known {
            return CameraError(
                .disconnected, "the camera \(known.card) at \(known.path) is gone; connect it again")
        }
        return refusal
            ?? CameraError(.missing, "cannot find a camera: no capture device is there; connect one, or set Device=")
    }

    private mutating func adopt(_ outcome: Negotiation.Outcome) {
        let path = outcome.device.path
        let session = CaptureSession(
            device: outcome.device, format: outcome.format, frameRate: outcome.frameRate,
            holdsStill: outcome.holdsStill, settings: settings, hub: hub, wakeup: wakeup, sequence: sequence)
        self.session = session
        known = (path, outcome.capability.card)
        reportedError = nil
        let ignored = controls.adopt(outcome.device)
        var device = CameraDevice(outcome, controls: controls.published)
        device.ignoredControls = ignored
        hub.update { [device] record in
            record.device = device
            record.counters.opens &+= 1
            record.evidence.phase = .idle
        }
        _ = machine.handle(.opened, now: hub.clock.monotonic())
        hub.changes.send(.opened(device))
    }

    // MARK: Streaming

    private mutating func startStream() {
        guard let session else { return }
        do throws(SystemError) {
            try session.start()
            let now = hub.clock.monotonic()
            _ = machine.handle(.started, now: now)
            hub.update { record in
                record.isStreaming = true
                record.evidence.phase = .streaming(since: now)
            }
            hub.changes.send(.streaming(true))
        } catch {
            lose(error)
        }
    }

    private mutating func stopStream() {
        guard let session else { return }
        hub.keepCopyOfLatest()
        do throws(SystemError) {
            try session.stop()
            _ = machine.handle(.stopped, now: hub.clock.monotonic())
            hub.update { record in
                record.isStreaming = false
                record.counters.idleStops &+= 1
                record.evidence.phase = .idle
            }
            hub.changes.send(.streaming(false))
        } catch {
            lose(error)
        }
    }

    private mutating func waitForFrame(_ milliseconds: Int32) {
        guard let session else { return }
        do throws(SystemError) {
            switch try session.wait(milliseconds: milliseconds, wakeup: wakeup) {
            case .woken: break
            case .timedOut:
                hub.update { $0.counters.timeouts &+= 1 }
                react(to: .timedOut, cause: nil)
            case .ready: try takeFrames(session, isBroken: false)
            case .broken: try takeFrames(session, isBroken: true)
            }
        } catch {
            switch error.code {
            case EIO, EINVAL, EPIPE: react(to: .streamBroke, cause: error)
            default: lose(error)
            }
        }
    }

    /// What a broken queue means is known from the call: ENODEV for a device that is gone.
    private mutating func takeFrames(_ session: CaptureSession, isBroken: Bool) throws(SystemError) {
        let taken = try session.takeFrames()
        if taken.any {
            emptyTurns = 0
            react(to: .frame(isGood: taken.good), cause: nil)
            return
        }
        emptyTurns += 1
        // A descriptor that is always ready and never has a frame would keep the thread busy for nothing.
        if isBroken || emptyTurns > 8 { react(to: .streamBroke, cause: nil) }
    }

    private mutating func react(to event: CameraMachine.Event, cause: SystemError?) {
        switch machine.handle(event, now: hub.clock.monotonic()) {
        case .proceed: break
        case .restartStream: restartStream()
        case .close:
            let path = session?.device.path ?? "the camera"
            close(
                CameraError(
                    .silent,
                    "cannot get frames from \(path): \(cause.map { SystemError.text($0.code) } ?? "it stays silent"); "
                        + "unplug the camera and plug it in again"))
        }
    }

    private mutating func restartStream() {
        guard let session else { return }
        hub.update { $0.counters.streamRestarts &+= 1 }
        hub.keepCopyOfLatest()
        do throws(SystemError) {
            try session.stop()
            try session.start()
        } catch {
            lose(error)
        }
    }

    // MARK: Losing and finding

    private mutating func lose(_ error: SystemError) {
        _ = machine.handle(.lost, now: hub.clock.monotonic())
        switch error.code {
        case ENODEV, ENXIO, ENOENT:
            hub.update { $0.counters.disconnects &+= 1 }
            close(missing(nil))
        default:
            close(CameraError(opening: session?.device.path ?? "the camera", error))
        }
    }

    private mutating func close(_ error: CameraError) {
        hub.keepCopyOfLatest()
        if let session {
            try? session.stop()
            session.device.close()
            sequence = session.sequenceCounter
        }
        session = nil
        controls.forget()
        let wasStreaming = hub.update { record in
            defer {
                record.device = nil
                record.isStreaming = false
            }
            return record.isStreaming
        }
        if wasStreaming { hub.changes.send(.streaming(false)) }
        fail(with: error)
    }

    /// The state without a device. The same error is logged once, not at every attempt.
    private mutating func fail(with error: CameraError) {
        hub.update { $0.evidence.phase = .closed(error) }
        guard error != reportedError else { return }
        reportedError = error
        hub.changes.send(.closed(error))
    }

    private mutating func waitForDevice(_ milliseconds: Int32) {
        if system.waitForChange(milliseconds: milliseconds, wakeup: wakeup) == .added {
            _ = machine.handle(.deviceAdded, now: hub.clock.monotonic())
        }
    }

    /// At rest the device is asked now and then whether it is still there: a camera dead for a day must not look well.
    private mutating func waitForDemand(_ milliseconds: Int32) {
        guard let session else { return }
        switch system.waitForChange(milliseconds: milliseconds, wakeup: wakeup) {
        case .woken, .added: break
        case .removed(let path):
            if path == system.node(of: session.device.path) || path == session.device.path { probe(session) }
        case .timedOut: probe(session)
        }
    }

    private mutating func probe(_ session: CaptureSession) {
        do throws(SystemError) {
            _ = try session.device.capability()
        } catch {
            lose(error)
        }
    }

    // MARK: Controls

    private mutating func serveControls() {
        for request in hub.takeControlRequests() {
            guard let device = session?.device else {
                let health = hub.status().health
                request.continuation.resume(
                    throwing: CameraError(
                        CameraError.Kind(rawValue: health.kind) ?? .missing,
                        "cannot set a control: \(health.reason)"))
                continue
            }
            do throws(CameraError) {
                let published = try controls.set(request.values, on: device)
                hub.update { $0.device?.controls = published }
                hub.changes.send(.controls(published))
                request.continuation.resume(returning: published)
            } catch {
                hub.update { [published = controls.published] in $0.device?.controls = published }
                request.continuation.resume(throwing: error)
            }
        }
    }
}

extension CameraDevice {
    init(_ outcome: Negotiation.Outcome, controls: [CameraControl]) {
        self.init(
            path: outcome.device.path, card: outcome.capability.card, driver: outcome.capability.driver,
            bus: outcome.capability.bus, format: outcome.format.pixelFormat.description, width: outcome.format.width,
            height: outcome.format.height, frameRate: outcome.frameRate, isConverted: outcome.isConverted,
            formats: outcome.offered.map { format in
                CameraFormat(
                    code: format.pixelFormat.description, description: format.description,
                    sizes: format.sizes.map(\.text))
            }, controls: controls)
    }
}

extension OfferedSize {
    var text: String {
        let largest = "\(maximumWidth)x\(maximumHeight)"
        let isSingle = minimumWidth == maximumWidth && minimumHeight == maximumHeight
        return isSingle ? largest : "\(minimumWidth)x\(minimumHeight) to \(largest)"
    }
}
