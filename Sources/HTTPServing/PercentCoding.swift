/// Percent-encoding as RFC 3986 section 2.1 has it. `+` is a plus, not a space.
enum PercentCoding {
    /// Decodes a part of a request target.
    ///
    /// - Returns: nil for a `%` without two hexadecimal digits, for bytes that are not UTF-8, and for control
    ///   characters (NUL among them), which no name of ours has.
    static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        // Nearly all are as they were written.
        if bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "%") }) {
            return String(validating: bytes, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            var value = byte
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                    return nil
                }
                value = high << 4 | low
            }
            guard value >= 0x20, value != 0x7F else { return nil }
            decoded.append(value)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
