public import KonzaModel
internal import Synchronization

/// An overlay with what was worked out for it: kept and used for every picture that gets the same drawing.
///
/// Only what the newest picture needed is kept, since a station has one camera format at a time: ink of up to three
/// times the overlay's pixels, and coded ink of up to `codedLimit`.
public final class PreparedOverlay: Sendable {
    /// Bytes. A plan with more coded ink is not kept, but worked out each time.
    private static let codedLimit = 8 << 20

    public let overlay: Overlay
    private let newestInk = Mutex<(geometry: OverlayGeometry, ink: OverlayInk)?>(nil)
    /// Until this overlay has ink of its own.
    private let previousInk = Mutex<(overlay: Overlay, geometry: OverlayGeometry, ink: OverlayInk)?>(nil)
    /// Until this overlay has a plan of its own: what was coded of the ink that this overlay's was made of.
    private let previousPlan = Mutex<SplicePlan?>(nil)
    private let newestPlan = Mutex<(geometry: OverlayGeometry, plan: SplicePlan)?>(nil)

    /// - Parameters:
    ///   - overlay: What was drawn.
    ///   - previous: Another overlay, perhaps of other words: where both have the same pixels, what was worked out for it
    ///     is used.
    public init(_ overlay: Overlay, after previous: PreparedOverlay? = nil) {
        self.overlay = overlay
        guard let previous, (previous.overlay.width, previous.overlay.height) == (overlay.width, overlay.height),
            let known = previous.newestInk.withLock({ $0 })
        else { return }
        previousInk.withLock { $0 = (previous.overlay, known.geometry, known.ink) }
        guard let plan = previous.newestPlan.withLock({ $0 }), plan.geometry == known.geometry else { return }
        previousPlan.withLock { $0 = plan.plan }
    }

    func ink(for geometry: OverlayGeometry) -> OverlayInk {
        if let known = newestInk.withLock({ $0 }), known.geometry == geometry { return known.ink }
        // Worked out outside the lock: two callers may both do it once, and find the same.
        let previous = previousInk.withLock { $0 }
        let before = previous.flatMap { previous in
            previous.geometry == geometry
                ? (ink: previous.ink, changes: OverlayChanges(from: previous.overlay, to: overlay)) : nil
        }
        let ink = OverlayInk(overlay, geometry: geometry, before: before)
        newestInk.withLock { $0 = (geometry, ink) }
        previousInk.withLock { $0 = nil }
        return ink
    }

    /// The plan for pictures of a geometry whose header segments are the same.
    func plan(
        for geometry: OverlayGeometry, key: [UInt8], coding: () throws(SpliceFault) -> ScanCoding
    ) throws(SpliceFault) -> SplicePlan {
        if let known = newestPlan.withLock({ $0 }), known.geometry == geometry, known.plan.coding.key == key {
            return known.plan
        }
        let ink = ink(for: geometry)
        // Another geometry's has no origins in what was before, and blocks of other tables have other codes.
        let before = previousPlan.withLock { previous in
            defer { previous = nil }
            return previous.flatMap { $0.coding.key == key ? $0.coded : nil }
        }
        let plan = try SplicePlan(coding(), ink, geometry, before: before)
        newestPlan.withLock { $0 = plan.coded.byteCount <= Self.codedLimit ? (geometry, plan) : nil }
        return plan
    }
}
