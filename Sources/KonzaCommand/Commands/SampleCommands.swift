internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem

// samples, sample, regions: what MetPetDB has.

extension CommandContext {
    private typealias Query = [(name: String, value: String)]

    func samples() async throws(CommandFailure) -> ExitCode {
        let query = try sampleQuery()
        if invocation.has("summary") {
            let _: Dated<SampleSummary> = try await answer("/v1/samples/summary", query: query) {
                SampleScreens.summary($0, dates: dates, columns: columns)
            }
            return .ok
        }
        var wanted = invocation.number("limit") ?? 50
        var pages: [Dated<SamplePageReply>] = []
        var bodies: [[UInt8]] = []
        var cursor: String?
        repeat {
            var query = query + [("limit", "\(min(wanted, 200))")]
            if invocation.has("places") { query.append(("group", "place")) }
            if let cursor { query.append(("cursor", cursor)) }
            let body = try await connection.send(StationRequest(path: "/v1/samples", query: query)).body
            let page: Dated<SamplePageReply> = try StationReading.read(body)
            bodies.append(body)
            pages.append(page)
            let count = page.answer.samples?.count ?? page.answer.places?.count ?? 0
            wanted -= count
            // A page without anything would be asked for again and again.
            cursor = count == 0 ? nil : page.answer.next
        } while cursor != nil && wanted > 0
        if invocation.has("json") {
            for body in bodies { try console.write(JSONText.indented(body) + "\n") }
        } else {
            try show(SampleScreens.list(pages, hasMore: cursor != nil, dates: dates, columns: columns))
        }
        return .ok
    }

    func sample() async throws(CommandFailure) -> ExitCode {
        let path = "/v1/samples/\(percentEncoded(invocation.operands.first ?? ""))"
        if let number = invocation.number("picture") { return try await savePicture(number, of: path) }
        if let stray = ["output", "force"].first(where: invocation.has) {
            throw CommandFailure("cannot use --\(stray) here: it needs --picture", .usage)
        }
        let _: Dated<SampleDetailsReply> = try await answer(path, query: freshness) {
            SampleScreens.page($0, dates: dates, columns: columns)
        }
        return .ok
    }

    private func savePicture(_ number: Int, of path: String) async throws(CommandFailure) -> ExitCode {
        let reply: Dated<SampleDetailsReply> = try await connection.get(path, query: freshness)
        let (images, sample) = (reply.answer.details.images, reply.answer.details.sample)
        guard number <= images.count else {
            throw CommandFailure(
                "cannot save picture \(number): "
                    + (images.isEmpty
                        ? "no pictures of this sample are known; try --refresh"
                        : "the sample has \(images.count), which konza sample lists"),
                .noInput)
        }
        let wait = freshness.filter { $0.name == "wait" }
        let picture = try await connection.send(
            StationRequest(path: "\(path)/images/\(percentEncoded(images[number - 1].id))/file", query: wait)
        ).body
        let name = "\(Destination.safe(sample.number))-\(number)"
        let file = try OutputFile(invocation, standard: "\(name).\(PictureKind(picture)?.ending ?? "bin")")
        try file.write(picture, console: console)
        if !file.isStandardOutput {
            try show(Line("Picture saved as \(file.path), \(Figures.bytes(Int64(picture.count)))"))
        }
        return .ok
    }

    func regions() async throws(CommandFailure) -> ExitCode {
        let start = invocation.operands.first ?? ""
        let _: Dated<RegionsReply> = try await answer("/v1/regions", query: freshness) {
            SampleScreens.regions($0, start: start, dates: dates, columns: columns)
        }
        return .ok
    }

    // MARK: The question

    private var freshness: Query {
        let refresh: Query = invocation.has("refresh") ? [("refresh", "yes")] : []
        return refresh + (invocation.text("wait").map { [("wait", $0)] } ?? [])
    }

    private func sampleQuery() throws(CommandFailure) -> Query {
        var query: Query = []
        func add(_ name: String, _ option: String) {
            if let text = invocation.text(option) { query.append((name, text)) }
        }
        func addList(_ name: String, _ option: String) {
            let names = invocation.all(option).flatMap { $0.split(separator: ",") }
            for text in names { query.append((name, Self.trimmed(text))) }
        }
        for name in ["near", "region", "from", "to", "access"] { add(name, name) }
        for name in ["owner", "collector"] { query += invocation.all(name).map { (name, $0) } }
        add("bbox", "box")
        if let radius = try radius() { query.append(("radius", radius)) }
        addList("rockType", "rock-type")
        addList("mineral", "mineral")
        addList("grade", "grade")
        if invocation.has("all-minerals") { query.append(("allMinerals", "yes")) }
        return query + freshness
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Metres, from a number with `m` or `km` behind it.
    private func radius() throws(CommandFailure) -> String? {
        guard let text = invocation.text("radius") else { return nil }
        let factor = text.hasSuffix("km") ? 1000.0 : 1
        let digits = text.hasSuffix("km") ? text.dropLast(2) : text.hasSuffix("m") ? text.dropLast() : text[...]
        guard invocation.has("near") else {
            throw CommandFailure("cannot understand --radius: it needs --near, such as --near here", .usage)
        }
        guard let number = Double(Self.trimmed(digits)), (1...SampleQuery.greatestRadius).contains(number * factor)
        else {
            throw CommandFailure(
                "cannot understand --radius \"\(TextSafety.shortened(text, to: 60))\": expected a length such as 500m "
                    + "or 10km",
                .usage)
        }
        return "\(number * factor)"
    }
}
