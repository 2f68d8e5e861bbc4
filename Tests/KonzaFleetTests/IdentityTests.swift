import Certificates
import KonzaModel
import KonzaTesting
import MQTTTransfer
import Testing

@testable import KonzaFleet

@Suite("What a box knows itself by")
struct IdentityTests {
    private let now = UTCInstant(nanoseconds: 1_800_000_000_000_000_000)
    private let authority: CertificatePair
    private let folder: TemporaryFolder

    init() throws {
        authority = try FleetAuthority.make(name: "Fleet", at: now)
        folder = try TemporaryFolder()
    }

    private func make(_ request: CertificateRequest) throws -> CertificatePair {
        CertificatePair(
            certificate: try FleetAuthority.sign(request.bytes, by: authority, at: now), key: request.key)
    }

    @Test("is renewed at half of its life, a tenth of it apart, and no more when it is over")
    func due() throws {
        var begins: Set<Int> = []
        for _ in 0..<20 {
            let pair = try make(try CertificateRequest(name: "knz07"))
            func isDue(_ day: Int) -> Bool {
                IdentityRenewal.isDue(pair, at: now.advanced(bySeconds: Double(day) * 86_400))
            }
            let first = try #require((0..<90).first { isDue($0) })
            #expect((40...50).contains(first) && (first..<90).allSatisfy { isDue($0) })
            #expect(!isDue(91) && !isDue(-30))
            begins.insert(first)
        }
        #expect(begins.count > 2)
    }

    @Test("a renewed one takes the old one's place when the broker has taken it, and not before")
    func renewed() throws {
        let identity = BoxIdentity(state: folder.path)
        #expect(identity.files == nil && identity.certificate == nil && identity.address == nil)
        let request = try identity.request(for: "knz07")
        // What was asked for and not answered is asked for again, but not in another's name.
        #expect(try identity.request(for: "knz07") == request)
        #expect(try identity.request(for: "knz08") != request)
        let first = try make(request)
        try identity.begin(first, authority: authority.certificate, address: "https://hub.example:8443")
        #expect(identity.address == "https://hub.example:8443" && identity.certificate == first)
        let old = try #require(identity.files)
        #expect(!old.isNext)

        let second = try make(try identity.request(for: "knz07"))
        try identity.add(second)
        let next = try #require(identity.files)
        #expect(next.isNext && identity.hasNext && identity.certificate == first)
        // The broker does not take it: the old one goes on; if that fails too, the new one is tried again.
        identity.failed(next)
        #expect(identity.files == old)
        identity.failed(old)
        #expect(identity.files == next)
        identity.worked(next)
        #expect(!identity.hasNext && identity.files?.isNext == false && identity.certificate == second)
    }

    @Test("what is wrong with it is told where a connection failed")
    func troubles() throws {
        let pair = try make(try CertificateRequest(name: "knz07"))
        let refused = MQTTError(.refused, "the broker hung up")
        func kind(_ pair: CertificatePair?, _ error: MQTTError, days: Double) -> String? {
            IdentityTrouble(pair, error, at: now.advanced(bySeconds: days * 86_400))?.kind
        }
        #expect(kind(pair, refused, days: 1) == nil)
        #expect(kind(pair, refused, days: 91) == "certificate-expired")
        #expect(kind(pair, refused, days: -365) == "certificate-early")
        #expect(kind(nil, refused, days: 0) == "no-certificate")
        #expect(kind(nil, MQTTError(.unreachable, "nobody answers"), days: 0) == nil)
    }
}
