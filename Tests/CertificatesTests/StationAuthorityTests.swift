import Certificates
import KonzaModel
import Testing

@Suite("The station's own authority")
struct StationAuthorityTests {
    private let now = UTCInstant(nanoseconds: 1_800_000_000_000_000_000)

    private func make(_ names: [String] = ["konza.example"]) throws -> CertificatePair {
        try StationAuthority.make(name: "Konza", names: names, at: now)
    }

    @Test(
        "may sign for its own names, local ones and private addresses, and for nothing else",
        arguments: [
            ("konza.example", true), ("a.konza.example", true), ("konza.lan", true), ("localhost", true),
            ("10.1.2.3", true), ("192.168.8.1", true), ("127.0.0.1", true), ("fd00::1", true), ("::1", true),
            ("other.example", false), ("notkonza.example", false), ("8.8.8.8", false), ("172.32.0.1", false),
            ("2001:db8::1", false), ("0.0.0.0", false),
        ])
    func permits(name: String, isPermitted: Bool) throws {
        let authority = try make()
        #expect(authority.permits(name) == isPermitted)
        // What it signs all the same holds no more than it may.
        let leaf = try StationAuthority.sign(["localhost", name], by: authority, at: now)
        #expect(leaf.isSigned(by: authority) == isPermitted)
        #expect(try !leaf.isSigned(by: make()))
    }

    @Test("lasts ten years from the day before")
    func validity() throws {
        let (from, until) = try #require(try make().validity)
        #expect(now.seconds(since: from) == 86_400)
        #expect(until.seconds(since: now) == Double(365 * StationAuthority.years) * 86_400)
        #expect(CertificatePair(certificate: [1, 2], key: []).validity == nil)
    }
}
