internal import HTTPServing
internal import KonzaAPI

/// What a device needs to trust the station: its authority's certificate, and the fingerprint to compare it with.
struct CertificateRoutes: Sendable {
    private let certificates: CertificateKeeper
    private let addresses: PortalAddresses

    init(_ certificates: CertificateKeeper, _ addresses: PortalAddresses) {
        self.certificates = certificates
        self.addresses = addresses
    }

    var routes: [Route] {
        [
            Route(
                .get, "/v1/certificate", access: .everyone, operation: "getCertificate",
                summary: "The certificate that tablets are served with",
                replies: [Reply(200, "Its fingerprint, its names and its end.", schema: "Certificate")],
                handler: .asynchronous { _ in
                    do {
                        return try Response.json(try certificates.report(addresses))
                    } catch let problem as Problem {
                        throw problem
                    } catch {
                        throw Problem(.unavailable, "\(error)")
                    }
                })
        ] + `public`
    }

    /// What is also served without TLS: a telephone trusts nothing yet.
    var `public`: [Route] {
        [
            Route(
                .get, "/station-authority.crt", access: .everyone, operation: "getAuthority",
                summary: "The certificate of the station's own authority, for a device to trust",
                produces: ["application/x-x509-ca-cert"], replies: [Reply(200, "The certificate in PEM.")],
                handler: .asynchronous { _ in
                    _ = try? certificates.identity()
                    guard let certificate = certificates.authorityCertificate else {
                        throw Problem(
                            .notFound,
                            "cannot give an authority's certificate: the operator's own certificate is served")
                    }
                    return .bytes(certificate, type: "application/x-x509-ca-cert")
                })
        ]
    }
}
