internal import Capture
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Stamping
internal import Storage

extension PostcardMaker {
    /// A picture with all that is known written into it: EXIF, XMP, a thumbnail.
    func dress(
        _ picture: FrameData, _ order: PostcardOrder, _ exposure: Exposure, thumbnail: FrameData?, isPostcard: Bool
    ) throws(Problem) -> FileContent {
        do throws(MetadataError) {
            let facts = facts(for: order, exposure, thumbnail: thumbnail, isPostcard: isPostcard)
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
        let what = isPostcard ? "Postcard from \(order.place)" : "\(order.place), seen from the station"
        switch exposure.frame.source {
        case .live, .manual: return what
        case .recorded: return "\(what) (recorded picture)"
        case .simulated: return "\(what) (painted picture)"
        }
    }

    /// The camera as the driver names it.
    var cameraName: String? { parts.hub.status().device?.card.nonEmpty }
}

extension String {
    /// Nil for an empty text.
    var nonEmpty: String? { isEmpty ? nil : self }
}
