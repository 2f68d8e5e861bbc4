internal import Capture
internal import Drawing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Stamping
internal import Storage

extension PostcardMaker {
    /// A picture with all that is known written into it: EXIF, XMP, a thumbnail. `names` are those that are drawn in it, for
    /// programs that show them; nil for a picture that is no postcard.
    func dress(
        _ picture: FrameData, _ order: PostcardOrder, _ exposure: Exposure, thumbnail: FrameData?,
        names: [PictureLabel]?
    ) throws(Problem) -> FileContent {
        var facts = facts(for: order, exposure, thumbnail: thumbnail, isPostcard: names != nil)
        if let names, !names.isEmpty {
            facts.regions = PictureFacts.Regions(
                width: exposure.frame.width, height: exposure.frame.height,
                list: names.map { .init(name: $0.name, x: $0.x, y: $0.y, reach: $0.reach) })
        }
        do throws(MetadataError) {
            var content = FileContent()
            for piece in try PictureAssembler.assemble(picture, with: facts).pieces { content.append(piece) }
            return content
        } catch {
            throw Problem(.cannotStamp, "\(error)")
        }
    }

    private func facts(
        for order: PostcardOrder, _ exposure: Exposure, thumbnail: FrameData?, isPostcard: Bool
    ) -> PictureFacts {
        let settings = parts.settings.current
        var facts = PictureFacts(exposedAt: exposure.time.instant, utcOffsetSeconds: exposure.utcOffsetSeconds)
        facts.position = exposure.position
        facts.model = cameraName
        facts.software = "konzad \(ProgramVersion.number)"
        facts.title = isPostcard ? "Greetings from \(order.place)" : order.place
        facts.imageDescription = description(order, exposure, isPostcard: isPostcard)
        facts.userComment = isPostcard ? order.message : nil
        facts.artist = settings.postcards.artist.nonEmpty
        facts.copyright = settings.postcards.copyright.nonEmpty
        facts.place = .init(location: order.place)
        facts.thumbnail = thumbnail
        return facts
    }

    /// What the picture shows, and that it is a recorded one if it is.
    private func description(_ order: PostcardOrder, _ exposure: Exposure, isPostcard: Bool) -> String {
        let pictures = order.collage.map { collage in
            ", \(collage.shots.count) pictures of "
                + collage.instants.map(\.exposedAt.rfc3339).joined(separator: ", ")
        }
        let what = what(order, isPostcard: isPostcard) + (pictures ?? "")
        switch exposure.frame.source {
        case .live, .manual: return what
        case .recorded: return "\(what) (recorded picture)"
        case .simulated: return "\(what) (painted picture)"
        }
    }

    private func what(_ order: PostcardOrder, isPostcard: Bool) -> String {
        isPostcard ? "Postcard from \(order.place)" : "\(order.place), seen from the station"
    }

    /// The camera as the driver names it.
    var cameraName: String? { parts.hub.status().device?.card.nonEmpty }
}

extension String {
    /// Nil for an empty text.
    var nonEmpty: String? { isEmpty ? nil : self }
}
