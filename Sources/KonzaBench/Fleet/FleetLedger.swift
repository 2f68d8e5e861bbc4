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
    /// Postcards of whole stations whose picture is another one in the table.
    var unequal = 0
    var records = 0
    /// Those of them that whole stations have acknowledged to visitors.
    var stationRecords = 0

    /// All that must not be.
    var faults: Int { lost + duplicates + strange + gaps + quarantined + unequal }
    var isRight: Bool { faults == 0 }

    /// What is to be found of a whole station.
    struct Whole {
        let box: String
        /// What it has acknowledged to visitors, kinds by id.
        let acknowledged: [String: FleetKind]
        /// What it has, those among them whose answer nobody got.
        let account: WholeStation.Account
    }

    /// - Parameters:
    ///   - fleet: the simulated boxes.
    ///   - stations: the whole ones, where nothing waits any more.
    ///   - address: of the database.
    /// - Throws: if the database does not answer.
    init(_ fleet: SimulatedFleet, _ stations: [Whole] = [], _ address: PostgresAddress) throws {
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
        for station in stations {
            let own =
                station.account.postcards.keys.map { ($0, FleetKind.postcard) }
                + station.account.specimens.map { ($0, .specimen) }
            let ownIDs = Set(own.map(\.0))
            // Acknowledged and not even at the station.
            lost += station.acknowledged.keys.count { !ownIDs.contains($0) }
            stationRecords += station.acknowledged.count
            records += own.count
            for (id, kind) in own {
                let row = rows.removeValue(forKey: "\(kind.rawValue)s \(station.box) \(id)")
                if row == nil { lost += 1 }
            }
            let found = try connection.run(
                "SELECT id, body->>'sha256' FROM postcards WHERE box = '\(station.box)'", seconds: 300)
            for row in 0..<found.count where station.account.postcards[found[row, 0] ?? ""] != found[row, 1] {
                unequal += 1
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
