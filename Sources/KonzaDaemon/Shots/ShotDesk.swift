internal import Capture
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Stamping

/// Takes the pictures of collages one at a time, each after its own countdown, and holds them until they are used.
final class ShotDesk: Sendable {
    private let parts: StationParts
    private let shelf: ShotShelf

    init(parts: StationParts) {
        self.parts = parts
        shelf = ShotShelf(clock: parts.clock)
    }

    /// How many are under way or held.
    var count: Int { shelf.count }

    /// Takes a shot, or starts its countdown.
    ///
    /// - Parameters:
    ///   - request: what is wanted.
    ///   - account: who alone gets at it.
    /// - Returns: the shot, or its countdown that has begun.
    /// - Throws: why it cannot be taken now.
    func take(_ request: ShotRequest, account: Account) async throws(Problem) -> ShotReply {
        let seconds = request.countdownSeconds ?? 0
        let longest = Int(parts.settings.current.postcards.maxCountdown)
        guard seconds <= longest else {
            throw Problem(
                .invalidRequest, "cannot count down \(seconds) s: at most \(longest) s ([Postcards] MaxCountdown=)",
                status: 422, errors: [.init(path: "/countdownSeconds", detail: "expected 0 to \(longest)")])
        }
        let start = parts.clock.monotonic()
        let due = start.advanced(bySeconds: Double(seconds))
        let expiry = due.advanced(bySeconds: ShotShelf.lifeSeconds)
        let id = try shelf.add(
            ShotShelf.Entry(
                account: account, expiry: expiry, expiresAt: parts.time.reading(at: expiry).instant,
                dueAt: seconds > 0 ? parts.time.reading(at: due).instant : nil,
                stage: seconds > 0 ? .counting(remaining: seconds) : .capturing, task: nil),
            at: parts.time.reading(at: start).instant)
        guard seconds > 0 else {
            do throws(Problem) {
                try await capture(id, account, trigger: start)
            } catch {
                shelf.remove(id, of: account)
                throw error
            }
            return try reply(id, account: account)
        }
        guard shelf.run(id, { await self.countDown(id, account, from: start, seconds) }) else {
            throw Problem(.unavailable, "cannot start a countdown: konzad is stopping; try again in a moment")
        }
        return try reply(id, account: account)
    }

    /// How far a shot is.
    ///
    /// - Throws: `notFound`.
    func reply(_ id: ShotID, account: Account) throws(Problem) -> ShotReply {
        let entry = try entry(id, account)
        var reply = ShotReply(id: id.description, state: "capturing", expiresAt: entry.expiresAt)
        reply.dueAt = entry.dueAt
        switch entry.stage {
        case .counting(let remaining):
            reply.state = "counting"
            reply.remainingSeconds = remaining
        case .capturing: break
        case .failed(let problem):
            reply.state = "failed"
            reply.problem = problem
        case .taken(let exposure, _):
            reply.state = "taken"
            reply.requestedAt = exposure.trigger.instant
            reply.exposedAt = exposure.time.instant
            reply.width = exposure.frame.width
            reply.height = exposure.frame.height
            reply.source = exposure.frame.source
            reply.links = .init(image: "/v1/shots/\(id)/image.jpg")
        }
        return reply
    }

    /// The picture of a shot.
    ///
    /// - Throws: `notFound`, also where it is not taken yet.
    func picture(_ id: ShotID, account: Account) throws(Problem) -> FrameData {
        guard case .taken(let exposure, _) = try entry(id, account).stage else {
            throw Problem(.notFound, "cannot show the shot \(id): it is not taken yet")
        }
        return exposure.frame.data
    }

    /// The shots of a collage.
    ///
    /// - Throws: a problem that names those that are not there, or not taken.
    func exposures(_ ids: [String], account: Account) throws(Problem) -> [Exposure] {
        var faults: [Problem.Fault] = []
        var exposures: [Exposure] = []
        for (index, text) in ids.enumerated() {
            let entry = ShotID(text).flatMap { shelf.entry($0, of: account) }
            if case .taken(let exposure, _)? = entry?.stage {
                exposures.append(exposure)
            } else {
                faults.append(
                    .init(
                        path: "/shots/\(index)",
                        detail: entry == nil ? "no shot of yours; take it again" : "not taken yet, or it failed"))
            }
        }
        guard faults.isEmpty else {
            throw Problem(
                .invalidRequest,
                "cannot make a collage: " + faults.map { "\($0.path) (\($0.detail))" }.joined(separator: ", "),
                status: 422, errors: faults)
        }
        return exposures
    }

