import Foundation
import KonzaAPI
import KonzaModel
import KonzaTesting
import Storage
import Synchronization
import Testing

@testable import Muster
@testable import People

/// Announcements that a test sets, kept in the same database, so that the transaction is the muster's.
private final class TestGate: AnnouncementGate {
    let active = Mutex<[String]>([])
    let read = Mutex<Set<String>>([])

    func reading(
        of person: Int64, at now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) -> AnnouncementReading {
        let active = active.withLock { $0 }
        let read = read.withLock { $0 }
        return AnnouncementReading(
            unread: active.filter { !read.contains("\(person) \($0)") }.map { .init(id: $0, title: "About \($0)") },
            digest: active.joined(separator: " "))
    }
}

@Suite("The ledger of musters")
struct MusterLedgerTests {
    let folder: TemporaryFolder
    /// Tuesday, 2026-06-02 08:00 in Chicago.
    let clock = ManualClock(utc: UTCInstant(rfc3339: "2026-06-02T13:00:00Z") ?? .earliest)
    private let gate = TestGate()

    init() throws { folder = try TemporaryFolder() }

    private func database() throws -> Database {
        try Database.open(
            in: folder.path, name: "portal.db", migrations: PeopleRegister.migrations + MusterLedger.migrations,
            at: UTCInstant(nanoseconds: 0)
        ).database
    }

    private func open(boot: String = "boot", _ database: Database? = nil, synchronised: Bool? = nil) throws
        -> MusterLedger
    {
        let zone = try #require(TimeZone(identifier: "America/Chicago"))
        let rules = MusterRules { zone.secondsFromGMT(for: Date(timeIntervalSince1970: $0.seconds)) }
        return try MusterLedger(
            try database ?? self.database(), rules: rules, gate: gate, clock: clock, boot: boot,
            isSynchronized: { synchronised })
    }

    private func people(_ database: Database, _ names: [String]) throws -> [Int64] {
        let register = try PeopleRegister(database, clock: clock, cost: HashCost(passes: 1, memory: 65_536))
        return try register.importing(names.map { PersonDetails(name: $0, role: .crew) }, by: 0)
    }

