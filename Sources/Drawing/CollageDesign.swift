public import KonzaModel

/// What a template says of a collage: its paper, and where the pictures lie in it.
struct CollageDesign: Sendable {
    /// Where the pictures lie.
    struct Area: Sendable {
        var at: Place
        var width: Length
        var height: Length

        /// Within the margins that every picture of a template has.
        static let standard = Area(
            at: Place(x: Length(short: 4), y: Length(short: 4)), width: Length(width: 100, short: -8),
            height: Length(height: 100, short: -8))
    }

    var paper = Color(red: 251 / 255, green: 241 / 255, blue: 216 / 255)
    var line = Color(red: 42 / 255, green: 18 / 255, blue: 12 / 255)
    var landscape = Area.standard
    var portrait = Area.standard
}

extension Template {
    /// The least that pictures get of a collage's card each way, pixels.
    private static let leastEdge = 64

    /// What a collage of a size looks like under this template's lettering.
    ///
    /// - Parameters:
    ///   - width: of the card, pixels.
    ///   - height: of the card, pixels.
    /// - Returns: colours, and an area inside the card.
    /// - Throws: `DrawingError` with `value` if the template leaves no room for pictures at that size.
    public func collageStyle(width: Int, height: Int) throws(DrawingError) -> CollageStyle {
        let metrics = Metrics(width: Double(width), height: Double(height))
        let area = width >= height ? collage.landscape : collage.portrait
        let corner = area.at.point(metrics)
        let x = Int(corner.x.rounded())
        let y = Int(corner.y.rounded())
        let pixels = PixelArea(
            x: x, y: y, width: Int(area.width.pixels(metrics).rounded()),
            height: Int(area.height.pixels(metrics).rounded()))
        guard x >= 0, y >= 0, pixels.width >= Self.leastEdge, pixels.height >= Self.leastEdge,
            x + pixels.width <= width, y + pixels.height <= height
        else {
            throw DrawingError(
                .value,
                "cannot lay out a collage of \(width)x\(height) by the template \(name): its \"collage\" leaves the card or "
                    + "is smaller than \(Self.leastEdge) pixels; take larger pictures or another template")
        }
        return CollageStyle(paper: collage.paper.bytes, line: collage.line.bytes, area: pixels)
    }
}

extension Color {
    /// Eight bits a channel, alpha left out.
    fileprivate var bytes: CollageStyle.Colour {
        func byte(_ value: Double) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
        return CollageStyle.Colour(red: byte(red), green: byte(green), blue: byte(blue))
    }
}
