internal import CQREncode

/// A QR code (ISO/IEC 18004), encoded by libqrencode.
struct QRCode: Equatable, Sendable {
    /// What stays free around the code on every side, modules (ISO/IEC 18004, 9.1).
    static let quietZone = 4

    /// Modules on a side.
    let size: Int
    /// Row by row; true is dark.
    let modules: [Bool]

    /// The designator of UTF-8 (AIM ITS/04-023, assignment 26).
    private static let utf8: UInt32 = 26

    /// Encodes text as UTF-8 bytes, with the correction of 15 % (level M): a label gets scratched. What is not ASCII says that
    /// it is UTF-8 (ISO/IEC 18004, 7.4.2), since readers would guess, and take it for Japanese or Chinese.
    ///
    /// - Throws: `DrawingError` with `size`, when the text is longer than a code of 77 modules holds.
    init(_ text: String) throws(DrawingError) {
        // Version 15 (77 modules) holds 412 bytes at this level; a denser one cannot be read from a small label.
        let bytes = Array(text.utf8)
        guard let input = unsafe QRinput_new2(0, QR_ECLEVEL_M) else {
            throw DrawingError(.engine, "cannot make a QR code: no memory for it")
        }
        defer { unsafe QRinput_free(input) }
        let isPlain = bytes.allSatisfy { $0 < 0x80 }
        guard unsafe isPlain || QRinput_appendECIheader(input, Self.utf8) == 0,
            unsafe QRinput_append(input, QR_MODE_8, Int32(clamping: bytes.count), bytes) == 0,
            let code = unsafe QRcode_encodeInput(input)
        else {
            throw DrawingError(.size, "cannot make a QR code: \(bytes.count) bytes do not fit; say less")
        }
        defer { unsafe QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        guard width <= 77, let data = unsafe code.pointee.data else {
            throw DrawingError(.size, "cannot make a QR code: \(bytes.count) bytes make it too dense; say less")
        }
        size = width
        // The lowest bit of each byte is the module's colour.
        modules = (0..<width * width).map { unsafe data[$0] & 1 == 1 }
    }

    /// The dark modules as rectangles, as wide as they run in their row, each module a square of so many pixels.
    func outline(left: Double, top: Double, module: Double) -> Outline {
        var outline = Outline()
        for row in 0..<size {
            var column = 0
            while column < size {
                guard modules[row * size + column] else {
                    column += 1
                    continue
                }
                let start = column
                while column < size, modules[row * size + column] { column += 1 }
                outline.elements +=
                    Outline(
                        Box(
                            x: left + Double(start) * module, y: top + Double(row) * module,
                            width: Double(column - start) * module, height: module)
                    ).elements
            }
        }
        return outline
    }
}
