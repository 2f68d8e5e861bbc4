internal import Glibc
internal import KonzaSystem

/// What the real `konzad` takes of the machine, and how soon it answers; beside it gpsd's own answer.
final class ServicePart {
    private static let starts = 5
    private static let restSeconds = 10.0
    private static let streamSeconds = 10.0
    private static let querySeconds = 3.0
    /// Postcards of each kind.
    private static let postcards = 30
    private static let burst = 100
    private static let secondsAfterBurst = 45.0
    private static let largePostcards = 6
    private static let message = "The bluestem is taller than we are"

    private var report = PartReport(table: ServicePart.emptyTable)
    private let station: StartedStation
    // Declared last, so that the folder goes after the station that uses it.
    private let folder: TemporaryFolder

    static func run() async throws -> PartReport {
        let program = Files.environment("KONZAD") ?? "\(Files.parent(of: Files.ownPath()))/konzad"
        guard Files.isProgram(program) else {
            throw BenchError("\(program) is not there; build it with make build, or set KONZAD")
        }
        let part = try ServicePart(program)
        await part.attempt("konzad at rest") { try await $0.measureRest("at rest after the start") }
        await part.attempt("position queries") { try await $0.measureQueries() }
        await part.attempt("the preview") { try await $0.measureStreaming() }
        await part.attempt("postcards") { try await $0.measurePostcards() }
        await part.attempt("konzad at rest again") { try await $0.measureRestAfterBurst() }
        await part.attempt("a large camera") { try await $0.measureLarge(program) }
        await part.attempt("the end of konzad") { part in
            part.add("start and stop", "SIGTERM to the end", try part.station.stop(), "ms")
        }
        part.report.table.gatherGroups()
        return part.report
    }

    private static var emptyTable: Table {
        Table(
            name: "service", title: "konzad at work",
            columns: [
                Column("what", "what"), Column("value", "value"), Column("unit", "unit"), Column("p50Ms", "p50 ms"),
                Column("p95Ms", "p95 ms"), Column("p99Ms", "p99 ms"), Column("maximumMs", "max ms"), Column("n", "n"),
            ],
            notes: [
                "konzad with recorded position and camera, 1920x1080 at 30/s, as released, on a Unix socket; gpsd on "
                    + "loopback TCP, fed by a recording.",
                "MB are 1 000 000 bytes of resident memory, shared libraries included; private: what is not a file's.",
                "A postcard's time is from the request to its 201, waiting for the frame, writing and fsync included.",
            ])
    }

    private init(_ program: String) throws {
        // Not /tmp, which may be memory: postcards are to reach a disk.
        let base = Files.environment("TMPDIR") ?? "/var/tmp"
        var times: [Double] = []
        for _ in 1..<Self.starts {
            let folder = try TemporaryFolder(in: base)
            let station = try StartedStation(program, folder: folder.path)
            times.append(station.readyMilliseconds)
            // Whether it stops cleanly is measured once, at the end.
            _ = try? station.stop()
        }
        folder = try TemporaryFolder(in: base)
        station = try StartedStation(program, folder: folder.path)
        times.append(station.readyMilliseconds)
        if let summary = Summary(times) {
            add("start and stop", "start to ready, nothing there yet", summary.median, "ms", summary)
            report.goals.append(Goal("start to ready, the slowest", summary.maximum, .atMost(200), "ms"))
        }
    }

    /// Does one measurement; what fails is written down, and the others go on.
    private func attempt(_ what: String, _ body: (ServicePart) async throws -> Void) async {
        do {
            try await body(self)
        } catch {
            report.failures.append("cannot measure \(what): \(error)")
        }
    }

