import JSONCoding
import KonzaModel
import KonzaTesting
import Storage
import Testing

@testable import Trips

@Suite("Who is still out")
struct TripRegisterTests {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    /// The ledger and its outbox as a start of the portal finds them.
    private func open(
        _ clock: ManualClock? = nil, officer: [String] = ["officer@example.org"], language: String? = "en",
        boot: String = "boot", isSynchronized: Bool? = nil
    ) throws -> (trips: TripRegister, outbox: MessageOutbox) {
        let clock = clock ?? self.clock
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: TripRegister.migrations + MessageOutbox.migrations,
            at: clock.utc())
        let outbox = MessageOutbox(opened.database, clock: clock)
        let words = OverdueMessages(
            station: "Konza", officer: officer, hasWebhook: false, sheriff: "911", language: { language })
        let trips = TripRegister(
            opened.database, clock: clock, boot: boot, isSynchronized: { isSynchronized },
            welcome: { entry, connection throws(DatabaseError) in
                try outbox.welcome(entry, by: words, &connection)
            },
            retract: { withdrawn, connection throws(DatabaseError) in
                try outbox.retract(withdrawn, by: words, &connection)
            }
        ) { raised, connection throws(DatabaseError) in
            try outbox.write(words.drafts(raised, now: clock.utc()), &connection)
        }
        return (trips, outbox)
    }

    private func trip(_ leader: String = "Ana", hours: Double = 2, email: String = "") -> Trip {
        Trip(
            leader: leader, party: ["Ben"], destination: "20B",
            contact: .init(name: "Eve", phone: "+1 785", email: email),
            expectedAt: clock.utc().advanced(bySeconds: hours * 3600))
    }

    private func state(_ trips: TripRegister, _ id: String) throws -> Overdue? { try trips.find(id)?.overdue }

    @Test(
        "is raised step by step: due, after 15 minutes the officer, after an hour the contact, after four the search; each once"
    )
    func steps() throws {
        let (trips, outbox) = try open()
        let id = try trips.start(trip(email: "eve@example.org"), by: "kiosk", key: nil).id
        var seen: [(Double, Overdue, Int)] = []
        // Every half minute from one minute before the expected return until five hours after it.
        clock.advance(bySeconds: 2 * 3600 - 60)
        for second in stride(from: -60.0, through: 5 * 3600, by: 30) {
            for raised in try trips.raise() {
                seen.append((second, raised.step, try outbox.counts().waiting))
                #expect(!raised.isLate)
            }
            clock.advance(bySeconds: 30)
        }
        #expect(seen.map(\.0) == [0, 900, 3600, 14_400] && seen.map(\.1) == [.due, .officer, .contacts, .search])
        #expect(seen.map(\.2) == [0, 1, 3, 4])
        #expect(try trips.find(id)?.isOut == true, "no time ends a trip")
        #expect(try trips.events(of: id).map(\.kind) == ["started", "raised", "raised", "raised", "raised"])
        let mail = try #require(try outbox.list(limit: 9).last)
        #expect(mail.subject == "Konza: overdue: Ana" && mail.body.contains("Destination: 20B"))
        #expect(mail.body.contains("Contact: Eve, +1 785") && mail.body.contains("For a search call: 911"))
    }

    @Test("is told of in words that are so: late where it is late, and as many as there are")
    func words() throws {
        /// The line before the first party of the one message that is written.
        func told(_ count: Int, secondsLate: Double) throws -> String {
            let (trips, outbox) = try open()
            let ids = try (0..<count).map { try trips.start(trip("P\($0)"), by: "kiosk", key: nil).id }
            clock.advance(bySeconds: 7200)
            #expect(try trips.raise().count == count)
            clock.advance(bySeconds: secondsLate)
            #expect(try trips.raise().count == count)
            let mail = try #require(try outbox.list(limit: 1).first)
            for id in ids { _ = try trips.end(id, by: "kiosk", how: "kiosk") }
            return String(mail.body.prefix { $0 != "\n" })
        }
        let late = "This message is late: the station was off, or could not send it earlier. "
        #expect(try told(1, secondsLate: 900) == "Party: P0, Ben")
        // As after a start of the portal within these minutes.
        #expect(try told(1, secondsLate: 1000) == "Party: P0, Ben")
        #expect(try told(2, secondsLate: 900) == "These trips are overdue:")
        #expect(try told(1, secondsLate: 1021) == late + "This trip is overdue:")
        #expect(try told(2, secondsLate: 86_400) == late + "These trips are overdue:")
    }

    @Test("is not late where a step is left out because it comes with the next one")
    func stepsAtOnce() {
        let steps = OverdueSteps(officer: 0, contacts: 0, search: 60)
        #expect(steps.state(secondsLate: 5) == .contacts && steps.firstMessage(after: .no) == 0)
        #expect(steps.firstMessage(after: .contacts) == 60)
    }

    @Test("through days and a month without power is one alarm for all, and none is lost")
    func outage() throws {
        for days in [3.0, 31.0] {
            let first = try trips(3, days)
            #expect(first.count == 3)
            let (trips, outbox) = try open()
            let before = try outbox.counts().waiting
            let raised = try trips.raise()
            #expect(
                Set(raised.map(\.id)).isSuperset(of: first) && raised.allSatisfy { $0.step == .search && $0.isLate })
            #expect(try outbox.counts().waiting == before + 1)
            let mail = try #require(try outbox.list(limit: 1).first)
            #expect(mail.subject == "Konza: 3 trips are overdue")
            for leader in ["P0", "P1", "P2"] { #expect(mail.body.contains("Party: \(leader), Ben")) }
            // The next start, and the next looks, say nothing again.
            for _ in 0..<3 {
                clock.advance(bySeconds: 86_400)
                #expect(try open().trips.raise().isEmpty)
            }
            #expect(try open().outbox.counts().waiting == before + 1)
            for id in first { _ = try open().trips.end(id, by: "ranger", how: "found") }
        }
    }

    /// Parties that go out before the power does.
    private func trips(_ count: Int, _ days: Double) throws -> [String] {
        let (trips, _) = try open()
        let ids = try (0..<count).map {
            try trips.start(trip("P\($0)", hours: Double($0 + 1)), by: "kiosk", key: nil).id
        }
        clock.advance(bySeconds: days * 86_400)
        return ids
    }

    @Test("ends by hand alone, once, and a second 'I am back' gets the first answer")
    func back() throws {
        let (trips, _) = try open()
        let id = try trips.start(trip(), by: "kiosk", key: nil).id
        clock.advance(bySeconds: 86_400)
        try trips.raise()
        let first = try trips.end(id, by: "Ana", how: "on foot")
        #expect(!first.isOut && first.endedBy == "Ana" && first.endedHow == "on foot")
        clock.advance(bySeconds: 60)
        #expect(try trips.end(id, by: "Ben", how: "again") == first)
        #expect(try trips.list(isOut: true).isEmpty && trips.list(isOut: false) == [first])
        #expect(throws: TripRegister.TripError.self) {
            try trips.extend(id, to: clock.utc().advanced(bySeconds: 60), by: "Ana")
        }
        #expect(throws: TripRegister.TripError.self) { try trips.end("none", by: "Ana", how: "") }
    }

    @Test("is extended: not overdue any more, acknowledged by nobody, and raised anew at the new time")
    func extended() throws {
        let (trips, outbox) = try open()
        let id = try trips.start(trip(hours: 1), by: "kiosk", key: nil).id
        clock.advance(bySeconds: 3600 + 900)
        #expect(try trips.raise().map(\.step) == [.officer])
        _ = try trips.acknowledge(id, by: "Zoe")
        _ = try trips.extend(id, to: clock.utc().advanced(bySeconds: 3600), by: "Ana, by radio")
        #expect(try state(trips, id) == .no && trips.find(id)?.acknowledgedBy == nil)
        #expect(try trips.raise().isEmpty)
        clock.advance(bySeconds: 3600 + 900)
        #expect(try trips.raise().map(\.step) == [.officer] && outbox.counts().waiting == 2)
        #expect(throws: TripRegister.TripError.self) { try trips.extend(id, to: clock.utc(), by: "Ana") }
        // So far ahead that nobody would be missed.
        let farthest = clock.utc().advanced(bySeconds: 1000 * 3600)
        for act in [
            { _ = try trips.extend(id, to: farthest.advanced(bySeconds: 1), by: "Ana") },
            { _ = try trips.start(trip("Eva", hours: 1001), by: "kiosk", key: nil) },
        ] {
            #expect { try act() } throws: { error in
                if case .tooFarAhead? = error as? TripRegister.TripError { true } else { false }
            }
        }
        #expect(try trips.extend(id, to: farthest, by: "Ana").trip.expectedAt == farthest)
    }

    @Test(
        "is acknowledged by no name of the party in another order, without its spaces, or of oneself",
        arguments: [
            "Müller, Zoë", "Mueller Zoe", "M., Zoë", "ZoeMueller", "Zoë", "me", "Yo", "-", "1", "Officer, Olaf", "Olaf",
        ])
    func acknowledgedByOwnName(_ own: String) throws {
        let (trips, _) = try open()
        let party = Trip(
            leader: "Zoë Müller", party: ["José García López"], destination: "20B",
            expectedAt: clock.utc().advanced(bySeconds: 3600))
        let id = try trips.start(party, by: .init("Olaf Officer", person: 4), key: nil).id
        clock.advance(bySeconds: 3600)
        try trips.raise()
        #expect(throws: TripRegister.TripError.self) { try trips.acknowledge(id, by: .init(own)) }
        #expect(throws: TripRegister.TripError.self) { try trips.acknowledge(id, by: .init("López José")) }
        #expect(try trips.acknowledge(id, by: .init("Zoe Miller")).acknowledgedBy == "Zoe Miller")
    }

    @Test(
        "that signed out while the clock was not set has the times of the steady clock once it is, in that run of the machine"
    )
    func dated() throws {
        let clock = ManualClock(utc: UTCInstant(nanoseconds: 1_460_000_000_000_000_000))
        let right = UTCInstant(nanoseconds: 1_790_000_000_000_000_000)
        let (trips, _) = try open(clock)
        let signedOut = clock.utc()
        let id = try trips.start(
            Trip(leader: "Ana", destination: "20B", expectedAt: signedOut.advanced(bySeconds: 7200)), by: "kiosk",
            key: nil
        ).id
        clock.advance(bySeconds: 600)
        #expect(try trips.date().isEmpty)
        clock.setUTC(right)
        // Another run of the machine has another steady clock.
        #expect(try open(clock, boot: "next").trips.date().isEmpty)
        #expect(try trips.date() == [id] && trips.date().isEmpty)
        let entry = try #require(try trips.find(id))
        #expect(abs(entry.startedAt.seconds(since: right) + 600) < 1)
        #expect(abs(entry.trip.expectedAt.seconds(since: right) - 6600) < 1)
        #expect(try trips.raise().isEmpty && trips.events(of: id).last?.kind == "dated")
        clock.advance(bySeconds: 6601)
        #expect(try trips.raise().map(\.step) == [.due])
    }

    @Test("whose messages were all refused has been reported to nobody, until one of the next is taken")
    func lost() throws {
        let (trips, outbox) = try open()
        #expect(try !outbox.isLastLost())
        func raise() throws {
            _ = try trips.start(trip(hours: 1), by: "kiosk-1", key: nil)
            clock.advance(bySeconds: 3600 + 900)
            try trips.raise()
        }
        try raise()
        #expect(try !outbox.isLastLost())
        while let lease = try outbox.take([.mail]) {
            try outbox.finish(lease.message.id, lease: lease.lease, .refused("550 no such user"))
        }
        #expect(try outbox.isLastLost())
        clock.advance(bySeconds: 60)
        try raise()
        let next = try #require(try outbox.take([.mail]))
        try outbox.finish(next.message.id, lease: next.lease, .sent)
        #expect(try !outbox.isLastLost())
    }

    @Test("is acknowledged by somebody else than the overdue, when it is overdue")
    func acknowledged() throws {
        let (trips, _) = try open()
        let id = try trips.start(trip(hours: 1), by: "kiosk-1", key: nil).id
        #expect(throws: TripRegister.TripError.self) { try trips.acknowledge(id, by: "Zoe") }
        clock.advance(bySeconds: 3600)
        try trips.raise()
        for own in ["Ana", "ben", "kiosk-1"] {
            #expect(throws: TripRegister.TripError.self, "\(own)") { try trips.acknowledge(id, by: .init(own)) }
        }
        #expect(try trips.acknowledge(id, by: "Zoe").acknowledgedBy == "Zoe")
        #expect(try trips.acknowledge(id, by: "Kim").acknowledgedBy == "Zoe")
        // Who is known takes it over from a name, once, and both are written down.
        #expect(try trips.acknowledge(id, by: .init("Olga", person: 8)).acknowledgedBy == "Olga")
        #expect(try trips.acknowledge(id, by: .init("Kim", person: 9)).acknowledgedBy == "Olga")
        let made = try trips.events(of: id).filter { $0.kind == "acknowledged" }
        #expect(made.map(\.who) == ["Zoe", "Olga"] && made.map(\.person) == [nil, 8])
    }

    @Test(
        "is acknowledged by no account of the party, whatever its name, and by another of the same first name",
        arguments: [
            // Leader's number, acknowledging name and number, whether it is refused.
            ("signed it out", "Somebody", 7, true), ("is the leader", "A. M. Muñoz", 3, true),
            ("is of the party by name", "Benjamin", 4, true),
            ("could be the name that is no account's", "Cleo Park", 9, true),
            ("has the leader's name, which is another's account", "Ana Maria Munoz", 12, false),
            ("is somebody else", "Zoe Hill", 9, false),
        ] as [(String, String, Int64, Bool)])
    func ownAccount(_ why: String, _ name: String, _ number: Int64, _ isRefused: Bool) throws {
        let (trips, _) = try open()
        var party = trip("Ana Maria Muñoz", hours: 1)
        party.party = ["Ben", "Cleo"]
        let made = try trips.start(
            party, by: .init("Sam", person: 7), key: nil, accounts: ["Ana Maria Muñoz": 3, "Ben": 4])
        #expect(made.person == 7 && made.accounts == ["Ana Maria Muñoz": 3, "Ben": 4])
        clock.advance(bySeconds: 3600)
        try open().trips.raise()
        let hand = TripRegister.Hand(name, person: number)
        if isRefused {
            #expect(throws: TripRegister.TripError.self, "\(why)") { try open().trips.acknowledge(made.id, by: hand) }
            // Coming back is nobody's to refuse.
            #expect(try trips.end(made.id, by: hand, how: "").endedBy == name)
        } else {
            #expect(try trips.acknowledge(made.id, by: hand).acknowledgedBy == name, "\(why)")
            #expect(try trips.events(of: made.id).last?.person == number)
        }
    }

    @Test(
        "compares names without marks, case and order of spaces, and takes initials for names",
        arguments: [
            ("Ana Maria Muñoz", "ana  maria munoz", true), ("Ana M.", "Ana Muñoz", true), ("Ana", "Ana Muñoz", true),
            ("A Muñoz", "Ana Maria Muñoz", true), ("Ana Park", "Ana Muñoz", false), ("Anabel", "Ana", false),
            ("An", "Ana", false), ("", "Ana", false), ("Jörg Müller", "Joerg Mueller", true),
            ("Jörg Müller", "jorg muller", true), ("Groß", "Gross", true), ("Søren Ærø", "Soren Aero", true),
            // Cyrillic, Greek, and a space that nobody sees.
            ("Ana Park", "\u{410}n\u{430} \u{420}\u{430}rk", true), ("Ana Park", "\u{391}na \u{3A1}ark", true),
            ("Ana Park", "A\u{200B}na Park", true), ("Мария", "мария", true), ("Мария", "Марко", false),
            ("李明", "李明", true), ("!!", "!!", false),
        ])
    func names(_ first: String, _ second: String, _ could: Bool) {
        #expect(PartyNames.couldBeSame(first, second) == could)
        #expect(PartyNames.couldBeSame(second, first) == could)
    }

    @Test(
        "of somebody whose account was removed have the number alone: past ones at once, one that is out when it is back"
    )
    func removed() throws {
        let (trips, outbox) = try open()
        let eva = TripRegister.Hand("Eva Quellenstein", person: 5)
        func start(_ leader: String, _ who: TripRegister.Hand) throws -> String {
            try trips.start(
                trip(leader, hours: 1), by: who, key: nil,
                accounts: leader == eva.name ? [eva.name: 5] : [:]
            ).id
        }
        let past = try start(eva.name, eva)
        // Her name without the account, and another's of the same first name.
        let typed = try start("eva  quellenstein", "kiosk")
        let other = try start("Eva Birkenfeld", .init("Eva Birkenfeld", person: 6))
        // She is whom another party gave as their contact.
        var reached = trip("Ben", hours: 1)
        reached.contact = .init(name: eva.name, phone: "+1 785 555 8888", email: "eva8888@example.org")
        let contact = try trips.start(reached, by: "kiosk", key: nil, accounts: [:]).id
        // One who is told of her, and is known by her name.
        var mother = trip("Ben", hours: 1)
        mother.contact = .init(name: "Mom of \(eva.name)", phone: "+1 785 555 7777", email: "")
        let named = try trips.start(mother, by: "kiosk", key: nil, accounts: [:]).id
        clock.advance(bySeconds: 2 * 3600)
        try trips.raise()
        func isReached() throws -> Bool { try outbox.list(limit: 100).contains { "\($0)".contains("8888") } }
        #expect(try isReached() && outbox.list(limit: 100).contains { $0.recipient == "eva8888@example.org" })
        let out = try start(eva.name, eva)
        for id in [past, typed, other, contact, named] { _ = try trips.end(id, by: eva, how: "") }
        try trips.database.write { connection throws(DatabaseError) in
            try TripRegister.forget(5, eva.name, at: clock.utc(), &connection)
        }
        let neutral = "removed person 5"
        #expect(
            try [past, typed, other].map { try trips.find($0)?.trip.leader } == [neutral, neutral, "Eva Birkenfeld"])
        let row = try #require(try trips.find(past))
        #expect(try trips.find(named)?.trip.contact == .init(name: neutral))
        #expect(row.trip.contact == .init(name: neutral), "whom to tell of her")
        #expect(row.startedBy == neutral && row.endedBy == neutral && row.accounts == [neutral: 5])
        #expect(try Set(trips.events(of: past).map(\.who)) == [neutral, "station"])
        #expect(try trips.find(out)?.trip.leader == eva.name, "it is looked for by its name")
        func isNamed() throws -> Bool {
            try trips.list(isOut: false).contains {
                "\($0)".contains("Quellenstein") || "\($0)".contains("quellenstein")
            }
                || outbox.list(limit: 100).contains { "\($0)".contains("Quellenstein") }
        }
        #expect(try !isNamed() && outbox.list(limit: 100).contains { $0.body.contains(neutral) })
        #expect(try !isReached())
        #expect(try trips.end(out, by: "kiosk", how: "on foot").trip.leader == neutral)
        #expect(try !isNamed() && trips.events(of: out).map(\.who) == [neutral, "kiosk"])
    }

    @Test("that is back is not reported any more: what nobody got is withdrawn, and who may have got it is told")
    func backTold() throws {
        let (trips, outbox) = try open()
        let one = try trips.start(trip("Ana Torres", email: "eve@example.org"), by: "kiosk", key: nil).id
        clock.advance(bySeconds: 2 * 3600 + 3700)
        try trips.raise()
        // The officer's is at a server; the contact's waits.
        let lease = try #require(try outbox.take([.mail]))
        #expect(lease.message.recipient == "officer@example.org")
        try outbox.finish(lease.message.id, lease: lease.lease, .sent)
        let two = try trips.start(trip("Bo Lund", hours: 0.01), by: "kiosk", key: nil).id
        clock.advance(bySeconds: 1000)
        try trips.raise()
        _ = try trips.end(one, by: "Ana Torres", how: "on foot")
        let all = try outbox.list(limit: 20)
        let contact = try #require(all.first { $0.recipient == "eve@example.org" })
        #expect(contact.ending == .withdrawn && contact.failure?.contains("the party is back") == true)
        let told = all.filter { $0.subject.contains("back") }
        #expect(told.map(\.recipient) == ["officer@example.org"] && told[0].body.contains("Ana Torres"))
        #expect(all.contains { $0.body.contains("Bo Lund") && $0.givenUpAt == nil }, "the other one is looked for")
        // Nobody was told of who was never overdue, and nobody twice.
        let three = try trips.start(trip("Cy"), by: "kiosk", key: nil).id
        _ = try trips.end(three, by: "kiosk", how: "")
        _ = try trips.end(one, by: "kiosk", how: "")
        #expect(try outbox.list(limit: 20).count { $0.subject.contains("back") } == 1)
        _ = two
    }

    @Test("keeps its people's names in messages while it is out, whoever is removed; no part of another name is taken")
    func removedWhileOut() throws {
        let (trips, outbox) = try open()
        func start(_ leader: String, _ contact: String, _ destination: String) throws -> String {
            var trip = trip(leader, hours: 1)
            trip.contact.name = contact
            trip.destination = destination
            return try trips.start(trip, by: "kiosk", key: nil).id
        }
        let one = try start("Annette Zimmer", "Ann", "Annex pond")
        let two = try start("Ann", "Eve", "20B")
        clock.advance(bySeconds: 3600 + 1000)
        try trips.raise()
        _ = try trips.end(one, by: "kiosk", how: "")
        func remove() throws {
            try trips.database.write { connection throws(DatabaseError) in
                try TripRegister.forget(7, "Ann", at: clock.utc(), &connection)
            }
        }
        try remove()
        let alarm = try #require(try outbox.list(limit: 20).first { $0.subject.contains("overdue") })
        #expect(alarm.body.contains("Ann, Ben") && alarm.body.contains("Annette Zimmer"), "\(alarm.body)")
        _ = try trips.end(two, by: "kiosk", how: "")
        let texts = try outbox.list(limit: 20).map { $0.subject + $0.body }
        #expect(texts.allSatisfy { !$0.contains("Ann,") && !$0.contains("person 7ette") && !$0.contains("7ex") })
        #expect(texts.contains { $0.contains("removed person 7, Ben") && $0.contains("Annex pond") }, "\(texts)")
    }

    @Test("of the schema before accounts were noted is read as it was")
    func oldRows() throws {
        let old = try Database.open(
            in: folder.path, name: "portal.db",
            migrations: [TripRegister.migrations[0]] + MessageOutbox.migrations, at: clock.utc()
        ).database
        let facts =
            #"{"leader":"Ana","party":["Ben"],"destination":"20B","route":[],"vehicle":"","contact":{"name":"","phone":"","email":""},"note":"","expectedAt":\#(String(decoding: try JSONText.encode(clock.utc()), as: UTF8.self))}"#
        try old.write { connection throws(DatabaseError) in
            try connection.run(
                "INSERT INTO trips (id, facts, expected_at, started_at, started_by) VALUES ('t1', ?, 1, 1, 'kiosk')",
                [.text(facts)])
            try connection.run(
                "INSERT INTO trip_events (trip, kind, at, who, detail) VALUES ('t1', 'started', 1, 'kiosk', '')")
        }
        let entry = try #require(try open().trips.find("t1"))
        #expect(
            entry.person == nil && entry.accounts.isEmpty && entry.startedBy == "kiosk"
                && entry.names == ["Ana", "Ben"])
        let events = try open().trips.events(of: "t1")
        #expect(events.map(\.who) == ["kiosk"] && events.allSatisfy { $0.person == nil })
        #expect(try open().trips.end("t1", by: .init("Ana", person: 2), how: "").endedBy == "Ana")
        #expect(try open().trips.events(of: "t1").map(\.person) == [nil, 2])
    }

    @Test("with a clock that was never set goes out and comes back, and is raised only once the clock is believed")
    func unbelieved() throws {
        let unset = ManualClock(utc: UTCInstant(nanoseconds: 60_000_000_000))
        let (trips, _) = try open(unset)
        let id = try trips.start(
            Trip(leader: "Ana", destination: "20B", expectedAt: UTCInstant(nanoseconds: 3600_000_000_000)), by: "kiosk",
            key: nil
        ).id
        unset.advance(bySeconds: 86_400 * 3)
        #expect(try trips.raise().isEmpty && trips.find(id)?.overdue == .no)
        _ = try trips.extend(id, to: clock.utc().advanced(bySeconds: -60), by: "Ana")
        #expect(try open().trips.raise().map(\.step) == [.due])
        #expect(try trips.end(id, by: "Ana", how: "").endedBy == "Ana")
    }

    @Test(
        "that a clock raised which was ahead is withdrawn when it is set right, corrected by mail, and raised anew in time"
    )
    func ahead() throws {
        let (trips, outbox) = try open()
        let start = clock.utc()
        let id = try trips.start(trip(email: "eve@example.org"), by: "kiosk", key: nil).id
        clock.setUTC(start.advanced(bySeconds: 3 * 86_400))
        #expect(try trips.raise().map(\.step) == [.search])
        let sent = try #require(try outbox.take([.mail]))
        try outbox.finish(sent.message.id, lease: sent.lease, .sent)
        _ = try trips.acknowledge(id, by: "Zoe")
        #expect(try sent.message.recipient == "officer@example.org" && outbox.counts().waiting == 1)
        clock.setUTC(start.advanced(bySeconds: 3600))
        let raisedAt = start.advanced(bySeconds: 3 * 86_400)
        #expect(try trips.withdraw().map(\.raisedAt) == [raisedAt] && trips.withdraw().isEmpty)
        let entry = try #require(try trips.find(id))
        #expect(entry.isOut && entry.overdue == .no && entry.acknowledgedBy == nil && entry.withdrawnAt == clock.utc())
        let event = try #require(try trips.events(of: id).last)
        #expect(event.kind == "withdrawn" && event.who == "station" && event.detail.contains(raisedAt.rfc3339))
        // Whoever was told is told; whom nobody had told yet is not.
        let correction = try #require(try outbox.take([.mail]))
        #expect(correction.message.recipient == "officer@example.org")
        #expect(
            correction.message.subject == "Konza: correction: Ana" && correction.message.body.contains("is withdrawn"))
        try outbox.finish(correction.message.id, lease: correction.lease, .sent)
        let counts = try outbox.counts()
        #expect(try counts.waiting == 0 && (counts.givenUp, counts.withdrawn) == (0, 1) && trips.raise().isEmpty)
        clock.setUTC(start.advanced(bySeconds: 2 * 3600 + 900))
        #expect(try trips.raise().map(\.step) == [.officer] && outbox.counts().waiting == 1)
        clock.advance(bySeconds: 3600)
        #expect(try trips.raise().map(\.step) == [.contacts] && outbox.counts().waiting == 3)
    }

    @Test("that is overdue by the right time all the same is raised at its own step, with a message that says so")
    func lessOverdue() throws {
        let (trips, outbox) = try open()
        let start = clock.utc()
        let id = try trips.start(trip(hours: 1), by: "kiosk", key: nil).id
        clock.setUTC(start.advanced(bySeconds: 3 * 86_400))
        #expect(try trips.raise().map(\.step) == [.search])
        clock.setUTC(start.advanced(bySeconds: 3600 + 1200))
        #expect(try trips.withdraw().count == 1 && trips.raise().map(\.step) == [.officer])
        #expect(try state(trips, id) == .officer && trips.withdraw().isEmpty)
        // What was never sent of the clock that was ahead is withdrawn.
        #expect(try outbox.counts().waiting == 1 && outbox.counts().withdrawn == 1)
        #expect(try outbox.take([.mail])?.message.body.contains("0 h 20 min ago") == true)
    }

    @Test("stays raised where a clock says less after a start and nobody confirms it, and the clock is not believed")
    func behind() throws {
        let start = clock.utc()
        let id = try open().trips.start(trip(), by: "kiosk", key: nil).id
        clock.setUTC(start.advanced(bySeconds: 3 * 86_400))
        #expect(try open().trips.raise().count == 1 && !open().trips.isClockBehind())
        clock.setUTC(start.advanced(bySeconds: 3600))
        #expect(try !open().trips.isClockBehind(), "set within the run")
        let next = try open(boot: "next").trips
        #expect(try next.withdraw().isEmpty && next.isClockBehind() && state(next, id) == .search)
        let confirmed = try open(boot: "next", isSynchronized: true).trips
        #expect(try !confirmed.isClockBehind() && confirmed.withdraw().map(\.id) == [id])
    }

    @Test("is told of in the language of the contact and of the station; in both where neither is known")
    func languages() throws {
        var party = trip(hours: 1, email: "eve@example.org")
        party.contact.language = "es"
        party.route = ["Kings Creek"]
        for (station, subject) in [
            ("en", "Konza: overdue: Ana"), ("es-MX", "Konza: con retraso: Ana"),
            (nil, "Konza: overdue: Ana / con retraso: Ana"), ("fr", "Konza: overdue: Ana / con retraso: Ana"),
        ] {
            let words = OverdueMessages(
                station: "Konza", officer: ["o@example.org"], hasWebhook: true, sheriff: "911", language: { station })
            let drafts = words.drafts(
                [.init(id: "1", trip: party, step: .contacts, isLate: true)],
                now: party.expectedAt.advanced(bySeconds: 3600))
            #expect(drafts.map(\.subject) == [subject, subject, "Konza: con retraso: Ana"])
            let body = drafts[0].body
            #expect(body.contains("For a search call: 911") == (station != "es-MX"))
            #expect(body.contains("Para una búsqueda, llame a: 911") == (station != "en"))
            #expect(drafts[2].body.contains("Destino: 20B por Kings Creek\nSe esperaba: "))
            #expect(drafts[2].body.contains("1 h 0 min") && drafts[2].body.contains("Usted figura como contacto"))
            #expect(!drafts[2].body.contains("Party"))
        }
    }

    @Test("is signed out once however often the key is sent, and never into the past")
    func repeated() throws {
        let (trips, _) = try open()
        let first = try trips.start(trip(), by: "kiosk", key: "k1")
        #expect(try trips.start(trip("Other"), by: "kiosk", key: "k1") == first)
        #expect(try trips.start(trip(), by: "kiosk", key: "k2").id != first.id)
        #expect(throws: TripRegister.TripError.self) { try trips.start(trip(hours: 0), by: "kiosk", key: nil) }
        #expect(try trips.list(isOut: true).count == 2)
    }

    @Test("by any sequence of hands and outages ends only by a named hand, and each step is raised once")
    func property() throws {
        let seed = RandomTest.seed(of: "TripRegisterTests")
        var random = SeededGenerator(seed: seed)
        var ended: Set<String> = []
        for _ in 0..<60 {
            let (trips, _) = try open()
            let out = try trips.list(isOut: true)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: _ = try trips.start(trip(hours: Double.random(in: 0.1...9, using: &random)), by: "kiosk", key: nil)
            case 1:
                guard let one = out.randomElement(using: &random) else { break }
                _ = try trips.end(one.id, by: "Ana", how: "")
                ended.insert(one.id)
            case 2:
                guard let one = out.randomElement(using: &random) else { break }
                _ = try trips.extend(one.id, to: clock.utc().advanced(bySeconds: 1800), by: "Ana")
            default: clock.advance(bySeconds: Double.random(in: 1...20_000, using: &random))
            }
            try trips.raise()
            for one in try trips.list(isOut: false) { #expect(ended.contains(one.id) && one.endedBy == "Ana") }
            for one in try trips.list(isOut: true) {
                let late = clock.utc().seconds(since: one.trip.expectedAt)
                #expect(one.overdue == OverdueSteps().state(secondsLate: late))
                var steps: [String] = []
                for event in try trips.events(of: one.id) {
                    if event.kind == "extended" { steps = [] }
                    if event.kind == "raised" { steps.append(event.detail) }
                }
                #expect(Set(steps).count == steps.count)
            }
        }
    }
}

