internal import CSodium
internal import FoundationEssentials
internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// A private key for Ed25519 (RFC 8032) in memory of its own, which is not swapped where the system allows, and is wiped when
/// the owner goes. Its file is PKCS #8 (RFC 8410), as OpenSSL writes it.
@safe package struct SigningKey: ~Copyable {
    /// What libsodium signs with: the seed, then the public key.
    private let secret: UnsafeMutableRawPointer
    package let verifyingKey: VerifyingKey

    /// Takes 32 bytes and wipes them.
    private init(_ seed: inout [UInt8], _ path: String) throws(SigningKeyError) {
        defer { Self.wipe(&seed) }
        let count = Int(crypto_sign_ed25519_SECRETKEYBYTES)
        guard Sodium.isReady, seed.count == Int(crypto_sign_ed25519_SEEDBYTES), let secret = unsafe sodium_malloc(count)
        else { throw SigningKeyError("cannot use the key \(path): there is no memory that can be locked") }
        var open = [UInt8](repeating: 0, count: Int(crypto_sign_ed25519_PUBLICKEYBYTES))
        unsafe crypto_sign_ed25519_seed_keypair(
            &open, secret.bindMemory(to: UInt8.self, capacity: count), seed)
        unsafe sodium_mprotect_readonly(secret)
        unsafe self.secret = unsafe secret
        verifyingKey = VerifyingKey(bytes: open)
    }

    // sodium_free(3) wipes.
    deinit { unsafe sodium_free(secret) }

    /// The signature, 64 bytes.
    package borrowing func signature(of message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Int(crypto_sign_ed25519_BYTES))
        unsafe crypto_sign_ed25519_detached(
            &signature, nil, message, UInt64(message.count), secret.assumingMemoryBound(to: UInt8.self))
        return signature
    }

    // MARK: files

    /// What stands before the seed in PKCS #8: version 0, the algorithm 1.3.101.112, an octet string in an octet string.
    private static let prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
    private static let begin = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"
    private static let mostBytes = 4096

    /// Makes a key pair and writes the private key into a file that its owner alone may read. None is replaced.
    ///
    /// - Parameter path: of the file.
    /// - Returns: the public key.
    /// - Throws: ``SigningKeyError``.
    package static func make(file path: String) throws(SigningKeyError) -> VerifyingKey {
        var seed = [UInt8](repeating: 0, count: Int(crypto_sign_ed25519_SEEDBYTES))
        guard Sodium.isReady else { throw SigningKeyError("cannot make a key: the library does not start") }
        unsafe randombytes_buf(&seed, seed.count)
        var text = encoded(seed)
        defer { wipe(&text) }
        let place = folderAndName(of: path)
        do throws(DeliveryError) {
            let file = try DeliveredFile(place.name, in: place.folder, mode: 0o600)
            try file.write(text)
            try file.finish()
        } catch {
            wipe(&seed)
            throw SigningKeyError(error.description)
        }
        return try SigningKey(&seed, path).verifyingKey
    }

    /// Reads a private key.
    ///
    /// - Parameter path: of a file that nobody but its owner may read or write.
    /// - Throws: ``SigningKeyError``.
    package init(file path: String) throws(SigningKeyError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw SigningKeyError("cannot read the key \(path): \(SystemError.text(errno))")
        }
        defer { close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw SigningKeyError("cannot read the key \(path): it is no file")
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw SigningKeyError("cannot use the key \(path): others may read it; try: chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        defer { Self.wipe(&bytes) }
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0, var seed = Self.seed(in: bytes[..<count]) else {
            throw SigningKeyError(
                "cannot use the key \(path): it is no Ed25519 private key (PKCS #8, PEM); make one with konza fleet key make"
            )
        }
        try self.init(&seed, path)
    }

    private static func encoded(_ seed: [UInt8]) -> [UInt8] {
        var whole = prefix + seed
        defer { wipe(&whole) }
        var letters = [CChar](repeating: 0, count: 65)
        defer { unsafe sodium_memzero(&letters, letters.count) }
        unsafe _ = sodium_bin2base64(&letters, letters.count, whole, whole.count, sodium_base64_VARIANT_ORIGINAL)
        return Array("\(begin)\n".utf8) + letters.prefix(64).map { UInt8(bitPattern: $0) } + Array("\n\(end)\n".utf8)
    }

    /// The seed in a file's bytes; nil if it is none of a key for Ed25519.
    private static func seed(in bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.firstIndex(where: { $0.elementsEqual(begin.utf8) }),
            let last = lines[first...].firstIndex(where: { $0.elementsEqual(end.utf8) })
        else { return nil }
        var letters = lines[(first + 1)..<last].joined().map { CChar(bitPattern: $0) }
        defer { unsafe sodium_memzero(&letters, letters.count) }
        var whole = [UInt8](repeating: 0, count: 48)
        defer { wipe(&whole) }
        var count = 0
        let code = unsafe sodium_base642bin(
            &whole, whole.count, letters, letters.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
        guard code == 0, count == 48, whole.starts(with: prefix) else { return nil }
        return Array(whole[16...])
    }

    private static func wipe(_ bytes: inout [UInt8]) { unsafe sodium_memzero(&bytes, bytes.count) }
}

/// Why a private key cannot be made or used.
package struct SigningKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A public key for Ed25519 (RFC 8032).
package struct VerifyingKey: Sendable, Hashable {
    private let bytes: [UInt8]

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: nil unless the text is the Base64 of 32 bytes (RFC 4648 section 4).
    package init?(base64 text: String) {
        guard text.utf8.count == 44, let data = Data(base64Encoded: text), data.count == 32,
            data.base64EncodedString() == text
        else { return nil }
        bytes = Array(data)
    }

    package var base64: String { Data(bytes).base64EncodedString() }

    /// What it is called by: the first 16 hexadecimal digits of its SHA-256.
    package var id: String {
        var hash = SHA256()
        hash.update(bytes)
        return String(hash.hexadecimal().prefix(16))
    }

    /// Whether a signature of 64 bytes is that of the message.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard Sodium.isReady, signature.count == Int(crypto_sign_ed25519_BYTES) else { return false }
        return unsafe crypto_sign_ed25519_verify_detached(signature, message, UInt64(message.count), bytes) == 0
    }
}
