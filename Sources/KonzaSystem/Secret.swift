internal import KonzaModel

/// Random words that open something. Of each only the hash is kept.
public enum Secret {
    /// - Parameter bytes: how many random bytes (getrandom(2)).
    /// - Returns: two hexadecimal digits for each.
    public static func hexadecimal(bytes: Int) -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }.hexadecimal
    }

    /// What is kept of a secret, its SHA-256. A secret of 128 bits or more is not guessed from it.
    public static func hash(_ secret: String) -> String {
        var hash = SHA256()
        hash.update(Array(secret.utf8))
        return hash.hexadecimal()
    }
}