@Suite("Messages to send")
struct MessageOutboxTests {
    let clock = ManualClock()
    let outbox: MessageOutbox

    init() throws {
        outbox = MessageOutbox(try Database(inMemory: 4 << 20, migrations: MessageOutbox.migrations), clock: clock)
    }

    private func draft(_ key: String, _ way: MessageOutbox.Way = .mail) -> MessageOutbox.Draft {
        .init(key: key, way: way, recipient: "a@example.org", subject: key, body: "b", about: "t")
    }

    @Test("are one sender's at a time, oldest first, and another's when the first falls silent")
    func leases() throws {
        try outbox.write([draft("1"), draft("1"), draft("2")])
        #expect(try outbox.counts().waiting == 2)
        let first = try #require(try outbox.take([.mail]))
        let second = try #require(try outbox.take([.mail]))
        #expect([first.message.subject, second.message.subject] == ["1", "2"])
        #expect(try outbox.take([.mail]) == nil && outbox.take([.webhook]) == nil && outbox.take([]) == nil)
        #expect(try outbox.finish(second.message.id, lease: second.lease, .sent))
        #expect(try !outbox.finish(second.message.id, lease: second.lease, .sent))
        clock.advance(bySeconds: MessageOutbox.leaseSeconds)
        let again = try #require(try outbox.take([.mail]))
        #expect(again.message.id == first.message.id && again.lease != first.lease)
        #expect(try !outbox.finish(first.message.id, lease: first.lease, .sent), "it is another's to say")
        #expect(try outbox.finish(again.message.id, lease: again.lease, .sent) && outbox.counts().waiting == 0)
        try outbox.write([draft("1")])
        #expect(try outbox.counts().waiting == 0, "it was sent already")
    }

