/// Lays out JSON (RFC 8259) for people and programs without touching a number or a name.
enum JSONText {
    /// One member a line, and nothing in it that a terminal takes as a command: such characters become escapes.
    static func indented(_ bytes: [UInt8]) -> String { laidOut(bytes, indents: true) }

    /// All on one line, with the same escapes.
    static func compact(_ bytes: [UInt8]) -> String { laidOut(bytes, indents: false) }

    /// A text as a JSON string.
    static func quoted(_ text: String) -> String {
        let inner = text.unicodeScalars.map { scalar in
            scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : safe(scalar)
        }
        return "\"\(inner.joined())\""
    }

    private static func laidOut(_ bytes: [UInt8], indents: Bool) -> String {
        let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        var result = String.UnicodeScalarView()
        var depth = 0
        var isInString = false
        var isEscaped = false
        func append(_ text: String) { result.append(contentsOf: text.unicodeScalars) }
        func newLine() {
            guard indents else { return }
            append("\n" + String(repeating: "  ", count: min(max(depth, 0), 32)))
        }
        for (index, scalar) in scalars.enumerated() {
            if isInString {
                append(safe(scalar))
                if isEscaped {
                    isEscaped = false
                } else if scalar == "\\" {
                    isEscaped = true
                } else if scalar == "\"" {
                    isInString = false
                }
                continue
            }
            switch scalar {
            case " ", "\t", "\n", "\r": continue
            case "\"":
                isInString = true
                result.append(scalar)
            case "{", "[":
                depth += 1
                result.append(scalar)
                if let next = next(after: index, in: scalars), next != "}", next != "]" { newLine() }
            case "}", "]":
                depth -= 1
                if let last = result.last, last != "{", last != "[" { newLine() }
                result.append(scalar)
            case ",":
                result.append(scalar)
                newLine()
            case ":": append(indents ? ": " : ":")
            default: append(safe(scalar))
            }
        }
        return String(result)
    }

    private static func next(after index: Int, in scalars: [Unicode.Scalar]) -> Unicode.Scalar? {
        scalars[(index + 1)...].first { $0 != " " && $0 != "\t" && $0 != "\n" && $0 != "\r" }
    }

    /// The character, or its JSON escape if a terminal could take it as a command.
    private static func safe(_ scalar: Unicode.Scalar) -> String {
        guard TextSafety.isDangerous(scalar) else { return String(scalar) }
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
