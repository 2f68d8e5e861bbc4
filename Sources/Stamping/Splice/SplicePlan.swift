internal import JPEGCoding

/// All that stamping one overlay on pictures of one geometry and coding needs beside the picture: kept for the next.
final class SplicePlan: Sendable {
    let coding: ScanCoding
    let touched: TouchedUnits
    /// By component.
    let inks: [Ink]
    let coded: CodedInk

    /// What one component is stamped with.
    // A class: as a structure, it would have all its arrays counted for each block.
    final class Ink: Sendable {
        let component: InkedComponent
        let blender: BlockBlender

        init(_ component: InkedComponent, quantisation: [UInt16]) {
            self.component = component
            blender = BlockBlender(quantisation: quantisation)
        }

        /// Lays a touched block's ink on a block of the picture.
        ///
        /// - Returns: A bit for each coefficient of the result that is not 0.
        func blend(_ block: inout Coefficients, _ index: Int) -> UInt64 {
            component.blend(&block, index: index, by: blender)
        }
    }

    /// - Parameters:
    ///   - coding: Of the pictures.
    ///   - ink: Of the overlay.
    ///   - geometry: Of the pictures.
    ///   - before: What was coded by the same tables of the ink that blocks of this one come from.
    /// - Throws: `missingCode` if a table has no code for a block.
    init(
        _ coding: ScanCoding, _ ink: OverlayInk, _ geometry: OverlayGeometry, before: CodedInk?
    ) throws(SpliceFault) {
        self.coding = coding
        touched = TouchedUnits(ink, geometry, coding)
        inks = zip(ink.components, coding.quantisation).map {
            Ink($0, quantisation: $1)
        }
        coded = try CodedInk(inks, touched, coding, before)
    }
}