    /// Forgets a shot.
    ///
    /// - Returns: false if there was none.
    @discardableResult
    func delete(_ id: ShotID, account: Account) -> Bool {
        guard shelf.remove(id, of: account) else { return false }
        parts.events.post(ShotEvent(id: id.description, state: "deleted"))
        return true
    }

    /// Forgets what has expired.
    func sweep() { shelf.sweep() }

    /// Refuses new shots, and forgets all.
    func close() { shelf.close() }

    private func entry(_ id: ShotID, _ account: Account) throws(Problem) -> ShotShelf.Entry {
        if let entry = shelf.entry(id, of: account) { return entry }
        throw Problem(.notFound, "cannot find the shot \(id): it was used, deleted or has expired; take it again")
    }

    // MARK: Taking

    private func countDown(_ id: ShotID, _ account: Account, from start: MonotonicInstant, _ seconds: Int) async {
        do throws(Problem) {
            // The stream is on from the first second, so that the exposure has settled when the countdown ends.
            let warm = parts.hub.watch()
            defer { warm.cancel() }
            for remaining in stride(from: seconds, to: 0, by: -1) {
                shelf.set(id, .counting(remaining: remaining))
                parts.events.post(
                    ShotEvent(id: id.description, state: "counting", remainingSeconds: remaining))
                let next = start.advanced(bySeconds: Double(seconds - remaining + 1))
                // Deleted, or konzad is stopping: nobody waits for it.
                do { try await parts.clock.sleep(until: next) } catch { return }
            }
            try await capture(id, account, trigger: start.advanced(bySeconds: Double(seconds)))
        } catch {
            guard shelf.set(id, .failed(error)) else { return }
            parts.events.post(ShotEvent(id: id.description, state: "failed", problem: error))
        }
    }

    private func capture(_ id: ShotID, _ account: Account, trigger: MonotonicInstant) async throws(Problem) {
        shelf.set(id, .capturing)
        parts.events.post(ShotEvent(id: id.description, state: "capturing"))
        let exposure = try await ExposureTaker(parts: parts).soundExposure(trigger: trigger)
        let data = exposure.frame.data
        guard let memory = parts.memory.reserve(data.count, for: .pictures, account: account) else {
            throw Problem(
                .unavailable, "cannot hold another shot: too much is held in memory; delete shots that no collage needs"
            )
        }
        // A copy: the camera gets its buffer back.
        let held = Exposure(
            frame: exposure.frame.with(FrameData(data.array)), trigger: exposure.trigger, time: exposure.time,
            utcOffsetSeconds: exposure.utcOffsetSeconds, position: exposure.position)
        guard shelf.set(id, .taken(held, memory)) else { return }
        parts.events.post(ShotEvent(id: id.description, state: "taken"))
    }
}

extension ExposureTaker {
    /// The first frame after the trigger whose whole scan is sound.
    func soundExposure(trigger: MonotonicInstant) async throws(Problem) -> Exposure {
        let decoder = JPEGDecoder(limits: CoefficientEngine.defaultLimits, memory: parts.pictureMemory)
        var earliest = trigger
        for _ in 0..<Self.attempts {
            let exposure = try await expose(trigger: trigger, notBefore: earliest)
            do throws(JPEGCodingError) {
                let isDamaged = try await onBlockingThread { () throws(JPEGCodingError) in
                    try decoder.decode(exposure.frame.data, scale: .eighth).isDamaged
                }
                if !isDamaged { return exposure }
            } catch {
                guard error.cause == .refused else { throw Problem(StampingError.coding(error)) }
            }
            parts.hub.reportDamagedScan()
            earliest = MonotonicInstant(nanoseconds: exposure.frame.exposedAt.nanoseconds + 1)
        }
        throw Problem(
            .cameraUnavailable,
            "cannot take a picture: \(Self.attempts) frames in a row are damaged; try another cable or port, or a "
                + "smaller size")
    }
}
