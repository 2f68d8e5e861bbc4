import Foundation
import KonzaTesting
import PostgresAccess
import Synchronization
import Testing

@Suite("A connection to PostgreSQL", .serialized)
struct PostgresConnectionTests {
    static let server = Result {
        let server = try RealDatabase()
        // What is static is not let go of at the end.
        atexit { PostgresConnectionTests.end() }
        return server
    }

    private static func end() {
        guard let server = try? server.get() else { return }
        server.stop()
        try? FileManager.default.removeItem(atPath: server.folder.path)
    }

    private func connect() throws -> PostgresConnection {
        try PostgresConnection(PostgresAddress(Self.server.get().address("postgres")), program: "test")
    }

    @Test("values come back as they went, and NULL as nothing")
    func values() throws {
        var connection = try connect()
        let rows = try connection.run(
            "SELECT $1::text, $2::bigint, $3::bytea, $4::text[], $5::float8, $6::text, $7::boolean",
            [
                .text("a 'b' \\ \n é 🌾"), .integer(.max), .bytes([0, 255, 92]), .texts(["x,y", "\"z\\"]),
                .double(0.1), .null, .boolean(true),
            ])
        #expect(rows.count == 1 && rows[0, 0] == "a 'b' \\ \n é 🌾" && rows.integer(0, 1) == .max)
        #expect(rows[0, 2] == "\\x00ff5c" && rows[0, 3] == #"{"x,y","\"z\\"}"# && rows[0, 4] == "0.1")
        #expect(rows[0, 5] == nil && rows.boolean(0, 6))
    }

    @Test("many rows are handed over at once, whatever is in them")
    func copied() throws {
        var connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE many (n bigint, words text)")
        var rows = CopyText()
        let words = "tab\t line\n return\r backslash\\ \\. \\N é"
        for n in 0..<20_000 { rows.add([.integer(Int64(n)), n == 7 ? .null : .text(words)]) }
        try connection.copy("COPY many FROM STDIN", rows)
        let found = try connection.run("SELECT count(*), count(words), min(words), max(words) FROM many")
        #expect(found.integer(0, 0) == 20_000 && found.integer(0, 1) == 19_999)
        #expect(found[0, 2] == words && found[0, 3] == words)
    }

    @Test(
        "what the server refuses says why, and the connection goes on",
        arguments: [
            ("SELECT 1/0", PostgresError.Reason.data), ("SELECT * FROM nowhere", .missing), ("SELECT 'x'::int", .data),
            ("SELEC 1", .missing), ("SELECT pg_cancel_backend(pg_backend_pid())", .late),
        ])
    func refused(_ sql: String, _ reason: PostgresError.Reason) throws {
        var connection = try connect()
        var found: PostgresError?
        do throws(PostgresError) { try connection.run(sql) } catch { found = error }
        #expect(found?.reason == reason, "\(found as Any)")
        #expect(try connection.run("SELECT 1").texts == ["1"])
    }

    @Test("rows that do not fit sink their COPY and nothing else")
    func badCopy() throws {
        var connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE numbers (n bigint)")
        var rows = CopyText()
        rows.add([.text("no number")])
        var found: PostgresError?
        do throws(PostgresError) { try connection.copy("COPY numbers FROM STDIN", rows) } catch { found = error }
        #expect(found?.reason == .data)
        found = nil
        do throws(PostgresError) { try connection.copy("COPY nowhere FROM STDIN", rows) } catch { found = error }
        #expect(found?.reason == .missing)
        #expect(try connection.run("SELECT count(*) FROM numbers").texts == ["0"])
    }

    @Test("a transaction is kept whole or not at all")
    func transactions() throws {
        var connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE kept (n bigint)")
        try connection.transaction { connection throws(PostgresError) in
            try connection.run("INSERT INTO kept VALUES (1)")
        }
        var found: PostgresError?
        do throws(PostgresError) {
            try connection.transaction { connection throws(PostgresError) in
                try connection.run("INSERT INTO kept VALUES (2)")
                try connection.run("INSERT INTO kept VALUES ('x')")
            }
        } catch { found = error }
        #expect(found?.reason == .data)
        #expect(try connection.run("SELECT n FROM kept").texts == ["1"])
    }

    @Test("an answer that takes too long ends the connection")
    func tooLong() throws {
        var connection = try connect()
        var found: PostgresError?
        do throws(PostgresError) { try connection.run("SELECT pg_sleep(60)", seconds: 0.05) } catch { found = error }
        #expect(found?.reason == .late && connection.isOver)
    }

    @Test("a server that stands still is noticed before and after it has let the client in")
    func frozen() throws {
        let server = try RealDatabase()
        let address = try PostgresAddress(server.address("postgres"))
        var connection = try PostgresConnection(address, program: "test", patience: 0.2)
        #expect(try connection.run("SELECT 1").texts == ["1"])
        server.freeze(true)
        var found: PostgresError?
        do throws(PostgresError) { try connection.run("SELECT 1") } catch { found = error }
        #expect(found?.reason == .late && connection.isOver)
        found = nil
        do throws(PostgresError) {
            _ = try PostgresConnection(address, program: "test", patience: 0.2)
        } catch { found = error }
        #expect(found?.reason == .unreachable, "\(found as Any)")
        server.freeze(false)
        #expect(try PostgresConnection(address, program: "test").isOver == false)
    }

    @Test("a server that ends is noticed, and its pool's next question is answered when it is back")
    func ended() throws {
        let server = try RealDatabase()
        let address = try PostgresAddress(server.address("postgres"))
        let pool = PostgresPool(address, program: "test", limit: 2)
        let one = { () throws(PostgresError) in
            try pool.lend { connection throws(PostgresError) in try connection.run("SELECT 1").texts }
        }
        #expect(try one() == ["1"])
        server.stop()
        #expect(throws: PostgresError.self) { try one() }
        try server.start()
        #expect(try one() == ["1"])
    }

    @Test("what took too long is not asked once more of another connection")
    func late() throws {
        let server = try RealDatabase()
        let pool = PostgresPool(
            try PostgresAddress(server.address("postgres")), program: "test", limit: 2, patience: 0.2)
        let asked = Mutex(0)
        let one = { (sql: String) throws(PostgresError) in
            try pool.lend { connection throws(PostgresError) in
                asked.withLock { $0 += 1 }
                return try connection.run(sql).texts
            }
        }
        #expect(try one("SELECT 1") == ["1"])
        #expect(throws: PostgresError.self) { try one("SELECT pg_sleep(60)") }
        #expect(asked.withLock { $0 } == 2)
        #expect(try one("SELECT 1") == ["1"])
    }

    @Test(
        "a password is in no message, wherever it was given",
        arguments: [
            "postgresql://knz:hunter22@127.0.0.1:1/hub", "host=127.0.0.1 port=1 user=knz password=hunter22 dbname=hub",
            "postgresql://knz:hunter22%zz@127.0.0.1/hub", "postgresql://knz:hunter22@127.0.0.1:1/hub?nonsense=1",
        ])
    func passwords(_ text: String) {
        var words = ""
        do throws(PostgresError) {
            let address = try PostgresAddress(text)
            words = address.description
            _ = try PostgresConnection(address, program: "test")
        } catch { words += error.description }
        #expect(words.contains("cannot") && !words.contains("hunter22"), "\(words)")
    }
}
