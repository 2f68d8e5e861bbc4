internal import HTTPTransfer
public import KonzaModel

/// Samples over MetPetDB's REST interface.
public struct RESTSampleSource: SampleSource {
    /// Samples on a page of a search, and of a summary, which asks for a few fields only.
    private static let pageSize = 200
    private static let summaryPageSize = 1000
    /// A summary looks at no more pages.
    private static let mostSummaryPages = 40
    private static let mostRegionPages = 10

    let client: MetPetDBClient
    private let account: String

    /// - Parameters:
    ///   - client: the server; without credentials only public samples are seen.
    ///   - account: the account's address, to tell its answers from others'; empty without one.
    public init(client: MetPetDBClient, account: String = "") {
        self.client = client
        self.account = account
    }

    public var origin: String { "\(client.address.text) \(account)" }

    // MARK: - Searching

    public func search(_ query: SampleQuery) throws(MetPetDBError) -> SampleAnswer {
        try query.check()
        let most = SampleAnswer.mostSamples
        let found = try fetch(query, most: most)
        guard case .circle(let center, let radius) = query.area else {
            return SampleAnswer(samples: found.samples, total: found.total)
        }
        guard found.total > most else {
            return SampleAnswer(samples: found.samples.sighted(from: center).map(\.sample), total: found.total)
        }
        // The server's first thousand are not the nearest thousand: a smaller circle is asked for that holds fewer.
        let fitting = try fittingRadius(query, center, radius, most: most)
        var nearer = query
        nearer.area = .circle(center: center, radius: fitting.radius)
        let near = try fetch(nearer, most: most)
        return SampleAnswer(
            samples: near.samples.sighted(from: center).map(\.sample), total: found.total,
            wholeWithin: fitting.isWhole ? fitting.radius : nil)
    }

    /// Halves the radius until its samples are few enough, and comes a few steps back.
    private func fittingRadius(
        _ query: SampleQuery, _ center: Coordinate, _ radius: Double, most: Int
    ) throws(MetPetDBError) -> (radius: Double, isWhole: Bool) {
        func fits(_ radius: Double) throws(MetPetDBError) -> Bool {
            var smaller = query
            smaller.area = .circle(center: center, radius: radius)
            return try count(smaller) <= most
        }
        var (low, high) = (radius / 2, radius)
        while try !fits(low) {
            // More than a thousand samples at one place.
            guard low > 1 else { return (low, false) }
            (low, high) = (low / 2, low)
        }
        for _ in 0..<3 {
            let middle = (low + high) / 2
            if try fits(middle) { low = middle } else { high = middle }
        }
        return (low, true)
    }

    private func count(_ query: SampleQuery) throws(MetPetDBError) -> Int {
        var total = 0
        for parameters in try SearchParameters(query).requests {
            total += try page(parameters, fields: "id,number", size: 1, number: 1)?.total ?? 0
        }
        return total
    }

    // MARK: - Pages

    private func fetch(
        _ query: SampleQuery, most: Int
    ) throws(MetPetDBError) -> (samples: [FoundSample], total: Int) {
        var samples: [FoundSample] = []
        let visit = try visit(query, fields: Self.listFields, size: Self.pageSize, mostPages: most / Self.pageSize) {
            samples.append($0)
        }
        let isMore = visit.total > visit.seen || samples.count > most
        return (Array(samples.prefix(most)), isMore ? max(visit.total, samples.count) : samples.count)
    }

    /// Goes through the pages of a search, as far as a number of pages for each of its requests.
    ///
    /// - Returns: how many samples the server counts, and how many of them it showed.
    private func visit(
        _ query: SampleQuery, fields: String, size: Int, mostPages: Int, _ take: (FoundSample) -> Void
    ) throws(MetPetDBError) -> (total: Int, seen: Int) {
        var (total, seen) = (0, 0)
        // A sample that is stored meanwhile moves others to a page that was not seen yet, or was.
        var known: Set<String> = []
        for parameters in try SearchParameters(query).requests {
            var counted = 0
            for number in 1...mostPages {
                guard let page = try page(parameters, fields: fields, size: size, number: number) else { break }
                counted = max(counted, page.total)
                seen += page.items.count
                for item in page.items where known.insert(item.sample.id).inserted && isWanted(item.sample, query) {
                    take(item.sample)
                }
                if !page.hasMore { break }
            }
            total += counted
        }
        return (total, seen)
    }

    /// What the server finds too much: the corners of a circle's box, and names that only look like the wanted ones.
    private func isWanted(_ sample: FoundSample, _ query: SampleQuery) -> Bool {
        if case .circle = query.area, !query.area.contains(sample) { return false }
        func isOne(_ wanted: [String], _ name: String?) -> Bool {
            guard wanted.contains(where: { $0.contains(",") }) else { return true }
            return name.map { wanted.contains($0) } ?? false
        }
        return isOne(query.owners, sample.owner) && isOne(query.collectors, sample.collector)
    }

    /// - Returns: nil for a page after the last.
    private func page(
        _ parameters: [(String, String)], fields: String, size: Int, number: Int
    ) throws(MetPetDBError) -> Page<RemoteListing>? {
        let query =
            parameters + [
                ("fields", fields), ("ordering", "number"), ("page_size", String(size)), ("page", String(number)),
                ("format", "json"),
            ]
        do {
            return try client.decode(
                Page<RemoteListing>.self, try client.get("/api/samples/", query, what: "look for samples"))
        } catch {
            guard error.reason == .missing, number > 1 else { throw error }
            return nil
        }
    }

    private static let summaryFields =
        "id,number,owner,rock_type,metamorphic_grades,minerals,longitude,latitude,collector_name"
    private static let listFields =
        "\(summaryFields),regions,metamorphic_regions,country,location_error,collection_date,images,subsample_ids,"
        + "chemical_analyses_ids,public_data"

    // MARK: - Summing up

    public func summary(_ query: SampleQuery) throws(MetPetDBError) -> SampleSummary {
        try query.check()
        var census = SampleCensus()
        let visit = try visit(
            query, fields: Self.summaryFields, size: Self.summaryPageSize, mostPages: Self.mostSummaryPages
        ) { census.add($0) }
        return census.summary(total: visit.total > visit.seen ? visit.total : census.counted)
    }

    // MARK: - Regions

    public func regions() throws(MetPetDBError) -> [String] {
        var names: [String] = []
        for number in 1...Self.mostRegionPages {
            let query = [("page_size", "1000"), ("page", String(number)), ("format", "json")]
            let answer = try client.get("/api/regions/", query, what: "fetch the regions")
            let page = try client.decode(Page<RemoteName>.self, answer)
            names += page.items.map { shortened(normalized($0.name)) }.filter { !$0.isEmpty }
            if !page.hasMore { break }
        }
        return indexed(names)
    }
}

/// A named thing, alone or as an object. Its name has no character that no text may have (``TextRule``).
struct RemoteName: Decodable {
    let name: String

    private struct Object: Decodable { let name: String }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let name = try? container.decode(String.self) {
            self.name = TextRule.cleaned(name)
        } else {
            name = TextRule.cleaned(try container.decode(Object.self).name)
        }
    }
}
