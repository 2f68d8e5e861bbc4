/// Text of gpsd's that reaches replies and sentences for people: without control characters and of a bounded length.
enum PrintableText {
    /// A device path is at most 128 bytes in gpsd 3.22 (`GPS_PATH_MAX`).
    private static let longestName = 128

    /// The text with U+FFFD for each control character, cut behind so many characters.
    static func cut(_ text: String, to length: Int = 128) -> String {
        let scalars = text.unicodeScalars.prefix(length + 1)
        var printable = String.UnicodeScalarView()
        for scalar in scalars.prefix(length) { printable.append(isPrintable(scalar) ? scalar : "\u{FFFD}") }
        return String(printable) + (scalars.count > length ? "…" : "")
    }

    /// A name that tells two receivers apart: where anything had to be changed, a checksum of the original (FNV-1a)
    /// takes the place of what is lost.
    static func name(_ text: String) -> String {
        let bytes = text.utf8
        if bytes.count <= longestName, text.unicodeScalars.allSatisfy(isPrintable) { return text }
        let sum = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\(cut(text, to: 60)) (\(String(sum, radix: 16)))"
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