    private func add(
        _ group: String, _ what: String, _ value: Double, _ unit: String, _ latency: Summary? = nil
    ) {
        var values: [String: Value] = ["what": .text(what), "value": .figure(value), "unit": .text(unit)]
        if let latency {
            values["p50Ms"] = .figure(latency.median)
            values["p95Ms"] = .figure(latency.percentile(95))
            values["p99Ms"] = .figure(latency.percentile(99))
            values["maximumMs"] = .figure(latency.maximum)
            values["n"] = .count(latency.count)
        }
        report.table.rows.append(Row(group: group, values))
    }

    private func addMemory(_ when: String, _ figures: ProcessFigures) {
        add("memory", when, Double(figures.residentBytes) / 1e6, "MB")
        add("memory", "\(when), private", Double(figures.anonymousBytes) / 1e6, "MB")
    }

    // MARK: Rest

    /// Of memory, what is left a minute after a burst with two viewers; of the processor, what rest takes then.
    private func measureRestAfterBurst() async throws {
        let preview = Preview(socket: station.socket, clients: 2)
        let socket = station.socket
        try await onDedicatedThread(named: "postcards") { try Self.orderPostcards(socket, count: Self.burst) }
        try await preview.stop()
        try await measureRest("at rest, a minute after \(Self.burst) postcards", since: Self.secondsAfterBurst)
    }

    /// What a camera of 3840x2160 takes while postcards are made of its pictures.
    private func measureLarge(_ program: String) async throws {
        let folder = try TemporaryFolder(in: Files.environment("TMPDIR") ?? "/var/tmp")
        let station = try StartedStation(program, folder: folder.path, width: 3840, height: 2160)
        let preview = Preview(socket: station.socket, clients: 1)
        let socket = station.socket
        async let orders: Void = onDedicatedThread(named: "postcards") {
            try Self.orderPostcards(socket, count: Self.largePostcards)
        }
        var peak: Int64 = 0
        for _ in 0..<Int(Self.streamSeconds * 20) {
            try await pause(0.05)
            peak = max(peak, Int64(try station.figures.residentBytes))
        }
        try await orders
        try await preview.stop()
        _ = try station.stop()
        add("memory", "one client and postcards at 3840x2160, the most", Double(peak) / 1e6, "MB")
        report.goals.append(
            Goal("memory with postcards at 3840x2160", Double(peak) / 1e6, .atMost(128), "MB"))
    }

    /// Rest that is no longer disturbed, by questions whether it rests, for some seconds.
    private func measureRest(_ when: String, since seconds: Double = 2) async throws {
        try station.waitForRest(seconds: 45)
        try await pause(seconds)
        let before = try station.figures
        try await pause(Self.restSeconds)
        let after = try station.figures
        let percent = (after.processorSeconds - before.processorSeconds) / Self.restSeconds * 100
        addMemory(when, after)
        add("processor", when, percent, "% of a core")
        report.goals += [
            Goal("memory \(when)", Double(after.residentBytes) / 1e6, .atMost(24), "MB"),
            Goal("processor \(when)", percent, .below(1), "% of a core"),
        ]
    }

    private func pause(_ seconds: Double) async throws {
        try await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
    }

    // MARK: Position

    private func measureQueries() async throws {
        for connections in [1, 8] {
            let name = connections == 1 ? "one connection" : "\(connections) connections"
            let socket = station.socket
            let figures = try await Load.run(connections: connections, seconds: Self.querySeconds) {
                let connection = try UnixHTTPConnection(socket)
                let request = UnixHTTPConnection.request("GET", "/v1/position")
                return {
                    let reply = try connection.exchange(request)
                    guard reply.status == 200 else { throw BenchError("GET /v1/position answers \(reply.status)") }
                }
            }
            add("position queries", "GET /v1/position, \(name)", figures.perSecond, "/s", figures.latency)
            report.goals += [
                Goal("position queries, \(name)", figures.perSecond, .atLeast(20_000), "/s"),
                Goal("position query p99, \(name)", figures.latency.percentile(99), .below(0.5), "ms"),
            ]
            try await measureGPSD(connections, name)
        }
    }

