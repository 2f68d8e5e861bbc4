internal import QRCoding
internal import Synchronization

/// A label to print and put into a specimen's bag: a QR code, and beside it what people read.
public struct SpecimenLabel: Sendable, Equatable {
    /// The size of the paper and how finely it is printed.
    public struct Format: Sendable, Equatable {
        /// Millimetres.
        public var width: Double
        public var height: Double
        /// Dots an inch.
        public var resolution: Double

        /// Nil out of these ranges, and for more than 4 million pixels, which a label is drawn in at 4 bytes each.
        ///
        /// - Parameters:
        ///   - width: 20 to 210 mm.
        ///   - height: 10 to 210 mm, at most the width.
        ///   - resolution: 100 to 1200 dots an inch.
        public init?(width: Double = 50, height: Double = 25, resolution: Double = 300) {
            guard (20...210).contains(width), (10...width).contains(height), (100...1200).contains(resolution),
                width * height * resolution * resolution / 645.16 <= 4e6
            else { return nil }
            self.width = width
            self.height = height
            self.resolution = resolution
        }

        /// What drawing it as PNG takes of memory at most, bytes: the pixels, and the file.
        public var memoryBytes: Int { pixelWidth * pixelHeight * 5 + 1 << 20 }

        var pixelWidth: Int { Int((width / 25.4 * resolution).rounded()) }
        var pixelHeight: Int { Int((height / 25.4 * resolution).rounded()) }
    }

    /// In large letters.
    public var title: String
    /// Below it, from top to bottom.
    public var lines: [String]
    /// What the code says.
    public var code: String

    public init(title: String, lines: [String], code: String) {
        self.title = title
        self.lines = lines
        self.code = code
    }

    private static let family = "DejaVu Sans"
    /// Letters on a small label are set by one at a time: each time opens the fonts anew and lets go of them.
    private static let turn = Mutex(())
    private static let drawing = Mutex(())

    /// The label as the bytes of a PNG file that says how large it is to be printed.
    ///
    /// - Throws: `DrawingError` with `size`, `font`, `glyph` or `engine`.
    public func png(_ format: Format) throws(DrawingError) -> [UInt8] {
        let outlines = try outlines(format)
        // One at a time: the largest takes 16 MB.
        return try Self.drawing.withLock { _ throws(DrawingError) in
            PrintSize.stating(format.resolution, in: try Self.picture(outlines, format))
        }
    }

    private static func picture(_ outlines: [Outline], _ format: Format) throws(DrawingError) -> [UInt8] {
        let area = PixelRect(x: 0, y: 0, width: format.pixelWidth, height: format.pixelHeight)
        let canvas = try Canvas(area)
        canvas.fill(Outline(area.box), .color(Color(red: 1, green: 1, blue: 1)), over: area.box)
        for outline in outlines {
            canvas.fill(outline, .color(Color(red: 0, green: 0, blue: 0)), over: area.box)
        }
        return try canvas.png()
    }

