internal import CQREncode

/// A QR code (ISO/IEC 18004), encoded by libqrencode.
public struct QRCode: Equatable, Sendable {
    /// What stays free around the code on every side, modules (ISO/IEC 18004, 9.1).
    public static let quietZone = 4

    /// Modules on a side.
    public let size: Int
    /// Row by row; true is dark.
    public let modules: [Bool]

    /// The designator of UTF-8 (AIM ITS/04-023, assignment 26).
    private static let utf8: UInt32 = 26

    /// Encodes text as UTF-8 bytes, with the correction of 15 % (level M): a label gets scratched. What is not ASCII says that
    /// it is UTF-8 (ISO/IEC 18004, 7.4.2), since readers would guess, and take it for Japanese or Chinese.
    ///
    /// - Throws: ``QRCodeError``, when the text is longer than a code of 77 modules holds.
    public init(_ text: String) throws(QRCodeError) {
        // Version 15 (77 modules) holds 412 bytes at this level; a denser one cannot be read from a small label.
        let bytes = Array(text.utf8)
        guard let input = unsafe QRinput_new2(0, QR_ECLEVEL_M) else {
            throw QRCodeError("cannot make a QR code: no memory for it")
        }
        defer { unsafe QRinput_free(input) }
        let isPlain = bytes.allSatisfy { $0 < 0x80 }
        guard unsafe isPlain || QRinput_appendECIheader(input, Self.utf8) == 0,
            unsafe QRinput_append(input, QR_MODE_8, Int32(clamping: bytes.count), bytes) == 0,
            let code = unsafe QRcode_encodeInput(input)
        else {
            throw QRCodeError("cannot make a QR code: \(bytes.count) bytes do not fit; say less")
        }
        defer { unsafe QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        guard width <= 77, let data = unsafe code.pointee.data else {
            throw QRCodeError("cannot make a QR code: \(bytes.count) bytes make it too dense; say less")
        }
        size = width
        // The lowest bit of each byte is the module's colour.
        modules = (0..<width * width).map { unsafe data[$0] & 1 == 1 }
    }

    /// Whether a module is dark.
    public subscript(row: Int, column: Int) -> Bool { modules[row * size + column] }

    /// The modules as a text for each row: 1 is dark, 0 light.
    public var rows: [String] {
        (0..<size).map { row in String((0..<size).map { self[row, $0] ? "1" : "0" }) }
    }

    /// The code as a picture that grows without loss (SVG 2), a module a unit, with its quiet zone.
    public var svg: String {
        let edge = size + 2 * Self.quietZone
        var path = ""
        for row in 0..<size {
            for run in runs(of: row) {
                path += "M\(run.lowerBound + Self.quietZone) \(row + Self.quietZone)h\(run.count)v1h-\(run.count)z"
            }
        }
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(edge) \(edge)\" shape-rendering=\"crispEdges\">"
            + "<rect width=\"\(edge)\" height=\"\(edge)\" fill=\"#fff\"/><path d=\"\(path)\"/></svg>"
    }

    /// The stretches of dark modules in a row.
    public func runs(of row: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var column = 0
        while column < size {
            guard self[row, column] else {
                column += 1
                continue
            }
            let start = column
            while column < size, self[row, column] { column += 1 }
            runs.append(start..<column)
        }
        return runs
    }
}

/// Why there is no code: the text is too long, or there is no memory.
public struct QRCodeError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
