package import KonzaModel

/// Keys of requests that are found in the files of records whose rows are made anew.
///
/// The files say by the wall clock when a request was done. Those within a day of the newest, or of now if that is
/// earlier, are remembered again, and for a whole day: a clock that jumps between the two keeps too many, none too few.
package struct RecoveredKeys<Kind> {
    private var found: [(key: IdempotencyKey, id: RecordID<Kind>, at: UTCInstant)] = []

    package init() {}

    package mutating func add(_ key: IdempotencyKey, id: RecordID<Kind>, at instant: UTCInstant) {
        found.append((key, id, instant))
        if found.count > 2 * IdempotencyTable<Kind>.maximumCount { shorten() }
    }

    private mutating func shorten() {
        found.sort { ($0.at, $0.id) > ($1.at, $1.id) }
        found.removeLast(max(0, found.count - IdempotencyTable<Kind>.maximumCount))
    }

    /// Writes them into the index.
    package mutating func keep(
        in table: IdempotencyTable<Kind>, wall: UTCInstant, at now: OperatingTime.Reading,
        _ connection: inout Connection
    ) throws(DatabaseError) {
        guard !found.isEmpty else { return }
        shorten()
        let reference = min(found.first?.at ?? wall, wall)
        let lifetime = Double(IdempotencyTable<Kind>.lifetimeNanoseconds) / 1e9
        // The oldest first: the table forgets by the order of its rows.
        for one in found.reversed() where reference.seconds(since: one.at) < lifetime {
            try table.add(one.key, id: one.id, at: now, in: &connection)
        }
        try table.prune(at: now, in: &connection)
    }
}
