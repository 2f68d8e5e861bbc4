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
    private let newestPlan = Mutex<(geometry: OverlayGeometry, plan: SplicePlan)?>(nil)

    public init(_ overlay: Overlay) {
        self.overlay = overlay
    }

    func ink(for geometry: OverlayGeometry) -> OverlayInk {
        if let known = newestInk.withLock({ $0 }), known.geometry == geometry { return known.ink }
        // Worked out outside the lock: two callers may both do it once, and find the same.
        let ink = OverlayInk(overlay, geometry: geometry)
        newestInk.withLock { $0 = (geometry, ink) }
        return ink
    }

    /// The plan for pictures of a geometry whose header segments are the same.
    func plan(
        for geometry: OverlayGeometry, key: [UInt8], coding: () throws(SpliceFault) -> ScanCoding
    ) throws(SpliceFault) -> SplicePlan {
        if let known = newestPlan.withLock({ $0 }), known.geometry == geometry, known.plan.coding.key == key {
            return known.plan
        }
        let plan = try SplicePlan(coding(), ink(for: geometry), geometry)
        newestPlan.withLock { $0 = plan.coded.byteCount <= Self.codedLimit ? (geometry, plan) : nil }
        return plan
    }
}
