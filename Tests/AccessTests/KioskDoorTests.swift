import KonzaModel
import KonzaTesting
import Storage
import Testing

@testable import Access

@Suite("The door at the kiosk")
struct KioskDoorTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    /// The door as a start of the portal finds it.
    private func open(_ clock: ManualClock? = nil) throws -> KioskDoor {
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: KioskDoor.migrations, at: self.clock.utc())
        #expect(opened.complaint == nil)
        return KioskDoor(opened.database, clock: clock ?? self.clock)
    }

    @Test("counts wrong PINs across restarts: the wait goes on, and grows")
    func restarts() throws {
        try open().set("2468")
        for wait in [0.0, 0, 5] { #expect(try open().refuses("1111") == .wrong(seconds: wait)) }
        clock.advance(bySeconds: 2)
        #expect(try open().refuses("2468") == .early(seconds: 3))
        clock.advance(bySeconds: 3)
        #expect(try open().refuses("1111") == .wrong(seconds: 10))
        clock.advance(bySeconds: 10)
        #expect(try open().refuses("2468") == nil)
        // Whoever knew it has the tries of a new beginning.
        #expect(try open().refuses("1111") == .wrong(seconds: 0))
    }

    @Test("has the wait begin anew after a new start of the machine, whatever its clock says")
    func reboot() throws {
        try open().set("2468")
        for _ in 0..<4 {
            _ = try open().refuses("1111")
            clock.advance(bySeconds: 5)
        }
        let rebooted = ManualClock(monotonic: MonotonicInstant(nanoseconds: 20_000_000_000))
        #expect(try open(rebooted).refuses("2468") == .early(seconds: 10))
        rebooted.advance(bySeconds: 10)
        #expect(try open(rebooted).refuses("2468") == nil)
    }

    @Test("forgets wrong PINs with the PIN that they were tried at")
    func changed() throws {
        try open().set("2468")
        for _ in 0..<3 { _ = try open().refuses("1111") }
        try open().set("97531")
        #expect(try open().refuses("97531") == nil)
    }
}
