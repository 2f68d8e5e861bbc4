public import KonzaModel
internal import Synchronization

/// An overlay with what was worked out for it: kept and used for every picture that gets the same drawing.
public final class PreparedOverlay: Sendable {
    public let overlay: Overlay
    /// The newest geometry's only: a station has one camera format at a time. Up to three times the overlay's pixels.
    private let newest = Mutex<(geometry: OverlayGeometry, ink: OverlayInk)?>(nil)

    public init(_ overlay: Overlay) {
        self.overlay = overlay
    }

    func ink(for geometry: OverlayGeometry) -> OverlayInk {
        if let known = newest.withLock({ $0 }), known.geometry == geometry { return known.ink }
        // Worked out outside the lock: two callers may both do it once, and find the same.
        let ink = OverlayInk(overlay, geometry: geometry)
        newest.withLock { $0 = (geometry, ink) }
        return ink
    }
}