    private func measureGPSD(_ connections: Int, _ name: String) async throws {
        guard let program = Files.program(["gpsd"]) else {
            if connections == 1 { report.table.notes.append("gpsd is not installed.") }
            return
        }
        let daemon = try await StartedGPSD(program, log: "\(folder.path)/gpsd.log")
        defer { daemon.stop() }
        let port = daemon.port
        let figures = try await Load.run(connections: connections, seconds: Self.querySeconds) {
            let channel = try StartedGPSD.watching(port)
            return {
                try channel.write("?POLL;\n")
                guard try channel.readLine(seconds: 5).hasPrefix("{\"class\":\"POLL\"") else {
                    throw BenchError("gpsd does not answer ?POLL;")
                }
            }
        }
        add("position queries", "gpsd ?POLL;, \(name)", figures.perSecond, "/s", figures.latency)
    }

    // MARK: Camera

    private func measureStreaming() async throws {
        let preview = Preview(socket: station.socket, clients: 2)
        try await pause(1)
        let before = try station.figures
        let framesBefore = preview.frames
        var peak = before
        for _ in 0..<Int(Self.streamSeconds * 10) {
            try await pause(0.1)
            let now = try station.figures
            if now.residentBytes > peak.residentBytes { peak = now }
        }
        let after = try station.figures
        let frames = preview.frames - framesBefore
        try await preview.stop()
        guard frames > 0 else { throw BenchError("the preview gives no frames") }
        let percent = (after.processorSeconds - before.processorSeconds) / Self.streamSeconds * 100
        addMemory("two clients at 1080p, the most", peak)
        add("processor", "two clients at 1080p", percent, "% of a core")
        add("processor", "frames to each client", Double(frames) / 2 / Self.streamSeconds, "/s")
        report.goals.append(
            Goal("memory with two clients at 1080p", Double(peak.residentBytes) / 1e6, .atMost(48), "MB"))
    }

    private func measurePostcards() async throws {
        let preview = Preview(socket: station.socket, clients: 1)
        try await pause(1)
        let socket = station.socket
        let times = try await onDedicatedThread(named: "postcards") { try Self.orderPostcards(socket) }
        try await preview.stop()
        for (kind, times) in zip(["the same message each time", "a new message each time"], times) {
            guard let summary = Summary(times) else { continue }
            add("postcard to its 201", kind, summary.median, "ms", summary)
            report.goals += [
                Goal("postcard to its 201, \(kind), median", summary.median, .atMost(45), "ms"),
                Goal("postcard to its 201, \(kind), p95", summary.percentile(95), .atMost(80), "ms"),
            ]
        }
    }

    /// - Returns: milliseconds with the same message, and with a new one each time.
    private static func orderPostcards(_ socket: String) throws -> [[Double]] {
        let connection = try UnixHTTPConnection(socket)
        var count = 0
        func order(_ words: String) throws { try Self.order(words, connection) }
        try order(message)
        let limits = RoundLimits(seconds: 30, fewest: 10, most: postcards)
        return try interleavedRounds(limits, count: 2) { kind in
            count += 1
            let words = kind == 0 ? message : "Card number \(count) from the bench"
            return try milliseconds { try order(words) }
        }
    }

    /// Orders postcards with new words each, one after another.
    private static func orderPostcards(_ socket: String, count: Int) throws {
        let connection = try UnixHTTPConnection(socket)
        for number in 0..<count { try order("Card number \(number) of many", connection) }
    }

    private static func order(_ words: String, _ connection: UnixHTTPConnection) throws {
        let body = "{\"message\":\"\(words)\"}"
        let reply = try connection.exchange(UnixHTTPConnection.request("POST", "/v1/postcards", body: body))
        guard reply.status == 201 else {
            throw BenchError(
                "POST /v1/postcards answers \(reply.status): \(String(decoding: connection.body, as: UTF8.self))")
        }
    }
}