    /// The label as SVG, in millimetres; letters are outlines, so that no font is needed to print it.
    ///
    /// - Throws: `DrawingError` with `size`, `font`, `glyph` or `engine`.
    public func svg(_ format: Format) throws(DrawingError) -> String {
        let paths = try outlines(format).map { "<path d=\"\($0.svgData)\"/>" }.joined(separator: "\n")
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(format.width)mm" height="\(format.height)mm" \
            viewBox="0 0 \(format.pixelWidth) \(format.pixelHeight)">
            <rect width="100%" height="100%" fill="#fff"/>
            \(paths)
            </svg>

            """
    }

    // MARK: Layout

    /// The code at the left, as large as whole pixels let it be, and the words beside it.
    private func outlines(_ format: Format) throws(DrawingError) -> [Outline] {
        let (width, height) = (Double(format.pixelWidth), Double(format.pixelHeight))
        let code: QRCode
        do throws(QRCodeError) { code = try QRCode(self.code) } catch { throw DrawingError(.size, error.description) }
        let modules = code.size + 2 * QRCode.quietZone
        let module = Double(format.pixelHeight / modules)
        guard module >= 2 else {
            throw DrawingError(.size, "cannot draw the label: its code does not fit at this size; make it larger")
        }
        let side = module * Double(modules)
        let inset = module * Double(QRCode.quietZone)
        let top = ((height - side) / 2).rounded()
        var outlines = [code.outline(left: inset, top: top + inset, module: module)]
        let box = Box(left: side, top: inset, right: width - inset / 2, bottom: height - inset)
        outlines += try words(in: box)
        return outlines
    }

    private func words(in box: Box) throws(DrawingError) -> [Outline] {
        try Self.turn.withLock { _ throws(DrawingError) in
            let typesetter = try Typesetter()
            var outlines: [Outline] = []
            // Parts of the height: the title takes two lines' worth.
            let line = box.height / (Double(lines.count) + 2)
            var baseline = box.top + line * 1.5
            for (index, text) in ([title] + lines).enumerated() {
                let size = index == 0 ? line * 1.4 : line * 0.78
                outlines.append(
                    try set(text, size, weight: index == 0 ? 700 : 400, typesetter, box).moved(x: box.left, y: baseline)
                )
                baseline += line
            }
            return outlines
        }
    }

    /// Sets one line, smaller where it would be too long; what would still be too long at a size to be read is cut,
    /// but for the title, which says which specimen it is.
    private func set(
        _ text: String, _ size: Double, weight: Int, _ typesetter: Typesetter, _ box: Box
    ) throws(DrawingError) -> Outline {
        var request = LetteringRequest(
            text: text, family: Self.family, weight: weight, italic: false, size: size, tracking: 0, leading: 1,
            features: "", alignment: .left)
        var lettering = try typesetter.set(request)
        guard lettering.ink.right > box.width else { return lettering.outline }
        let part = box.width / lettering.ink.right * 0.99
        request.size *= text == title ? part : max(part, Self.smallest)
        if text != title, part < Self.smallest {
            let count = Int(Double(text.count) * part / Self.smallest) - 1
            request.text = text.prefix(max(1, count)) + "…"
        }
        lettering = try typesetter.set(request)
        if lettering.ink.right > box.width {
            request.size *= box.width / lettering.ink.right * 0.99
            lettering = try typesetter.set(request)
        }
        return lettering.outline
    }

    /// A line is set at least at this part of the usual size before it is cut.
    private static let smallest = 0.6
}

extension Outline {
    fileprivate func moved(x: Double, y: Double) -> Outline {
        func moved(_ point: Point) -> Point { Point(point.x + x, point.y + y) }
        return Outline(
            elements.map { element in
                switch element {
                case .move(let point): .move(moved(point))
                case .line(let point): .line(moved(point))
                case .curve(let first, let second, let end): .curve(moved(first), moved(second), moved(end))
                case .close: .close
                }
            })
    }

    /// SVG's path data (SVG 1.1, 8.3).
    fileprivate var svgData: String {
        func text(_ point: Point) -> String { "\(Self.hundredths(point.x)) \(Self.hundredths(point.y))" }
        return elements.map { element in
            switch element {
            case .move(let point): "M\(text(point))"
            case .line(let point): "L\(text(point))"
            case .curve(let first, let second, let end): "C\(text(first)) \(text(second)) \(text(end))"
            case .close: "Z"
            }
        }.joined()
    }

    private static func hundredths(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}

/// PNG's chunk that says how large the pixels are (ISO/IEC 15948, 11.3.5.3).
enum PrintSize {
    /// The file with the chunk behind its header.
    static func stating(_ dotsPerInch: Double, in png: [UInt8]) -> [UInt8] {
        // Signature and IHDR together have 33 bytes.
        guard png.count > 33 else { return png }
        let dotsPerMetre = UInt32((dotsPerInch / 0.0254).rounded())
        let chunk = Array("pHYs".utf8) + bytes(dotsPerMetre) + bytes(dotsPerMetre) + [1]
        return png[..<33] + bytes(UInt32(chunk.count - 4)) + chunk + bytes(checksum(chunk)) + png[33...]
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// CRC-32 (ISO/IEC 15948, annex D), bit by bit: there are 13 bytes.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
