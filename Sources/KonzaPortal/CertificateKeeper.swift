internal import Certificates
internal import FoundationEssentials
internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import QRCoding
internal import Settings
internal import Storage
internal import Synchronization

/// The certificate that the portal serves: the operator's, or the station's own, which is made and renewed here.
final class CertificateKeeper: Sendable {
    struct Report: Encodable, Sendable {
        /// own, or operator's.
        let kind: String
        /// Of what a device is to trust: the station's authority, or the operator's certificate.
        let fingerprint: String?
        let names: [String]
        let expiresAt: String
        /// Where a device gets the authority's certificate; nil for an operator's.
        let link: String?
        /// The link's QR code (ISO/IEC 18004), a text of 0 and 1 for each row.
        let qr: [String]?
        /// What is wrong with it; absent if nothing is.
        let fault: String?
    }

    /// Days before the end that a certificate of our own is renewed.
    private static let renewalDays = 132.0
    /// Bytes.
    private static let longestFile = 64 << 10

    private let settings: StationSettings.Portal
    private let station: String
    private let folder: String
    private let clock: any StationClock
    private let authority = Mutex<CertificatePair?>(nil)
    /// The end of the certificate that was given last.
    private let end = Mutex<UTCInstant?>(nil)

    /// - Parameters:
    ///   - settings: of the portal.
    ///   - station: its name.
    ///   - state: the folder of what the portal keeps.
    ///   - clock: the time.
    init(_ settings: StationSettings.Portal, station: String, state: String, clock: any StationClock) {
        self.settings = settings
        self.station = station
        folder = "\(state)/certificate"
        self.clock = clock
    }

    var isOwn: Bool { settings.certificate == nil }

    /// The names that a certificate of our own has: those for which its authority may sign. One name too many, and devices take
    /// none of them.
    var names: [String] {
        let trusted = authority.withLock { $0 }
        return wantedNames.filter { trusted?.permits($0) ?? true }
    }

    private var wantedNames: [String] {
        var names: [String] = []
        for name in settings.names + settings.listen.map(\.host) + ["localhost", "127.0.0.1"]
        where !names.contains(name) && !PortalAddresses.isUnspecified(name) { names.append(name) }
        return names
    }

    /// What is wrong with the certificate of our own, and what to do; nil if nothing is.
    var fault: String? {
        guard isOwn, let trusted = authority.withLock({ $0 }) else { return nil }
        let remedy =
            "or remove \(folder)/authority.pem and restart konza-portal: it makes a new one, which every device must be told to trust"
        let refused = wantedNames.filter { !trusted.permits($0) }
        if !refused.isEmpty {
            return
                "no device trusts the station's own certificate for \(refused.joined(separator: ", ")): its authority may sign "
                + "for local names and private addresses, and for what Names= had when it was made; name others in Names= and "
                + "Listen=, \(remedy)"
        }
        let now = clock.utc()
        guard let (from, until) = trusted.validity else { return nil }
        if now < from {
            return "no device trusts the station's certificate yet: its authority begins at \(from.rfc3339) and it is "
                + "\(now.rfc3339); set the clock, \(remedy)"
        }
        if until.seconds(since: now) < Self.renewalDays * 86_400 {
            return
                "the station's own authority ends at \(until.rfc3339), and devices trust no certificate of it after that; "
                + "remove \(folder)/authority.pem and restart konza-portal: it makes a new one, which every device must be told to trust"
        }
        return nil
    }

    /// Whether the certificate that was given last is to be made anew at the present: it ends soon, or the clock went back
    /// behind its beginning.
    var isDue: Bool {
        guard isOwn, let end = end.withLock({ $0 }) else { return false }
        return !Self.mayGoOn(until: end, at: clock.utc())
    }

    // One that a clock far ahead made is good in the future alone.
    private static func mayGoOn(until end: UTCInstant, at now: UTCInstant) -> Bool {
        (renewalDays * 86_400...Double(StationAuthority.days + 1) * 86_400).contains(end.seconds(since: now))
    }

