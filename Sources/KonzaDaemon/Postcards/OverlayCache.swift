internal import Drawing
internal import KonzaModel
internal import Stamping
internal import Synchronization

/// Keeps the last overlays with what stamping worked out for them: visitors of one day, and the second visitor with
/// the same words, share the drawing and its coded form.
final class OverlayCache: Sendable {
    /// Overlays kept; each may take as much as its pixels and their coded form.
    private static let limit = 3

    private struct Key: Hashable {
        let template: String
        let width: Int
        let height: Int
        let facts: PostcardFacts
    }

    private let library: TemplateLibrary
    private let artist: PostcardArtist
    private let kept = Mutex<[(key: Key, overlay: PreparedOverlay)]>([])

    init(library: TemplateLibrary, artist: PostcardArtist) {
        self.library = library
        self.artist = artist
    }

    /// The overlay of a template for a picture's size and what is known of it.
    func overlay(
        template: String, width: Int, height: Int, facts: PostcardFacts
    ) throws(DrawingError) -> PreparedOverlay {
        let key = Key(template: template, width: width, height: height, facts: facts)
        let known = kept.withLock { kept -> PreparedOverlay? in
            guard let index = kept.firstIndex(where: { $0.key == key }) else { return nil }
            let hit = kept.remove(at: index)
            kept.append(hit)
            return hit.overlay
        }
        if let known { return known }
        let drawn = PreparedOverlay(
            try artist.overlay(
                template: try library.template(named: template), width: width, height: height, facts: facts))
        kept.withLock { kept in
            if kept.count >= Self.limit { kept.removeFirst() }
            kept.append((key, drawn))
        }
        return drawn
    }

    /// Forgets all, since templates changed or nobody needs them now.
    func forget() {
        kept.withLock { $0.removeAll() }
    }
}
