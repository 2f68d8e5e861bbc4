internal import Certificates
internal import Glibc
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import Storage
internal import Synchronization

/// Why a box has no certificate, or cannot use it.
struct IdentityError: Error, Sendable, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// What the box knows itself by at the broker, in a folder of its own: the key and its certificate in one file, so that they
/// change together, the fleet's authority, and the hub's address. A renewed one lies beside the old until it has worked.
final class BoxIdentity: Sendable {
    /// Where the fleet's certificates come from.
    static let authorityFile = "fleet-ca.pem"
    private static let currentFile = "identity.pem"
    private static let nextFile = "identity-next.pem"
    private static let requestFile = "request.pem"
    private static let addressFile = "hub"
    private static let longestFile = 64 << 10
    /// How long a renewed certificate rests that the broker did not take, seconds.
    private static let rest = 3600.0

    /// The files of one connection.
    struct Files: Sendable, Equatable {
        let authority: String
        /// With the key.
        let certificate: String
        let isNext: Bool
        /// Another one for another content.
        let stamp: Int64
    }

    let folder: String
    private let clock = SystemClock()
    private let nextNotBefore = Mutex<MonotonicInstant?>(nil)

    /// - Parameter state: the program's folder.
    init(state: String) { folder = "\(state)/identity" }

    private func file(_ name: String) -> StateFile { StateFile(name, in: folder) }
    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    // MARK: - Using

    /// What to connect with; nil for a box that was not enrolled.
    var files: Files? {
        guard let stamp = stamp(Self.currentFile) else { return nil }
        let mayTry = nextNotBefore.withLock { $0.map { clock.monotonic() >= $0 } ?? true }
        if mayTry, let next = self.stamp(Self.nextFile) {
            return Files(
                authority: path(Self.authorityFile), certificate: path(Self.nextFile), isNext: true, stamp: next)
        }
        return Files(
            authority: path(Self.authorityFile), certificate: path(Self.currentFile), isNext: false, stamp: stamp)
    }

    private func stamp(_ name: String) -> Int64? {
        var facts = stat()
        guard unsafe stat(path(name), &facts) == 0, facts.st_size > 0 else { return nil }
        return Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec)
    }

    /// The broker took what was tried: a renewed one takes the old one's place.
    func worked(_ files: Files) {
        guard files.isNext, let content = try? file(Self.nextFile).read(most: Self.longestFile),
            (try? file(Self.currentFile).replace(with: content)) != nil
        else { return }
        try? file(Self.nextFile).remove()
    }

    /// The broker did not, or could not be reached: the other one is tried, and the old one goes on for a while if it works.
    func failed(_ files: Files) {
        let until = files.isNext ? clock.monotonic().advanced(bySeconds: Self.rest) : nil
        nextNotBefore.withLock { $0 = until }
    }

    /// The certificate in use; nil for a box that was not enrolled.
    var certificate: CertificatePair? {
        guard let bytes = try? file(Self.currentFile).read(most: Self.longestFile),
            let start = bytes.firstRange(of: Array("-----BEGIN CERTIFICATE".utf8))?.lowerBound
        else { return nil }
        return CertificatePair(certificate: Array(bytes[start...]), key: Array(bytes[..<start]))
    }

    /// The file with the certificate in use and its key.
    var currentPath: String { path(Self.currentFile) }
    var authorityPath: String { path(Self.authorityFile) }
    var hasNext: Bool { stamp(Self.nextFile) != nil }

    /// Where it was enrolled.
    var address: String? {
        guard let bytes = try? file(Self.addressFile).read(most: 1024) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix("https://") ? text : nil
    }

    // MARK: - Keeping

    /// A request that waits for its certificate, made where there is none of this name: an answer that was lost is asked
    /// for again with the same.
    func request(for box: String) throws -> CertificateRequest {
        let file = file(Self.requestFile)
        if let bytes = try file.read(most: Self.longestFile), let kept = CertificateRequest(kept: bytes),
            (try? CertificateRequest.name(in: kept.bytes)) == box
        {
            return kept
        }
        try makeFolders(folder, mode: 0o700)
        let made = try CertificateRequest(name: box)
        try file.replace(with: made.kept)
        return made
    }

    /// Keeps what a first enrolment brought.
    func begin(_ pair: CertificatePair, authority: [UInt8], address: String) throws {
        try file(Self.authorityFile).replace(with: authority)
        try file(Self.addressFile).replace(with: Array(address.utf8))
        try file(Self.currentFile).replace(with: pair.key + pair.certificate)
        if hasNext { try file(Self.nextFile).remove() }
        try file(Self.requestFile).remove()
    }

    /// Keeps a renewed certificate beside the one in use.
    func add(_ pair: CertificatePair) throws {
        try file(Self.nextFile).replace(with: pair.key + pair.certificate)
        try file(Self.requestFile).remove()
        nextNotBefore.withLock { $0 = nil }
    }
}

/// What is wrong with the station's certificate itself, where a connection failed.
struct IdentityTrouble: Sendable, Equatable {
    /// A stable word.
    let kind: String
    let reason: String

    /// - Parameters:
    ///   - certificate: the station's; nil where it has none.
    ///   - error: how the connection failed.
    ///   - now: the present.
    init?(_ certificate: CertificatePair?, _ error: MQTTError, at now: UTCInstant) {
        guard let certificate else {
            guard [.untrusted, .refused].contains(error.reason) else { return nil }
            kind = "no-certificate"
            reason = "the station has no certificate for the fleet's broker; \(error)"
            return
        }
        guard let (from, until) = certificate.validity else { return nil }
        if now < from {
            kind = "certificate-early"
            reason =
                "the station's certificate begins at \(from.rfc3339), and the clock says \(now.rfc3339): it is probably "
                + "wrong; \(error)"
        } else if now >= until {
            kind = "certificate-expired"
            reason = "the station's certificate was over at \(until.rfc3339), and it is \(now.rfc3339); \(error)"
        } else if error.reason == .closed {
            kind = "certificate-rejected"
            reason =
                "the broker ended the connection when it had seen the station's certificate: it was revoked, or is of an "
                + "authority that the broker does not know; or the broker is being started anew; \(error)"
        } else {
            return nil
        }
    }
}
