import KonzaTesting
import Synchronization
import Testing

@testable import Storage

@Suite("Who watches a database")
struct ObserverTests {
    @Test("is told which tables a commit has changed, and nothing of what was undone or read")
    func observed() throws {
        let database = try Database(
            inMemory: 1 << 20,
            migrations: [
                Migration(
                    name: "1",
                    sql: """
                        CREATE TABLE one (id INTEGER PRIMARY KEY, word TEXT) STRICT;
                        CREATE TABLE two (id INTEGER PRIMARY KEY, one INTEGER REFERENCES one (id) ON DELETE CASCADE) STRICT;
                        """)
            ])
        let heard = Mutex<[Set<String>]>([])
        func write(_ sql: String...) throws {
            try database.write(
                { connection throws(DatabaseError) in for one in sql { try connection.run(one) } }, failing: { $0 })
        }
        try write("INSERT INTO one VALUES (1, 'before')")
        database.observe { tables in heard.withLock { $0.append(tables) } }
        database.observe { _ in }
        try write("INSERT INTO one VALUES (2, 'a')", "INSERT INTO two VALUES (1, 2)")
        try write("UPDATE one SET word = 'b' WHERE id = 2")
        try write("UPDATE one SET word = 'b' WHERE id = 99")
        #expect(throws: DatabaseError.self) {
            try write("INSERT INTO two VALUES (7, 1)", "INSERT INTO none VALUES (1)")
        }
        _ = try database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT id FROM one") { $0.integer(0) }
        }
        // What goes with a row goes by the same commit.
        try write("DELETE FROM one WHERE id = 2")
        #expect(heard.withLock { $0 } == [["one", "two"], ["one"], ["one", "two"]])
        // The observer may write itself: nothing is locked.
        database.observe { tables in
            if tables == ["one"] {
                try? database.write(
                    { connection throws(DatabaseError) in try connection.run("INSERT INTO two VALUES (NULL, 1)") },
                    failing: { $0 })
            }
        }
        try write("UPDATE one SET word = 'c' WHERE id = 1")
        #expect(heard.withLock { $0.suffix(2) } == [["one"], ["two"]])
    }
}
