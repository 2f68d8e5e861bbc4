import KonzaModel
import KonzaTesting
import Storage
import Testing

@testable import Gallery

@Suite("What visitors agreed to show")
struct GalleryRegisterTests {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    /// The register as a start of the portal finds it.
    private func open(_ moderation: GalleryRegister.Moderation = .after, most: Int = 2000) throws -> GalleryRegister {
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: GalleryRegister.migrations, at: clock.utc())
        return GalleryRegister(opened.database, moderation: moderation, mostEntries: most, clock: clock)
    }

    private func shown(_ register: GalleryRegister) throws -> [String] {
        try register.shown(after: nil, limit: 48).map(\.postcard)
    }

    @Test("is nothing until one agrees, the newest first, and nothing again when that is taken back")
    func agreed() throws {
        let register = try open()
        #expect(try shown(register).isEmpty && !register.isShown("a"))
        #expect(try register.agree("a") == .shown)
        #expect(try register.agree("b") == .shown)
        #expect(try register.agree("a") == .shown)
        #expect(try shown(try open()) == ["b", "a"])
        try register.withdraw("b")
        #expect(try shown(register) == ["a"] && !register.isShown("b"))
        try register.withdraw("unknown")
    }

    @Test("is hidden by a ranger, also when its visitor agrees again, and shown again by a ranger alone")
    func hidden() throws {
        let register = try open()
        _ = try register.agree("a")
        #expect(try register.decide("a", isShown: false))
        #expect(try shown(register).isEmpty && !register.isShown("a"))
        #expect(try register.all(after: nil, limit: 9).map(\.state) == [.hidden])
        try register.withdraw("a")
        #expect(try register.all(after: nil, limit: 9).isEmpty)
        #expect(try !register.decide("a", isShown: true), "nobody agrees to show it")
        #expect(try register.agree("a") == .hidden)
        #expect(try open().decide("a", isShown: true))
        #expect(try shown(register) == ["a"])
        #expect(try !register.decide("b", isShown: true))
    }

    @Test("waits for a ranger where one decides first")
    func approved() throws {
        let register = try open(.before)
        #expect(try register.agree("a") == .waiting)
        #expect(try shown(register).isEmpty && register.waiting() == 1)
        #expect(try register.decide("a", isShown: true))
        #expect(try shown(register) == ["a"] && register.waiting() == 0)
        // The setting changes what nobody decided about, and nothing else.
        _ = try register.agree("b")
        #expect(try shown(try open(.after)) == ["b", "a"])
        #expect(try shown(try open(.before)) == ["a"])
    }

    @Test("comes in pages without a gap or a repetition, while others are added and taken away")
    func pages() throws {
        let register = try open()
        for number in 0..<10 { _ = try register.agree("c\(number)") }
        let first = try register.shown(after: nil, limit: 4)
        _ = try register.agree("new")
        try register.remove(first[3].postcard)
        let second = try register.shown(after: first[3].number, limit: 4)
        #expect((first + second).map(\.postcard) == (0..<8).map { "c\(9 - $0)" })
        #expect(try register.shown(after: 1, limit: 4).isEmpty)
        // What was removed and comes again is a new one.
        _ = try register.agree("c6")
        #expect(try shown(register).first == "c6")
    }

    @Test("is bounded: the oldest make way")
    func bounded() throws {
        let register = try open(most: 60)
        for number in 0..<63 { _ = try register.agree("c\(number)") }
        #expect(try !register.isShown("c2") && register.isShown("c3"))
        #expect(try register.shown(after: nil, limit: .max).count == GalleryRegister.mostOfPage)
    }
}