    private func set(_ text: String) throws { clock.setUTC(try #require(UTCInstant(rfc3339: text))) }

    private func state(_ ledger: MusterLedger, _ person: Int64, _ day: String? = nil) throws -> MusterState? {
        try ledger.roster(day.flatMap { CalendarDate($0) }).lines.first { $0.person.number == person }?.state
    }

    private func muster(_ ledger: MusterLedger, _ person: Int64, device: String = "") throws -> MusterRecord? {
        switch try ledger.muster(person, Evidence(.kiosk, "proved"), device: device) {
        case .made(let record), .already(let record): record
        default: nil
        }
    }

    @Test("of days before the account was made, or was made too late, nobody is missed, unless the arrival says so")
    func creation() throws {
        let database = try database()
        // Tuesday, 08:00: Ana's day begins. 09:01 is too late for it, for Ben; 23:30 in Chicago is Tuesday still, for Cleo.
        let ana = try people(database, ["Ana"])[0]
        try set("2026-06-02T14:01:00Z")
        let ben = try people(database, ["Ben"])[0]
        try set("2026-06-03T04:30:00Z")
        let cleo = try people(database, ["Cleo"])[0]
        let ledger = try open(database)
        #expect(try state(ledger, cleo) == .expected && !ledger.roster().lines[2].isOverdue)
        try set("2026-06-04T13:00:00Z")
        func states(_ day: String) throws -> [MusterState?] { try [ana, ben, cleo].map { try state(ledger, $0, day) } }
        #expect(try states("2026-06-01") == [.notExpected, .notExpected, .notExpected])
        #expect(try states("2026-06-02") == [.missed, .notExpected, .notExpected])
        #expect(try states("2026-06-03") == [.missed, .missed, .missed])
        let register = try PeopleRegister(database, clock: clock, cost: HashCost(passes: 1, memory: 65_536))
        let here = try register.change(ana, { $0.arrives = CalendarDate("2026-06-01") }, by: 0)
        #expect(try state(ledger, ana, "2026-06-01") == .missed && state(ledger, ana, "2026-05-29") == .notExpected)
        #expect(try ledger.firstKnownDay(of: here)?.description == "2026-06-01")
        let benjamin = try #require(try register.person(ben))
        #expect(try ledger.firstKnownDay(of: benjamin)?.description == "2026-06-02")
        _ = try register.change(ana, { $0.arrives = CalendarDate("2026-06-03") }, by: 0)
        #expect(try state(ledger, ana, "2026-06-02") == .notExpected && state(ledger, ana, "2026-06-03") == .missed)
    }

    @Test(
        "are expected, mustered or late until midnight, and missed when the day is over; weekends are kept and not demanded"
    )
    func states() throws {
        let database = try database()
        let crew = try people(database, ["Ana", "Ben", "Cleo"])
        let ledger = try open(database)
        #expect(try state(ledger, crew[0]) == .expected)
        #expect(try muster(ledger, crew[0]) != nil)
        #expect(try state(ledger, crew[0]) == .mustered)
        try set("2026-06-02T14:00:59Z")
        #expect(try muster(ledger, crew[1])?.offsetSeconds == -18_000)
        #expect(try state(ledger, crew[1]) == .mustered, "09:00 is on time to its end")
        try set("2026-06-03T04:59:59Z")
        #expect(try ledger.roster().lines[2].isOverdue && state(ledger, crew[2]) == .expected)
        #expect(try muster(ledger, crew[2])?.day?.description == "2026-06-02")
        #expect(try state(ledger, crew[2]) == .late)
        try set("2026-06-03T05:00:00Z")
        #expect(try ledger.roster().day.description == "2026-06-03")
        #expect(try state(ledger, crew[2]) == .expected, "yesterday's is yesterday's")
        try set("2026-06-04T13:00:00Z")
        #expect(try state(ledger, crew[0], "2026-06-03") == .missed)
        #expect(try state(ledger, crew[0], "2026-06-05") == .expected)
        // A Saturday, and Juneteenth.
        try set("2026-06-06T13:00:00Z")
        #expect(try state(ledger, crew[0]) == .notExpected)
        #expect(try muster(ledger, crew[0]) != nil)
        #expect(try state(ledger, crew[0]) == .mustered && state(ledger, crew[1]) == .notExpected)
        #expect(try state(ledger, crew[1], "2026-06-19") == .notExpected)
        // Leave, and days before the arrival.
        let monday = try #require(CalendarDate("2026-06-08"))
        let leave = try #require(try ledger.addLeave(crew[1], monday, monday, because: "dentist", by: 0))
        #expect(
            try state(ledger, crew[1], "2026-06-08") == .excused && state(ledger, crew[0], "2026-06-08") == .expected)
        #expect(try ledger.removeLeave(leave, by: 0) && state(ledger, crew[1], "2026-06-08") == .expected)
    }

    @Test("has one muster a day for each person, the first, whatever the device")
    func once() throws {
        let database = try database()
        let crew = try people(database, ["Ana"])
        let ledger = try open(database)
        let first = try #require(try muster(ledger, crew[0], device: "a"))
        clock.advance(bySeconds: 60)
        #expect(try muster(ledger, crew[0], device: "b") == first)
        #expect(try muster(try open(database), crew[0]) == first)
        #expect(try ledger.records(of: crew[0], limit: 10).count == 1)
    }

    @Test("takes no muster before all that is active is read, and notes what was")
    func reading() throws {
        let database = try database()
        let crew = try people(database, ["Ana"])
        let ledger = try open(database)
        gate.active.withLock { $0 = ["burn#1", "road#1"] }
        gate.read.withLock { $0 = ["\(crew[0]) road#1"] }
        guard case .unread(let unread) = try ledger.muster(crew[0], Evidence(.kiosk, ""), device: "") else {
            Issue.record("mustered")
            return
        }
        #expect(unread.map(\.id) == ["burn#1"])
        gate.read.withLock { _ = $0.insert("\(crew[0]) burn#1") }
        // Changed meanwhile: it is unread again.
        gate.active.withLock { $0 = ["burn#2", "road#1"] }
        guard case .unread = try ledger.muster(crew[0], Evidence(.kiosk, ""), device: "") else {
            Issue.record("mustered")
            return
        }
        gate.read.withLock { _ = $0.insert("\(crew[0]) burn#2") }
        #expect(try muster(ledger, crew[0])?.announcements == "burn#2 road#1")
    }

    @Test("keeps a muster by a clock that is not believed, and dates it by the steady clock when it is set")
    func unset() throws {
        let database = try database()
        let crew = try people(database, ["Ana", "Ben"])
        let ledger = try open(database)
        try set("1970-01-01T00:05:00Z")
        let record = try #require(try muster(ledger, crew[0]))
        #expect(record.day == nil && record.clock == .unbelieved)
        #expect(try muster(ledger, crew[0]) == record)
        #expect(try state(ledger, crew[1], "2026-06-02") == .unheard)
        clock.advance(bySeconds: 3600)
        try set("2026-06-02T14:30:00Z")
        #expect(try state(ledger, crew[0]) == .unheard, "until somebody musters by the believed clock")
        _ = try muster(ledger, crew[1])
        #expect(try state(ledger, crew[0]) == .mustered, "08:30 by the steady clock")
        #expect(try state(ledger, crew[1]) == .late)
        let dated = try #require(try ledger.records(of: crew[0], limit: 1).first)
        #expect(
            dated.kind == .dated && dated.supersedes == record.sequence
                && dated.at.rfc3339 == "2026-06-02T13:30:00.000Z")
        #expect(try ledger.verify(nil).isWhole)
        // Back by an hour: not believed; a clock that a time server set is.
        try set("2026-06-02T12:00:00Z")
        #expect(try ledger.roster().trust == .unbelieved)
        #expect(try open(database, synchronised: true).roster().trust == .synchronised)
    }

