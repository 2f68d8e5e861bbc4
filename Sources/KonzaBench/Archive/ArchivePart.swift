internal import FoundationEssentials
internal import Glibc
internal import KonzaAPI
internal import KonzaSystem

/// How konzad does with an archive of years: its start, its lists, a postcard, and the making anew of a lost index.
final class ArchivePart {
    private static let postcards = 40
    private static let queries = 300
    /// One specimen for so many postcards.
    private static let postcardsPerSpecimen = 20

    private let program: String
    private let count: Int
    private var report = PartReport(
        table: Table(
            name: "archive", title: "an archive of years",
            columns: [
                Column("what", "what"), Column("value", "value"), Column("unit", "unit"), Column("p50Ms", "p50 ms"),
                Column("p99Ms", "p99 ms"), Column("processorMs", "cpu ms"), Column("n", "n"),
            ],
            notes: [
                "500 postcards a day, one specimen for 20 postcards; pictures have their length and no content.",
                "MB are 1 000 000 bytes of resident memory, shared libraries included.",
                "cpu ms is konzad's processor time for one; the camera streams meanwhile.",
            ]))

    static func run(_ options: BenchOptions) throws -> PartReport {
        let program = Files.environment("KONZAD") ?? "\(Files.parent(of: Files.ownPath()))/konzad"
        guard Files.isProgram(program) else {
            throw BenchError("\(program) is not there; build it with make build, or set KONZAD")
        }
        let part = ArchivePart(program, options.records ?? (options.isQuick ? 20_000 : 100_000))
        try part.measure()
        return part.report
    }

    private init(_ program: String, _ count: Int) {
        self.program = program
        self.count = count
    }

    private func measure() throws {
        let folder = try TemporaryFolder(in: Files.environment("TMPDIR") ?? "/var/tmp")
        let maker = ArchiveMaker(state: "\(folder.path)/state")
        let empty = try measureEmpty(folder.path)
        try maker.makePostcards(count)
        try maker.makeSpecimens(count / Self.postcardsPerSpecimen)
        for suffix in ["", "-wal", "-shm"] { unsafe unlink("\(maker.state)/konza.db\(suffix)") }
        try measureRebuilding(folder.path)
        try measureUse(folder.path, empty)
    }

    private func add(
        _ group: String, _ what: String, _ value: Double, _ unit: String, _ summary: Summary? = nil,
        processorMilliseconds: Double? = nil
    ) {
        var values: [String: Value] = ["what": .text(what), "value": .figure(value), "unit": .text(unit)]
        if let processorMilliseconds { values["processorMs"] = .figure(processorMilliseconds) }
        if let summary {
            values["p50Ms"] = .figure(summary.median)
            values["p99Ms"] = .figure(summary.percentile(99))
            values["n"] = .count(summary.count)
        }
        report.table.rows.append(Row(group: group, values))
    }

    // MARK: - Parts of it

    /// - Returns: milliseconds of postcards in an archive that holds nothing; one postcard and one specimen are left.
    private func measureEmpty(_ folder: String) throws -> Summary {
        let station = try StartedStation(program, folder: folder)
        let connection = try UnixHTTPConnection(station.socket)
        let times = try takePostcards(connection, deletingThem: true)
        try order(connection, "POST", "/v1/postcards", "{}", 201)
        try order(connection, "POST", "/v1/specimens", "{\"rockType\":\"Amphibolite\"}", 201)
        _ = try station.stop()
        guard let summary = Summary(times) else { throw BenchError("no postcard was timed") }
        add("a postcard, to its 201", "in an empty archive", summary.median, "ms", summary)
        return summary
    }

    /// Postcards without waiting for a frame of a camera that has stopped: it streams all the while.
    private func takePostcards(_ connection: UnixHTTPConnection, deletingThem: Bool) throws -> [Double] {
        var times: [Double] = []
        for number in 0...Self.postcards {
            let time = try milliseconds { try order(connection, "POST", "/v1/postcards", "{}", 201) }
            if number > 0 { times.append(time) }
            guard deletingThem, case .string(let id)? = try members(connection)["id"] else { continue }
            try order(connection, "DELETE", "/v1/postcards/\(id)", nil, 204)
        }
        return times
    }

