import FleetMessaging
import KonzaTesting
import MQTTTransfer
import PostgresAccess
import Testing

@testable import KonzaHub

@Suite("The hub's tables", .serialized)
struct HubStoreTests {
    @Test(
        "the tables of the contract have its columns",
        arguments: [
            "boxes", "postcards", "specimens", "positions", "health",
        ])
    func contract(_ table: String) throws {
        let store = try TestDatabases.store()
        #expect(try store.ask("SELECT box, id, rev, at FROM \(table)").isEmpty)
    }

    @Test("several may make the tables at once, and again")
    func migrations() async throws {
        let name = try TestDatabases.make()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { _ = try HubStore(TestDatabases.address(name)) } }
            try await group.waitForAll()
        }
        let store = try HubStore(TestDatabases.address(name))
        #expect(try store.ask("SELECT count(*) FROM migrations") == ["\(HubMigrations.steps.count)"])
    }

    @Test("a database of a newer hub is left alone")
    func newer() throws {
        let name = try TestDatabases.make()
        _ = try HubStore(TestDatabases.address(name)).ask("INSERT INTO migrations (name) VALUES ('2099-01 wonders')")
        let error = #expect(throws: PostgresError.self) { try HubStore(TestDatabases.address(name)) }
        #expect(error?.description.contains("2099-01 wonders") == true)
    }

    @Test("what is not newer changes nothing, in whatever order and batches it comes")
    func order() throws {
        let store = try TestDatabases.store()
        let id = Said.id(1)
        try store.keep([Said.record(id: id, seq: 1, rev: 3)])
        try store.keep([Said.record(id: id, seq: 1, rev: 2), Said.record(id: id, seq: 1, rev: 1)])
        #expect(try store.ask("SELECT rev, body->>'message' FROM postcards") == ["3|rev 3"])
        // The box lost its index: its revisions begin again.
        try store.keep([
            Said.record(id: id, seq: 1, rev: 1, log: Said.laterLog), Said.record(id: id, seq: 1, rev: 9),
        ])
        #expect(try store.ask("SELECT rev, body->>'message', log_ordinal FROM postcards") == ["1|rev 1|2"])
        try store.keep([Said.record(id: id, seq: 1, rev: 9)])
        #expect(try store.ask("SELECT rev, log_ordinal FROM postcards") == ["1|2"])
        #expect(
            try store.ask("SELECT log, ordinal, seqs FROM logs ORDER BY ordinal") == [
                "\(Said.log)|1|{[1,2)}", "\(Said.laterLog)|2|{[1,2)}",
            ])
    }

    @Test("random revisions in random batches come to the newest of each record, and every number counts")
    func property() throws {
        let seed = RandomTest.seed(of: "HubStoreTests")
        var generator = SeededGenerator(seed: seed)
        let store = try TestDatabases.store()
        var messages: [MQTTMessage] = []
        var newest: [String: Int64] = [:]
        for seq in 1...300 as ClosedRange<Int64> {
            let id = Said.id(Int.random(in: 0..<40, using: &generator))
            let rev = Int64.random(in: 1...20, using: &generator)
            let isDeleted = Int.random(in: 0..<5, using: &generator) == 0
            // One revision of a record says one thing.
            guard
                !messages.contains(where: { message in
                    guard case .record(let record)? = HubMessage(message) else { return false }
                    return record.id == id && record.rev == rev
                })
            else {
                messages.append(Said.record(.specimen, id: Said.id(1000 + Int(seq)), seq: seq))
                continue
            }
            messages.append(Said.record(id: id, seq: seq, rev: rev, isDeleted: isDeleted))
            newest[id] = max(newest[id] ?? 0, rev)
        }
        var sent = messages + messages.filter { _ in Bool.random(using: &generator) }
        sent.shuffle(using: &generator)
        while !sent.isEmpty {
            let count = min(sent.count, Int.random(in: 1...60, using: &generator))
            try store.keep(Array(sent.prefix(count)))
            sent.removeFirst(count)
        }
        let found = try store.ask("SELECT id, rev FROM postcards ORDER BY id")
        #expect(found == newest.sorted { $0.key < $1.key }.map { "\($0.key)|\($0.value)" })
        #expect(try store.ask("SELECT missing, last_seq FROM sequence_gaps") == ["0|300"])
        #expect(
            try store.ask("SELECT count(*) FROM postcards WHERE (body IS NULL) <> (deleted_at IS NOT NULL)") == ["0"])
    }

    @Test("a deleted record loses its body and place, and may come again")
    func deleted() throws {
        let store = try TestDatabases.store()
        let id = Said.id(1)
        let columns = "SELECT rev, body IS NULL, place IS NULL, deleted_at IS NULL FROM postcards"
        try store.keep([Said.record(id: id, seq: 1)])
        try store.keep([Said.record(id: id, seq: 2, rev: 2, isDeleted: true)])
        #expect(try store.ask(columns) == ["2|t|t|f"])
        try store.keep([Said.record(id: id, seq: 3, rev: 3)])
        #expect(try store.ask(columns) == ["3|f|f|t"])
        // One that never came is noted as deleted, so that what is under way does not bring it.
        try store.keep([Said.record(id: Said.id(2), seq: 4, rev: 5, isDeleted: true)])
        try store.keep([Said.record(id: Said.id(2), seq: 4, rev: 4)])
        #expect(try store.ask("SELECT rev, body IS NULL FROM postcards WHERE id = '\(Said.id(2))'") == ["5|t"])
    }

    @Test("a box has its own ids, whatever another says")
    func namespaces() throws {
        let store = try TestDatabases.store()
        try store.keep([
            Said.record(id: Said.id(1), seq: 1), Said.record(box: "other", id: Said.id(1), seq: 1, rev: 99),
        ])
        #expect(try store.ask("SELECT box, rev FROM postcards ORDER BY box") == ["knz07|1", "other|99"])
    }

    @Test("numbers that have not come are counted")
    func gaps() throws {
        let store = try TestDatabases.store()
        try store.keep([1, 2, 4, 7].map { Said.record(id: Said.id($0), seq: Int64($0)) })
        #expect(
            try store.ask("SELECT last_seq, missing, missing_ranges FROM sequence_gaps") == [
                "7|3|{\"[3,4)\",\"[5,7)\"}"
            ])
        try store.keep([3, 5, 6].map { Said.record(.specimen, id: Said.id($0 + 100), seq: Int64($0)) })
        #expect(try store.ask("SELECT last_seq, missing FROM sequence_gaps") == ["7|0"])
    }

    @Test("a month has its partition, a wrong clock's records have the default one until theirs is made")
    func months() throws {
        let store = try TestDatabases.store()
        let year: UInt64 = 365 * 86_400_000
        try store.keep([
            Said.record(id: Said.id(1), seq: 1), Said.record(id: Said.id(2, milliseconds: Said.noon + year), seq: 2),
            Said.record(id: Said.id(3, milliseconds: 0), seq: 3),
            Said.record(id: Said.id(4, milliseconds: 0xFFFF_FFFF_FFFF), seq: 4),
        ])
        let place = "SELECT right(id, 1), tableoid::regclass FROM postcards ORDER BY 1"
        #expect(
            try store.ask(place) == [
                "1|postcards_2026_11", "2|postcards_default", "3|postcards_default", "4|postcards_default",
            ])
        // A year later.
        _ = try store.ask("SELECT konza_make_month('postcards', '2027-11-05')")
        #expect(try store.ask(place)[1] == "2|postcards_2027_11")
        try store.keep([Said.record(id: Said.id(2, milliseconds: Said.noon + year), seq: 2, rev: 2)])
        #expect(try store.ask("SELECT rev FROM postcards WHERE id LIKE '%2'") == ["2"])
    }

    @Test("a point is where the record says")
    func places() throws {
        let store = try TestDatabases.store()
        try store.keep([
            Said.record(id: Said.id(1), seq: 1),
            Said.record(.specimen, id: Said.id(2), seq: 2, body: "{\"number\":\"KNZ-1\"}"),
        ])
        #expect(try store.ask("SELECT ST_AsText(place) FROM postcards") == ["POINT(-96.6 39.1)"])
        #expect(try store.ask("SELECT place, body->>'number' FROM specimens") == ["-|KNZ-1"])
    }
}
