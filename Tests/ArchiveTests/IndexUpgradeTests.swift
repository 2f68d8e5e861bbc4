import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Storage

@Suite("An index of the first version")
struct IndexUpgradeTests {
    @Test("is brought up to date whatever its records say of their exposure")
    func exposures() throws {
        let folder = try TemporaryFolder()
        let rows: [(exposedAt: String, nanoseconds: Int64?)] = [
            ("\"2026-05-30T12:03:07.250123456Z\"", 1_780_142_587_250_123_456),
            ("\"2026-05-30T12:03:07.000000001Z\"", 1_780_142_587_000_000_001),
            // Half a second before the epoch.
            ("\"1969-12-31T23:59:59.500000000Z\"", -500_000_000),
            // Beyond 64 bits of nanoseconds.
            ("\"9999-12-31T23:59:59.000000000Z\"", nil), ("\"0001-01-01T00:00:00.000000000Z\"", nil),
            ("\"soon\"", nil), ("null", nil), ("{}", nil), ("7", nil), ("", nil),
        ]
        do {
            let first = try #require(PostcardTable.migrations.first)
            let database = try Database(path: "\(folder.path)/konza.db", migrations: [first])
            try database.write(
                { connection throws(DatabaseError) in
                    for (number, row) in rows.enumerated() {
                        try connection.run(
                            "INSERT INTO postcards (id, created_ns, stored_bytes, record) VALUES (?, ?, 1, ?)",
                            [
                                .text("p\(number)"), .integer(Int64(number)),
                                .text("{\"exposedAt\":\(row.exposedAt)}"),
                            ])
                    }
                }, failing: { $0 })
        }
        _ = try Database(path: "\(folder.path)/konza.db", migrations: PostcardTable.migrations)
        let stored = try folder.sqlite("SELECT coalesce(exposed_ns, 'none') FROM postcards ORDER BY created_ns")
        #expect(stored == rows.map { $0.nanoseconds.map(String.init) ?? "none" })
    }
}
