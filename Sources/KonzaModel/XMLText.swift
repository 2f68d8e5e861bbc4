/// Text inside XML 1.0 (Fifth Edition).
public enum XMLText {
    /// The text as content of an element or of an attribute in double quotes: what is markup is written as a reference
    /// (section 4.6), so is what a parser would normalize away (2.11, 3.3.3), and what no document may hold (2.2), such
    /// as most control characters, is U+FFFD.
    public static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "\t", "\n", "\r": result.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            default: result.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(result)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
    }
}
