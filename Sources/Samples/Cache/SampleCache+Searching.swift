public import KonzaModel
public import Storage

extension SampleCache {
    /// Looks for samples among those that were fetched for other questions.
    ///
    /// - Parameters:
    ///   - query: what to look for.
    ///   - most: how many to return at most.
    /// - Returns: those that match by what is known of them here; they are never claimed to be all.
    /// - Throws: `DatabaseError` if the file cannot be read.
    public func search(
        _ query: SampleQuery, most: Int = SampleAnswer.mostSamples
    ) throws(DatabaseError) -> LocalSamples {
        var found: [FoundSample] = []
        var times: (oldest: UTCInstant, newest: UTCInstant)?
        try visit(query) { sample, instant in
            found.append(sample)
            times = times.map { (min($0.oldest, instant), max($0.newest, instant)) } ?? (instant, instant)
        }
        let total = found.count
        if case .circle(let center, _) = query.area { found = found.sighted(from: center).map(\.sample) }
        return LocalSamples(
            samples: Array(found.prefix(max(0, most))), total: total, oldest: times?.oldest, newest: times?.newest)
    }

    /// Sums up the samples that ``search(_:most:)`` would find.
    ///
    /// - Returns: the sums, and when the oldest of the samples was fetched.
    /// - Throws: `DatabaseError` if the file cannot be read.
    public func localSummary(
        of query: SampleQuery
    ) throws(DatabaseError) -> (summary: SampleSummary, oldest: UTCInstant?) {
        var census = SampleCensus()
        var oldest: UTCInstant?
        try visit(query) { sample, instant in
            census.add(sample)
            oldest = oldest.map { min($0, instant) } ?? instant
        }
        return (census.summary(total: census.counted), oldest)
    }

    /// How many samples are kept.
    public func sampleCount() throws(DatabaseError) -> Int {
        try database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT count(*) FROM samples") { Int($0.integer(0)) }
        }.first ?? 0
    }

    /// Rows of the query's box, then by everything else that it says.
    private func visit(
        _ query: SampleQuery, _ take: (FoundSample, UTCInstant) -> Void
    ) throws(DatabaseError) {
        var sql = "SELECT record, fetched_ns FROM samples"
        var values: [SQLValue] = []
        if let box = query.area.box {
            let span = box.crossesAntimeridian ? "(longitude >= ? OR longitude <= ?)" : "longitude BETWEEN ? AND ?"
            sql += " WHERE latitude BETWEEN ? AND ? AND \(span)"
            values = [box.south, box.north, box.west, box.east].map { SQLValue.real($0) }
        }
        // Records that do not match are dropped one by one: all of them would take a dozen megabytes.
        let matching = try database.read { connection throws(DatabaseError) in
            try connection.rows(sql + " ORDER BY rowid", values) { row -> (FoundSample, UTCInstant)? in
                guard let sample = Self.decode(FoundSample.self, row.text(0)), query.matches(sample) else { return nil }
                return (sample, UTCInstant(nanoseconds: row.integer(1)))
            }
        }
        for case let (sample, instant)? in matching { take(sample, instant) }
    }
}
