import Certificates
import Foundation
import KonzaModel
import Testing

@Suite("A fleet's own authority")
struct FleetAuthorityTests {
    private let now = UTCInstant(nanoseconds: 1_800_000_000_000_000_000)
    private let authority: CertificatePair

    init() throws { authority = try FleetAuthority.make(name: "Fleet", at: now) }

    @Test("signs what a box asks for, for its key, its name and 90 days")
    func signs() throws {
        let request = try CertificateRequest(name: "knz07")
        #expect(try CertificateRequest.name(in: request.bytes) == "knz07")
        let certificate = try FleetAuthority.sign(request.bytes, by: authority, at: now)
        let pair = CertificatePair(certificate: certificate, key: request.key)
        #expect(pair.fits && pair.isSigned(by: authority))
        #expect(!CertificatePair(certificate: certificate, key: try CertificateRequest(name: "knz07").key).fits)
        #expect(!pair.isSigned(by: try FleetAuthority.make(name: "Fleet", at: now)))
        let facts = try CertificateFacts(certificate)
        #expect(facts.name == "knz07" && facts.serial.utf8.count == 32)
        let validity = try #require(pair.validity)
        #expect(validity.until.seconds(since: now) == 90 * 86_400 && now.seconds(since: validity.from) == 3600)
        // No two have one number.
        #expect(try CertificateFacts(FleetAuthority.sign(request.bytes, by: authority, at: now)) != facts)
    }

    @Test("a request that was changed, and what is none, is refused")
    func damaged() throws {
        let request = try CertificateRequest(name: "knz07").bytes
        for index in stride(from: 0, to: request.count, by: 7) {
            var changed = request
            changed[index] ^= 0x41
            #expect(throws: CertificateFault.self, "byte \(index)") { try CertificateRequest.name(in: changed) }
        }
        for junk in [[], [0], Array("-----BEGIN".utf8), Array(request.dropLast(3))] {
            #expect(throws: CertificateFault.self) { try FleetAuthority.sign(junk, by: authority, at: now) }
        }
    }

    @Test("what is packed for EST is unpacked, in PEM as in DER")
    func packed() throws {
        let packed = try FleetAuthority.certificatesOnly(authority.certificate)
        let unpacked = try FleetAuthority.certificate(in: packed)
        #expect(CertificatePair(certificate: unpacked, key: []).fingerprint == authority.fingerprint)
        #expect(throws: CertificateFault.self) { try FleetAuthority.certificate(in: Array(packed.dropLast(9))) }
        let body = String(decoding: authority.certificate, as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
        let der = try #require(Data(base64Encoded: body.joined()))
        #expect(
            CertificatePair(certificate: CertificatePair.pem(Array(der)), key: []).fingerprint == authority.fingerprint)
    }

    @Test("a request is kept with its key, and read back")
    func kept() throws {
        let request = try CertificateRequest(name: "knz07")
        #expect(CertificateRequest(kept: request.kept) == request)
        #expect(CertificateRequest(kept: request.key) == nil && CertificateRequest(kept: []) == nil)
    }
}
