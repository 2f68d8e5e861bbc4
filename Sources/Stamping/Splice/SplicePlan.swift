internal import JPEGCoding

/// All that stamping one overlay on pictures of one geometry and coding needs beside the picture: kept for the next.
final class SplicePlan: Sendable {
    let coding: ScanCoding
    let ink: OverlayInk
    let touched: TouchedUnits
    let blenders: [BlockBlender]
    let coded: CodedInk

    init(_ coding: ScanCoding, _ ink: OverlayInk, _ geometry: OverlayGeometry) throws(SpliceFault) {
        self.coding = coding
        self.ink = ink
        touched = TouchedUnits(ink, geometry, coding)
        blenders = coding.quantisation.map { BlockBlender(quantisation: $0) }
        coded = try CodedInk(ink, touched, coding, blenders)
    }
}
