import FleetMessaging
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import PostgresAccess
import Testing

@testable import KonzaHub

@Suite("Messages that do not fit", .serialized)
struct HubQuarantineTests {
    private static let good =
        #""schema":"konza.postcard/1","box":"knz07","log":"l","seq":1,"rev":2,"at":"2026-11-20T12:00:00Z""#
    private static let id = Said.id(1)

    @Test(
        "go into the quarantine whole, with the reason, and are receipted where id and rev can be read",
        arguments: [
            ("", "JSON", false), ("{", "JSON", false), ("[]", "object", false), ("\u{1}", "JSON", false),
            (#"{"id":"a","rev":1}"#, "schema", true),
            (#"{"schema":"konza.postcard/2","id":"a","rev":1}"#, "konza.postcard/2", true),
            (#"{"schema":"konza.specimen/1","id":"a","rev":1}"#, "konza.specimen/1", true),
            (#"{"schema":"konza.postcard/1","id":"a","rev":1,"box":"other"}"#, "other", true),
            (#"{"schema":"konza.postcard/1","id":"a","rev":0,"box":"knz07"}"#, "rev", false),
            (#"{"schema":"konza.postcard/1","id":7,"rev":1,"box":"knz07"}"#, "id", false),
            ("{\"id\":\"\(id)\",\(good.replacing("\"seq\":1,", with: "")),\"body\":{}}", "log and seq", true),
            ("{\"id\":\"\(id)\",\(good.replacing("\"seq\":1", with: "\"seq\":0")),\"body\":{}}", "log and seq", true),
            ("{\"id\":\"not-a-ulid\",\(good),\"body\":{}}", "ULID", true),
            ("{\"id\":\"\(id)\",\(good),\"body\":7}", "body", true),
            ("{\"id\":\"\(id)\",\(good)}", "body", true),
            ("{\"id\":\"\(id)\",\(good),\"body\":{\"id\":\"another\"}}", "another", true),
            ("{\"id\":\"\(id)\",\(good),\"body\":{\"m\":\"a\\u0000b\"}}", "NUL", true),
            ("{\"id\":\"\(id)\",\(good),\"body\":{\"position\":{\"latitude\":91,\"longitude\":0}}}", "Earth", true),
        ])
    func sorts(_ payload: String, _ words: String, _ isReceipted: Bool) throws {
        let message = try #require(HubMessage(Said.message(.postcard, "knz07", Array(payload.utf8))))
        guard case .refused(let refusal) = message else {
            Issue.record("it was taken: \(payload)")
            return
        }
        #expect(refusal.reason.contains(words), "\(refusal.reason)")
        #expect((refusal.pair != nil) == isReceipted)
        #expect(HubBatch.receipts(for: [message]).count == (isReceipted ? 1 : 0))
        let store = try Self.shared.get()
        _ = try store.ask("TRUNCATE quarantine")
        try store.keep([message])
        #expect(
            try store.ask("SELECT convert_from(payload, 'UTF8'), reason, box, times FROM quarantine") == [
                "\(payload)|\(refusal.reason)|knz07|1"
            ])
    }

    private static let shared = Result { () throws -> UnsafeStore in UnsafeStore(try TestDatabases.store()) }

    final class UnsafeStore: @unchecked Sendable {
        // Sendable: the cases that share it run one after another (`.serialized`).
        private let store: HubStore
        init(_ store: HubStore) { self.store = store }
        func ask(_ sql: String) throws -> [String] { try store.ask(sql) }
        func keep(_ messages: [HubMessage]) throws { try store.keep(messages) }
    }

    @Test("too large ones are kept whole up to a megabyte")
    func large() throws {
        let store = try TestDatabases.store()
        let body = "{\"m\":\"\(String(repeating: "x", count: FleetEnvelope.mostBytes))\"}"
        try store.keep([Said.record(id: Self.id, seq: 1, body: body)])
        #expect(
            try store.ask("SELECT length(payload) > 131072, id, reason LIKE '%bytes%' FROM quarantine") == [
                "t|\(Self.id)|t"
            ])
    }

