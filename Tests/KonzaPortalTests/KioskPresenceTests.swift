import KonzaModel
import KonzaTesting
import Testing

@testable import KonzaPortal

@Suite("The kiosk's presence")
struct KioskPresenceTests {
    private let clock = ManualClock()

    @Test("is silent from the start of the portal until the first heartbeat, and from each heartbeat on")
    func silence() {
        let presence = KioskPresence(clock: clock)
        clock.advance(bySeconds: 59.9)
        #expect(
            presence.report == KioskPresence.Report(silentSeconds: 59, screen: nil, build: nil, isIdle: false))
        presence.note(KioskPresence.Heartbeat(screen: "attract", build: "b", isIdle: true))
        #expect(
            presence.report == KioskPresence.Report(silentSeconds: 0, screen: "attract", build: "b", isIdle: true))
        clock.advance(bySeconds: 61)
        #expect(presence.report.silentSeconds == 61)
        #expect(presence.report.screen == "attract")
    }

    @Test("does not change with the clock on the wall")
    func wallClock() {
        let presence = KioskPresence(clock: clock)
        clock.setUTC(UTCInstant(nanoseconds: 0))
        clock.advance(bySeconds: 2)
        #expect(presence.report.silentSeconds == 2)
    }
}
