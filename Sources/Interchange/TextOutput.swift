/// Text on its way to a sink, gathered into pieces.
struct TextOutput {
    private static let pieceSize = 32 * 1024

    private var bytes: [UInt8] = []
    private let sink: ByteSink

    init(_ sink: @escaping ByteSink) {
        self.sink = sink
    }

    mutating func add(_ text: String) throws(InterchangeError) {
        bytes.append(contentsOf: text.utf8)
        if bytes.count >= Self.pieceSize { try flush() }
    }

    /// Gives what is gathered to the sink; to be called last.
    mutating func flush() throws(InterchangeError) {
        var start = 0
        while start < bytes.count {
            let end = min(start + Self.pieceSize, bytes.count)
            try sink(Array(bytes[start..<end]))
            start = end
        }
        bytes.removeAll(keepingCapacity: true)
    }
}

/// Numbers as text that every program reads alike: a point, no exponent, no locale, no negative zero.
enum NumberText {
    /// Degrees of latitude and longitude: 9 decimals, a tenth of a millimetre; the last two are left out if zero.
    static func degrees(_ value: Double) -> String { fixed(value, 9, atLeast: 7) }

    /// Metres and all else: a millimetre.
    static func plain(_ value: Double) -> String { fixed(value, 3, atLeast: 0) }

    /// A number rounded to `decimals` digits after the point (9 at most), ties away from zero, without the zeros at its
    /// end beyond `atLeast`. What is not finite or above 10^9, and so no measure of anything here, is `0`.
    static func fixed(_ value: Double, _ decimals: Int, atLeast: Int) -> String {
        var scale: UInt64 = 1
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value.magnitude * Double(scale)).rounded()
        guard scaled.isFinite, scaled <= 1e18 else { return "0" }
        let number = UInt64(scaled)
        var text = (value < 0 && number > 0 ? "-" : "") + String(number / scale)
        var fraction = String(number % scale)
        fraction = String(repeating: "0", count: decimals - fraction.utf8.count) + fraction
        while fraction.utf8.count > atLeast, fraction.hasSuffix("0") { fraction.removeLast() }
        if !fraction.isEmpty { text += "." + fraction }
        return text
    }
}

extension String {
    /// The text on one line: every run of line breaks, tabs and other control characters is one space, and none is at
    /// either end.
    var onOneLine: String {
        var scalars = String.UnicodeScalarView()
        var isGap = false
        for scalar in unicodeScalars {
            if scalar.isControl || scalar == " " {
                isGap = !scalars.isEmpty
            } else {
                if isGap { scalars.append(" ") }
                isGap = false
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}

extension Unicode.Scalar {
    /// A control character, or one of the two line breaks beyond ASCII (Unicode 15, sections 23.1 and 5.8).
    var isControl: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }
}
