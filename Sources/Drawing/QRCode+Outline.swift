internal import QRCoding

extension QRCode {
    /// The dark modules as rectangles, as wide as they run in their row, each module a square of so many pixels.
    func outline(left: Double, top: Double, module: Double) -> Outline {
        var outline = Outline()
        for row in 0..<size {
            for run in runs(of: row) {
                let box = Box(
                    x: left + Double(run.lowerBound) * module, y: top + Double(row) * module,
                    width: Double(run.count) * module, height: module)
                outline.elements += Outline(box).elements
            }
        }
        return outline
    }
}
