internal import FoundationEssentials
internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
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

    /// The names that a certificate of our own has.
    var names: [String] {
        var names: [String] = []
        for name in settings.names + settings.listen.map(\.host) + ["localhost", "127.0.0.1"]
        where !names.contains(name) { names.append(name) }
        return names
    }

    /// What a device is to trust; nil where the operator's certificate is served.
    var authorityCertificate: [UInt8]? { authority.withLock { $0?.certificate } }

    /// The certificate to serve, made or renewed where it must be.
    ///
    /// - Throws: why there is none.
    func identity() throws -> TLSIdentity {
        guard let path = settings.certificate else { return try own() }
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
            // One that a clock far ahead made is good in the future alone.
            (Self.renewalDays * 86_400...Double(StationAuthority.days + 1) * 86_400).contains(
                identity.expiresAt.seconds(since: now))
        {
            return identity
        }
        let made = try StationAuthority.sign(names, by: authority, at: now)
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
        let trusted = try isOwn ? authorityCertificate ?? [] : Self.read(settings.certificate ?? "")
        return Report(
            kind: isOwn ? "own" : "operator", fingerprint: CertificatePair(certificate: trusted, key: []).fingerprint,
            names: names, expiresAt: identity.expiresAt.rfc3339,
            link: isOwn ? addresses.tablets.map { "\($0)/station-authority.crt" } : nil)
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
