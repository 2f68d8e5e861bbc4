internal import KonzaModel
internal import Storage

/// The SQL of a page of the list, newest first, which looks at few rows however many there are.
struct PostcardListing {
    /// In so many of the newest postcards a box is sought by their order, first in the few where most boxes have their
    /// page; where they have too few, by their places. With a million postcards both take about as long: 16 000 entries of
    /// one index, or the 6000 of the other that make a page of 50 unlikely here.
    static let orderedRows: [Int64] = [400, 8000]

    let query: PostcardQuery
    var orderedRows = PostcardListing.orderedRows

    typealias Found = (createdNanoseconds: Int64, id: String, record: String)

    /// The rows of the page and one more, if there is one.
    func rows(in connection: inout Connection) throws(DatabaseError) -> [Found] {
        var filter = Filter()
        try addExposures(to: &filter, &connection)
        if let cursor = query.cursor {
            filter.add(
                "(created_ns, id) < (?, ?)", .integer(cursor.createdNanoseconds), .text(cursor.id.description))
        }
        guard let box = query.box else { return try rows(filter, by: "postcards_listed", &connection) }
        let all = filter
        filter.add("latitude BETWEEN ? AND ?", .real(box.south), .real(box.north))
        filter.add(
            box.crossesAntimeridian ? "(longitude >= ? OR longitude <= ?)" : "longitude BETWEEN ? AND ?",
            .real(box.west), .real(box.east))
        for count in orderedRows {
            // The postcard up to which the order is followed.
            let last = try connection.rows(
                """
                SELECT created_ns FROM postcards INDEXED BY postcards_listed WHERE \(all.text)
                ORDER BY created_ns DESC, id DESC LIMIT 1 OFFSET ?
                """, all.values + [.integer(count)]
            ) { $0.integer(0) }.first
            guard let last else { return try rows(filter, by: "postcards_listed", &connection) }
            var bounded = filter
            bounded.add("created_ns >= ?", .integer(last))
            let found = try rows(bounded, by: "postcards_listed", &connection)
            if found.count > query.limit { return found }
        }
        return try rows(filter, by: "postcards_places", &connection)
    }

    private struct Filter {
        var text = "state = 0"
        var values: [SQLValue] = []

        mutating func add(_ condition: String, _ more: SQLValue...) {
            text += " AND \(condition)"
            values += more
        }
    }

    private func rows(
        _ filter: Filter, by index: String, _ connection: inout Connection
    ) throws(DatabaseError) -> [Found] {
        try connection.rows(
            """
            SELECT created_ns, id, record FROM postcards INDEXED BY \(index) WHERE \(filter.text)
            ORDER BY created_ns DESC, id DESC LIMIT ?
            """, filter.values + [.integer(Int64(query.limit + 1))]
        ) { (createdNanoseconds: $0.integer(0), id: $0.text(1), record: $0.text(2)) }
    }

    /// The time of keeping, which orders the list, may be hours from the exposure where a clock was set between the
    /// two. By the least and the greatest such delay a range of exposures bounds the times of keeping.
    private func addExposures(to filter: inout Filter, _ connection: inout Connection) throws(DatabaseError) {
        guard query.from != nil || query.to != nil else { return }
        let delays = try connection.rows("SELECT least, most FROM postcard_delays") { ($0.integer(0), $0.integer(1)) }
        let (least, most) = delays.first ?? (0, 0)
        func shifted(_ instant: UTCInstant, _ seconds: Int64) -> SQLValue {
            .integer(instant.nanoseconds.addingClamped(seconds.multipliedClamped(by: 1_000_000_000)))
        }
        if let from = query.from {
            filter.add("exposed_ns >= ?", .integer(from.nanoseconds))
            // The delays are differences of whole seconds: a second more covers what was cut off.
            filter.add("created_ns >= ?", shifted(from, least - 1))
        }
        if let to = query.to {
            filter.add("exposed_ns < ?", .integer(to.nanoseconds))
            filter.add("created_ns < ?", shifted(to, most + 1))
        }
    }
}
