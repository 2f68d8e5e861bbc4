public import KonzaModel

extension PostcardArtist {
    /// The picture that stands in where there is none: calm, and plain about why.
    ///
    /// - Parameters:
    ///   - width: the picture's width, pixels.
    ///   - height: the picture's height, pixels.
    ///   - title: a few words, such as "No camera".
    ///   - reasons: sentences that say what is wrong and what to do; those that do not fit are left to the other
    ///     surfaces that tell them.
    /// - Returns: an opaque picture of that size.
    /// - Throws: `DrawingError` with `size`, `font`, `glyph` or `engine`.
    public func placeholder(width: Int, height: Int, title: String, reasons: [String]) throws(DrawingError) -> RGBImage
    {
        let template = try Template(parsing: Self.placeholderTemplate)
        // The template's message carries the reasons, its place the title.
        let facts = PostcardFacts(
            place: Self.printable(title), message: reasons.map(Self.printable).joined(separator: "\n"))
        let drawn = try overlay(template: template, width: width, height: height, facts: facts)
        let blank = RGBImage(width: width, height: height, pixels: [UInt8](repeating: 0, count: width * height * 3))
        return try blank.stamped(with: drawn)
    }

    /// A text without control characters, which a device's own words may bring.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    private static let placeholderTemplate = """
        { "name": "placeholder", "title": "No picture",
          "shapes": {
            "sun": { "viewBox": [0, 0, 100, 100],
              "data": "M50 0 C77.6 0 100 22.4 100 50 C100 77.6 77.6 100 50 100 C22.4 100 0 77.6 0 50 C0 22.4 22.4 0 50 0 Z" },
            "far": { "viewBox": [0, 0, 100, 100],
              "data": "M0 100 L0 30 C14 8 26 10 38 24 C50 38 62 12 76 10 C88 9 94 18 100 22 L100 100 Z" },
            "near": { "viewBox": [0, 0, 100, 100],
              "data": "M0 100 L0 46 C18 22 34 30 50 42 C66 54 82 38 100 32 L100 100 Z" }
          },
          "layers": [
            { "type": "band", "edge": "top", "size": "100h",
              "fill": { "angle": 90, "stops": [ { "at": 0, "color": "#28404a" }, { "at": 70, "color": "#6f7f74" },
                { "at": 100, "color": "#b39a6b" } ] } },
            { "type": "path", "shape": "sun", "at": ["50w", "76h"], "anchor": "center", "height": "26s",
              "paint": [ { "fill": "#e2bd7a55" } ] },
            { "type": "path", "shape": "far", "at": ["0w", "72h"], "width": "100w", "height": "28h",
              "paint": [ { "fill": "#3f5449" } ] },
            { "type": "path", "shape": "near", "at": ["0w", "82h"], "width": "100w", "height": "18h",
              "paint": [ { "fill": "#22352b" } ] },
            { "type": "text", "text": "{place}", "when": "place", "font": "DejaVu Sans", "weight": 700, "size": "8s",
              "at": ["50w", "27h"], "anchor": "center",
              "fit": { "width": "88w", "lines": 2, "minimum": 50, "overflow": "ellipsis" },
              "paint": [ { "fill": "#f7eedb" } ] },
            { "type": "rule", "at": ["50w", "27h + 9s"], "anchor": "center", "length": "16s", "thickness": "0.4s",
              "fill": "#e0b45c" },
            { "type": "text", "text": "{message}", "when": "message", "font": "DejaVu Sans", "size": "4.2s",
              "at": ["50w", "27h + 15s"], "anchor": "top", "leading": 1.15,
              "fit": { "width": "86w", "lines": 7, "minimum": 55, "prefer": "wrap", "overflow": "ellipsis" },
              "paint": [ { "fill": "#f1e8d4" } ] }
          ] }
        """
}
