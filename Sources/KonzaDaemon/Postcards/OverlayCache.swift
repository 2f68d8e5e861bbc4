internal import Drawing
internal import KonzaModel
internal import Stamping
internal import Synchronization

/// Keeps the last overlays with what stamping worked out for them: the next visitor with the same words shares the
/// coded form, and so does the shot with the rehearsal before it; other words share the ink that they leave alone.
final class OverlayCache: Sendable {
    /// Overlays kept. Each may take several times its pixels, so there are few.
    private static let limit = 2

    private let library: TemplateLibrary
    private let artist: PostcardArtist
    private let kept = Mutex<[PreparedOverlay]>([])

    init(library: TemplateLibrary, artist: PostcardArtist) {
        self.library = library
        self.artist = artist
    }

    /// The overlay of a template for a picture's size and what is known of it.
    func overlay(
        template: String, width: Int, height: Int, facts: PostcardFacts
    ) throws(DrawingError) -> PreparedOverlay {
        let drawn = try artist.overlay(
            template: try library.template(named: template), width: width, height: height, facts: facts)
        return kept.withLock { kept in
            // The artist keeps its drawings, so an equal one is most often the same memory, seen at a glance.
            if let index = kept.firstIndex(where: { $0.overlay == drawn }) {
                let known = kept.remove(at: index)
                kept.append(known)
                return known
            }
            let prepared = PreparedOverlay(drawn, after: kept.last)
            if kept.count >= Self.limit { kept.removeFirst() }
            kept.append(prepared)
            return prepared
        }
    }

    /// Forgets all, since templates changed or nobody needs them now.
    func forget() {
        kept.withLock { $0.removeAll() }
    }
}
