import HTTPServing
import KonzaModel
import KonzaTesting
import Storage
import Testing

@testable import Access

@Suite("The register of devices")
struct DeviceRegisterTests {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    /// The register as a start of the portal finds it.
    private func open() throws -> DeviceRegister {
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: DeviceRegister.migrations, at: clock.utc())
        #expect(opened.complaint == nil)
        return try DeviceRegister(opened.database, clock: clock)
    }

    @Test("knows a device by the secret that it was given, also after a restart")
    func link() throws {
        let register = try open()
        let paired = try register.accept(try register.invite(.ranger, name: nil), name: "  Ana's\ttablet ")
        #expect(paired.device.name == "Ana's tablet")
        #expect(paired.device.role == .ranger)
        #expect(register.device(secret: paired.secret) == paired.device)
        #expect(try open().device(secret: paired.secret)?.id == paired.device.id)
        #expect(register.device(secret: String(paired.secret.reversed())) == nil)
    }

    @Test("keeps no secret on the disk")
    func noSecrets() throws {
        let register = try open()
        let token = try register.invite(.keeper, name: nil)
        let other = try register.accept(try register.invite(.keeper, name: nil), name: nil)
        let asked = try register.request(name: "tablet", from: "10.0.0.7")
        for name in ["portal.db", "portal.db-wal"] {
            let bytes = try #require(Self.contents("\(folder.path)/\(name)"))
            for secret in [token, other.secret, asked.secret] {
                #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test("takes a link once, within five minutes, also where the portal was killed in between")
    func once() throws {
        var register = try open()
        let token = try register.invite(.collector, name: "Sample tablet")
        register = try open()
        #expect(try register.accept(token, name: "another").device.name == "Sample tablet")
        #expect(throws: PairingError.unknown) { try register.accept(token, name: nil) }
        register = try open()
        #expect(throws: PairingError.unknown) { try register.accept(token, name: nil) }
        let late = try register.invite(.collector, name: nil)
        clock.advance(bySeconds: 301)
        #expect(throws: PairingError.unknown) { try register.accept(late, name: nil) }
    }

    @Test("has no more links open than it may: a new one takes the place of the oldest")
    func manyLinks() throws {
        let register = try open()
        let tokens = try (0...DeviceRegister.mostInvitations).map { _ in
            clock.advance(bySeconds: 1)
            return try register.invite(.ranger, name: nil)
        }
        #expect(throws: PairingError.unknown) { try register.accept(tokens[0], name: nil) }
        for token in tokens.dropFirst() { _ = try register.accept(token, name: nil) }
    }

    @Test("gives a link to one of two that open it at the same time", arguments: 0..<20)
    func race(round: Int) async throws {
        let register = try open()
        let token = try register.invite(.ranger, name: nil)
        let winners = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
            for _ in 0..<4 { group.addTask { (try? register.accept(token, name: nil)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(register.devices.count == 1)
    }

    @Test("lets a device in by the letters on its screen, however they are typed, and once")
    func letters() throws {
        let register = try open()
        let asked = try register.request(name: "tablet", from: "10.0.0.7")
        #expect(asked.letters.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
        #expect(throws: PairingError.undecided) { try register.collect(asked.secret) }
        #expect(throws: PairingError.tooSoon) { try register.collect(asked.secret) }
        #expect(try register.requests().map(\.address) == ["10.0.0.7"])
        try register.decide(" " + asked.letters.lowercased().replacing("-", with: " "), .ranger)
        clock.advance(bySeconds: 5)
        let paired = try open().collect(asked.secret)
        #expect(paired.device.role == .ranger && paired.device.name == "tablet")
        #expect(throws: PairingError.unknown) { try register.collect(asked.secret) }
        #expect(throws: PairingError.unknown) { try register.decide(asked.letters, .keeper) }
    }

    @Test("turns a device away for good, and forgets one that nobody decided about")
    func denied() throws {
        let register = try open()
        let asked = try register.request(name: "tablet", from: "")
        try register.decide(asked.letters, nil)
        #expect(throws: PairingError.denied) { try register.collect(asked.secret) }
        #expect(throws: PairingError.unknown) { try register.decide(asked.letters, .ranger) }
        let late = try register.request(name: "tablet", from: "")
        clock.advance(bySeconds: 301)
        #expect(throws: PairingError.unknown) { try register.collect(late.secret) }
        #expect(try register.requests().isEmpty)
    }

    @Test("takes five requests at a time, and more when those are over")
    func manyRequests() throws {
        let register = try open()
        // An address has one, the newest.
        for _ in 0..<20 { _ = try register.request(name: "tablet", from: "10.0.0.7") }
        for number in 1..<DeviceRegister.mostRequests {
            _ = try register.request(name: "tablet", from: "10.0.1.\(number)")
        }
        #expect(throws: PairingError.tooMany(what: "devices ask to be let in", limit: 5)) {
            try register.request(name: "tablet", from: "10.0.2.1")
        }
        // What was decided no longer counts.
        try register.decide(try #require(try register.requests().first).letters, nil)
        _ = try register.request(name: "tablet", from: "10.0.2.1")
        clock.advance(bySeconds: 301)
        _ = try register.request(name: "tablet", from: "")
    }

    @Test("sends a device away at once, and renames one")
    func revoked() throws {
        let register = try open()
        let paired = try register.accept(try register.invite(.ranger, name: nil), name: "a")
        #expect(try register.change(paired.device.id, name: "b", role: .keeper).role == .keeper)
        #expect(register.device(secret: paired.secret)?.name == "b")
        try register.revoke(paired.device.id)
        #expect(register.device(secret: paired.secret) == nil)
        #expect(try open().device(secret: paired.secret) == nil)
        #expect(throws: PairingError.unknown) { try register.revoke(paired.device.id) }
        #expect(throws: PairingError.unknown) { try register.change("nobody", name: "c", role: nil) }
    }

    @Test("has one entry of a browser that is paired again, and of the kiosk's own browser, however often that starts")
    func again() throws {
        let register = try open()
        let first = try register.accept(try register.invite(.ranger, name: nil), name: "a")
        let second = try register.accept(
            try register.invite(.keeper, name: nil), name: "b", replacing: first.device.id)
        #expect(register.devices == [second.device] && register.device(secret: first.secret) == nil)
        let asked = try register.request(name: "c", from: "")
        try register.decide(asked.letters, .collector)
        let third = try register.collect(asked.secret, replacing: second.device.id)
        #expect(try open().devices == [third.device])
        let kiosks = try (0..<3).map { _ in try register.accept(try register.admitKiosk(), name: nil) }
        #expect(Set(kiosks.map(\.device.id)) == [DeviceRegister.kioskID])
        #expect(register.devices.count == 2 && register.device(secret: kiosks[0].secret) == nil)
        #expect(try open().device(secret: kiosks[2].secret)?.role == .kiosk)
        let token = try register.admitKiosk()
        _ = try register.accept(token, name: nil)
        #expect(throws: PairingError.unknown) { try register.accept(token, name: nil) }
        // A link that is no good replaces nothing.
        #expect(throws: PairingError.unknown) {
            try register.accept(token, name: nil, replacing: third.device.id)
        }
        #expect(register.device(secret: third.secret) == third.device)
    }

    @Test("gives the kiosk's browser back what it was when the ranger's visit is over")
    func visit() throws {
        let register = try open()
        let kiosk = try register.accept(try register.admitKiosk(), name: nil)
        let visit = register.visit("door", before: kiosk.secret)
        #expect(register.device(secret: visit.secret)?.role == .ranger)
        clock.advance(bySeconds: DeviceRegister.visitLifetime + 1)
        #expect(register.device(secret: visit.secret)?.id == DeviceRegister.kioskID)
        #expect(register.endVisit(visit.secret) == kiosk.secret)
        #expect(register.device(secret: visit.secret) == nil)
        // Nobody comes by a ranger's device in this way, and one that was not paired is nobody afterwards.
        let ranger = try register.accept(try register.invite(.ranger, name: nil), name: "a")
        for before in [ranger.secret, nil] {
            let visit = register.visit("door", before: before)
            clock.advance(bySeconds: DeviceRegister.visitLifetime + 1)
            #expect(register.device(secret: visit.secret) == nil)
        }
    }

    @Test("has eight visits by the door; a ninth drops the one that was silent for longest, and the door's id ends all")
    func visits() throws {
        let register = try open()
        var visits: [(device: Device, secret: String, dropped: [String])] = []
        for _ in 0..<8 {
            visits.append(register.visit("door"))
            clock.advance(bySeconds: 1)
        }
        #expect(Set(visits.map(\.device.id)).count == 8 && visits.allSatisfy { $0.dropped.isEmpty })
        #expect(visits.allSatisfy { DeviceRegister.isVisit($0.device.id) })
        // The first one asks again: the second is silent for longest then.
        #expect(register.device(secret: visits[0].secret) == visits[0].device)
        visits.append(register.visit("door"))
        #expect(visits[8].dropped == [visits[1].device.id])
        #expect(visits.map { register.device(secret: $0.secret) != nil } == (0..<9).map { $0 != 1 })
        #expect(try register.revoke(visits[2].device.id) == [visits[2].device.id])
        #expect(try Set(register.revoke(DeviceRegister.visitID)) == Set(([0] + (3..<9)).map { visits[$0].device.id }))
        #expect(visits.allSatisfy { register.device(secret: $0.secret) == nil })
        #expect(throws: PairingError.self) { try register.revoke(DeviceRegister.visitID) }
    }

    @Test("to ask whether a visit lasts does not prolong it")
    func visiting() throws {
        let register = try open()
        let visit = register.visit("door")
        clock.advance(bySeconds: DeviceRegister.visitLifetime - 1)
        #expect(register.isVisiting(visit.secret))
        clock.advance(bySeconds: 2)
        #expect(!register.isVisiting(visit.secret))
    }

    @Test("forgets who was not heard of for ninety days, and renews who was after forty-five")
    func lifetime() throws {
        let register = try open()
        let paired = try register.accept(try register.invite(.ranger, name: nil), name: "a")
        clock.advance(bySeconds: 46 * 86_400)
        #expect(try register.noteSeen(try #require(register.device(secret: paired.secret))))
        clock.advance(bySeconds: 46 * 86_400)
        #expect(try open().device(secret: paired.secret) != nil)
        clock.advance(bySeconds: 45 * 86_400)
        #expect(register.device(secret: paired.secret) == nil)
    }

    @Test("refuses names and roles that cannot be", arguments: ["", "  ", String(repeating: "x", count: 41)])
    func names(name: String) throws {
        let register = try open()
        #expect(throws: PairingError.self) { try register.invite(.ranger, name: name) }
        #expect(throws: PairingError.self) { try register.request(name: name, from: "") }
        #expect(throws: PairingError.self) { try register.invite(.courier, name: nil) }
        #expect(throws: PairingError.self) { try register.invite(.visitor, name: nil) }
    }

    @Test("puts a damaged file aside and begins anew")
    func damaged() throws {
        try #require(Self.write(Array("no database".utf8), to: "\(folder.path)/portal.db"))
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: DeviceRegister.migrations, at: clock.utc())
        #expect(opened.complaint != nil)
        let register = try DeviceRegister(opened.database, clock: clock)
        _ = try register.invite(.ranger, name: nil)
        #expect(try Folder.entries("\(folder.path)/lost+found").count == 1)
    }
}
