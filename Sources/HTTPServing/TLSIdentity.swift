public import KonzaModel

/// Why a certificate cannot be served.
public struct TLSIdentityError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// There is no PEM block of the kind that is needed.
        case notPEM
        /// The PEM block is damaged, encrypted, or of a kind that GnuTLS does not know.
        case unreadable
        /// The key is not that of the first certificate.
        case keyMismatch
        /// The time of the first certificate is over.
        case expired
        /// There is no memory left.
        case noMemory
    }

    public let reason: Reason
    public let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}

/// A server's certificate with its private key, checked and ready to be served.
public struct TLSIdentity: Sendable {
    let credentials: TLSCredentials
    /// The end of the certificate's time.
    public let expiresAt: UTCInstant

    /// - Parameters:
    ///   - certificate: in PEM (RFC 7468), followed by those of its issuers, each after the one that it signed.
    ///   - key: of the first certificate, in PEM without a password. ECDSA with P-256 is the fastest to shake hands with.
    ///   - now: the present. A certificate whose time has not begun is taken: the clock of a station without a receiver may
    ///     be behind.
    /// - Throws: ``TLSIdentityError``; the certificate and the key are not in it.
    public init(certificate: [UInt8], key: [UInt8], at now: UTCInstant) throws(TLSIdentityError) {
        guard Self.has(["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"], in: certificate) else {
            throw TLSIdentityError(
                .notPEM,
                "cannot serve the certificate: there is no -----BEGIN CERTIFICATE----- in it; convert it to PEM")
        }
        if Self.has(["ENCRYPTED PRIVATE KEY"], in: key) || Self.contains("Proc-Type: 4,ENCRYPTED", in: key) {
            throw TLSIdentityError(
                .unreadable, "cannot read the private key: it has a password; remove it with openssl pkey")
        }
        guard Self.has(["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"], in: key) else {
            throw TLSIdentityError(
                .notPEM,
                "cannot serve the certificate: there is no -----BEGIN PRIVATE KEY----- in its key; convert it to PEM")
        }
        credentials = try TLSCredentials(certificate: certificate, key: key)
        expiresAt = UTCInstant(nanoseconds: credentials.expiration.multipliedClamped(1_000_000_000)).clamped
        guard now < expiresAt else {
            throw TLSIdentityError(
                .expired,
                "cannot serve the certificate: its time was over at \(expiresAt.rfc3339) and it is \(now.rfc3339); renew it, "
                    + "or set the clock")
        }
    }

    private static func has(_ labels: [String], in bytes: [UInt8]) -> Bool {
        labels.contains { contains("-----BEGIN \($0)-----", in: bytes) }
    }

    private static func contains(_ text: String, in bytes: [UInt8]) -> Bool {
        bytes.firstRange(of: Array(text.utf8)) != nil
    }
}

extension Int64 {
    fileprivate func multipliedClamped(_ factor: Int64) -> Int64 {
        let (product, isTooLarge) = multipliedReportingOverflow(by: factor)
        return isTooLarge ? (self < 0 ? .min : .max) : product
    }
}
