internal import KonzaSystem

extension Secret {
    /// 256 random bits, as 64 hexadecimal digits.
    static func make() -> String { hexadecimal(bytes: 32) }

    /// Letters that look and sound unlike one another (RFC 8628 section 6.1): no vowels, so that they make no words.
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")

    /// Eight letters in two groups, 34.5 random bits.
    static func pairingLetters() -> String {
        var random = SystemRandomNumberGenerator()
        let eight = (0..<8).compactMap { _ in letters.randomElement(using: &random) }
        return String(eight.prefix(4)) + "-" + String(eight.suffix(4))
    }

    /// Letters as somebody typed them, in the form in which they are shown; nil if they cannot be any.
    static func pairingLetters(typed text: String) -> String? {
        let found = text.uppercased().filter { !$0.isWhitespace && $0 != "-" }
        guard found.count == 8, found.allSatisfy(letters.contains) else { return nil }
        return String(found.prefix(4)) + "-" + String(found.suffix(4))
    }

    /// An id for people and logs.
    static func deviceID() -> String {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("abcdefghjkmnpqrstvwxyz23456789")
        return String((0..<10).compactMap { _ in alphabet.randomElement(using: &random) })
    }
}
