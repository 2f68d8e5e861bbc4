internal import Capture
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Settings

/// What was known when a frame was exposed.
struct Exposure: Sendable {
    /// Upright.
    let frame: Frame
    let trigger: TimeKeeper.Reading
    let time: TimeKeeper.Reading
    let utcOffsetSeconds: Int
    let position: PositionAtInstant?
}

/// Takes a frame, and finds out when and where it was exposed.
struct ExposureTaker: Sendable {
    /// How long the camera may take to give a frame after the trigger, seconds: one that is known to be gone is given
    /// a moment to come back, no more. One that is there and silent may only be slow.
    static func patience(_ hub: FrameHub) -> Double {
        let health = hub.status().health
        return health.level == .failed && health.kind != CameraError.Kind.silent.rawValue ? 1 : 5
    }

    /// How many frames are tried before a picture is refused because their scans are damaged.
    static let attempts = 5

    let parts: StationParts

    /// Takes the first good frame exposed at or after the trigger, or after `earliest` where frames were passed over, and
    /// turns it upright.
    func expose(
        trigger: MonotonicInstant, notBefore earliest: MonotonicInstant? = nil
    ) async throws(Problem) -> Exposure {
        let frame = try await uprightFrame(notBefore: earliest ?? trigger)
        let time = parts.time.reading(at: frame.exposedAt)
        return Exposure(
            frame: frame, trigger: parts.time.reading(at: trigger), time: time,
            utcOffsetSeconds: LocalTime.offsetSeconds(at: time.instant),
            position: await position(at: time.trackInstant))
    }

    /// A frame that has to be turned is decoded as far as its coefficients: where that shows damage the next is taken.
    private func uprightFrame(notBefore trigger: MonotonicInstant) async throws(Problem) -> Frame {
        var earliest = trigger
        for _ in 0..<Self.attempts {
            let frame = try await frame(notBefore: earliest)
            guard FrameTurner.isNeeded(for: frame) else { return frame }
            if let upright = try await turned(frame) { return upright }
            parts.hub.reportDamagedScan()
            earliest = MonotonicInstant(nanoseconds: frame.exposedAt.nanoseconds + 1)
        }
        throw Problem(
            .cameraUnavailable,
            "cannot take a picture: \(Self.attempts) frames in a row are damaged; try another cable or port, or a "
                + "smaller size")
    }

    private func frame(notBefore trigger: MonotonicInstant) async throws(Problem) -> Frame {
        do {
            return try await parts.hub.shot(exposedNotBefore: trigger, timeoutSeconds: Self.patience(parts.hub))
        } catch let error as CameraError {
            throw Problem(error)
        } catch {
            throw Problem(.unavailable, "cannot take a picture: konzad is stopping, or the client went away")
        }
    }

    /// - Returns: nil if the frame is damaged.
    private func turned(_ frame: Frame) async throws(Problem) -> Frame? {
        let turner = FrameTurner(memory: parts.pictureMemory)
        do {
            let upright = try await onBlockingThread { try turner.upright(frame) }
            return upright.isDamaged ? nil : upright.frame
        } catch let error as JPEGCodingError {
            guard error.cause != .refused else { return nil }
            throw Problem(turning: error)
        } catch {
            throw Problem(.unavailable, "cannot turn the picture: \(error); try again when less is going on")
        }
    }

    /// The position at the exposure. The fix after it has not come yet, as a rule: a station that stands still is
    /// carried on from its last fix at once; where that would add to the error, the next fix is waited for, as far as
    /// the settings allow.
    private func position(at instant: UTCInstant) async -> PositionAtInstant? {
        let carriedOn = try? parts.board.position(at: instant).get()
        if let carriedOn, carriedOn.method != .extrapolated || isGoodEnough(carriedOn) { return carriedOn }
        let wait = parts.settings.current.position.geotagWait
        return try? await parts.board.position(at: instant, waitingAtMost: wait).get()
    }

    /// Whether the station stands still, or carrying on from the last fix added less than a tenth of the fix's own error, or half a metre.
    private func isGoodEnough(_ position: PositionAtInstant) -> Bool {
        if let speed = position.speed, speed < 0.5 { return true }
        guard let whole = position.accuracy?.metres,
            let fix = parts.board.snapshot().fix?.horizontalAccuracy?.metres
        else { return false }
        return whole - fix <= max(0.5, fix / 10)
    }
}
