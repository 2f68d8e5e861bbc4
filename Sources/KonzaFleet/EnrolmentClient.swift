internal import Certificates
internal import FleetMessaging
internal import FoundationEssentials
internal import Glibc
internal import HTTPTransfer
internal import KonzaModel
internal import KonzaSystem

/// Gets certificates of the fleet's hub by EST (RFC 7030).
struct EnrolmentClient {
    private static let base = "/.well-known/est"
    /// The largest answer, bytes.
    private static let mostBytes = 64 << 10

    /// `https://HOST[:PORT]`.
    let address: String
    let identity: BoxIdentity
    var cancellation: TransferCancellation?

    /// - Parameters:
    ///   - text: what somebody wrote.
    ///   - identity: of the box.
    ///   - cancellation: ends it from elsewhere.
    /// - Throws: ``IdentityError`` for what is no such address.
    init(_ text: String, identity: BoxIdentity, cancellation: TransferCancellation? = nil) throws(IdentityError) {
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        let host = text.dropFirst("https://".count)
        guard text.hasPrefix("https://"), (1...300).contains(host.utf8.count),
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/@?#\"\\".utf8.contains($0) })
        else { throw IdentityError("cannot use the hub's address \(text.prefix(80)): expected https://HOST:PORT") }
        address = text
        self.identity = identity
        self.cancellation = cancellation
    }

    /// Has a first certificate made for a code, and keeps it.
    ///
    /// - Returns: until when it holds.
    func enrol(_ box: String, _ code: EnrolmentCode) throws -> UTCInstant {
        // Trusted by the code alone, and nothing secret is sent before that.
        var question = HTTPRequest("GET", url: "\(address)\(Self.base)/cacerts")
        question.trustsAnyone = true
        let authority = try certificate(try send(question))
        guard let print = CertificatePair(certificate: authority, key: []).fingerprint, code.names(print) else {
            throw IdentityError(
                "cannot trust \(address): it is not the hub that the code is from; look at the address, or make a new code "
                    + "with konza hub enrol \(box)")
        }
        let request = try identity.request(for: box)
        let file = "\(identity.folder)/enrolling-ca.pem"
        try write(authority, file)
        defer { unsafe unlink(file) }
        var order = post("simpleenroll", request.bytes, authority: file)
        order.headers.append(("Authorization", "Basic \(Data("\(box):\(code.secret)".utf8).base64EncodedString())"))
        let pair = CertificatePair(certificate: try certificate(try send(order)), key: request.key)
        let until = try check(pair, box, CertificatePair(certificate: authority, key: []))
        try identity.begin(pair, authority: authority, address: address)
        return until
    }

    /// Has the next certificate made for the one in use, and keeps it beside that.
    func renew(_ box: String) throws -> UTCInstant {
        let request = try identity.request(for: box)
        var order = post("simplereenroll", request.bytes, authority: identity.authorityPath)
        order.clientCertificate = identity.currentPath
        let pair = CertificatePair(certificate: try certificate(try send(order)), key: request.key)
        let authority = SecretFile.bytes(identity.authorityPath, limit: 64 << 10) ?? []
        let until = try check(pair, box, CertificatePair(certificate: authority, key: []))
        try identity.add(pair)
        return until
    }

    private func check(_ pair: CertificatePair, _ box: String, _ authority: CertificatePair) throws -> UTCInstant {
        guard pair.fits, pair.isSigned(by: authority), try CertificateFacts(pair.certificate).name == box,
            let until = pair.validity?.until
        else { throw IdentityError("cannot use what \(address) sent: it is no certificate for \(box) and its key") }
        return until
    }

    // MARK: - EST

    private func post(_ operation: String, _ request: [UInt8], authority: String) -> HTTPRequest {
        var order = HTTPRequest("POST", url: "\(address)\(Self.base)/\(operation)")
        order.certificateAuthorities = authority
        order.headers = [("Content-Type", "application/pkcs10"), ("Content-Transfer-Encoding", "base64")]
        order.body = Array(Data(request).base64EncodedString().utf8)
        return order
    }

    private func send(_ request: HTTPRequest) throws -> HTTPAnswer {
        var request = request
        request.maximumBytes = Self.mostBytes
        let answer = try HTTPConnection().send(request, cancellation: cancellation)
        guard answer.status == 200 else {
            let words =
                TextRule.cleaned(String(decoding: answer.body.prefix(400), as: UTF8.self))
                .split(separator: "\n").first.map(String.init) ?? ""
            throw IdentityError("\(address) gave no certificate (\(answer.status)): \(words)")
        }
        return answer
    }

    private func certificate(_ answer: HTTPAnswer) throws -> [UInt8] {
        let text = String(decoding: answer.body, as: UTF8.self).filter { !$0.isWhitespace }
        guard let bytes = Data(base64Encoded: text) else {
            throw IdentityError("cannot read what \(address) sent: it is no Base64")
        }
        return try FleetAuthority.certificate(in: Array(bytes))
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        let place = folderAndName(of: path)
        let file = try DeliveredFile(place.name, in: place.folder, replacing: true, mode: 0o600)
        try file.write(bytes)
        try file.finish()
    }
}
