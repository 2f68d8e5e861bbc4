internal import Capture
internal import HTTPServing
internal import Interchange
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Samples
internal import Specimens
internal import Stamping
internal import Storage

/// Takes photographs of specimens, or takes them in, and has the archive keep them.
struct PhotographDesk: Sendable {
    /// Photographs under way at once: a bound on memory, since each is held whole.
    private static let limit = 2
    /// The longest edge of a small copy, pixels, and of the one inside the EXIF.
    private static let thumbnailEdge = 320
    private static let embeddedEdge = 160

    let specimens: SpecimenDesk
    private let limiter = Limiter(PhotographDesk.limit, of: "a photograph")

    init(specimens: SpecimenDesk) {
        self.specimens = specimens
    }

    private var parts: StationParts { specimens.parts }
    private var archive: SpecimenArchive { parts.specimens }

    // MARK: From the camera

    /// Takes the next good frame as a photograph: whole as the camera gave it, with what is known written into it.
    func take(_ id: SpecimenID, _ request: PhotographRequest) async throws(Problem) -> Photograph {
        try limiter.enter()
        defer { limiter.leave() }
        let specimen = try await living(id)
        let exposure = try await ExposureTaker(parts: parts).expose(trigger: parts.clock.monotonic())
        return try await keep(for: id) { () throws(Problem) in
            try draft(of: exposure, specimen, request)
        }
    }

    private func draft(
        of exposure: Exposure, _ specimen: Specimen, _ request: PhotographRequest
    ) throws(Problem) -> PhotographDraft {
        let small = try? Thumbnail.make(
            of: exposure.frame.data, longestEdge: Self.thumbnailEdge, memory: parts.pictureMemory)
        var facts = PictureFacts(exposedAt: exposure.time.instant, utcOffsetSeconds: exposure.utcOffsetSeconds)
        facts.position = position(of: exposure, specimen)
        facts.imageDirection = request.direction
        facts.model = parts.hub.status().device?.card.nonEmpty
        facts.software = "konzad \(ProgramVersion.number)"
        facts.title = specimen.number
        facts.imageDescription = words(specimen, exposure.frame.source)
        facts.userComment = request.description
        facts.thumbnail = small.flatMap { try? Thumbnail.make(of: $0, longestEdge: Self.embeddedEdge) }
        var content = FileContent()
        do throws(MetadataError) {
            for piece in try PictureAssembler.assemble(exposure.frame.data, with: facts).pieces {
                content.append(piece)
            }
        } catch {
            throw Problem(.cannotStamp, "\(error)")
        }
        var draft = PhotographDraft(
            content: content, thumbnail: small.map { FileContent($0) }, imageType: request.imageType,
            mediaType: "image/jpeg", width: exposure.frame.width, height: exposure.frame.height, origin: "camera")
        draft.scale = request.scale
        draft.description = request.description
        draft.direction = request.direction
        draft.takenAt = exposure.time.instant
        draft.receiverTime = exposure.time.receiver
        draft.cameraSource = exposure.frame.source
        return draft
    }

    /// Where the camera was. Once the place was occupied the error is the occupation's, the same figure as is
    /// submitted.
    private func position(of exposure: Exposure, _ specimen: Specimen) -> PositionAtInstant? {
        var position = exposure.position
        if let occupied = specimen.position, occupied.source == .occupation, let accuracy = occupied.accuracy {
            position?.accuracy = Accuracy(metres: accuracy, source: .average, confidence: 0.95)
        }
        return position
    }

    private func words(_ specimen: Specimen, _ source: SourceKind) -> String {
        let what = "\(specimen.number), \(specimen.rockType)"
        switch source {
        case .live, .manual: return what
        case .recorded: return "\(what) (recorded picture)"
        case .simulated: return "\(what) (painted picture)"
        }
    }

    // MARK: Uploaded

    /// Takes in a picture that was made elsewhere, as it is, if it is whole.
    func takeIn(
        _ id: SpecimenID, _ sent: PictureIntake.Sent, type: String, _ request: PhotographRequest
    ) async throws(Problem) -> Photograph {
        try limiter.enter()
        defer { limiter.leave() }
        _ = try await living(id)
        return try await keep(for: id) { () throws(Problem) in
            let intake = PictureIntake(parts: specimens.parts)
            let picture = try intake.contents(of: sent)
            let checked = try intake.check(picture, type: type, smallEdge: Self.thumbnailEdge)
            let thumbnail = try? Thumbnail.make(of: checked.small, longestEdge: Self.thumbnailEdge)
            var draft = PhotographDraft(
                content: FileContent(picture), thumbnail: thumbnail.map { FileContent($0) },
                imageType: request.imageType, mediaType: type, width: checked.width, height: checked.height,
                origin: "upload")
            draft.scale = request.scale
            draft.description = request.description
            draft.direction = request.direction
            return draft
        }
    }

    // MARK: Keeping

    private func living(_ id: SpecimenID) async throws(Problem) -> Specimen {
        let specimen = try await specimens.onDisk { [archive] () throws(SpecimenError) in try archive.specimen(id) }
        guard specimen.deletedAt == nil else { throw Problem(SpecimenError.notFound(id)) }
        return specimen
    }

    private func keep(
        for id: SpecimenID, _ make: @escaping @Sendable () throws(Problem) -> PhotographDraft
    ) async throws(Problem) -> Photograph {
        let instant = specimens.now
        do {
            let kept = try await onBlockingThread { [archive, parts = specimens.parts] in
                let draft = try make()
                return try parts.tally.onDisk(parts.clock) { () throws(SpecimenError) in
                    Kept(try archive.add(draft, to: id, at: instant))
                }
            }
            specimens.tell(kept.specimen, "changed")
            return kept.photograph
        } catch let problem as Problem {
            throw problem
        } catch let error as SpecimenError {
            throw Problem(error)
        } catch {
            throw Problem(.unavailable, "cannot work on the photograph: \(error); try again when less is going on")
        }
    }

    private struct Kept: Sendable {
        let specimen: Specimen
        let photograph: Photograph

        init(_ pair: (specimen: Specimen, photograph: Photograph)) {
            specimen = pair.specimen
            photograph = pair.photograph
        }
    }

    func delete(_ photograph: PhotographID, of id: SpecimenID) async throws(Problem) {
        let instant = specimens.now
        let specimen = try await specimens.onDisk { [archive] () throws(SpecimenError) in
            try archive.delete(photograph: photograph, of: id, at: instant)
        }
        specimens.tell(specimen, "changed")
    }
}
