import CSVWriting
import Cryptography
import Foundation
import KonzaModel
import KonzaTesting
import Storage
import Synchronization
import Testing

@testable import People

@Suite("The accounts")
struct PeopleRegisterTests {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    /// The register as a start of the portal finds it.
    private func open() throws -> PeopleRegister {
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: PeopleRegister.migrations, at: clock.utc())
        return try PeopleRegister(opened.database, clock: clock, cost: HashCost(passes: 1, memory: 65_536))
    }

    private func add(_ register: PeopleRegister, _ name: String, _ role: PersonRole = .crew) throws -> (
        Person, Credentials
    ) {
        let made = try register.add(PersonDetails(name: name, role: role), by: 0)
        return (made.person, made.credentials)
    }

    private func tries(_ register: PeopleRegister, _ proof: Proof, isForReturn: Bool = false) -> PeopleError? {
        var wish = SigningIn(proof)
        wish.isAtKiosk = true
        wish.isForReturn = isForReturn
        do {
            _ = try register.signIn(wish)
            return nil
        } catch {
            return error as? PeopleError
        }
    }

    @Test(
        "are found by number and by name, letter case, spaces and Unicode's ways of writing apart; no two have one name"
    )
    func names() throws {
        let register = try open()
        let (ana, _) = try add(register, "  Ana   Peña ")
        #expect(ana.name == "Ana Peña" && ana.number == 1)
        for text in ["1", "ana peña", "ANA PEN\u{303}A", " Ana Peña"] {
            #expect(try register.find(text) == ana, "\(text)")
        }
        #expect(throws: PeopleError.taken("aNA pen\u{303}a")) { try add(register, "aNA pen\u{303}a") }
        for bad in ["", "  ", "17", "\u{200B}", String(repeating: "a", count: 61)] {
            #expect(throws: PeopleError.self, "\(bad)") { try add(register, bad) }
        }
        #expect(try open().people().map(\.name) == ["Ana Peña"])
    }

    @Test("open with the passphrase, at the kiosk with PIN or badge and PIN, and with nothing else")
    func signIn() throws {
        let register = try open()
        let (ana, secrets) = try add(register, "Ana")
        #expect(tries(register, .passphrase(name: " ana ", " \(secrets.passphrase) ")) == nil)
        #expect(tries(register, .pin(name: "Ana", secrets.pin)) == nil)
        #expect(tries(register, .badge(secrets.badge, pin: secrets.pin)) == nil)
        #expect(tries(register, .pin(name: "\(ana.number)", secrets.pin)) == nil)
        #expect(tries(register, .pin(name: "\(ana.number + 1)", secrets.pin)) == .refused)
        #expect(tries(register, .passphrase(name: "Ana", secrets.pin)) == .refused)
        #expect(tries(register, .pin(name: "Ana", secrets.passphrase)) == .refused)
        #expect(tries(register, .badge("konza-badge:0", pin: secrets.pin)) == .refused)
        #expect(tries(register, .passphrase(name: "Nobody", secrets.passphrase)) == .refused)
        // A reset makes all of them worthless.
        let fresh = try register.reset(ana.number, by: 0)
        #expect(tries(register, .passphrase(name: "Ana", secrets.passphrase)) == .refused)
        #expect(tries(register, .badge(secrets.badge, pin: fresh.pin)) == .refused)
        #expect(tries(try open(), .badge(fresh.badge, pin: fresh.pin)) == nil)
    }

    @Test(
        "wait longer after each wrong try, known or not, never more than an hour, and stop after a hundred until a reset"
    )
    func throttled() throws {
        let register = try open()
        let (ana, secrets) = try add(register, "Ana")
        for name in ["Ana", "Nobody"] {
            for _ in 0..<5 { #expect(tries(register, .pin(name: name, "x")) == .refused) }
            #expect(tries(register, .pin(name: name, "x")) == .tooSoon(seconds: 30))
            clock.advance(bySeconds: 30)
            #expect(tries(register, .pin(name: name, "x")) == .refused)
            #expect(tries(register, .pin(name: name, "x")) == .tooSoon(seconds: 60), "\(name)")
            clock.advance(bySeconds: 60)
        }
        // The right one waits, too; the passphrase is counted apart.
        #expect(tries(register, .pin(name: "Ana", "x")) == .refused)
        guard case .tooSoon = tries(register, .pin(name: "Ana", secrets.pin)) else { Issue.record("no wait"); return }
        #expect(tries(register, .passphrase(name: "Ana", secrets.passphrase)) == nil)
        // That ends the waiting, not the count of the PIN.
        var wrong = 7
        while wrong < 100 {
            if tries(register, .pin(name: "Ana", "x")) == .refused {
                wrong += 1
            } else {
                clock.advance(bySeconds: 3600)
            }
        }
        clock.advance(bySeconds: 3600)
        #expect(tries(register, .pin(name: "Ana", secrets.pin)) == .exhausted)
        // Coming back is never locked out; a wrong PIN makes the next wait ten seconds, and not longer.
        for _ in 0..<3 {
            #expect(tries(register, .pin(name: "Ana", "x"), isForReturn: true) == .refused)
            #expect(tries(register, .pin(name: "Ana", secrets.pin), isForReturn: true) == .tooSoon(seconds: 10))
            #expect(tries(register, .badge(secrets.badge, pin: secrets.pin), isForReturn: true) == nil)
            clock.advance(bySeconds: 10)
        }
        #expect(tries(register, .pin(name: "Ana", secrets.pin), isForReturn: true) == nil)
        let fresh = try register.reset(ana.number, by: 0)
        #expect(tries(register, .pin(name: "Ana", fresh.pin)) == nil)
    }

    @Test(
        "of whoever comes back are counted, wait ten seconds, with a badge too, and end after a hundred in a row until a reset"
    )
    func returns() throws {
        let (ana, secrets) = try add(try open(), "Ana")
        for proof in [Proof.pin(name: "Ana", "x"), .badge(secrets.badge, pin: "x")] {
            let register = try open()
            let right: Proof =
                if case .badge = proof { .badge(secrets.badge, pin: secrets.pin) } else {
                    .pin(name: "Ana", secrets.pin)
                }
            // Ninety-nine, a right one, and they are counted anew; a start of the portal counts on.
            for wrong in 1...99 {
                #expect(tries(register, proof, isForReturn: true) == .refused, "\(wrong)")
                #expect(tries(register, right, isForReturn: true) == .tooSoon(seconds: 10), "\(wrong)")
                clock.advance(bySeconds: 10)
            }
            #expect(tries(register, right, isForReturn: true) == nil)
            #expect(tries(register, right, isForReturn: true) == nil, "who is back does not wait")
        }
        let register = try open()
        for wrong in 1...100 {
            let isNamed = wrong.isMultiple(of: 2)
            let proof = isNamed ? Proof.pin(name: "\(ana.number)", "x") : .badge(secrets.badge, pin: "x")
            #expect(tries(register, proof, isForReturn: true) == .refused, "\(wrong)")
            if isNamed { clock.advance(bySeconds: 10) }
        }
        for register in [register, try open()] {
            for isForReturn in [true, false] {
                let badge = Proof.badge(secrets.badge, pin: secrets.pin)
                #expect(tries(register, .pin(name: "Ana", secrets.pin), isForReturn: isForReturn) == .exhausted)
                clock.advance(bySeconds: 3600)
                #expect(tries(register, badge, isForReturn: isForReturn) == .exhausted)
                clock.advance(bySeconds: 3600)
            }
            // What opens by the passphrase is apart.
            #expect(tries(register, .passphrase(name: "Ana", secrets.passphrase)) == nil)
        }
        let pin = try register.renewPIN(ana.number, by: ana.number)
        #expect(tries(register, .pin(name: "Ana", pin), isForReturn: true) == nil)
        #expect(tries(register, .badge(secrets.badge, pin: pin)) == nil)
    }

    @Test("measure a board anew whose cost was kept too small, once; a hash that was made by it proves, and is renewed")
    func cost() throws {
        let old = HashCost(passes: 2, memory: HashCost.least.memory)
        func opened(_ cost: HashCost? = nil) throws -> (PeopleRegister, Database) {
            let opened = try Database.open(
                in: folder.path, name: "portal.db", migrations: PeopleRegister.migrations, at: clock.utc())
            return (try PeopleRegister(opened.database, clock: clock, cost: cost), opened.database)
        }
        var (register, database) = try opened(old)
        let (_, secrets) = try add(register, "Ana")
        try database.write { connection throws(DatabaseError) in
            try connection.run("INSERT INTO people_settings VALUES ('hash cost of this board', '\(old.text)')")
        }
        func settings() throws -> [String] {
            try register.read("SELECT name || ': ' || value FROM people_settings WHERE name LIKE 'hash cost%'") {
                $0.text(0)
            }
        }
        func passes() throws -> UInt64? {
            try register.read("SELECT passphrase FROM people") { PasswordHash.passes(of: $0.text(0)) }[0]
        }
        (register, database) = try opened()
        #expect(try passes() == 2)
        #expect(tries(register, .passphrase(name: "Ana", secrets.passphrase)) == nil)
        let kept = try settings()
        let cost = try #require(kept.first.flatMap { HashCost(String($0.split(separator: ": ")[1])) })
        #expect(try kept.count == 1 && cost.passes >= 2 && passes() == cost.passes)
        // The next start takes it as it is.
        try database.write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE people_settings SET value = '3 \(old.memory)' WHERE name LIKE 'hash cost%'")
        }
        (register, database) = try opened()
        #expect(tries(register, .passphrase(name: "Ana", secrets.passphrase)) == nil)
        #expect(try passes() == 3 && settings().count == 1)
    }

    @Test("have sessions whose secrets are kept as hashes, that end by themselves, one by one, and with the account")
    func sessions() throws {
        let register = try open()
        let (ana, secrets) = try add(register, "Ana")
        var wish = SigningIn(.passphrase(name: "Ana", secrets.passphrase))
        wish.keeps = .device
        let kept = try register.signIn(wish)
        wish.keeps = .nothing
        let passing = try register.signIn(wish)
        #expect(register.session(secret: kept.secret)?.isFresh == true)
        clock.advance(bySeconds: 300)
        #expect(register.session(secret: kept.secret)?.isFresh == false)
        let text = try String(
            decoding: Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/portal.db-wal"))
                + Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/portal.db")), as: UTF8.self)
        for secret in [kept.secret, passing.secret, secrets.passphrase, secrets.badge] {
            #expect(!text.contains(secret))
        }
        // After a start the stored one is known, musters nobody, and ends after thirty days.
        let next = try open()
        #expect(next.session(secret: kept.secret)?.isFresh == false)
        #expect(next.session(secret: passing.secret) == nil)
        clock.advance(bySeconds: 30 * 86_400)
        #expect(next.session(secret: kept.secret) == nil)
        wish.keeps = .device
        let another = try next.signIn(wish)
        #expect(try next.endSession(another.session.id, of: ana.number + 1) == false)
        #expect(next.session(secret: another.secret) != nil)
        #expect(try next.endSession(another.session.id, of: ana.number))
        #expect(next.session(secret: another.secret) == nil)
        let last = try next.signIn(wish)
        try next.remove(ana.number, by: 0)
        #expect(next.session(secret: last.secret) == nil)
        #expect(try open().session(secret: last.secret) == nil)
    }

    @Test("end at the kiosk after a minute without a request")
    func kiosk() throws {
        let register = try open()
        let (_, secrets) = try add(register, "Ana")
        var wish = SigningIn(.pin(name: "Ana", secrets.pin))
        wish.isAtKiosk = true
        wish.keeps = .device
        let made = try register.signIn(wish)
        #expect(made.session.keeps == .nothing)
        for _ in 0..<5 {
            clock.advance(bySeconds: 59)
            #expect(register.session(secret: made.secret) != nil)
        }
        clock.advance(bySeconds: 60)
        #expect(register.session(secret: made.secret) == nil)
    }

    @Test("of a session that is over, or of a person with another role, whoever holds it is told, and may not read on")
    func sessionEnds() throws {
        let register = try open()
        let told = Mutex(0)
        register.onSessionEnd { told.withLock { $0 += 1 } }
        /// Whether each session is open after what happened, and whether that was told.
        func after(_ act: (Person, Credentials, PersonSession) throws -> Void) throws -> [Bool] {
            let (person, secrets) = try add(register, "Ana")
            let session = try register.signIn(SigningIn(.passphrase(name: "Ana", secrets.passphrase))).session
            #expect(register.isOpen(session))
            let before = told.withLock { $0 }
            try act(person, secrets, session)
            let isOpen = register.isOpen(session)
            let isTold = told.withLock { $0 } > before
            if try register.person(person.number) != nil { try register.remove(person.number, by: 0) }
            return [isOpen, isTold]
        }
        #expect(try after { _, _, _ in } == [true, false])
        #expect(try after { person, _, _ in _ = try register.change(person.number, { $0.name = "Bo" }, by: 0) }[0])
        #expect(
            try after { person, _, _ in _ = try register.change(person.number, { $0.role = .officer }, by: 0) }
                == [false, true])
        #expect(try after { person, _, _ in try register.remove(person.number, by: 0) } == [false, true])
        #expect(try after { person, _, _ in _ = try register.reset(person.number, by: 0) } == [false, true])
        #expect(
            try after { person, _, session in _ = try register.endSession(session.id, of: person.number) }
                == [false, true])
        // The eleventh of a person ends the first.
        #expect(
            try after { _, secrets, _ in
                for _ in 0..<PersonSession.mostOfPerson {
                    clock.advance(bySeconds: 1)
                    _ = try register.signIn(SigningIn(.passphrase(name: "Ana", secrets.passphrase)))
                }
            } == [false, true])
        // One that ends by its time is not told of: who holds it looks.
        #expect(try after { _, _, _ in clock.advance(bySeconds: PersonSession.browserSeconds + 1) } == [false, false])
    }

    @Test("are removed with every byte of the name; the audit keeps the number, and no other gets it")
    func removal() throws {
        var keeper = Int64(0)
        do {
            let register = try open()
            keeper = try add(register, "Kim Keeper", .keeper).0.number
            let ana = try add(register, "Anastasia Quellenstein").0
            try register.remove(ana.number, by: keeper)
            #expect(try register.find("Anastasia Quellenstein") == nil)
            #expect(try add(register, "Ben").0.number == ana.number + 1)
            let audit = try register.audit(limit: 10)
            #expect(audit.map(\.action) == ["add", "remove", "add", "add"])
            #expect(audit[1].person == ana.number && audit[1].actor == keeper)
            #expect(try register.firstBrokenEntry() == nil)
        }
        // Closing brought the log into the file.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/portal.db"))
        #expect(bytes.range(of: Data("Kim Keeper".utf8)) != nil)
        #expect(bytes.range(of: Data("Quellenstein".utf8)) == nil && bytes.range(of: Data("quellenstein".utf8)) == nil)
        let register = try open()
        #expect(throws: PeopleError.lastKeeper) { try register.remove(keeper, by: keeper) }
        #expect(throws: PeopleError.lastKeeper) { try register.remove(keeper, by: 0) }
        try register.remove(keeper, by: 0, isForced: true)
    }

    @Test("leave no byte of a name, nor of a hash that was replaced, in the database or its log while the portal runs")
    func bytes() throws {
        let register = try open()
        func isKept(_ text: String) throws -> Bool {
            try ["portal.db", "portal.db-wal"].contains { name in
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
                return bytes.range(of: Data(text.utf8)) != nil
            }
        }
        func hashes() throws -> [String] {
            try register.read("SELECT passphrase, pin, badge FROM people ORDER BY number") { row in
                (Int32(0)..<3).map { row.text($0) }
            }.flatMap { $0 }
        }
        let (ana, secrets) = try add(register, "Anastasia Quellenstein")
        let first = try hashes()
        #expect(try isKept("Quellenstein") && first.allSatisfy { try isKept($0) })
        try register.setPassphrase(
            ana.number, current: secrets.passphrase, to: "seven green bison walk", keeping: "")
        _ = try register.renewPIN(ana.number, by: 0)
        _ = try register.renewBadge(ana.number, by: 0)
        #expect(try first.allSatisfy { try !isKept($0) })
        let second = try hashes()
        _ = try register.reset(ana.number, by: 0)
        #expect(try second.allSatisfy { try !isKept($0) })
        let third = try hashes()
        _ = try register.change(ana.number, { $0.name = "Anastasia Birkenfeld" }, by: 0)
        #expect(try !isKept("Quellenstein") && !isKept("quellenstein") && isKept("Birkenfeld"))
        try register.remove(ana.number, by: 0)
        #expect(try !isKept("Birkenfeld") && !isKept("birkenfeld") && third.allSatisfy { try !isKept($0) })
    }

    @Test("are changed by whom the audit names; the last keeper stays one unless that is forced")
    func changes() throws {
        let register = try open()
        let (keeper, _) = try add(register, "Kim", .keeper)
        let (ana, _) = try add(register, "Ana")
        let changed = try register.change(
            ana.number,
            {
                $0.role = .officer; $0.departs = CalendarDate("2026-08-01")
            }, by: keeper.number)
        #expect(changed.role == .officer && changed.departs?.description == "2026-08-01")
        #expect(throws: PeopleError.self) {
            try register.change(ana.number, { $0.arrives = CalendarDate("2026-08-02") }, by: 0)
        }
        #expect(throws: PeopleError.lastKeeper) {
            try register.change(keeper.number, { $0.role = .crew }, by: keeper.number)
        }
        #expect(throws: PeopleError.lastKeeper) { try register.change(keeper.number, { $0.role = .crew }, by: 0) }
        #expect(throws: PeopleError.taken("Kim")) { try register.change(ana.number, { $0.name = "Kim" }, by: 0) }
        #expect(throws: PeopleError.unknown) { try register.change(99, { $0.name = "x y" }, by: 0) }
        #expect(try register.audit(limit: 1).first?.detail == "crew to officer")
        #expect(try register.change(keeper.number, { $0.role = .crew }, by: 0, isForced: true).role == .crew)
    }

    @Test("keep the last keeper who can sign in: not one who has left stands for the others")
    func lastWhoCanSignIn() throws {
        let register = try open()
        let (kim, _) = try add(register, "Kim", .keeper)
        let (gone, _) = try add(register, "Gone", .keeper)
        _ = try register.change(gone.number, { $0.departs = CalendarDate("2020-02-01") }, by: 0)
        #expect(throws: PeopleError.lastKeeper) { try register.change(kim.number, { $0.role = .crew }, by: 0) }
        #expect(throws: PeopleError.lastKeeper) { try register.remove(kim.number, by: 0) }
        _ = try register.change(gone.number, { $0.departs = nil }, by: 0)
        try register.remove(kim.number, by: 0)
    }

    @Test("have an audit to which rows are only added, and in which a changed byte is found")
    func audit() throws {
        let register = try open()
        for name in ["Ana", "Ben", "Cleo"] { _ = try add(register, name) }
        for statement in ["UPDATE people_audit SET actor = 9", "DELETE FROM people_audit"] {
            #expect(throws: StorageError.self) {
                try register.database.write { connection throws(DatabaseError) in try connection.run(statement) }
            }
        }
        try register.database.write { connection throws(DatabaseError) in
            try connection.run("DROP TRIGGER people_audit_update")
            try connection.run("UPDATE people_audit SET person = 7 WHERE number = 2")
        }
        #expect(try register.firstBrokenEntry() == 2)
    }

    @Test("go out as CSV without formulas, and come in again, all of them or none")
    func table() throws {
        let register = try open()
        let text = "\u{FEFF}name,role,departs\r\n\"Ana, Maria\",officer,2026-08-01\r\n'=SUM(A1) Ltd,,\r\n\r\n"
        let numbers = try register.importing(try PeopleCSV.details(text), by: 0)
        #expect(numbers == [1, 2])
        let people = try register.people()
        #expect(people.map(\.name) == ["=SUM(A1) Ltd", "Ana, Maria"] && people.allSatisfy { !$0.canSignIn })
        let out = PeopleCSV.text(people)
        #expect(
            out
                == "number,name,role,arrives,departs\r\n2,'=SUM(A1) Ltd,crew,,\r\n1,\"Ana, Maria\",officer,,2026-08-01\r\n"
        )
        #expect(try PeopleCSV.details(out).map(\.name) == ["=SUM(A1) Ltd", "Ana, Maria"])
        #expect(throws: PeopleError.taken("ana, maria")) {
            try register.importing(try PeopleCSV.details("name\nBen\n\"ana, maria\"\n"), by: 0)
        }
        #expect(try register.people().count == 2)
        let semicolons = "\u{FEFF}name;role;arrives\r\nMuñoz, Eva;officer;2026-06-01\r\n"
        let eva = try #require(try PeopleCSV.details(semicolons).first)
        #expect(eva.name == "Muñoz, Eva" && eva.role == .officer && eva.arrives == CalendarDate("2026-06-01"))
        // What goes out comes in again, and changes nothing; one row that says something else, and none is taken.
        #expect(try register.importing(try PeopleCSV.details(out + "9,Ben,crew,,\r\n"), by: 0) == [3])
        #expect(try register.importing(try PeopleCSV.details(out), by: 0) == [] && register.people().count == 3)
        #expect(throws: PeopleError.taken("Ben")) {
            try register.importing(try PeopleCSV.details("name,role\nCleo,\nBen,officer\n"), by: 0)
        }
        #expect(throws: PeopleError.invalid("line 3 is not UTF-8: save it as UTF-8")) {
            try PeopleCSV.details(Array("name\r\nEva\r\nPe".utf8) + [0xF1] + Array("a\r\n".utf8))
        }
        #expect(try register.people().count == 3)
        for bad in [
            "", "role\ncrew", "name,shoe\nA,42", "name,role\nA,boss", "name\n\"A", "name\nA,b", "name\n7",
            "name,arrives\nA,soon",
        ] {
            #expect(throws: PeopleError.self, "\(bad)") { try PeopleCSV.details(bad) }
        }
    }

    @Test("write numbers as they are, and everything that a spreadsheet would compute as text")
    func formulas() {
        #expect(
            CSVText.line(["-5", "+1", "-5x", "@a", "a=b", "\"q\"", "\tx"])
                == "-5,+1,'-5x,'@a,a=b,\"\"\"q\"\"\",'\tx\r\n")
        // With an accent over it a sign is no character of its own.
        let line = CSVText.line(["=\u{301}1", "a\"\u{301}b", "c"])
        #expect(Array(line.unicodeScalars) == Array("'=\u{301}1,\"a\"\"\u{301}b\",c\r\n".unicodeScalars))
        #expect((try? CSVText.rows(line, limit: 1)) == [["=\u{301}1", "a\"\u{301}b", "c"]])
        // Whoever writes an apostrophe himself gets it back; signs in full width are taken for formulas by some.
        let signs = [["'=1+1", "''", "\u{FF1D}1+1", " a ", "'a"]]
        #expect(signs.map(CSVText.line) == ["''=1+1,'',\'\u{FF1D}1+1,\" a \",'a\r\n"])
        #expect((try? CSVText.rows(signs.map(CSVText.line).joined(), limit: 1)) == signs)
        // Where semicolons stand between cells, too.
        let rows = [["a;b"], [";", "c,d"]]
        #expect(rows.map(CSVText.line) == ["\"a;b\"\r\n", "\";\",\"c,d\"\r\n"])
        #expect((try? CSVText.rows(rows.map(CSVText.line).joined(), limit: 2)) == rows)
    }
}
