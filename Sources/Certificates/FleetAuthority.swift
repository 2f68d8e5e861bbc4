internal import CCertificates
internal import FoundationEssentials
public import KonzaModel

/// What is wrong with a certificate, a key or a request for one.
public struct CertificateFault: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    init(_ what: String, _ code: Int32) {
        self.init("cannot \(what): \(unsafe String(cString: gnutls_strerror(code)))")
    }
}

/// A request for a certificate (PKCS #10, RFC 2986), with the key that it is for. The key is of P-256.
public struct CertificateRequest: Sendable, Equatable {
    /// In DER.
    public let bytes: [UInt8]
    /// In PEM.
    public let key: [UInt8]

    /// Makes a key and a request.
    ///
    /// - Parameter name: the common name, at most 64 characters.
    /// - Throws: ``CertificateFault``.
    public init(name: String) throws(CertificateFault) {
        var key = unsafe gnutls_datum_t()
        var request = unsafe gnutls_datum_t()
        let code = unsafe konza_x509_make_request(name, &key, &request)
        guard code == GNUTLS_E_SUCCESS else { throw CertificateFault("make a key and a request", code) }
        defer {
            unsafe konza_x509_free(&key)
            unsafe konza_x509_free(&request)
        }
        bytes = unsafe request.bytes
        self.key = unsafe key.bytes
    }

