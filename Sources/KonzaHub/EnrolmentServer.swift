internal import Certificates
internal import FleetMessaging
internal import FoundationEssentials
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import PostgresAccess
internal import Settings

/// Where boxes get their certificates: EST (RFC 7030) over TLS, with the one CA that the hub has.
final class EnrolmentServer: Sendable {
    private static let base = "/.well-known/est"
    /// The largest request, bytes of Base64.
    private static let mostBytes = 16 << 10

    private let enrolment: Enrolment
    private let endpoint: Endpoint
    private let server: HTTPServer
    private let log: Log

    /// - Throws: if the system has no descriptors left.
    init(_ enrolment: Enrolment, at endpoint: Endpoint, names: [String], log: Log) throws {
        self.enrolment = enrolment
        self.endpoint = endpoint
        self.log = log
        var limits = ServerLimits()
        limits.connections = 64
        limits.bodyBytes = Self.mostBytes
        server = try HTTPServer(
            router: try Router(Self.routes(enrolment, log)), limits: limits, origins: OriginPolicy(hosts: names),
            onInternalError: { log(.error, $0) })
    }

    /// - Throws: if the port cannot be had.
    func start() throws {
        try server.listen(
            onAddress: endpoint.host, port: endpoint.port, tls: try enrolment.keeper.identity(),
            asksForCertificate: true)
        log(.notice, "boxes get their certificates at \(endpoint.host):\(endpoint.port)")
    }

    /// Serves a new certificate of its own.
    func renew() throws { server.replaceIdentity(try enrolment.keeper.identity()) }

    func stop() async { await server.stop() }

    // MARK: - Routes

    private static func routes(_ enrolment: Enrolment, _ log: Log) -> [Route] {
        [
            Route(
                .get, "\(base)/cacerts", access: .everyone, operation: "getAuthority",
                summary: "The fleet's authority (RFC 7030 section 4.1)", produces: ["application/pkcs7-mime"],
                handler: .immediate { _ in try answer(enrolment.keeper.authority.certificate) }),
            Route(
                .post, "\(base)/simpleenroll", access: .everyone, operation: "enroll",
                summary: "A first certificate, for a code (RFC 7030 section 4.2.1)",
                body: RequestBody(types: ["application/pkcs10"], isRequired: true, limit: mostBytes),
                produces: ["application/pkcs7-mime"],
                handler: .asynchronous { request in
                    guard let (box, secret) = basic(request) else { return unauthorized }
                    let csr = try checked(request, for: box)
                    return try await onDisk {
                        guard try enrolment.accepts(box, secret: secret, request: csr) else { return unauthorized }
                        log(.notice, "\(box) has its certificate")
                        return try answer(try enrolment.issue(box, csr))
                    }
                }),
            Route(
                .post, "\(base)/simplereenroll", access: .everyone, operation: "reenroll",
                summary: "The next certificate, for the one before (RFC 7030 section 4.2.2)",
                body: RequestBody(types: ["application/pkcs10"], isRequired: true, limit: mostBytes),
                produces: ["application/pkcs7-mime"],
                handler: .asynchronous { request in
                    guard let shown = request.certificate else {
                        return refused(401, "show the certificate that is to be renewed")
                    }
                    let pem = CertificatePair.pem(shown)
                    let pair = CertificatePair(certificate: pem, key: [])
                    let now = SystemClock().utc()
                    guard pair.isSigned(by: enrolment.keeper.authority), let facts = try? CertificateFacts(pem),
                        let (from, until) = pair.validity, FleetTopic.isName(facts.name)
                    else { return refused(403, "the certificate is none of this fleet's") }
                    guard from <= now, now < until else {
                        return refused(
                            403, "the certificate's time is over, or has not begun; enrol the box again with a new code"
                        )
                    }
                    let csr = try checked(request, for: facts.name)
                    return try await onDisk {
                        guard try !enrolment.isRevoked(facts.serial) else {
                            return refused(403, "the certificate was revoked")
                        }
                        log(.notice, "\(facts.name) has its next certificate")
                        return try answer(try enrolment.issue(facts.name, csr))
                    }
                }),
        ]
    }

    private static func onDisk(_ body: @escaping @Sendable () throws -> Response) async throws -> Response {
        do {
            return try await onBlockingThread { try body() }
        } catch let error as PostgresError {
            throw Problem(.unavailable, "cannot ask the database: \(error.description)")
        }
    }

    private static func answer(_ certificate: [UInt8]) throws -> Response {
        let text = Data(try FleetAuthority.certificatesOnly(certificate)).base64EncodedString()
        var response = Response.text(lines(text), type: "application/pkcs7-mime; smime-type=certs-only")
        response.headers["content-transfer-encoding"] = "base64"
        return response
    }

    /// RFC 2045 section 6.8: at most 76 characters in a line.
    private static func lines(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: 76)
            .map { String(decoding: bytes[$0..<min($0 + 76, bytes.count)], as: UTF8.self) + "\n" }.joined()
    }

    private static var unauthorized: Response {
        var response = refused(
            401,
            "the code is wrong, was used, is over, or is another box's; on the machine at home konza hub enrol BOX makes one for "
                + "this box, by the name in its [Fleet] Box=")
        response.headers["www-authenticate"] = "Basic realm=\"konza\", charset=\"UTF-8\""
        return response
    }

    private static func refused(_ status: Int, _ words: String) -> Response {
        .text("cannot give a certificate: \(words)\n", status: status)
    }

    private static func basic(_ request: Request) -> (box: String, secret: String)? {
        guard let field = request.headers["authorization"], field.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: String(field.dropFirst(6))),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        let box = String(text[..<colon])
        return FleetTopic.isName(box) ? (box, String(text[text.index(after: colon)...].prefix(128))) : nil
    }

    /// The request, for a name that is its own.
    private static func checked(_ request: Request, for box: String) throws(Problem) -> [UInt8] {
        let text = String(decoding: request.body, as: UTF8.self).filter { !$0.isWhitespace }
        guard let csr = Data(base64Encoded: text).map(Array.init), !csr.isEmpty else {
            throw Problem(.malformedRequest, "cannot give a certificate: the body is no PKCS #10 in Base64")
        }
        do throws(CertificateFault) {
            let name = try CertificateRequest.name(in: csr)
            guard name == box else {
                throw CertificateFault(
                    "cannot give a certificate: the request is for \(name.prefix(40)), and not for \(box)")
            }
            return csr
        } catch {
            throw Problem(.invalidRequest, error.description)
        }
    }
}
