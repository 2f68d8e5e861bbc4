internal import CCertificates
internal import Glibc
public import KonzaModel

/// A certificate and its private key, in PEM (RFC 7468).
public struct CertificatePair: Sendable, Equatable {
    public var certificate: [UInt8]
    public var key: [UInt8]

    public init(certificate: [UInt8], key: [UInt8]) {
        self.certificate = certificate
        self.key = key
    }

    /// The SHA-256 of the first certificate, as browsers show it: pairs of hexadecimal digits with colons between; nil if
    /// it cannot be read.
    public var fingerprint: String? {
        var digest = [UInt8](repeating: 0, count: 32)
        let code = unsafe konza_tls_fingerprint(certificate, UInt32(clamping: certificate.count), &digest)
        guard code == GNUTLS_E_SUCCESS else { return nil }
        return digest.map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.utf8.count < 2 ? "0" + text : text
        }.joined(separator: ":")
    }
}

extension CertificatePair {
    /// When the first certificate begins and ends; nil if it cannot be read.
    public var validity: (from: UTCInstant, until: UTCInstant)? {
        var from = time_t()
        var until = time_t()
        let code = unsafe konza_tls_times(certificate, UInt32(clamping: certificate.count), &from, &until)
        guard code == GNUTLS_E_SUCCESS, from >= 0, until >= 0 else { return nil }
        let start = UTCInstant(nanoseconds: 0)
        return (start.advanced(bySeconds: Double(from)), start.advanced(bySeconds: Double(until)))
    }

    /// Whether the first certificate, an authority's, lets it sign for a name or a numeric address (RFC 5280 section 4.2.1.10).
    public func permits(_ name: String) -> Bool {
        let address = StationAuthority.addressBytes(name)
        let bytes = address ?? Array(name.utf8)
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            let entry = unsafe konza_tls_name(
                bytes: bytes.baseAddress, size: UInt32(clamping: bytes.count), is_address: address == nil ? 0 : 1)
            return unsafe konza_tls_permits(certificate, UInt32(clamping: certificate.count), entry) == 1
        }
    }

    /// Whether devices that trust an authority trust the first certificate, but for the times of both.
    public func isSigned(by authority: CertificatePair) -> Bool {
        unsafe konza_tls_verify(
            certificate, UInt32(clamping: certificate.count), authority.certificate,
            UInt32(clamping: authority.certificate.count)) == 0
    }
}

/// The station's own certificate authority, for devices that cannot ask another: it can sign for local names and private
/// addresses alone, so that whoever trusts it trusts the station with nothing else (RFC 5280 section 4.2.1.10).
public enum StationAuthority {
    /// Years that a new authority is good for.
    public static let years = 10
    /// Days that a new server's certificate is good for: devices take at most 825, and some 398.
    public static let days = 397
    /// Beside the station's own names: those that no name server of the internet has (RFC 6762, RFC 8375, and by custom).
    private static let localDomains = ["local", "lan", "home.arpa", "internal", "localhost"]
    private static let day = 86_400.0

    /// Makes an authority.
    ///
    /// - Parameters:
    ///   - name: what people see when they install it.
    ///   - names: host names that it can sign for beside local ones.
    ///   - now: the present; a clock that is a day behind still takes it.
    /// - Returns: its certificate, which it signed itself, and its key.
    /// - Throws: ``CertificateFault``.
    public static func make(
        name: String, names: [String], at now: UTCInstant
    ) throws(CertificateFault) -> CertificatePair {
        try unsafe made(names: localDomains + names) { names, made in
            unsafe konza_tls_make_authority(
                commonName(name), names.baseAddress, UInt32(names.count), time(now, addingDays: -1),
                time(now, addingDays: Double(365 * years)), &made)
        }
    }

    /// Makes a server's certificate.
    ///
    /// - Parameters:
    ///   - names: host names and numeric addresses of the server; at least one.
    ///   - authority: that signs it.
    ///   - now: the present.
    /// - Returns: the certificate with that of the authority behind it, and its key.
    /// - Throws: ``CertificateFault``.
    public static func sign(
        _ names: [String], by authority: CertificatePair, at now: UTCInstant
    ) throws(CertificateFault) -> CertificatePair {
        var pair = try unsafe made(names: names) { list, made in
            unsafe konza_tls_make_server(
                authority.certificate, UInt32(clamping: authority.certificate.count), authority.key,
                UInt32(clamping: authority.key.count), commonName(names.first ?? "konza"), list.baseAddress,
                UInt32(list.count), time(now, addingDays: -1), time(now, addingDays: Double(days)), &made)
        }
        pair.certificate += authority.certificate
        return pair
    }

    /// An authority that can sign for every name.
    static func unrestricted(name: String, from: time_t, until: time_t) throws(CertificateFault) -> CertificatePair {
        var pair = unsafe konza_tls_pair()
        let code = unsafe konza_tls_make_authority(commonName(name), nil, 0, from, until, &pair)
        defer { unsafe konza_tls_free(&pair) }
        guard code == GNUTLS_E_SUCCESS else { throw CertificateFault("make an authority", code) }
        return unsafe CertificatePair(certificate: copy(pair.certificate), key: copy(pair.key))
    }

    /// At most 64 characters (RFC 5280, appendix A.1, ub-common-name).
    private static func commonName(_ text: String) -> String { String(text.prefix(64)) }

    private static func time(_ now: UTCInstant, addingDays days: Double) -> time_t {
        time_t(now.advanced(bySeconds: days * day).seconds)
    }

    private static func made(
        names: [String],
        _ make: (UnsafeBufferPointer<konza_tls_name>, inout konza_tls_pair) -> Int32
    ) throws(CertificateFault) -> CertificatePair {
        // All bytes in one list, and where each name is in it.
        var bytes: [UInt8] = []
        var parts: [(Range<Int>, Bool)] = []
        for name in names {
            let address = addressBytes(name)
            let text = address ?? Array(name.utf8)
            parts.append((bytes.count..<bytes.count + text.count, address != nil))
            bytes += text
        }
        var pair = unsafe konza_tls_pair()
        let code = unsafe bytes.withUnsafeBufferPointer { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return GNUTLS_E_INVALID_REQUEST }
            let list = unsafe parts.map { range, isAddress in
                unsafe konza_tls_name(
                    bytes: base + range.lowerBound, size: UInt32(range.count), is_address: isAddress ? 1 : 0)
            }
            return unsafe list.withUnsafeBufferPointer { unsafe make($0, &pair) }
        }
        defer { unsafe konza_tls_free(&pair) }
        guard code == GNUTLS_E_SUCCESS else {
            throw CertificateFault("make a certificate", code)
        }
        return unsafe CertificatePair(certificate: copy(pair.certificate), key: copy(pair.key))
    }

    private static func copy(_ datum: gnutls_datum_t) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
    }

    static func addressBytes(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return unsafe inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
}
