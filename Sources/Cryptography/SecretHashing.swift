internal import CSodium

/// The library, made ready once for the process.
enum Sodium {
    static let isReady = sodium_init() >= 0
}

/// Hashes of passwords and PINs: argon2id (RFC 9106, one lane).
package enum PasswordHash {
    /// The text of a hash with its salt and parameters.
    ///
    /// - Parameters:
    ///   - secret: what is hashed.
    ///   - passes: over the memory, 1 and more.
    ///   - memory: bytes that it takes while it works.
    /// - Returns: nil where there is not that much memory.
    package static func make(_ secret: [UInt8], passes: UInt64, memory: Int) -> String? {
        guard Sodium.isReady else { return nil }
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_argon2id_STRBYTES))
        let letters = secret.map { CChar(bitPattern: $0) }
        let code = unsafe crypto_pwhash_argon2id_str(&text, letters, UInt64(letters.count), passes, memory)
        return code == 0 ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// Whether a hash is of a secret. It takes as long as making the hash did.
    package static func verifies(_ hash: String, _ secret: [UInt8]) -> Bool {
        guard Sodium.isReady, let text = padded(hash) else { return false }
        let letters = secret.map { CChar(bitPattern: $0) }
        return unsafe crypto_pwhash_argon2id_str_verify(text, letters, UInt64(letters.count)) == 0
    }

    /// Whether a hash was made with other parameters.
    package static func needsRehash(_ hash: String, passes: UInt64, memory: Int) -> Bool {
        guard let text = padded(hash) else { return true }
        return unsafe crypto_pwhash_argon2id_str_needs_rehash(text, passes, memory) != 0
    }

    /// A hash that no secret is of, to be compared with in the time that others take. Making it takes none.
    package static func decoy(passes: UInt64, memory: Int) -> String {
        // The last letter of either part stands for bits that are left over, which are 0 (RFC 4648 section 3.5).
        func random(_ letters: Int) -> String {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            return String((1..<letters).compactMap { _ in alphabet.randomElement() }) + "A"
        }
        return "$argon2id$v=19$m=\(memory / 1024),t=\(passes),p=1$\(random(22))$\(random(43))"
    }

    /// How many passes a hash was made with; nil where it does not say.
    package static func passes(of hash: String) -> UInt64? {
        hash.split(separator: "$").dropFirst(2).first?.split(separator: ",").first { $0.hasPrefix("t=") }.flatMap {
            UInt64($0.dropFirst(2))
        }
    }

    /// The library reads so many characters, zeros after the text.
    private static func padded(_ hash: String) -> [CChar]? {
        let size = Int(crypto_pwhash_argon2id_STRBYTES)
        let bytes = hash.utf8.map { CChar(bitPattern: $0) }
        guard bytes.count < size else { return nil }
        return bytes + [CChar](repeating: 0, count: size - bytes.count)
    }
}

/// Codes that only the holder of a key can make (RFC 2104 with SHA-256).
package enum MessageCode {
    /// - Parameters:
    ///   - message: any bytes.
    ///   - key: 32 bytes.
    /// - Returns: 32 bytes.
    package static func make(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        precondition(key.count == Int(crypto_auth_hmacsha256_KEYBYTES), "a key of HMAC-SHA-256 has 32 bytes here")
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        unsafe crypto_auth_hmacsha256(&code, message, UInt64(message.count), key)
        return code
    }

    /// Compares in a time that does not depend on where two codes differ.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe sodium_memcmp(one, other, one.count) == 0
    }
}