    @Test("expects everybody, and knows of nobody, on a day that a clock says which cannot be")
    func noDay() throws {
        let database = try database()
        let crew = try people(database, ["Ana"])
        let ledger = try open(database)
        // New Year's Day.
        try set("2020-01-01T13:00:00Z")
        let roster = try ledger.roster()
        #expect(roster.trust == .unbelieved && roster.dayOff == nil && roster.lines.map(\.state) == [.unheard])
        // Of a day that is asked for it is known what it is.
        #expect(try ledger.roster(CalendarDate("2026-06-06")).dayOff != nil)
        #expect(try state(ledger, crew[0], "2026-06-06") == .notExpected)
    }

    @Test("gives musters of a clock that was ahead their day when a time server says so, and those of another run none")
    func ahead() throws {
        let database = try database()
        let crew = try people(database, ["Ana", "Ben"])
        // Three days ahead: Friday.
        try set("2026-06-05T13:00:00Z")
        _ = try muster(try open(boot: "before", database), crew[1])
        let record = try #require(try muster(try open(database), crew[0]))
        #expect(record.day?.description == "2026-06-05")
        clock.advance(bySeconds: 600)
        try set("2026-06-02T13:10:00Z")
        let ledger = try open(database, synchronised: true)
        #expect(try state(ledger, crew[0]) == .mustered && state(ledger, crew[1]) == .expected)
        let dated = try #require(try ledger.records(of: crew[0], limit: 1).first)
        #expect(dated.kind == .dated && dated.supersedes == record.sequence)
        #expect(dated.at.rfc3339 == "2026-06-02T13:00:00.000Z")
        #expect(try muster(ledger, crew[0]) == dated, "there is one for the day")
        #expect(try muster(ledger, crew[1])?.day?.description == "2026-06-02")
        try set("2026-06-05T13:00:00Z")
        #expect(try state(ledger, crew[0]) == .expected && state(ledger, crew[1]) == .expected)
        #expect(try muster(ledger, crew[0])?.kind == .muster && state(ledger, crew[0]) == .mustered)
        #expect(try ledger.verify(nil).isWhole)
    }