    /// What a device is to trust; nil where the operator's certificate is served.
    var authorityCertificate: [UInt8]? { authority.withLock { $0?.certificate } }

    /// The certificate to serve, made or renewed where it must be.
    ///
    /// - Throws: why there is none.
    func identity() throws -> TLSIdentity {
        guard let path = settings.certificate else {
            let identity = try own()
            end.withLock { $0 = identity.expiresAt }
            return identity
        }
        guard let keyPath = settings.key else {
            throw CertificateError("[Portal] Certificate= is set and Key= is not; name its key")
        }
        return try TLSIdentity(certificate: try Self.read(path), key: try Self.read(keyPath), at: clock.utc())
    }

    private func own() throws -> TLSIdentity {
        let now = clock.utc()
        let authority = try ownAuthority(at: now)
        let file = StateFile("server.pem", in: folder)
        let heading = Array("Names: \(names.joined(separator: " "))\n".utf8)
        if let kept = try file.read(most: Self.longestFile), kept.starts(with: heading),
            kept.suffix(authority.certificate.count) == authority.certificate[...],
            let identity = try? TLSIdentity(certificate: kept, key: kept, at: now),
            Self.mayGoOn(until: identity.expiresAt, at: now)
        {
            return identity
        }
        let made = try StationAuthority.sign(names, by: authority, at: now)
        guard made.isSigned(by: authority) else {
            throw CertificateError(
                "what \(folder)/authority.pem signs does not hold against it; remove it and have each device trust a new one"
            )
        }
        try file.replace(with: heading + made.key + made.certificate)
        return try TLSIdentity(certificate: made.certificate, key: made.key, at: now)
    }

    /// The authority, made where there is none. One that is there and cannot be read is left alone: devices trust it.
    private func ownAuthority(at now: UTCInstant) throws -> CertificatePair {
        try authority.withLock { authority in
            if let authority { return authority }
            let file = StateFile("authority.pem", in: folder)
            let pair: CertificatePair
            if let kept = try file.read(most: Self.longestFile) {
                guard let start = kept.firstRange(of: Array("-----BEGIN CERTIFICATE".utf8))?.lowerBound,
                    case let known = CertificatePair(certificate: Array(kept[start...]), key: Array(kept[..<start])),
                    known.fingerprint != nil
                else {
                    throw CertificateError(
                        "\(file.path) is damaged; put it back from a copy, or remove it and have each device trust a new one"
                    )
                }
                pair = known
            } else {
                try makeFolders(folder, mode: 0o700)
                pair = try StationAuthority.make(
                    name: "\(station) station \(now.rfc3339.prefix(10))", names: settings.names, at: now)
                try file.replace(with: pair.key + pair.certificate)
            }
            authority = pair
            return pair
        }
    }

    /// What `konza portal certificate` tells.
    func report(_ addresses: PortalAddresses) throws -> Report {
        let identity = try identity()
        let link = isOwn ? addresses.tablets.map { "\($0)/station-authority.crt" } : nil
        let trusted = try isOwn ? authorityCertificate ?? [] : Self.read(settings.certificate ?? "")
        return Report(
            kind: isOwn ? "own" : "operator", fingerprint: CertificatePair(certificate: trusted, key: []).fingerprint,
            names: names, expiresAt: identity.expiresAt.rfc3339,
            link: link, qr: link.flatMap { try? QRCode($0).rows }, fault: fault)
    }

    // MARK: - Files

    private static func read(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CertificateError("\(path) cannot be read; look at its owner and its mode")
        }
        return [UInt8](data)
    }
}

/// Why there is no certificate to serve.
struct CertificateError: Error, CustomStringConvertible {
    let description: String

    init(_ reason: String) { description = "cannot serve the portal with TLS: \(reason)" }
}
