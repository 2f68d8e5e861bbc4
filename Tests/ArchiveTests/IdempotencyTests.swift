import Glibc
import KonzaModel
import KonzaTesting
import Synchronization
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("A repeated request")
struct IdempotencyTests {
    private let key = IdempotencyKey(key: "a1", requestHash: "h1")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("is new once, then in progress, then finds its postcard, also after a restart")
    func life() throws {
        let archive = try openArchive(folder)
        #expect(try archive.reserve(key) == .new)
        #expect(try archive.reserve(key) == .inProgress)
        #expect(try archive.reserve(IdempotencyKey(key: "a1", requestHash: "h2")) == .conflict)
        let id = try archive.keep(draft(key: key)).id
        #expect(try archive.reserve(key) == .existing(id))
        let again = try openArchive(folder)
        #expect(try again.reserve(key) == .existing(id))
        #expect(try again.reserve(IdempotencyKey(key: "a1", requestHash: "h2")) == .conflict)
    }

    @Test("that came to nothing may be made again")
    func abandoned() throws {
        let archive = try openArchive(folder)
        #expect(try archive.reserve(key) == .new)
        archive.abandon(key.key)
        #expect(try archive.reserve(key) == .new)
        var bad = draft(key: key)
        bad.postcard = FileContent()
        #expect(throws: PostcardError.self) { try archive.keep(bad) }
        #expect(try archive.reserve(key) == .new)
    }

    @Test("finds its postcard after the index was lost")
    func lostIndex() throws {
        let id = try openArchive(folder).keep(draft(key: key)).id
        for name in folder.files() where name.hasPrefix("konza.db") { unlink("\(folder.path)/\(name)") }
        #expect(try openArchive(folder).reserve(key) == .existing(id))
    }

    @Test("is forgotten after a day")
    func lifetime() throws {
        let clock = ManualClock(utc: noon)
        let archive = try openArchive(folder, clock: clock)
        let id = try archive.keep(draft(key: key)).id
        clock.advance(bySeconds: 86_399)
        #expect(try archive.reserve(key) == .existing(id))
        clock.advance(bySeconds: 2)
        #expect(try archive.reserve(key) == .new)
    }

    @Test(
        "is known for a day of operation whatever the clock on the wall says meanwhile, and by whomever it is believed")
    func clockSteps() throws {
        let clock = ManualClock(utc: noon)
        let believed = Mutex<UTCInstant?>(nil)
        let archive = try postcardArchive(
            folder: folder.path, limits: RetentionLimits(spaceReserve: 0), clock: clock,
            operations: SystemFileOperations(), believedTime: { believed.withLock { $0 } })
        let specimens = specimenArchive(archive)
        // The receiver's time is right, the system's two days ahead of it, and then anything.
        believed.withLock { $0 = noon.advanced(bySeconds: -2 * 86_400) }
        #expect(try archive.reserve(key) == .new)
        let id = try archive.keep(draft(key: key)).id
        let specimen = try specimens.openNext(key: key)
        for year in [1, 1600, 1970, 2026, 2037, 2200, 9999] {
            clock.setUTC(CivilTime(year: year, month: 1, day: 1).instant())
            for said in [nil, clock.utc(), noon] {
                believed.withLock { $0 = said }
                #expect(try archive.reserve(key) == .existing(id))
                #expect(try specimens.openNext(key: key) == specimen)
            }
            let again = try openArchive(folder, clock: clock)
            #expect(try again.reserve(key) == .existing(id))
            // Other keys that are done while the clock is wrong forget none.
            _ = try archive.keep(draft(key: IdempotencyKey(key: "in \(year)", requestHash: "")))
        }
        clock.advance(bySeconds: 86_401)
        #expect(try archive.reserve(key) == .new)
    }

    @Test("is among the last so many that are remembered")
    func bound() throws {
        let database = try Database(path: ":memory:", migrations: PostcardTable.migrations)
        try database.write({ connection throws(DatabaseError) in
            for number in 0..<30 {
                try IdempotencyTable.postcards.complete(
                    IdempotencyKey(key: "\(number)", requestHash: ""),
                    id: PostcardID(milliseconds: UInt64(number), high: 0, low: 0),
                    at: .init(nanoseconds: Int64(number)), maximumCount: 10, in: &connection)
            }
        }) { $0 }
        let left = try database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT key FROM idempotency ORDER BY completed_ns") { $0.text(0) }
        }
        #expect(left == (20..<30).map(String.init))
    }

    @Test("with a key that is none is refused", arguments: ["", String(repeating: "k", count: 256)])
    func badKeys(text: String) throws {
        let archive = try openArchive(folder)
        #expect(throws: StorageError.invalid("an idempotency key has 1 to 255 bytes")) {
            try archive.reserve(IdempotencyKey(key: text, requestHash: ""))
        }
    }

    @Test("sent many times at once is done once")
    func race() async throws {
        let archive = try openArchive(folder)
        let key = key
        let outcomes = try await withThrowingTaskGroup(of: IdempotencyOutcome.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    let outcome = try archive.reserve(key)
                    if outcome == .new { _ = try archive.keep(draft(key: key)) }
                    return outcome
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 == .new }.count == 1)
        #expect(try archive.all().count == 1)
    }
}