    @Test("does not take another run of the machine's musters for this one's")
    func boots() throws {
        let database = try database()
        let crew = try people(database, ["Ana", "Ben"])
        try set("1970-01-01T00:05:00Z")
        _ = try muster(try open(boot: "first", database), crew[0])
        try set("2026-06-02T14:30:00Z")
        let ledger = try open(boot: "second", database)
        _ = try muster(ledger, crew[1])
        #expect(try state(ledger, crew[0]) == .unheard)
        _ = try ledger.correct(
            crew[0], on: try #require(CalendarDate("2026-06-02")), to: .mustered, because: "seen", by: crew[1])
        #expect(try state(ledger, crew[0]) == .mustered)
    }

    @Test("keeps every record beside a correction, and the last word stands")
    func corrections() throws {
        let database = try database()
        let crew = try people(database, ["Ana", "Olga"])
        let ledger = try open(database)
        let first = try #require(try muster(ledger, crew[0]))
        let day = try #require(first.day)
        let second = try ledger.correct(crew[0], on: day, to: .missed, because: "another pressed", by: crew[1])
        #expect(try state(ledger, crew[0]) == .missed && second.supersedes == first.sequence)
        let third = try ledger.correct(crew[0], on: day, to: .excused, because: "ill", by: crew[1])
        #expect(try state(ledger, crew[0]) == .excused && third.supersedes == second.sequence)
        #expect(try ledger.records(of: crew[0], limit: 9).map(\.sequence) == [3, 2, 1])
    }

    @Test("notes one device that musters two people within ten minutes, and does not refuse it")
    func sharedDevice() throws {
        let database = try database()
        let crew = try people(database, ["Ana", "Ben", "Cleo"])
        let ledger = try open(database)
        func flags(_ person: Int64) throws -> String? {
            guard case .made(let record) = try ledger.muster(person, Evidence(.network, "wlan0, code"), device: "d")
            else {
                return nil
            }
            return record.flags
        }
        #expect(try flags(crew[0])?.isEmpty == true)
        clock.advance(bySeconds: 600)
        #expect(try flags(crew[1]) == "shared-device")
        clock.advance(bySeconds: 601)
        #expect(try flags(crew[2])?.isEmpty == true)
    }

    @Test("names what had been read by id and hash, and of many by one hash, covered by the chain")
    func digest() throws {
        let hash = String(repeating: "a", count: 64)
        #expect(AnnouncementReading.digest(of: []).isEmpty)
        #expect(AnnouncementReading.digest(of: [("b", hash), ("a", "1")]) == "a=1 b=\(hash)")
        let many = (0..<41).map { ("id\($0)", hash) }
        let digest = AnnouncementReading.digest(of: many)
        #expect(digest.hasPrefix("sha256=") && digest.hasSuffix(" count=41") && digest.utf8.count < 100)
        #expect(AnnouncementReading.digest(of: many.reversed()) == digest)
        #expect(AnnouncementReading.digest(of: many.dropLast() + [("id40", "b")]) != digest)
        let database = try database()
        let crew = try people(database, ["Ana"])
        gate.active.withLock { $0 = ["x=1"] }
        gate.read.withLock { $0 = ["\(crew[0]) x=1"] }
        var record = try #require(try muster(try open(database), crew[0]))
        #expect(record.announcements == "x=1" && record.linked(after: AuditChain.start) == record.hash)
        record.announcements = "x=2"
        #expect(record.linked(after: AuditChain.start) != record.hash)
    }

    /// A box of its own, with the same people by other numbers.
    private func box(_ names: [String], _ folder: TemporaryFolder) throws -> (MusterLedger, [String: Int64]) {
        let database = try Database.open(
            in: folder.path, name: "portal.db", migrations: PeopleRegister.migrations + MusterLedger.migrations,
            at: UTCInstant(nanoseconds: 0)
        ).database
        let numbers = try people(database, names)
        return (
            try open(database), Dictionary(uniqueKeysWithValues: zip(names, numbers))
        )
    }

    private func file(
        _ ledger: MusterLedger, _ numbers: [String: Int64], from: String = "2026-01-01", limit: Int = 1000
    ) throws -> String? {
        let names = Dictionary(uniqueKeysWithValues: numbers.map { ($1, $0) })
        return try ledger.file(
            from: try #require(CalendarDate(from)), to: try #require(CalendarDate("2026-12-31")), names: names,
            limit: limit)
    }

    @Test("of two boxes is one: the earliest counts, whoever imports first and how often; an unheard box misses nobody")
    func union() throws {
        let other = try TemporaryFolder()
        let (here, ours) = try box(["Ana", "Ben", "Cleo"], folder)
        let (there, theirs) = try box(["Cleo", "Ben", "Ana", "Zoe"], other)
        func roster(_ day: String? = nil) throws -> [String: MusterState] {
            Dictionary(
                uniqueKeysWithValues: try here.roster(day.flatMap { CalendarDate($0) }).lines.map {
                    ($0.person.name, $0.state)
                })
        }
        let (ana, ben) = (try #require(theirs["Ana"]), try #require(theirs["Ben"]))
        _ = try muster(there, ana)
        clock.advance(bySeconds: 60)
        let (ownAna, ownBen) = (try #require(ours["Ana"]), try #require(ours["Ben"]))
        let own = try #require(try muster(here, ownAna))
        let empty = try #require(try file(there, [:], from: "2026-07-01"))
        #expect(try here.unite(empty).added == 0, "a box without records is heard all the same")
        let text = try #require(try file(there, theirs))
        #expect(try file(there, theirs, limit: 0) == nil, "what is too much is refused, not cut off")
        #expect(try here.unite(text).added == 1 && here.unite(text).added == 0)
        let line = try #require(try here.roster().lines.first { $0.person.name == "Ana" })
        #expect(line.record?.box == there.box && line.record.map { $0.at < own.at } == true)
        // A second device, at the other box: the first record.
        _ = try muster(there, ben)
        #expect(try here.unite(try #require(try file(there, theirs))).added == 1)
        clock.advance(bySeconds: 60)
        #expect(try muster(here, ownBen)?.box == there.box)
        #expect(try here.records(of: ownBen, limit: 9).isEmpty)
        // The next day the other box was not heard since: nobody is missed, for thirty days.
        try set("2026-06-03T14:00:00Z")
        #expect(try roster("2026-06-02") == ["Ana": .mustered, "Ben": .mustered, "Cleo": .unheard])
        #expect(try here.unite(try #require(try file(there, theirs))).added == 0)
        #expect(try roster("2026-06-02")["Cleo"] == .missed)
        try set("2026-07-20T14:00:00Z")
        #expect(try roster("2026-06-03")["Cleo"] == .unheard && roster("2026-07-15")["Cleo"] == .missed)
        #expect(try here.verify(nil).isWhole && here.roster().boxes.map(\.records) == [2])
    }

    @Test(
        "of another box has the name of a removed account no more, also when the box gives it again, and its number stays"
    )
    func removedNames() throws {
        let other = try TemporaryFolder()
        let (here, ours) = try box(["Kim", "Anastasia Quellenstein"], folder)
        let (there, theirs) = try box(["anastasia  quellenstein", "Ben"], other)
        let name = "anastasia  quellenstein"
        _ = try muster(there, try #require(theirs[name]))
        let first = try #require(try file(there, theirs))
        #expect(try here.unite(first).added == 1 && here.roster().lines.contains { $0.record?.box == there.box })
        let register = try PeopleRegister(here.database, clock: clock, cost: HashCost(passes: 1, memory: 65_536))
        register.onRemoval { person, connection throws(DatabaseError) in
            try MusterLedger.forget(person.number, person.name, &connection)
        }
        func kept() throws -> [String] {
            try here.database.read { connection throws(DatabaseError) in
                try connection.rows("SELECT name, line FROM muster_foreign ORDER BY sequence") {
                    $0.text(0) + $0.text(1)
                }
            }
        }
        #expect(try kept()[0].contains("uellenstein"))
        let number = try #require(ours["Anastasia Quellenstein"])
        try register.remove(number, by: 0)
        let line = try #require(try kept().first)
        #expect(line.hasPrefix("#\(number)") && !line.lowercased().contains("quellenstein"))
        let files = try ["portal.db", "portal.db-wal"].map {
            try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\($0)"))
        }
        #expect(files.allSatisfy { $0.range(of: Data("uellenstein".utf8)) == nil })
        // The box that has the account still gives its name, for what is known and for what is new.
        try set("2026-06-03T13:00:00Z")
        _ = try muster(there, try #require(theirs[name]))
        _ = try muster(there, try #require(theirs["Ben"]))
        #expect(try here.unite(try #require(try file(there, theirs))).added == 2)
        #expect(try kept().filter { $0.lowercased().contains("quellenstein") }.isEmpty && kept()[2].hasPrefix("Ben"))
        // All but the name is what its hash covers.
        for change in ["name = 'x', day = '2026-06-09'", "line = json_set(line, '$.at', 1)", "hash = ''"] {
            #expect(throws: StorageError.self) {
                try here.database.write { connection throws(DatabaseError) in
                    try connection.run("UPDATE muster_foreign SET \(change)")
                }
            }
        }
        // Who has an account again is known by the name.
        _ = try people(here.database, ["Anastasia Quellenstein"])
        try set("2026-06-04T13:00:00Z")
        _ = try muster(there, try #require(theirs[name]))
        #expect(try here.unite(try #require(try file(there, theirs))).added == 1)
        #expect(try here.roster().lines.contains { $0.record?.box == there.box })
    }

    @Test("of another box is not taken where a record was changed, left out or written anew, nor the box's own")
    func unionRefused() throws {
        let other = try TemporaryFolder()
        let (here, ours) = try box(["Ana"], folder)
        let (there, theirs) = try box(["Ana", "Ben", "Cleo"], other)
        for name in ["Ana", "Ben", "Cleo"] { _ = try muster(there, try #require(theirs[name])) }
        let text = try #require(try file(there, theirs))
        let lines = text.split(separator: "\n").map(String.init)
        func refused(_ lines: [String]) -> MusterUnionError? {
            do {
                _ = try here.unite(lines.joined(separator: "\n"))
                return nil
            } catch { return error as? MusterUnionError }
        }
        #expect(lines.count == 4)
        #expect(refused([lines[0], lines[1], lines[3]]) == .broken(sequence: 3))
        #expect(refused([lines[0], lines[2], lines[3]]) == .broken(sequence: 2))
        #expect(
            refused([lines[0], lines[1].replacing("2026-06-02", with: "2026-06-01")] + lines[2...])
                == .broken(sequence: 1))
        #expect(refused([lines[0], "{}"]) == .unreadable("it is no record", line: 2))
        #expect(refused(["sequence,box"]) != nil && refused([]) != nil)
        #expect(try here.roster().boxes.isEmpty, "nothing is taken of a file that is refused")
        #expect(throws: MusterUnionError.ownBox) { try here.unite(try #require(try file(here, ours))) }
        #expect(refused(lines) == nil)
        // The same numbers with other records: the other box wrote its ledger anew.
        let third = try TemporaryFolder()
        let (forged, people) = try box(["Ben"], third)
        let forger = try #require(people["Ben"])
        _ = try muster(forged, forger)
        let anew = try #require(try file(forged, people)).replacing("\"\(forged.box)\"", with: "\"\(there.box)\"")
        #expect(refused(anew.split(separator: "\n").map(String.init)) != nil)
    }

    @Test("only grows; a byte that was changed, a row that is missing, and a tail that was cut off are found")
    func audit() throws {
        let database = try database()
        let crew = try people(database, ["Ana", "Ben", "Cleo", "Dora"])
        let ledger = try open(database)
        for one in crew { _ = try muster(ledger, one) }
        let head = MusterHeads(records: try ledger.head(), accounts: nil)
        let whole = try ledger.verify(head)
        #expect(whole.records == 4 && whole.head == head.records && whole.isWhole && whole.hasKnownHead == true)
        func change(_ statement: String) throws {
            try database.write { connection throws(DatabaseError) in try connection.run(statement) }
        }
        for statement in ["UPDATE muster_records SET person = 9", "DELETE FROM muster_records"] {
            #expect(throws: StorageError.self) { try change(statement) }
        }
        for trigger in ["update", "delete"] { try change("DROP TRIGGER muster_records_\(trigger)") }
        try change("UPDATE muster_records SET at = at - 1 WHERE sequence = 2")
        #expect(try ledger.verify(head).brokenAt == 2)
        try change("UPDATE muster_records SET at = at + 1 WHERE sequence = 2")
        // Words that mean nothing, which are read as others.
        for (column, word, right) in [
            ("kind", "x", "muster"), ("evidence", "officer", "kiosk"), ("clock", "", "unconfirmed"),
        ] {
            try change("UPDATE muster_records SET \(column) = '\(word)' WHERE sequence = 3")
            #expect(try ledger.verify(head).brokenAt == 3, "\(column)")
            try change("UPDATE muster_records SET \(column) = '\(right)' WHERE sequence = 3")
        }
        #expect(try ledger.verify(head).isWhole)
        try change("DELETE FROM muster_records WHERE sequence = 4")
        #expect(try ledger.verify(nil).isWhole, "the chain alone cannot know")
        #expect(try ledger.verify(head).hasKnownHead == false)
        try change("DELETE FROM muster_records WHERE sequence = 2")
        #expect(try ledger.verify(nil).brokenAt == 3)
    }

    @Test("are whole only where the audit of accounts is, too")
    func accounts() throws {
        let database = try database()
        _ = try people(database, ["Ana", "Ben"])
        let ledger = try open(database)
        let heads = try ledger.roster().heads
        let whole = try ledger.verify(heads)
        #expect(whole.isWhole && whole.hasKnownHead == true && whole.accounts == heads.accounts)
        #expect(whole.accounts.sequence == 2)
        // An entry more does no harm to what was written down before it.
        _ = try people(database, ["Cleo"])
        #expect(try ledger.verify(heads).isWhole && ledger.roster().heads != heads)
        func change(_ statements: String...) throws {
            try database.write { connection throws(DatabaseError) in
                for statement in statements { try connection.run(statement) }
            }
        }
        try change("DROP TRIGGER people_audit_update", "UPDATE people_audit SET actor = 7 WHERE number = 2")
        let verdict = try ledger.verify(heads)
        #expect(verdict.accountsBrokenAt == 2 && verdict.brokenAt == nil && !verdict.isWhole)
        #expect(verdict.accounts.sequence == 1, "as far as it is whole")
        // The end of the chain cut off: a head that was written down elsewhere alone tells.
        try change("DROP TRIGGER people_audit_delete", "DELETE FROM people_audit WHERE number >= 2")
        #expect(try ledger.verify(nil).isWhole)
        let cut = try ledger.verify(heads)
        #expect(!cut.isWhole && cut.hasKnownHead == false && cut.accountsBrokenAt == nil)
        // Heads of before have one part.
        #expect(try ledger.verify(MusterHeads(records: heads.records, accounts: nil)).isWhole)
    }

    @Test("have heads of one part or two, and no other text is one")
    func heads() throws {
        let one = "17:\(String(repeating: "0f", count: 32))"
        #expect(MusterHeads(one)?.text == one && MusterHeads("\(one)/\(one)")?.text == "\(one)/\(one)")
        for text in ["", "/", "\(one)/", "/\(one)", "\(one)/\(one)/\(one)", "\(one)/x", "-1:\(one)", "17:0f"] {
            #expect(MusterHeads(text) == nil, "\(text)")
        }
    }

    @Test("of a year is the calendar's, day by day, by the manual clock")
    func year() throws {
        let database = try database()
        try set("2026-01-01T06:00:00Z")
        let crew = try people(database, ["Ana"])
        let ledger = try open(database)
        var expected = 0
        var day = try #require(CalendarDate("2026-01-01"))
        // Noon in UTC is 06:00 or 07:00 in Chicago.
        for _ in 0..<365 {
            try set("\(day)T12:00:00Z")
            let roster = try ledger.roster()
            #expect(roster.day == day)
            if roster.lines.first?.state == .expected { expected += 1 }
            day = try #require(day.advanced(byDays: 1))
        }
        // 261 days from Monday to Friday without the eleven holidays, each of which is observed on one of them.
        #expect(expected == 261 - 11)
        _ = crew
    }

    @Test(
        "has one effective muster for each person and day, whatever interleaves, is repeated, or arrives in another order"
    )
    func interleavings() throws {
        let runs = RandomTest.cases(3)
        let seed = RandomTest.seed(of: "musters")
        var random = SeededGenerator(seed: seed)
        let database = try database()
        let crew = try people(database, ["Ana", "Ben", "Cleo"])
        for _ in 0..<runs {
            // Of two boxes, which are two ledgers over one set of people; the second one's rows are made as the first's.
            var ledgers = [try open(boot: "a", database)]
            for _ in 0..<40 {
                let person = crew.randomElement(using: &random) ?? 0
                let ledger = ledgers.randomElement(using: &random) ?? ledgers[0]
                switch Int.random(in: 0..<8, using: &random) {
                case 0:
                    _ = try ledger.correct(
                        person, on: try ledger.roster().day,
                        to: MusterState.correctable.randomElement(using: &random) ?? .late,
                        because: "x", by: 0)
                case 1: clock.advance(bySeconds: Double.random(in: 0...80_000, using: &random))
                // A power cut.
                case 2: ledgers = [try open(boot: "\(random.next())", database)]
                case 3: clock.setUTC(clock.utc().advanced(bySeconds: Double.random(in: -7200...3600, using: &random)))
                default: _ = try muster(ledger, person)
                }
            }
        }
        let ledger = try open(database)
        #expect(try ledger.verify(nil).isWhole)
        let records = try ledger.records("")
        var keys: Set<EffectiveMuster.Key> = []
        // What lost the day that a clock ahead had given it is made again on that day.
        let replaced = Set(records.filter { $0.kind == .dated }.map(\.supersedes))
        for one in records where one.kind == .muster && !replaced.contains(one.sequence) {
            guard let day = one.day else { continue }
            #expect(keys.insert(.init(person: one.person, day: day)).inserted, "two musters of \(one.person) on \(day)")
        }
        // The union of two boxes: another one has the same people on the same days.
        let others = records.enumerated().map { index, record in
            var other = record
            other.box = "other"
            other.sequence = Int64(index + 1)
            other.at = record.at.advanced(bySeconds: Double(Int(record.at.nanoseconds % 600) - 300))
            return other
        }
        let union = records + others
        let whole = EffectiveMuster.of(union)
        for _ in 0..<10 {
            let shuffled =
                union.shuffled(using: &random) + union.prefix(Int.random(in: 0...union.count, using: &random))
            #expect(EffectiveMuster.of(shuffled) == whole)
        }
        for (key, outcome) in whole {
            let all = union.filter { $0.person == key.person && $0.day == key.day && $0.kind != .correction }
            #expect(outcome.first?.at == all.map(\.at).min())
        }
    }
}

@Suite("The code of the kiosk's screen")
struct MusterChallengeTests {
    let clock = ManualClock(monotonic: MonotonicInstant(nanoseconds: 0))

    private func box(_ name: String, boot: String = "b", key: UInt8 = 1) -> MusterChallenge {
        MusterChallenge(key: [UInt8](repeating: key, count: 32), box: name, boot: boot, clock: clock)
    }

    private func takes(_ box: MusterChallenge, _ code: String, from address: String = "192.0.2.1") -> Int {
        do {
            _ = try box.ticket(code, from: address)
            return 201
        } catch {
            return error.status
        }
    }

    @Test("is taken while it is shown and for the period after, as QR code and as digits, on its own box and run alone")
    func periods() {
        let here = box("one")
        let shown = here.shown()
        #expect(shown.code.utf8.count == 32 && shown.digits.utf8.count == 8 && shown.secondsLeft == 30)
        let spaced = "\(shown.digits.prefix(4)) \(shown.digits.dropFirst(4))"
        for code in [shown.code, shown.code.uppercased(), shown.digits, spaced] { #expect(takes(here, code) == 201) }
        for other in [box("two"), box("one", boot: "c"), box("one", key: 2)] {
            #expect(takes(other, shown.code) == 403 && takes(other, shown.digits) == 403)
        }
        clock.advance(bySeconds: 29.9)
        #expect(here.shown().code == shown.code)
        clock.advance(bySeconds: 0.2)
        #expect(here.shown().code != shown.code && takes(here, shown.code) == 201)
        clock.advance(bySeconds: 29.8)
        #expect(takes(here, shown.code) == 201)
        clock.advance(bySeconds: 0.2)
        #expect(takes(here, shown.code) == 403 && takes(here, shown.digits) == 403)
        for bad in ["", "0", String(repeating: "0", count: 32)] { #expect(takes(here, bad) == 403) }
    }

    @Test(
        "cannot be guessed: ten wrong of one address in a minute, sixty of all, and the scanned one is taken all the same"
    )
    func throttled() {
        let here = box("one")
        let right = here.shown().digits
        let wrong = right == "00000000" ? "00000001" : "00000000"
        for _ in 0..<10 { #expect(takes(here, wrong) == 403) }
        #expect(takes(here, right) == 429)
        #expect(takes(here, here.shown().code) == 201)
        for host in 0..<50 { #expect(takes(here, wrong, from: "198.51.100.\(host)") == 403) }
        #expect(takes(here, right, from: "203.0.113.1") == 429)
        clock.advance(bySeconds: 60)
        #expect(takes(here, here.shown().digits) == 201)
    }

    @Test(
        "gives tickets that are good once, for two minutes, and again where the muster was refused for another reason")
    func tickets() throws {
        let here = box("one")
        let ticket = try here.ticket(here.shown().code, from: "192.0.2.1")
        #expect(here.take(ticket) && !here.take(ticket), "one at a time")
        here.finish(ticket, isUsed: false)
        #expect(here.take(ticket))
        here.finish(ticket, isUsed: true)
        #expect(!here.take(ticket))
        let late = try here.ticket(here.shown().code, from: "192.0.2.1")
        clock.advance(bySeconds: 120)
        #expect(!here.take(late) && !here.take("x"))
    }
}

@Suite("The fence of a muster")
struct MusterFenceTests {
    /// About 111.19 m for each thousandth of a degree of latitude.
    private func verdict(_ north: Double, _ accuracy: Double?, age: Double? = 1, isSimulated: Bool = false) throws
        -> MusterFence.Verdict
    {
        let center = try #require(Coordinate(latitude: 39.1069, longitude: -96.6091))
        let place = try #require(Coordinate(latitude: 39.1069 + north / 111_194.93, longitude: -96.6091))
        let far = try #require(Coordinate(latitude: -39, longitude: 10))
        return MusterFence.verdict(
            .init(place: place, accuracy: accuracy, ageSeconds: age, isSimulated: isSimulated),
            of: [.init(center: far, radius: 500), .init(center: center, radius: 500)])
    }

    @Test(
        "is inside with all of the error, outside with all of it, and else cannot be told",
        arguments: [
            (0, 100, MusterFence.Verdict.inside), (399, 100, .inside), (401, 100, .unclear), (499, 0.5, .inside),
            (599, 100, .unclear), (601, 100, .outside), (501, 0.5, .outside), (5000, 100, .outside),
        ] as [(Double, Double, MusterFence.Verdict)])
    func table(_ north: Double, _ accuracy: Double, _ expected: MusterFence.Verdict) throws {
        #expect(try verdict(north, accuracy) == expected)
    }

    @Test("takes no position that is recorded, old, from the future, or without a known and small error")
    func refused() throws {
        for found in [
            try verdict(0, nil), try verdict(0, 0), try verdict(0, 100.5), try verdict(0, .nan),
            try verdict(0, 10, age: nil), try verdict(0, 10, age: 61), try verdict(0, 10, age: -1),
            try verdict(0, 10, isSimulated: true),
        ] {
            guard case .refused = found else {
                Issue.record("\(found)")
                continue
            }
        }
        #expect(try verdict(0, 10, age: 60) == .inside)
    }
}
