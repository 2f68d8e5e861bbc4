public import KonzaModel
internal import Synchronization

/// An overlay with what was worked out for it: kept and used for every picture that gets the same drawing.
public final class PreparedOverlay: Sendable {
    /// Geometries kept at once; a station has one camera format at a time, and another while it changes.
    private static let capacity = 2

    public let overlay: Overlay
    private let coverages = Mutex<[(geometry: OverlayGeometry, coverage: OverlayCoverage)]>([])

    public init(_ overlay: Overlay) {
        self.overlay = overlay
    }

    func coverage(for geometry: OverlayGeometry) -> OverlayCoverage {
        if let known = coverages.withLock({ $0.first { $0.geometry == geometry }?.coverage }) { return known }
        // Worked out outside the lock: two callers may both do it once, and find the same.
        let coverage = OverlayCoverage(overlay, geometry: geometry)
        coverages.withLock {
            if $0.count >= Self.capacity { $0.removeFirst() }
            $0.append((geometry, coverage))
        }
        return coverage
    }
}
