package import KonzaModel

/// Keys of requests that are found in the files of records whose rows are made anew. They are written in the transaction
/// that writes the rows: a row that is there without its key would be taken for one that never had any.
///
/// The files say by the wall clock when a request was done. Those within a day of the newest, or of now if that is
/// earlier, are remembered again, and for a whole day: a clock that jumps between the two keeps too many, none too few.
package struct RecoveredKeys<Kind>: Sendable {
    /// A key that is to be remembered.
    package struct Found: Sendable {
        let key: IdempotencyKey
        let id: RecordID<Kind>
        let at: OperatingTime.Reading
    }

    private let wall: UTCInstant
    private let operated: OperatingTime.Reading
    private var newest: UTCInstant?
    private var count: Int64 = 0

    /// - Parameters:
    ///   - wall: the time of the clock on the wall.
    ///   - operated: by which the keys grow old from now on.
    package init(wall: UTCInstant, operated: OperatingTime.Reading) {
        self.wall = wall
        self.operated = operated
    }

    /// Of the keys of some records, the newest records first, those that are to be remembered.
    package mutating func chosen(
        _ records: [(key: IdempotencyKey, id: RecordID<Kind>, at: UTCInstant)]
    ) -> [Found] {
        let lifetime = Double(IdempotencyTable<Kind>.lifetimeNanoseconds) / 1e9
        var chosen: [Found] = []
        for record in records {
            newest = max(newest ?? record.at, record.at)
            let reference = min(newest ?? wall, wall)
            guard reference.seconds(since: record.at) < lifetime else { continue }
            // The older ones are forgotten first.
            count += 1
            let at = OperatingTime.Reading(nanoseconds: operated.nanoseconds.addingClamped(-count))
            chosen.append(Found(key: record.key, id: record.id, at: at))
        }
        return chosen
    }
}

extension IdempotencyTable {
    /// Remembers keys that were found.
    package func add(
        _ found: [RecoveredKeys<Kind>.Found], at now: OperatingTime.Reading, in connection: inout Connection
    ) throws(DatabaseError) {
        guard !found.isEmpty else { return }
        for one in found { try add(one.key, id: one.id, at: one.at, in: &connection) }
        try prune(at: now, in: &connection)
    }
}
