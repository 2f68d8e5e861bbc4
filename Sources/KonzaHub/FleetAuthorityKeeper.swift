internal import Certificates
internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Storage
internal import Synchronization

/// The fleet's own authority, made where there is none, and the certificate that boxes know the hub by.
final class FleetAuthorityKeeper: Sendable {
    static let fileName = "fleet-authority.pem"
    private static let longestFile = 64 << 10

    let authority: CertificatePair
    let fingerprint: String
    private let names: [String]
    private let clock = SystemClock()

    /// - Parameters:
    ///   - folder: where it is kept; made if it is not there.
    ///   - names: that boxes reach the hub by.
    /// - Throws: why there is none. One that is there and cannot be read is left alone: brokers and boxes trust it.
    init(folder: String, names: [String]) throws {
        self.names = names
        let file = StateFile(Self.fileName, in: folder)
        let pair: CertificatePair
        if let kept = try file.read(most: Self.longestFile) {
            let start = kept.firstRange(of: Array("-----BEGIN CERTIFICATE".utf8))?.lowerBound ?? kept.endIndex
            pair = CertificatePair(certificate: Array(kept[start...]), key: Array(kept[..<start]))
        } else {
            try makeFolders(folder, mode: 0o700)
            let now = clock.utc()
            pair = try FleetAuthority.make(name: "Konza fleet \(now.rfc3339.prefix(10))", at: now)
            try file.replace(with: pair.key + pair.certificate)
        }
        guard let fingerprint = pair.fingerprint, pair.fits else {
            throw HubError(
                "cannot use the fleet's authority \(file.path): it is damaged; put it back from a copy, or remove it, "
                    + "which makes a new one that the broker and every box have to be given")
        }
        authority = pair
        self.fingerprint = fingerprint
    }

    /// A certificate for the hub's server, new.
    func identity() throws -> TLSIdentity {
        let now = clock.utc()
        let pair = try StationAuthority.sign(names, by: authority, at: now)
        return try TLSIdentity(certificate: pair.certificate, key: pair.key, at: now)
    }
}

/// Why the hub cannot do something.
struct HubError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
