internal import KonzaAPI

/// One text for each JSON value, as RFC 8785 has it, for values without fractions: no white space; members in the order of
/// their names' UTF-16 code units; whole numbers up to 2^53 in digits alone; in strings `\"`, `\\`, `\b`, `\f`, `\n`, `\r`,
/// `\t`, `\u00` and two lower-case digits for other control characters, and everything else as it is. What is signed is such a
/// text, so that whoever signs and whoever verifies need not have the same bytes of a message.
enum CanonicalJSON {
    /// - Returns: nil for a number with a fraction or beyond 2^53.
    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let number), .decimal(let number, _):
            guard let whole = Int64(exactly: number), abs(number) <= 0x1p53 else { return nil }
            return String(whole)
        case .string(let text): return quoted(text)
        case .array(let values):
            let texts = values.compactMap { self.text($0) }
            return texts.count == values.count ? "[\(texts.joined(separator: ","))]" : nil
        case .object(let members):
            let names = members.keys.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
            let texts = names.compactMap { name in
                members[name].flatMap { self.text($0) }.map { "\(quoted(name)):\($0)" }
            }
            return texts.count == names.count ? "{\(texts.joined(separator: ","))}" : nil
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{8}": quoted += "\\b"
            case "\u{C}": quoted += "\\f"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\0"..<" ": quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// The bytes that are signed: each field as a netstring (its length in bytes, `:`, the bytes, `,`), so that no two lists of
/// fields have the same bytes.
enum SignedText {
    static func bytes(_ fields: [String]) -> [UInt8] {
        fields.flatMap { Array("\($0.utf8.count):\($0),".utf8) }
    }
}
