internal import FleetMessaging
internal import KonzaFleet
internal import PostgresAccess

/// The tables against the boxes: what a receipt has named must be there, once, at that revision or a later one, and no number may be
/// missing.
struct FleetLedger: Equatable {
    /// Receipted on the boxes and not in the tables, or in an older revision.
    var lost = 0
    /// Rows beyond one a record.
    var duplicates = 0
    /// Rows of records that no box has.
    var strange = 0
    /// Numbers missing in the boxes' logs.
    var gaps = 0
    var quarantined = 0
    var records = 0

    var isRight: Bool { lost == 0 && duplicates == 0 && strange == 0 && gaps == 0 && quarantined == 0 }

    init(_ fleet: SimulatedFleet, _ address: PostgresAddress) throws {
        var connection = try PostgresConnection(address, program: "konza-bench")
        var rows: [String: Int64] = [:]
        for table in ["postcards", "specimens"] {
            let found = try connection.run("SELECT box || ' ' || id, rev FROM \(table)", seconds: 300)
            for row in 0..<found.count {
                let key = "\(table) \(found[row, 0] ?? "")"
                if rows.updateValue(found.integer(row, 1) ?? 0, forKey: key) != nil { duplicates += 1 }
            }
        }
        for box in fleet.boxes {
            for (id, record) in box.acknowledged {
                records += 1
                guard let rev = rows.removeValue(forKey: "\(record.kind.rawValue)s \(box.name.box) \(id)"),
                    rev >= record.rev
                else {
                    lost += 1
                    continue
                }
            }
        }
        // A row whose receipt has not come yet is no fault while its box still has the record; asked when nothing waits.
        strange = fleet.waiting == 0 ? rows.count : 0
        gaps = Int(
            try connection.run("SELECT coalesce(sum(missing), 0)::bigint FROM sequence_gaps").integer(0, 0) ?? -1)
        quarantined = Int(try connection.run("SELECT count(*) FROM quarantine").integer(0, 0) ?? -1)
    }
}

/// What the database says of its own work.
struct DatabaseFigures {
    var rows = 0
    var rowBytes = 0
    var syncs = 0
    var logBytes = 0

    init(_ address: PostgresAddress) throws {
        var connection = try PostgresConnection(address, program: "konza-bench")
        for table in ["postcards", "specimens", "positions", "health"] {
            let found = try connection.run(
                "SELECT count(*), coalesce(sum(pg_column_size(t.*)), 0)::bigint FROM \(table) t", seconds: 300)
            rows += Int(found.integer(0, 0) ?? 0)
            rowBytes += Int(found.integer(0, 1) ?? 0)
        }
        let wal = try connection.run("SELECT wal_sync, wal_bytes::bigint FROM pg_stat_wal")
        syncs = Int(wal.integer(0, 0) ?? 0)
        logBytes = Int(wal.integer(0, 1) ?? 0)
    }
}
