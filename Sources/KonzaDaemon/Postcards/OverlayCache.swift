internal import Drawing
internal import KonzaModel
internal import Stamping
internal import Synchronization

/// Keeps the last overlays with what stamping worked out for them: the next visitor with the same words shares the
/// coded form, and so does the shot with the rehearsal before it; other words share the ink that they leave alone.
final class OverlayCache: Sendable {
    /// Overlays kept. Each may take several times its pixels, so there are few.
    private static let limit = 2
    /// Of pictures with more pixels than this, one overlay is kept, and is gone before the next is drawn: at 3840x2160
    /// each takes some 35 MB.
    private static let largePixels = 4_000_000

    private let library: TemplateLibrary
    private let artist: PostcardArtist
    private let kept = Mutex<[(wording: PostcardArtist.Wording, overlay: PreparedOverlay)]>([])

    init(library: TemplateLibrary, artist: PostcardArtist) {
        self.library = library
        self.artist = artist
    }

    /// The overlay of a template for a picture's size and what is known of it.
    func overlay(
        template: String, width: Int, height: Int, facts: PostcardFacts
    ) throws(DrawingError) -> PreparedOverlay {
        let template = try library.template(named: template)
        let wording = try artist.wording(template: template, width: width, height: height, facts: facts)
        let isLarge = width * height > Self.largePixels
        if let known = find(wording, orForgetAll: isLarge) { return known }
        let drawn = try artist.overlay(template: template, width: width, height: height, facts: facts)
        return kept.withLock { kept in
            // Another may have drawn the same meanwhile.
            if let known = kept.first(where: { $0.wording == wording }) { return known.overlay }
            let prepared = PreparedOverlay(drawn, after: kept.last?.overlay)
            if kept.count >= (isLarge ? 1 : Self.limit) { kept.removeFirst() }
            kept.append((wording, prepared))
            return prepared
        }
    }

    /// The kept overlay that says so, which then is the last to go.
    private func find(_ wording: PostcardArtist.Wording, orForgetAll forgets: Bool) -> PreparedOverlay? {
        kept.withLock { kept in
            guard let index = kept.firstIndex(where: { $0.wording == wording }) else {
                if forgets { kept.removeAll() }
                return nil
            }
            let known = kept.remove(at: index)
            kept.append(known)
            return known.overlay
        }
    }

    /// Forgets all, since templates changed or nobody needs them now.
    func forget() {
        kept.withLock { $0.removeAll() }
    }
}
