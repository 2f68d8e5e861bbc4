import Feeds
import KonzaModel
import KonzaTesting
import Storage
import Testing

@testable import Announcements

@Suite("Announcements")
struct AnnouncementRegisterTests {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    /// The register as a start of the portal finds it.
    private func open() throws -> AnnouncementRegister {
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: AnnouncementRegister.migrations, at: clock.utc())
        return AnnouncementRegister(opened.database, clock: clock)
    }

    private func plain(_ title: String, urgent: Bool = false) -> Announcement {
        Announcement(words: .init(title: title), isUrgent: urgent)
    }

    private func titles(_ register: AnnouncementRegister, _ reader: String? = "ana") throws -> [String] {
        try register.list(for: reader, isCrew: true).map(\.announcement.words.title)
    }

    @Test("come urgent unread first, then unread, then read, and the newest first in each")
    func order() throws {
        let register = try open()
        var ids: [String: String] = [:]
        for (title, urgent) in [("a", false), ("B", true), ("c", false), ("D", true)] {
            ids[title] = try register.write(plain(title, urgent: urgent), by: "ranger").id
            clock.advance(bySeconds: 1)
        }
        #expect(try titles(register) == ["D", "B", "c", "a"])
        for title in ["D", "a"] {
            let entry = try #require(try register.find(ids[title] ?? "", for: "ana", isCrew: true))
            #expect(try register.markRead(entry.id, hash: entry.hash, by: "ana"))
        }
        #expect(try titles(register) == ["B", "c", "D", "a"])
        #expect(try titles(register, "ben") == ["D", "B", "c", "a"], "what one has read the other has not")
        #expect(try titles(try open()) == ["B", "c", "D", "a"])
    }

    @Test(
        "have the hash of the thesis's seven fields: each of them changes it, and no other spelling of the same text does"
    )
    func hash() {
        let base = Announcement(
            words: .init(title: "Caf\u{E9}", body: "one\ntwo", more: "m"), startDate: UTCInstant(nanoseconds: 0),
            endDate: UTCInstant(nanoseconds: 1), pubDate: nil)
        var same = base
        same.words = .init(title: " Cafe\u{301} ", body: "one\r\ntwo\n", more: "m\r")
        #expect(same.hash == base.hash && same.textHash == base.textHash)
        same.rank = 4
        same.audience = .everyone
        #expect(same.hash == base.hash)
        var hashes: Set<String> = [base.hash]
        for change: (inout Announcement) -> Void in [
            { $0.words.title = "Cafes" }, { $0.words.body = "one two" }, { $0.words.more = "" },
            { $0.startDate = nil }, { $0.endDate = nil }, { $0.pubDate = UTCInstant(nanoseconds: 0) },
            { $0.isUrgent = true }, { $0.translations = ["es": .init(title: "Caf\u{E9}")] },
            // Each has its length before it: nothing moves from one field into the next.
            { $0.words = .init(title: "Caf\u{E9}one", body: "\ntwo", more: "m") },
            { $0.words = .init(title: "Caf\u{E9}", body: "one\ntwom", more: "") },
        ] {
            var other = base
            change(&other)
            hashes.insert(other.hash)
        }
        #expect(hashes.count == 11)
        // By another implementation: Python's hashlib over the same bytes.
        #expect(
            Announcement(words: .init(title: "t")).hash
                == "e13de91385ddc5c0e364a9d204999c225e35de97e4028ba22fd082b63afb2bf1")
    }

    @Test("are unread again when changed, and read again only at the new hash")
    func changed() throws {
        let register = try open()
        let old = try register.write(plain("old"), by: "ranger")
        try register.markRead(old.id, hash: old.hash, by: "ana")
        let new = try register.change(old.id, to: plain("new"))
        let entry = try #require(try register.find(old.id, for: "ana", isCrew: true))
        #expect(!entry.isRead && entry.isChanged)
        #expect(try !register.markRead(old.id, hash: old.hash, by: "ana"), "what was read is not what is there")
        #expect(try register.markRead(old.id, hash: new.hash, by: "ana"))
        _ = try register.change(old.id, to: plain("new"))
        #expect(try register.find(old.id, for: "ana", isCrew: true)?.isRead == true, "nothing differs")
    }

    @Test("are active from their start until their end, and none ends by a clock that was never set")
    func active() throws {
        let register = try open()
        var later = plain("later")
        later.startDate = clock.utc().advanced(bySeconds: 10)
        later.endDate = clock.utc().advanced(bySeconds: 20)
        _ = try register.write(later, by: "ranger")
        #expect(try titles(register).isEmpty && register.list(for: nil, isCrew: true, all: true).count == 1)
        clock.advance(bySeconds: 10)
        #expect(try titles(register) == ["later"])
        clock.advance(bySeconds: 10)
        #expect(try titles(register).isEmpty)
        let unset = ManualClock(utc: UTCInstant(nanoseconds: 5_000_000_000))
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: AnnouncementRegister.migrations, at: unset.utc())
        #expect(try AnnouncementRegister(opened.database, clock: unset).list(for: nil, isCrew: true).count == 1)
    }

    @Test("for the crew are the crew's alone, and the gate is open when each active one was read as it is now")
    func gate() throws {
        let register = try open()
        var notices = ["a", "b"].map { plain($0) }
        notices[1].audience = .everyone
        var ended = plain("ended")
        ended.endDate = clock.utc()
        var optional = plain("weather")
        optional.isRequired = false
        for one in notices + [ended, optional] { _ = try register.write(one, by: "ranger") }
        #expect(try register.list(for: nil, isCrew: false).map(\.announcement.words.title) == ["b"])
        func unread() throws -> [String] {
            let now = clock.utc()
            return try register.database.write(storing: { connection throws(DatabaseError) in
                try AnnouncementRegister.unread(by: "ana", at: now, &connection).map(\.title)
            })
        }
        #expect(try Set(unread()) == ["a", "b"])
        for entry in try register.list(for: "ana", isCrew: true) {
            try register.markRead(entry.id, hash: entry.hash, by: "ana")
        }
        #expect(try unread().isEmpty)
        let id = try #require(try register.list(for: "ana", isCrew: true).first { $0.announcement.words.title == "a" })
            .id
        _ = try register.change(id, to: plain("a, changed"))
        #expect(try unread() == ["a, changed"])
        try register.forget(reader: "ana")
        #expect(try unread().count == 2)
    }

    // MARK: - Feeds

    private func feed(_ items: FeedItem...) -> Feed { Feed(title: "Notices", items: items) }

    private func take(_ register: AnnouncementRegister, _ feed: Feed, tag: String = "1") throws
        -> AnnouncementRegister.SyncOutcome
    {
        try register.take(feed, from: "https://f.example", for: .crew, state: .init(title: feed.title, entityTag: tag))
    }

    @Test("of a feed are added, changed and retired by a whole answer, and by nothing else")
    func synchronized() throws {
        let register = try open()
        let one = FeedItem(id: "1", title: "one")
        let two = FeedItem(id: "2", title: "two", isUrgent: true)
        #expect(try take(register, feed(one, two)) == .init(added: 2, changed: 0, retired: 0))
        #expect(try titles(register) == ["two", "one"])
        register.noteFault("https://f.example", "status 500")
        #expect(try titles(register) == ["two", "one"] && register.feedStates().values.first?.fault == "status 500")
        let entry = try #require(try register.list(for: "ana", isCrew: true).last)
        try register.markRead(entry.id, hash: entry.hash, by: "ana")
        #expect(try take(register, feed(FeedItem(id: "1", title: "one, again")), tag: "2").changed == 1)
        #expect(try titles(register) == ["one, again"])
        #expect(try register.list(for: "ana", isCrew: true).first?.isChanged == true)
        #expect(try register.feedState(of: "https://f.example")?.fault == nil)
        // It comes back as it was, read as it was read then: the same id.
        #expect(try take(register, feed(one, two), tag: "3") == .init(added: 0, changed: 2, retired: 0))
        #expect(try register.list(for: "ana", isCrew: true).last?.isRead == true)
        #expect(throws: AnnouncementRegister.WritingError.self) { try register.change(entry.id, to: plain("mine")) }
        // Retired by a ranger it stays away until the feed changes it.
        try register.retire(entry.id)
        #expect(try take(register, feed(one, two), tag: "4").isUnchanged && titles(register) == ["two"])
        #expect(try take(register, feed(FeedItem(id: "1", title: "one, new"), two), tag: "5").changed == 1)
        try register.keepOnly(["https://other.example"])
        #expect(try titles(register).isEmpty && register.feedStates().isEmpty)
    }

    @Test("of a feed of a thousand that did not change cost no write")
    func unchanged() throws {
        let register = try open()
        let many = Feed(title: "Many", items: (0..<1000).map { FeedItem(id: "\($0)", title: "t\($0)", body: "b") })
        #expect(try take(register, many).added == 1000)
        let before = try writes(register)
        #expect(try take(register, many).isUnchanged)
        register.noteChecked("https://f.example", at: clock.utc())
        #expect(try writes(register) == before)
        #expect(try register.feedState(of: "https://f.example")?.checkedAt == clock.utc())
    }

    /// SQLite's own count of commits, as another connection sees it (https://sqlite.org/pragma.html#pragma_data_version).
    private func writes(_ register: AnnouncementRegister) throws -> Int64 {
        try register.read { connection throws(DatabaseError) in
            try connection.rows("PRAGMA data_version") { $0.integer(0) }.first ?? -1
        }
    }

    @Test("stay read when an alert is issued again with the same words, and are unread when it says something else")
    func reissued() throws {
        let register = try open()
        _ = try take(register, feed(FeedItem(id: "a1", title: "Flood", body: "rising", isUrgent: true, rank: 300)))
        let first = try #require(try register.list(for: "ana", isCrew: true).first)
        try register.markRead(first.id, hash: first.hash, by: "ana")
        func next(_ id: String, _ body: String, _ old: String) throws -> Bool? {
            let item = FeedItem(
                id: id, title: "Flood", body: body, published: clock.utc(), isUrgent: true, rank: 300, supersedes: [old]
            )
            clock.advance(bySeconds: 60)
            _ = try take(register, feed(item), tag: id)
            return try register.list(for: "ana", isCrew: true).first?.isRead
        }
        #expect(try next("a2", "rising", "a1") == true)
        #expect(try next("a3", "falling", "a2") == false)
    }

    @Test("are bounded: written ones, and those that are kept after they were retired")
    func bounded() throws {
        let register = try open()
        let id = try register.write(plain("first"), by: "ranger").id
        try register.retire(id)
        #expect(throws: AnnouncementRegister.WritingError.self) { try register.retire(id) }
        clock.advance(bySeconds: AnnouncementRegister.keptRetired + 1)
        _ = try register.write(plain("second"), by: "ranger")
        let count = try register.read { connection throws(DatabaseError) in
            try connection.rows("SELECT count(*) FROM announcements") { $0.integer(0) }.first
        }
        #expect(count == 1)
    }
}