    @Test("that a clock wrote which was ahead go out when it is set right, those of now after them")
    func ahead() throws {
        let now = clock.utc()
        clock.setUTC(now.advanced(bySeconds: 86_400))
        try outbox.write([draft("1")])
        let lease = try #require(try outbox.take([.mail]))
        try outbox.finish(lease.message.id, lease: lease.lease, .postponed("no network"))
        clock.setUTC(now)
        try outbox.write([draft("2")])
        #expect(try [outbox.take([.mail]), outbox.take([.mail])].map { $0?.message.subject } == ["1", "2"])
    }

    @Test("are tried again after growing pauses, given up after two weeks, and never again when refused")
    func pauses() throws {
        try outbox.write([draft("1")])
        var pauses: [Double] = []
        for _ in 0..<9 {
            let lease = try #require(try outbox.take([.mail]))
            try outbox.finish(lease.message.id, lease: lease.lease, .postponed("no network"))
            var waited = 0.0
            while try outbox.counts().waiting > 0, waited < 2000 {
                clock.advance(bySeconds: 15)
                waited += 15
                if let next = try outbox.take([.mail]) {
                    // As if the courier had lost power: the lease ends by itself.
                    _ = next
                    clock.advance(bySeconds: MessageOutbox.leaseSeconds)
                    break
                }
            }
            pauses.append(waited)
        }
        #expect(Array(pauses.prefix(2)) == [15, 60] && pauses.allSatisfy { $0 <= 900 } && pauses.last == 900)
        clock.advance(bySeconds: MessageOutbox.giveUpSeconds)
        let late = try #require(try outbox.take([.mail]))
        try outbox.finish(late.message.id, lease: late.lease, .postponed("no network"))
        #expect(try outbox.counts() == (0, 1, 0, nil))
        try outbox.write([draft("2")])
        let lease = try #require(try outbox.take([.mail]))
        try outbox.finish(lease.message.id, lease: lease.lease, .refused("550 no such user"))
        #expect(try outbox.take([.mail]) == nil && outbox.list(limit: 1).first?.failure == "550 no such user")
    }

    @Test("are bounded")
    func bounded() throws {
        try outbox.write((0..<MessageOutbox.mostWaiting + 5).map { draft("\($0)") })
        #expect(try outbox.counts().waiting == MessageOutbox.mostWaiting)
    }
}
