/// The escapes in a string of JSON (RFC 8259 section 7).
public enum JSONEscape {
    /// Why an escape cannot be read.
    public enum Fault: Error, Sendable {
        /// The text ends within it.
        case cut
        /// `\u` is not followed by four hexadecimal digits.
        case digits
        /// Half of a surrogate pair stands alone.
        case surrogate
        /// There is no such letter.
        case unknown
    }

    /// Reads one escape.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - place: behind the backslash; then behind the escape, or where it is at fault.
    /// - Returns: what it stands for.
    /// - Throws: ``Fault``.
    public static func scalar(in bytes: [UInt8], at place: inout Int) throws(Fault) -> Unicode.Scalar {
        guard place < bytes.count else { throw .cut }
        let letter = bytes[place]
        place += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try pair(in: bytes, at: &place)
        default: throw .unknown
        }
    }

    private static func pair(in bytes: [UInt8], at place: inout Int) throws(Fault) -> Unicode.Scalar {
        let first = try codeUnit(in: bytes, at: &place)
        guard (0xD800...0xDBFF).contains(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw .surrogate }
            return scalar
        }
        guard place + 1 < bytes.count, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") else {
            throw .surrogate
        }
        place += 2
        let second = try codeUnit(in: bytes, at: &place)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw .surrogate }
        return scalar
    }

    private static func codeUnit(in bytes: [UInt8], at place: inout Int) throws(Fault) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard place < bytes.count, let digit = value(of: bytes[place]) else { throw .digits }
            unit = unit << 4 | digit
            place += 1
        }
        return unit
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(digit - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(digit - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
