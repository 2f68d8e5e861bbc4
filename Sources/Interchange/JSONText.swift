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
