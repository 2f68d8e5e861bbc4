internal import Capture
internal import Drawing
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Postcards
internal import Settings
internal import Stamping
internal import Storage
internal import Views

/// Makes one postcard: the frame after the trigger, the position at its exposure, the overlay, the stamp, the EXIF,
/// the files.
struct PostcardMaker: Sendable {
    /// The longest edge of a thumbnail, pixels: 160 in the EXIF as cameras write it, larger for pages.
    static let embeddedThumbnailEdge = 160
    static let thumbnailEdge = 320

    let parts: StationParts
    let overlays: OverlayCache

    /// Takes the first good frame exposed at or after the trigger and keeps it as a postcard.
    func make(_ order: PostcardOrder, trigger: MonotonicInstant) async throws(Problem) -> PostcardRecord {
        // The letters are most likely drawn while the frame is being exposed.
        let drawing = Task(executorPreference: BlockingThreads.shared) { await self.warmUp(order, at: trigger) }
        defer { drawing.cancel() }
        var earliest = trigger
        for _ in 0..<ExposureTaker.attempts {
            let exposure = try await ExposureTaker(parts: parts).expose(trigger: trigger, notBefore: earliest)
            await drawing.value
            let burst = try await burst(order, after: exposure)
            if let record = try await onBlockingThread({ () throws(Problem) in try finish(order, exposure, burst) }) {
                return record
            }
            parts.hub.reportDamagedScan()
            earliest = MonotonicInstant(nanoseconds: exposure.frame.exposedAt.nanoseconds + 1)
        }
        throw Problem(
            .cameraUnavailable,
            "cannot take a picture: \(ExposureTaker.attempts) frames in a row are damaged; try another cable or port, or a "
                + "smaller size")
    }

    /// The overlay on a current frame, not kept.
    ///
    /// - Parameters:
    ///   - order: what it would be stamped with.
    ///   - pictures: how often the frame is shown: more than once as in a collage.
    ///   - layout: how they lie then.
    /// - Returns: a JPEG.
    /// - Throws: a problem with the camera, the template or the picture.
    func preview(
        _ order: PostcardOrder, pictures: Int, _ layout: CollageLayout
    ) async throws(Problem) -> [UInt8] {
        let frame = try await ExposureTaker(parts: parts).expose(trigger: parts.clock.monotonic())
        return try await onBlockingThread { () throws(Problem) in
            var order = order
            var exposure = frame
            if pictures > 1 {
                let collage = CollageOrder(layout: layout, shots: Array(repeating: frame, count: pictures))
                order.collage = collage
                exposure = try mounted(order, collage)
            }
            let memory = try reserveMemory(for: exposure.frame)
            defer { memory?.release() }
            return try stamp(order, exposure).picture.data.array
        }
    }

    // MARK: The picture

    /// Draws and codes the overlay as it will most likely be, on the newest frame there is, while the shot is awaited.
    private func warmUp(_ order: PostcardOrder, at trigger: MonotonicInstant) async {
        guard let frame = parts.hub.latest() else { return }
        let time = parts.time.reading(at: trigger)
        let position = try? parts.board.position(at: time.trackInstant).get()
        _ = try? await onBlockingThread {
            let upright = try FrameTurner(memory: parts.pictureMemory).upright(frame)
            let exposure = Exposure(
                frame: upright.frame, trigger: time, time: time,
                utcOffsetSeconds: LocalTime.offsetSeconds(at: time.instant), position: position)
            return try stamp(order, exposure)
        }
    }

    /// What is known of a picture, for a template that is drawn on it in a size; its own by default.
    func facts(
        _ order: PostcardOrder, _ exposure: Exposure, size: (width: Int, height: Int)? = nil
    ) throws(Problem) -> PostcardFacts {
        var facts = PostcardFacts(
            place: order.place,
            time: CivilTime(exposure.time.instant, offsetSeconds: exposure.utcOffsetSeconds),
            coordinate: exposure.position?.coordinate, elevationMetres: exposure.position?.altitudeMSL,
            message: order.message ?? "",
            isPositionRecorded: exposure.position.map { $0.source != .live } ?? false)
        facts.language = PostcardFacts.language(of: order.language)
        facts.addSky(at: exposure.position?.coordinate, exposure.time.instant, offset: exposure.utcOffsetSeconds)
        facts.trail =
            parts.surroundings.trail(at: exposure.time.trackInstant).map {
                SightName.translated($0, facts.language)
            } ?? ""
        facts.wantsLabels = order.labels
        facts.pictureOrigin = Self.origin(of: exposure.frame.source, facts.language)
        let size = size ?? (exposure.frame.width, exposure.frame.height)
        facts.labels = try names(order, exposure, size)
        return facts
    }

    /// What a picture is that is none of the camera's of here and now, in a language of cards.
    private static func origin(of source: SourceKind, _ language: String) -> String {
        switch source {
        case .live, .manual: ""
        case .recorded: language == "es" ? "imagen de una grabación" : "picture from a recording"
        case .simulated: language == "es" ? "imagen simulada" : "simulated picture"
        }
    }

