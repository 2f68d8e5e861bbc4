import Foundation
import KonzaModel
import KonzaTesting
import Storage
import Testing

@testable import Announcements
@testable import KonzaPortal
@testable import Muster
@testable import StationPages
@testable import Trips

@Suite("What the portal says is wrong")
struct PortalFaultsTests {
    private let folder: TemporaryFolder
    private let database: Database
    private let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(inMemory: 8 << 20, migrations: PortalStore.migrations)
    }

    private func faults(_ clock: ManualClock) throws -> PortalFaults {
        let register = AnnouncementRegister(database, clock: clock)
        return PortalFaults(
            printing: nil, outbox: MessageOutbox(database, clock: clock), announcements: register,
            files: AnnouncementFiles(folder.path, register: register), calendars: CalendarFeeds(database, clock: clock),
            muster: try MusterLedger(
                database, rules: MusterRules { _ in 0 }, gate: RequiredAnnouncements(), clock: clock, boot: "0",
                isSynchronized: { nil }),
            clock: clock)
    }

    @Test("is nothing of a station that is new")
    func none() throws { #expect(try faults(clock).found.isEmpty) }

    @Test("is a feed without a valid answer, or without any for a day; until it answers again")
    func feeds() throws {
        let faults = try faults(clock)
        let calendar = "BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n"
        #expect(
            try faults.calendars.take(calendar, from: "https://a.example/x", entityTag: nil, lastModified: nil) == nil)
        #expect(faults.found.isEmpty)
        clock.advance(bySeconds: 90_000)
        #expect(faults.found.map(\.code) == [.feed])
        #expect(faults.found[0].what.hasPrefix("the calendar https://a.example/x was not answered for a day; what it"))
        faults.calendars.note("https://a.example/x", fault: nil)
        faults.announcements.noteFault("https://b.example/", "cannot resolve the name")
        #expect(
            faults.found.map(\.what) == [
                "the feed https://b.example/ gives no valid answer: cannot resolve the name; nothing of it is shown"
            ])
        faults.announcements.noteChecked("https://b.example/", at: clock.utc())
        #expect(faults.found.isEmpty)
    }

    @Test("is a message that was refused, failed, or that nobody fetched for a quarter of an hour; until it is sent")
    func messages() throws {
        let faults = try faults(clock)
        try faults.outbox.write([
            .init(key: "1", way: .mail, recipient: "a@example.org", subject: "s", body: "b", about: "t")
        ])
        #expect(faults.found.isEmpty)
        clock.advance(bySeconds: 1000)
        #expect(faults.found.map(\.code) == [.messages])
        #expect(faults.found[0].what.contains("a@example.org: the courier has not fetched it"))
        #expect(faults.found[0].remedy.hasPrefix("tell those people by telephone or radio; look at konza trips"))
        let lease = try #require(try faults.outbox.take([.mail]))
        try faults.outbox.finish(lease.message.id, lease: lease.lease, .postponed("no network"))
        #expect(faults.found.map(\.what) == ["1 message was not sent, the last one to a@example.org: no network"])
        clock.advance(bySeconds: 86_400)
        let again = try #require(try faults.outbox.take([.mail]))
        try faults.outbox.finish(again.message.id, lease: again.lease, .sent)
        #expect(faults.found.isEmpty)
    }

    @Test("is no message that was withdrawn because the clock was ahead: nobody is to be told anything")
    func withdrawn() throws {
        let faults = try faults(clock)
        let words = OverdueMessages(
            station: "Konza", officer: ["a@example.org"], hasWebhook: true, sheriff: "", language: { "en" })
        let outbox = faults.outbox
        let trips = TripRegister(
            database, clock: clock, boot: "0",
            retract: { withdrawn, connection throws(DatabaseError) in
                try outbox.retract(withdrawn, by: words, &connection)
            }
        ) { raised, connection throws(DatabaseError) in
            try outbox.write(words.drafts(raised, now: clock.utc()), &connection)
        }
        let start = clock.utc()
        _ = try trips.start(
            Trip(leader: "Ana", destination: "20B", expectedAt: start.advanced(bySeconds: 7200)), by: "kiosk", key: nil)
        func messages() -> [PortalFault] { faults.found.filter { $0.code == .messages } }
        clock.setUTC(start.advanced(bySeconds: 86_400))
        #expect(try trips.raise().count == 1)
        // One of the two has no way any more; it is not to be sent later either.
        try outbox.settle([.mail])
        #expect(messages().count == 1)
        clock.setUTC(start.advanced(bySeconds: 60))
        #expect(try trips.withdraw().count == 1 && outbox.counts().withdrawn == 2 && outbox.counts().givenUp == 0)
        #expect(try outbox.settle([.mail, .webhook]) == (0, 0) && outbox.list(limit: 10).count == 2)
        #expect(messages().isEmpty)
    }

    @Test(
        "is a message whose way was taken out of the settings: it does not wait, and is sent when the way is set again")
    func unset() throws {
        let faults = try faults(clock)
        try faults.outbox.write([.init(key: "1", way: .webhook, recipient: "", subject: "s", body: "b", about: "t")])
        #expect(try faults.outbox.settle([.mail, .webhook]) == (0, 0))
        // What somebody is sending is that sender's to finish.
        let lease = try #require(try faults.outbox.take([.webhook]))
        #expect(try faults.outbox.settle([]) == (0, 0))
        try faults.outbox.finish(lease.message.id, lease: lease.lease, .postponed("no network"))
        #expect(try faults.outbox.settle([.mail]) == (1, 0) && faults.outbox.counts().waiting == 0)
        #expect(
            faults.found.map(\.what) == [
                "1 message was not sent, the last one to the webhook: no webhook is set: [Courier] Webhook="
            ])
        #expect(try faults.outbox.settle([.mail]) == (0, 0))
        clock.advance(bySeconds: 3 * 86_400)
        #expect(try faults.outbox.settle([.webhook]) == (0, 1))
        #expect(try faults.outbox.take([.webhook])?.message.id == lease.message.id)
        // A message is tried for two weeks.
        clock.advance(bySeconds: 600)
        #expect(try faults.outbox.settle([]) == (1, 0))
        clock.advance(bySeconds: MessageOutbox.giveUpSeconds)
        #expect(try faults.outbox.settle([.webhook]) == (0, 0) && faults.outbox.counts().waiting == 0)
    }

    @Test("is a clock that cannot be right, and a file of announcements that cannot be read")
    func clockAndFiles() throws {
        let unset = try faults(ManualClock(utc: UTCInstant(nanoseconds: 60_000_000_000)))
        #expect(unset.found.map(\.code) == [.clock])
        #expect(unset.found[0].remedy.contains("timedatectl set-time"))
        let faults = try faults(clock)
        try Data("no front matter".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/a.md"))
        try faults.files.refresh()
        #expect(faults.found.map(\.code) == [.content])
        #expect(faults.found[0].what.contains("a.md, line 1: ") && !faults.found[0].remedy.isEmpty)
    }
}
