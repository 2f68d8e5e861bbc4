/// Text inside XML 1.0 (Fifth Edition).
enum XMLText {
    /// The text as content of an element or of an attribute in double quotes: what is markup is written as a reference
    /// (section 4.6), so is what a parser would normalize away (2.11, 3.3.3), and what no document may hold (2.2), such
    /// as most control characters, is U+FFFD.
    static func escaped(_ text: String) -> String {
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

    /// `<name>text</name>`, indented, on a line of its own.
    static func element(_ name: String, _ text: String, indent: Int) -> String {
        "\(String(repeating: "  ", count: indent))<\(name)>\(escaped(text))</\(name)>\n"
    }
}

/// Text inside JSON (RFC 8259).
enum JSONText {
    /// The text as a JSON string with its quotes.
    static func quoted(_ text: String) -> String {
        var result = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result.append(contentsOf: "\\\"".unicodeScalars)
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            default:
                if scalar.isControl {
                    let digits = String(scalar.value, radix: 16)
                    let zeros = String(repeating: "0", count: 4 - digits.utf8.count)
                    result.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
                } else {
                    result.append(scalar)
                }
            }
        }
        result.append("\"")
        return String(result)
    }
}