    /// What is to be seen in the picture of an order that asks for it, or whose template does.
    ///
    /// - Throws: why nobody can tell, for an order that asks; a template goes without.
    func names(
        _ order: PostcardOrder, _ exposure: Exposure, _ size: (width: Int, height: Int)
    ) throws(Problem) -> [PictureLabel] {
        guard order.collage == nil else { return [] }
        let isDrawn = (try? parts.library.template(named: order.template))?.drawsLabels ?? false
        guard order.labels || isDrawn else { return [] }
        switch parts.surroundings.sight(at: exposure.time.instant) {
        case .failure(let problem):
            if order.labels { throw problem }
            return []
        case .success(let sight):
            let language = PostcardFacts.language(of: order.language)
            if let names = sight.names(width: size.width, height: size.height, language: language) { return names }
            guard order.labels else { return [] }
            throw Problem(
                .conflict,
                "cannot put names into the picture: it is \(size.width)x\(size.height), and the view was calibrated with "
                    + "\(sight.width)x\(sight.height); calibrate again")
        }
    }

    /// The stamped picture, and the names that are drawn in it.
    private func stamp(
        _ order: PostcardOrder, _ exposure: Exposure
    ) throws(Problem) -> (picture: StampedPicture, names: [PictureLabel]) {
        let overlay: PreparedOverlay
        let names: [PictureLabel]
        let (width, height) = (exposure.frame.width, exposure.frame.height)
        let facts = try facts(order, exposure)
        do throws(DrawingError) {
            overlay = try overlays.overlay(template: order.template, width: width, height: height, facts: facts)
            names = try parts.library.template(named: order.template)
                .drawnLabels(facts, width: width, height: height)
        } catch {
            throw Problem(error)
        }
        do throws(StampingError) {
            return (try parts.engine.stamp(exposure.frame.data, with: overlay), names)
        } catch {
            throw Problem(error)
        }
    }

    /// Whether the frame is damaged and its stamped picture is not: these ways code the whole picture anew.
    private func isDamageHidden(_ way: StampingWay, _ frame: Frame) throws(Problem) -> Bool {
        switch way {
        case .restartSplice, .entropySplice: return false
        case .coefficients, .fullDecode:
            let decoder = JPEGDecoder(limits: CoefficientEngine.defaultLimits, memory: parts.pictureMemory)
            do throws(JPEGCodingError) {
                return try decoder.decode(frame.data, scale: .eighth).isDamaged
            } catch {
                guard error.cause != .memoryBusy else { throw Problem(StampingError.coding(error)) }
                return true
            }
        }
    }

    /// What a splice takes beside the frame: the stamped picture, and the postcard with its metadata.
    private func reserveMemory(for frame: Frame) throws(Problem) -> MemoryReservation? {
        do throws(JPEGCodingError) {
            return try parts.pictureMemory.reserve(3 * frame.data.count + 1 << 20, to: "work on the picture")
        } catch {
            throw Problem(StampingError.coding(error))
        }
    }

    /// Stamps, dresses and keeps; nil if the frame's scan turns out to be damaged.
    func finish(
        _ order: PostcardOrder, _ exposure: Exposure, _ burst: Burst? = nil
    ) throws(Problem) -> PostcardRecord? {
        let memory = try reserveMemory(for: exposure.frame)
        defer { memory?.release() }
        let (stamped, names) = try stamp(order, exposure)
        let inspected = try? Thumbnail.inspecting(
            stamped.data, longestEdge: Self.thumbnailEdge, memory: parts.pictureMemory)
        if inspected?.damage != nil { return nil }
        if try isDamageHidden(stamped.way, exposure.frame) { return nil }
        let small = inspected?.thumbnail
        let embedded = small.flatMap { try? Thumbnail.make(of: $0, longestEdge: Self.embeddedThumbnailEdge) }
        var draft = PostcardDraft(
            postcard: try dress(stamped.data, order, exposure, thumbnail: embedded, names: names),
            thumbnail: small.map { FileContent($0) }, requestedAt: exposure.trigger.instant,
            exposedAt: exposure.time.instant, template: order.template, message: order.message, place: order.place,
            width: exposure.frame.width, height: exposure.frame.height, stamping: stamped.way.rawValue,
            cameraSource: exposure.frame.source, camera: cameraName, position: exposure.position,
            timeSource: exposure.time.source == .gps ? .gps : .system, idempotency: order.idempotency)
        draft.id = order.id
        draft.receiverTime = exposure.time.receiver
        draft.animation = try burst.map { burst throws(Problem) in try animation(of: burst, order, exposure) }
        draft.layout = order.collage?.layout
        draft.shots = order.collage?.instants
        if parts.settings.current.postcards.keepOriginal {
            draft.original = try dress(exposure.frame.data, order, exposure, thumbnail: nil, names: nil)
        }
        do throws(PostcardError) {
            return try parts.tally.writing(parts.clock) { () throws(PostcardError) in try parts.archive.keep(draft) }
        } catch {
            throw Problem(error)
        }
    }
}
