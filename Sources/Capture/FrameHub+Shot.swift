public import KonzaModel
internal import Synchronization

extension FrameHub {
    /// The first sound frame whose exposure began at or after the trigger.
    ///
    /// No light of the returned frame is older than the trigger, as far as the driver's timestamp can prove: a
    /// start-of-exposure timestamp counts as it is; from an end-of-frame timestamp two frame intervals are taken
    /// off (the longest exposure and readout); without a timestamp three or so, counted from when the queue was last
    /// seen empty. The stream is woken at once, also for a trigger that lies ahead, so that the exposure has settled
    /// by then.
    ///
    /// - Parameters:
    ///   - trigger: the instant of the shot; the past is allowed.
    ///   - timeoutSeconds: how long to wait, counted from the trigger or from now, whichever is later.
    /// - Returns: the frame; its `exposedAt` is at or after the trigger.
    /// - Throws: `CameraError` with the camera's own reason if no frame comes in time; `CancellationError`.
    public func shot(exposedNotBefore trigger: MonotonicInstant, timeoutSeconds: Double) async throws -> Frame {
        if let frame = state.withLock({ state in
            state.latest.flatMap { $0.earliest >= trigger ? $0.frame : nil }
        }) {
            return frame
        }
        addDemand { $0.waiting += 1 }
        defer { endDemand { $0.waiting -= 1 } }
        let clock = clock
        let deadline = max(clock.monotonic(), trigger).advanced(bySeconds: min(max(timeoutSeconds, 0), 86_400))
        return try await withThrowingTaskGroup(of: Frame?.self) { group in
            group.addTask { try await self.frame(exposedNotBefore: trigger) }
            group.addTask {
                try await clock.sleep(until: deadline)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let frame = first else {
                throw self.timeoutError(seconds: timeoutSeconds)
            }
            return frame
        }
    }

    /// A frame no older than an age, waking the source if need be: what a still picture on request needs.
    ///
    /// - Throws: as ``shot(exposedNotBefore:timeoutSeconds:)``.
    public func frame(notOlderThanSeconds age: Double, timeoutSeconds: Double) async throws -> Frame {
        let oldest = clock.monotonic().advanced(bySeconds: -min(max(age, 0), 86_400))
        return try await shot(exposedNotBefore: oldest, timeoutSeconds: timeoutSeconds)
    }

    /// Tells that a frame's scan turned out to be damaged, which only decoding shows; it is counted as malformed.
    public func reportDamagedScan() {
        let now = clock.monotonic()
        update { $0.note(.malformed("damagedScan"), at: now) }
    }

    private func frame(exposedNotBefore trigger: MonotonicInstant) async throws -> Frame {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state -> Result<Frame, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.isStopped {
                        return .failure(CameraError(.stopped, "cannot use the camera: the daemon is ending"))
                    }
                    // A frame may have come between the first look and now.
                    if let latest = state.latest, latest.earliest >= trigger { return .success(latest.frame) }
                    state.shots.append(Shot(id: id, trigger: trigger, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let shot = state.withLock { state -> Shot? in
                guard let index = state.shots.firstIndex(where: { $0.id == id }) else { return nil }
                return state.shots.remove(at: index)
            }
            shot?.continuation.resume(throwing: CancellationError())
        }
    }

    private func timeoutError(seconds: Double) -> CameraError {
        let health = status().health
        let kind = health.level == .failed ? CameraError.Kind(rawValue: health.kind) : nil
        return CameraError(kind ?? .timeout, "cannot take a picture within \(seconds) s: \(health.reason)")
    }
}