    @Test("one that is sent again is counted, and only so many of a box are kept")
    func bounded() throws {
        let store = try TestDatabases.store()
        let bad = { (number: Int) in Said.message(.postcard, "knz07", Array("bad \(number)".utf8)) }
        for _ in 0..<3 { try store.keep([bad(0)]) }
        #expect(try store.ask("SELECT times FROM quarantine") == ["3"])
        try store.keep((1...250).map(bad) + [Said.message(.postcard, "other", [1])])
        #expect(
            try store.ask("SELECT box, count(*) FROM quarantine GROUP BY box ORDER BY box") == ["knz07|100", "other|1"])
        // Whoever sends nothing that can be read makes no box.
        #expect(try store.ask("SELECT count(*) FROM boxes") == ["0"])
    }

    @Test("what only the server refuses does not sink its batch")
    func batch() throws {
        let name = try TestDatabases.make()
        let stop = try StopSignal()
        let keeper = HubKeeper(
            try TestDatabases.address(name), figures: HubFigures(workers: 1), number: 0, stop: stop)
        // PostgreSQL's numbers have at most 16383 digits after the point.
        let bad = "{\"number\":1e-20000}"
        let messages = (1...20).map { number in
            HubMessage(Said.record(id: Said.id(number), seq: Int64(number), body: number == 7 ? bad : nil))
        }.compactMap { $0 }
        let kept = try keeper.keep(messages, patience: 1)
        #expect(kept.count == 20 && HubBatch.receipts(for: kept).values.first?.count == 20)
        let store = try HubStore(TestDatabases.address(name))
        #expect(try store.ask("SELECT count(*) FROM postcards") == ["19"])
        #expect(try store.ask("SELECT id, reason LIKE '%(22%' FROM quarantine") == ["\(Said.id(7))|t"])
    }

    @Test("no bytes that a box may send bring the hub out of step")
    func hostile() throws {
        let seed = RandomTest.seed(of: "HubQuarantineTests")
        var generator = SeededGenerator(seed: seed)
        let name = try TestDatabases.make()
        let keeper = HubKeeper(
            try TestDatabases.address(name), figures: HubFigures(workers: 1), number: 0, stop: try StopSignal())
        let kinds = FleetKind.allCases.filter(\.isFromBox)
        let words = [
            "\\u0000", "\\ud800", "1e400", "1e-20000", "{}", "[[[[", "null", "\u{0}", "\u{FEFF}", "é", "\"", "\\",
            "9999999999999999999",
        ]
        for round in 0..<20 {
            var batch: [HubMessage] = []
            for number in 0..<40 {
                let kind = kinds[Int.random(in: kinds.indices, using: &generator)]
                var bytes =
                    kind.isRecord
                    ? Said.record(kind, id: Said.id(number), seq: Int64(round * 40 + number + 1)).payload
                    : kind == .status
                        ? Said.status("s", "online").payload
                        : Said.state(kind, "{\"latitude\":1,\"longitude\":2,\"camera\":{\"level\":\"ok\"}}").payload
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    let at = Int.random(in: bytes.indices, using: &generator)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: bytes[at] = .random(in: 0...255, using: &generator)
                    case 1:
                        bytes.insert(
                            contentsOf: Array(words[Int.random(in: words.indices, using: &generator)].utf8), at: at)
                    default: bytes.removeSubrange(at..<min(bytes.count, at + 9))
                    }
                    if bytes.isEmpty { bytes = [0] }
                }
                if let message = HubMessage(Said.message(kind, "knz07", bytes)) { batch.append(message) }
            }
            let kept = try keeper.keep(batch, patience: 0)
            #expect(kept.count == batch.count)
        }
        let store = try HubStore(TestDatabases.address(name))
        #expect(try store.ask("SELECT count(*) <= 100 FROM quarantine") == ["t"])
        try store.keep([Said.record(box: "good", id: Said.id(1), seq: 1)])
        #expect(try store.ask("SELECT rev FROM postcards WHERE box = 'good'") == ["1"])
    }
}
