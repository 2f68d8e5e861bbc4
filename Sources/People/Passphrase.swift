internal import HTTPServing
internal import KonzaSystem

/// Random words for people and cookies.
enum PeopleSecret {
    /// - Returns: two hexadecimal digits for each byte.
    static func make(bytes: Int) -> String { Secret.hexadecimal(bytes: bytes) }

    /// Letters that look and sound unlike one another, and make no words.
    private static let letters = Array("bcdfghjkmnpqrstvwxz")

    /// Five groups of four letters, 84 random bits: longer than the rules ask, and quick to type.
    static func passphrase() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<5).map { _ in
            String((0..<4).compactMap { _ in letters.randomElement(using: &random) })
        }.joined(separator: "-")
    }

    /// Six random digits.
    static func pin() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = String(Int.random(in: 0..<1_000_000, using: &random))
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    /// For people, logs and addresses; it opens nothing.
    static func sessionID() -> String { Secret.hexadecimal(bytes: 5) }
}

/// The rules for passphrases of NIST SP 800-63B-4 section 3.1.1.2: a length, a list of what everybody takes, and nothing else:
/// no composition, no end.
enum PassphraseRules {
    /// Characters, for a passphrase that is the only factor.
    static let shortest = 15
    static let longest = 128

    /// Those that are tried first and are long enough; compared in lower case, without spaces.
    private static let common: Set<String> = [
        "123456789012345", "1234567890123456", "12345678901234567890", "qwertyuiopasdfgh", "qwertyuiopasdfghjkl",
        "qwertyuiop123456", "1q2w3e4r5t6y7u8i", "passwordpassword", "password12345678", "passwordpassword1",
        "thisismypassword", "iloveyouiloveyou", "letmeinletmeinletmein", "correcthorsebatterystaple",
        "administrator123",
        "changemechangeme", "welcomewelcome1", "konzaprairiekonza", "konzaprairie2026", "konzaprairiebiologicalstation",
        "abcdefghijklmnop", "abcdefghijklmnopqrstuvwxyz", "0123456789abcdef", "qazwsxedcrfvtgbyhn",
    ]

    /// A passphrase as it is hashed.
    ///
    /// - Parameters:
    ///   - text: as it was typed.
    ///   - name: of the person, which is no passphrase.
    /// - Returns: UTF-8, normalised.
    /// - Throws: `PeopleError.invalid` with the rule that it breaks.
    static func checked(_ text: String, name: String) throws(PeopleError) -> [UInt8] {
        let trimmed = String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        guard let bytes = OpaqueString.normalized(trimmed) else {
            throw .invalid("a passphrase has letters, digits, marks and spaces, and no control characters")
        }
        let normal = String(decoding: bytes, as: UTF8.self)
        let count = normal.unicodeScalars.count
        guard count >= shortest else {
            throw .invalid(
                "a passphrase has at least \(shortest) characters; four or five words are easy to keep in mind")
        }
        guard count <= longest else { throw .invalid("a passphrase has at most \(longest) characters") }
        let plain = normal.lowercased().filter { !$0.isWhitespace && $0 != "-" && $0 != "_" }
        let own = name.lowercased().filter { !$0.isWhitespace }
        guard !common.contains(plain), !isRepeated(plain), !isRun(plain), !isMade(plain, of: own) else {
            throw .invalid(
                "this passphrase is one of those that are tried first; take words that only you put together")
        }
        return bytes
    }

    /// One to five characters again and again.
    private static func isRepeated(_ text: String) -> Bool {
        let letters = Array(text)
        return (1...5).contains { period in
            letters.indices.allSatisfy { letters[$0] == letters[$0 % period] }
        }
    }

    /// Each character follows the one before it.
    private static func isRun(_ text: String) -> Bool {
        let values = text.unicodeScalars.map { Int($0.value) }
        var isUp = true
        var isDown = true
        for (one, next) in zip(values, values.dropFirst()) {
            // After 9 comes 0 again.
            isUp = isUp && (next == one + 1 || (one == 0x39 && next == 0x30))
            isDown = isDown && (next == one - 1 || (one == 0x30 && next == 0x39))
        }
        return isUp || isDown
    }

    /// The name again and again, with digits at most.
    private static func isMade(_ text: String, of name: String) -> Bool {
        guard name.count >= 3, text.contains(name) else { return false }
        return text.replacing(name, with: "").allSatisfy { $0.isNumber }
    }
}