    /// The common name that a request asks for. Its signature holds, so that whoever made it has the key, and the key is of P-256.
    ///
    /// - Parameter bytes: in DER.
    /// - Returns: the name.
    /// - Throws: ``CertificateFault``.
    public static func name(in bytes: [UInt8]) throws(CertificateFault) -> String {
        var name = [CChar](repeating: 0, count: 65)
        var request: gnutls_x509_crq_t?
        let code = unsafe konza_x509_open_request(bytes, UInt32(clamping: bytes.count), &request, &name)
        guard code == GNUTLS_E_SUCCESS else { throw CertificateFault("take the request for a certificate", code) }
        unsafe gnutls_x509_crq_deinit(request)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension CertificateRequest {
    /// As it is kept until its certificate is there: the key in PEM, a line, and the request in Base64.
    public var kept: [UInt8] { key + Array("request: \(Data(bytes).base64EncodedString())\n".utf8) }

    /// - Parameter bytes: as they were kept; nil for what is no such text.
    public init?(kept bytes: [UInt8]) {
        guard let mark = bytes.firstRange(of: Array("request: ".utf8)),
            let request = Data(
                base64Encoded: String(decoding: bytes[mark.upperBound...].prefix { $0 != 0x0A }, as: UTF8.self))
        else { return nil }
        self.init(bytes: Array(request), key: Array(bytes[..<mark.lowerBound]))
    }

    private init(bytes: [UInt8], key: [UInt8]) {
        self.bytes = bytes
        self.key = key
    }
}

/// Who a certificate is for, and its number at its authority.
public struct CertificateFacts: Sendable, Equatable {
    public let name: String
    /// Hexadecimal digits, lower case.
    public let serial: String

    /// - Parameter certificate: in PEM; the first one counts.
    /// - Throws: ``CertificateFault``.
    public init(_ certificate: [UInt8]) throws(CertificateFault) {
        var name = [CChar](repeating: 0, count: 65)
        var serial = [UInt8](repeating: 0, count: 64)
        var size = serial.count
        let code = unsafe konza_x509_facts(certificate, UInt32(clamping: certificate.count), &name, &serial, &size)
        guard code == GNUTLS_E_SUCCESS else { throw CertificateFault("read the certificate", code) }
        self.name = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.serial = serial.prefix(size).map { $0 }.hexadecimal
    }
}

/// The authority of a fleet: it signs what boxes know themselves by at the broker.
public enum FleetAuthority {
    /// Years that a new authority is good for.
    public static let years = 20
    /// Days that a box's certificate is good for.
    public static let days = 90
    private static let day = 86_400.0

    /// Makes an authority.
    ///
    /// - Parameters:
    ///   - name: of it.
    ///   - now: the present.
    /// - Returns: its certificate and its key.
    /// - Throws: ``CertificateFault``.
    public static func make(name: String, at now: UTCInstant) throws(CertificateFault) -> CertificatePair {
        try StationAuthority.unrestricted(name: name, from: time(now, -1), until: time(now, Double(365 * years)))
    }

    /// Signs a certificate for a client.
    ///
    /// - Parameters:
    ///   - request: in DER; its name becomes the certificate's.
    ///   - authority: that signs.
    ///   - now: the present. The certificate begins an hour before: a box's clock may be behind.
    /// - Returns: the certificate in PEM.
    /// - Throws: ``CertificateFault``.
    public static func sign(
        _ request: [UInt8], by authority: CertificatePair, at now: UTCInstant
    ) throws(CertificateFault) -> [UInt8] {
        var made = unsafe gnutls_datum_t()
        let code = unsafe konza_x509_issue(
            authority.certificate, UInt32(clamping: authority.certificate.count), authority.key,
            UInt32(clamping: authority.key.count), request, UInt32(clamping: request.count), time(now, -1.0 / 24),
            time(now, Double(days)), &made)
        guard code == GNUTLS_E_SUCCESS else { throw CertificateFault("sign the certificate", code) }
        defer { unsafe konza_x509_free(&made) }
        return unsafe made.bytes
    }

    /// The list of revoked certificates, in PEM.
    ///
    /// - Parameters:
    ///   - revoked: serial numbers as in ``CertificateFacts``, and since when.
    ///   - authority: that signs.
    ///   - now: the present.
    ///   - days: until the next list; brokers refuse everybody after that.
    /// - Returns: the list.
    /// - Throws: ``CertificateFault``.
    public static func revocations(
        _ revoked: [(serial: String, at: UTCInstant)], by authority: CertificatePair, at now: UTCInstant,
        days: Double = 30
    ) throws(CertificateFault) -> [UInt8] {
        var serials: [UInt8] = []
        var times: [time_t] = []
        for entry in revoked {
            guard let bytes = bytes(ofHexadecimal: entry.serial), bytes.count == 16 else { continue }
            serials += bytes
            times.append(time(entry.at, 0))
        }
        var made = unsafe gnutls_datum_t()
        let code = unsafe konza_x509_revoke(
            authority.certificate, UInt32(clamping: authority.certificate.count), authority.key,
            UInt32(clamping: authority.key.count), serials, times, UInt32(times.count), time(now, 0), time(now, days),
            &made)
        guard code == GNUTLS_E_SUCCESS else { throw CertificateFault("sign the list of revoked certificates", code) }
        defer { unsafe konza_x509_free(&made) }
        return unsafe made.bytes
    }

    /// A certificate as EST sends it: PKCS #7 with certificates alone, in DER.
    ///
    /// - Parameter certificate: in PEM.
    /// - Returns: the bytes.
    /// - Throws: ``CertificateFault``.
    public static func certificatesOnly(_ certificate: [UInt8]) throws(CertificateFault) -> [UInt8] {
        var made = unsafe gnutls_datum_t()
        let code = unsafe konza_x509_certs_only(certificate, UInt32(clamping: certificate.count), &made)
        guard code == GNUTLS_E_SUCCESS else { throw CertificateFault("pack the certificate", code) }
        defer { unsafe konza_x509_free(&made) }
        return unsafe made.bytes
    }

    /// The first certificate of what EST sends.
    ///
    /// - Parameter bytes: PKCS #7, in DER.
    /// - Returns: the certificate, in PEM.
    /// - Throws: ``CertificateFault``.
    public static func certificate(in bytes: [UInt8]) throws(CertificateFault) -> [UInt8] {
        var made = unsafe gnutls_datum_t()
        let code = unsafe konza_x509_first(bytes, UInt32(clamping: bytes.count), &made)
        guard code == GNUTLS_E_SUCCESS else { throw CertificateFault("unpack the certificate", code) }
        defer { unsafe konza_x509_free(&made) }
        return unsafe made.bytes
    }

    private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func time(_ now: UTCInstant, _ days: Double) -> time_t {
        time_t(now.advanced(bySeconds: days * day).seconds)
    }
}

extension CertificatePair {
    /// A certificate in PEM (RFC 7468).
    ///
    /// - Parameter certificate: in DER.
    /// - Returns: the text.
    public static func pem(_ certificate: [UInt8]) -> [UInt8] {
        let text = Array(Data(certificate).base64EncodedString().utf8)
        let lines = stride(from: 0, to: text.count, by: 64).flatMap {
            text[$0..<min($0 + 64, text.count)] + [UInt8(ascii: "\n")]
        }
        return Array("-----BEGIN CERTIFICATE-----\n".utf8) + lines + Array("-----END CERTIFICATE-----\n".utf8)
    }

    /// Whether the key is the certificate's.
    public var fits: Bool {
        unsafe konza_x509_fits(
            certificate, UInt32(clamping: certificate.count), key, UInt32(clamping: key.count)) == 1
    }
}

extension gnutls_datum_t {
    fileprivate var bytes: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: data, count: Int(size)))
    }
}
