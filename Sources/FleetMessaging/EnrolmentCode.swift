internal import KonzaModel

/// What lets a box have its first certificate: a secret of 128 bits, by which the hub knows the box, and half of the SHA-256 of the
/// authority's certificate, by which the box knows the hub, so that nothing is trusted unseen. Written as groups of four
/// hexadecimal digits, the last of which find a slip of the pen.
public struct EnrolmentCode: Sendable, Equatable, LosslessStringConvertible {
    private static let secretDigits = 32
    private static let printDigits = 32
    private static let checkDigits = 4

    /// 32 hexadecimal digits.
    public let secret: String
    /// 32 hexadecimal digits.
    public let fingerprint: String

    /// - Parameters:
    ///   - secret: 32 hexadecimal digits, random.
    ///   - fingerprint: of the authority's certificate, SHA-256 in hexadecimal digits, with or without colons.
    public init(secret: String, fingerprint: String) {
        self.secret = secret.lowercased()
        self.fingerprint = Self.shortened(fingerprint)
    }

    /// - Parameter text: as somebody typed it.
    public init?(_ text: String) {
        let digits = text.lowercased().filter { !$0.isWhitespace && $0 != "-" }
        guard digits.utf8.count == Self.secretDigits + Self.printDigits + Self.checkDigits,
            digits.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) || ("a"..."f").contains($0) })
        else { return nil }
        let body = String(digits.dropLast(Self.checkDigits))
        guard digits.hasSuffix(Self.check(body)) else { return nil }
        secret = String(body.prefix(Self.secretDigits))
        fingerprint = String(body.dropFirst(Self.secretDigits))
    }

    /// Whether an authority is the one of the code.
    ///
    /// - Parameter fingerprint: SHA-256 in hexadecimal digits, with or without colons.
    /// - Returns: whether it is.
    public func names(_ fingerprint: String) -> Bool { Self.shortened(fingerprint) == self.fingerprint }

    public var description: String {
        let body = secret + fingerprint
        let digits = Array(body + Self.check(body))
        return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<min($0 + 4, digits.count)]) }
            .joined(separator: "-")
    }

    private static func shortened(_ fingerprint: String) -> String {
        String(fingerprint.lowercased().filter { $0 != ":" }.prefix(printDigits))
    }

    private static func check(_ body: String) -> String {
        var hash = SHA256()
        hash.update(Array(body.utf8))
        return String(hash.hexadecimal().prefix(checkDigits))
    }
}
