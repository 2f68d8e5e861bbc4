internal import JPEGCoding

/// All that stamping one overlay on pictures of one geometry and coding needs beside the picture: kept for the next.
final class SplicePlan: Sendable {
    let coding: ScanCoding
    let touched: TouchedUnits
    /// By component.
    let inks: [Ink]
    let coded: CodedInk

    /// What one component is stamped with.
    struct Ink: Sendable {
        let component: InkedComponent
        let blender: BlockBlender

        /// A block of the picture under a touched block's ink.
        func blended(_ block: IntegerBlock, _ index: Int) -> IntegerBlock {
            component.blended(block, index: index, by: blender)
        }
    }

    init(_ coding: ScanCoding, _ ink: OverlayInk, _ geometry: OverlayGeometry) throws(SpliceFault) {
        self.coding = coding
        touched = TouchedUnits(ink, geometry, coding)
        inks = zip(ink.components, coding.quantisation).map {
            Ink(component: $0, blender: BlockBlender(quantisation: $1))
        }
        coded = try CodedInk(inks, touched, coding)
    }
}
