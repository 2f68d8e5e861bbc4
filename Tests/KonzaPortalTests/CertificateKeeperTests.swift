import Foundation
import HTTPServing
import KonzaModel
import KonzaTesting
import Settings
import Testing

@testable import KonzaPortal

/// Over years, by a clock that a test moves; keys and certificates are real ones.
@Suite("The station's own certificate, over the years")
struct CertificateKeeperTests {
    private static let day = 86_400.0

    private let clock = ManualClock()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// As after a restart: only what is on the disk is known.
    private func keeper() -> CertificateKeeper {
        CertificateKeeper(StationSettings().portal, station: "Konza Prairie", state: folder.path, clock: clock)
    }

    @Test("is renewed 132 days before its end by the same authority, and not before")
    func renewal() throws {
        let keeper = keeper()
        let first = try keeper.identity().expiresAt
        #expect(abs(first.seconds(since: clock.utc()) / Self.day - 397) < 1)
        let authority = try #require(keeper.authorityCertificate)
        clock.advance(bySeconds: 264 * Self.day)
        #expect(try !keeper.isDue && keeper.identity().expiresAt == first)
        clock.advance(bySeconds: 2 * Self.day)
        #expect(keeper.isDue)
        let second = try keeper.identity().expiresAt
        #expect(second.seconds(since: first) > 200 * Self.day && !keeper.isDue)
        #expect(keeper.authorityCertificate == authority && keeper.fault == nil)
        #expect(try self.keeper().identity().expiresAt == second)
    }

    @Test("is made anew where a clock that was years ahead made it, and the authority of then is named")
    func clockJump() throws {
        let present = clock.utc()
        clock.setUTC(present.advanced(bySeconds: 3000 * Self.day))
        let keeper = keeper()
        _ = try keeper.identity()
        clock.setUTC(present)
        #expect(keeper.isDue)
        let made = try keeper.identity().expiresAt
        #expect(abs(made.seconds(since: present) / Self.day - 397) < 1 && !keeper.isDue)
        let fault = try #require(keeper.fault)
        #expect(fault.contains("begins at") && fault.contains("set the clock") && fault.contains("authority.pem"))
        // Once it is the time that the authority is for, nothing is wrong any more.
        clock.setUTC(present.advanced(bySeconds: 3001 * Self.day))
        _ = try keeper.identity()
        #expect(keeper.fault == nil)
    }

    @Test("is told of before its authority ends, and outlives it only where the operator makes a new one")
    func authorityEnds() throws {
        _ = try keeper().identity()
        clock.advance(bySeconds: (3650 - 133) * Self.day)
        let early = keeper()
        _ = try early.identity()
        #expect(early.fault == nil)
        clock.advance(bySeconds: 2 * Self.day)
        let fault = try #require(early.fault)
        #expect(
            fault.contains("authority ends at") && fault.contains("remove \(folder.path)/certificate/authority.pem"))
        let old = early.authorityCertificate
        try FileManager.default.removeItem(atPath: "\(folder.path)/certificate/authority.pem")
        let anew = keeper()
        _ = try anew.identity()
        #expect(anew.fault == nil && anew.authorityCertificate != old)
    }
}
