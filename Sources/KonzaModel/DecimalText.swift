/// Numbers as decimal text, without a locale and without an exponent.
package enum DecimalText {
    /// A number rounded to a number of decimals; "0" for what is not finite or too large to be meant.
    package static func text(_ value: Double, _ decimals: Int) -> String {
        var bytes = [UInt8]()
        append(value, decimals, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a number rounded to `decimals` (0 to 9) digits after the point, ties away from zero.
    package static func append(_ value: Double, _ decimals: Int, to bytes: inout [UInt8]) {
        var scale: UInt64 = 1
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value.magnitude * Double(scale)).rounded()
        guard scaled.isFinite, scaled < 9e18 else { return bytes.append(UInt8(ascii: "0")) }
        let number = UInt64(scaled)
        if value < 0, number > 0 { bytes.append(UInt8(ascii: "-")) }
        appendInteger(number / scale, width: 1, to: &bytes)
        guard decimals > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        appendInteger(number % scale, width: decimals, to: &bytes)
    }

    /// Appends an integer with at least `width` digits.
    package static func appendInteger(_ value: UInt64, width: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        var rest = value
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0 || bytes.count - start < width
        bytes[start...].reverse()
    }
}