    private func measureRebuilding(_ folder: String) throws {
        let all = count + count / Self.postcardsPerSpecimen
        let station = try StartedStation(program, folder: folder)
        add("a lost index", "start to ready", station.readyMilliseconds, "ms")
        let start = steadySeconds()
        let connection = try UnixHTTPConnection(station.socket)
        var peak = try station.figures.residentBytes
        var slowest = 0.0
        while try figure("postcards", connection) < Double(count + 1) || isComparing(connection) {
            usleep(20_000)
            peak = max(peak, try station.figures.residentBytes)
            slowest = max(
                slowest,
                try milliseconds { try order(connection, "GET", "/v1/postcards?limit=50", nil, 200) })
        }
        let seconds = steadySeconds() - start + station.readyMilliseconds / 1000
        add(
            "a lost index", "made anew", Double(all) / seconds, "records/s",
            processorMilliseconds: try station.figures.processorSeconds * 1000 / Double(all))
        add("a lost index", "the most memory meanwhile", Double(peak) / 1e6, "MB")
        add("a lost index", "the slowest list meanwhile", slowest, "ms")
        report.goals += [
            Goal("a lost index is made anew", Double(all) / seconds, .atLeast(10_000), "records/s"),
            Goal("memory while an index is made anew", Double(peak) / 1e6, .atMost(48), "MB"),
        ]
        _ = try station.stop()
    }

    private func measureUse(_ folder: String, _ empty: Summary) throws {
        let station = try StartedStation(program, folder: folder)
        defer { _ = try? station.stop() }
        let what = "with \(count) postcards"
        add("start", "to ready, \(what)", station.readyMilliseconds, "ms")
        report.goals.append(Goal("start to ready, \(what)", station.readyMilliseconds, .atMost(300), "ms"))
        let connection = try UnixHTTPConnection(station.socket)
        while try isComparing(connection) { usleep(50_000) }
        add("start", "memory when all was compared", Double(try station.figures.residentBytes) / 1e6, "MB")
        for (name, target) in Self.lists {
            var times: [Double] = []
            let before = try station.figures.processorSeconds
            for _ in 0..<Self.queries {
                times.append(try milliseconds { try order(connection, "GET", target, nil, 200) })
            }
            guard let summary = Summary(times) else { continue }
            let used = try station.figures.processorSeconds - before
            add(
                "lists", name, summary.median, "ms", summary,
                processorMilliseconds: used * 1000 / Double(Self.queries))
            report.goals.append(Goal("list, \(name), p99", summary.percentile(99), .atMost(5), "ms"))
        }
        guard let full = Summary(try takePostcards(connection, deletingThem: true)) else { return }
        add("a postcard, to its 201", "in the archive, \(what)", full.median, "ms", full)
        report.goals.append(
            Goal("a postcard, to one in an empty archive", full.median / empty.median, .atMost(1.1), "times"))
    }

    private static let lists = [
        ("the newest", "/v1/postcards?limit=50"),
        ("of a month two years ago", "/v1/postcards?limit=50&from=2024-03-01T00:00:00Z&to=2024-04-01T00:00:00Z"),
        ("of a century without any", "/v1/postcards?limit=50&to=1990-01-01T00:00:00Z"),
        ("in a box that has all", "/v1/postcards?limit=50&box=-97,39,-96,40"),
        ("in a box that has none", "/v1/postcards?limit=50&box=10,50,11,51"),
        ("specimens", "/v1/specimens?limit=50"),
        ("specimens with a word that one has", "/v1/specimens?limit=50&text=BENCH-77"),
        ("specimens with a word that none has", "/v1/specimens?limit=50&text=granodiorite"),
        ("specimens in a box that has none", "/v1/specimens?limit=50&box=10,50,11,51"),
        ("specimens that were refused", "/v1/specimens?limit=50&state=refused"),
    ]

    // MARK: - Requests

    private func order(
        _ connection: UnixHTTPConnection, _ method: String, _ target: String, _ body: String?, _ status: Int
    ) throws {
        let reply = try connection.exchange(UnixHTTPConnection.request(method, target, body: body))
        guard reply.status == status else {
            throw BenchError(
                "\(method) \(target) answers \(reply.status): \(String(decoding: connection.body, as: UTF8.self))")
        }
    }

    private func members(_ connection: UnixHTTPConnection) throws -> [String: JSONValue] {
        guard case .object(let members) = try JSONDecoder().decode(JSONValue.self, from: Data(connection.body)) else {
            throw BenchError("an answer is no object")
        }
        return members
    }

    private func archive(_ connection: UnixHTTPConnection) throws -> [String: JSONValue] {
        try order(connection, "GET", "/v1/status", nil, 200)
        guard case .object(let archive)? = try members(connection)["archive"] else {
            throw BenchError("the status has no archive")
        }
        return archive
    }

    private func figure(_ name: String, _ connection: UnixHTTPConnection) throws -> Double {
        guard case .number(let value)? = try archive(connection)[name] else {
            throw BenchError("the status of the archive has no \(name)")
        }
        return value
    }

    private func isComparing(_ connection: UnixHTTPConnection) throws -> Bool {
        try archive(connection)["comparison"] != nil
    }
}
