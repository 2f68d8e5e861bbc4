internal import Glibc
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

// trails and way: the trails, what is closed of them, and the way home.

extension CommandContext {
    func trails() async throws(CommandFailure) -> ExitCode {
        let _: TrailsReply = try await answer("/v1/trails") { TrailScreens.list($0, dates: dates, columns: columns) }
        return .ok
    }

    func showTrail() async throws(CommandFailure) -> ExitCode {
        let name = invocation.operands.first.map { [(name: "trail", value: $0)] } ?? []
        let _: TrailProfileReply = try await answer("/v1/trails/profile", query: name) {
            TrailScreens.profile($0, columns: columns)
        }
        return .ok
    }

    func importTrails() async throws(CommandFailure) -> ExitCode {
        let file = invocation.operands.first ?? ""
        let upload = try Self.trailFile(file)
        var query: [(name: String, value: String)] = []
        if let source = invocation.text("source") { query.append(("source", source)) }
        if invocation.has("dry-run") { query.append(("dryRun", "yes")) }
        let request = StationRequest(method: .post, path: "/v1/trails", query: query, upload: upload)
        let body: [UInt8]
        do throws(CommandFailure) {
            body = try await connection.send(request).body
        } catch {
            throw CommandFailure("\(file): \(error.message)", error.code)
        }
        let _: TrailReportReply = try present(body) { TrailScreens.report($0, columns: columns) }
        return .ok
    }

    private static func trailFile(_ file: String) throws(CommandFailure) -> StationRequest.Upload {
        func failure(_ why: String, _ code: ExitCode) -> CommandFailure {
            CommandFailure("cannot import the trails of \(file): \(why)", code)
        }
        let number = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw failure(SystemError.text(errno), errno == EACCES ? .permission : .noInput) }
        let descriptor = FileDescriptor(owning: number)
        var facts = stat()
        guard unsafe fstat(descriptor.number, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw failure("it is no file", .noInput)
        }
        guard facts.st_size > 0 else { throw failure("it is empty", .data) }
        return .init(file: file, byteCount: Int(facts.st_size), mediaType: "application/octet-stream")
    }

    func removeTrails() async throws(CommandFailure) -> ExitCode {
        let name = invocation.operands.first ?? ""
        _ = try await connection.send(
            StationRequest(method: .delete, path: "/v1/trails/sources/\(percentEncoded(name))"))
        try show(Line("The trails of \(name) are gone"))
        let reply: TrailClosuresReply = try await connection.get("/v1/trails/closures")
        for closure in reply.closures where closure.closesNothing == true {
            try show(TrailScreens.closure(closure, dates: dates))
        }
        return .ok
    }

    func exportTrails() async throws(CommandFailure) -> ExitCode {
        let forms = ["gpx", "kml", "geojson"]
        let chosen = forms.filter(invocation.has)
        guard chosen.count < 2 else {
            throw CommandFailure(
                "cannot write the trails as \(chosen.joined(separator: " and ")) at once: choose one", .usage)
        }
        let path = invocation.text("output")
        guard
            let form = chosen.first ?? path.map({ path in forms.first { path.lowercased().hasSuffix(".\($0)") } })
                ?? "geojson"
        else {
            throw CommandFailure(
                "cannot tell the form from the name \(path ?? ""): add --gpx, --kml or --geojson", .usage)
        }
        let file = try OutputFile(invocation, standard: "-")
        var query = [(name: "format", value: form)]
        if let trail = invocation.operands.first { query.append(("trail", trail)) }
        let body = try await connection.send(StationRequest(path: "/v1/trails", query: query)).body
        let text = form == "geojson" ? body : Array(TextSafety.cleanedLines(String(decoding: body, as: UTF8.self)).utf8)
        try file.write(text, console: console)
        if !file.isStandardOutput {
            try show(Line("Trails saved as \(file.path), \(Figures.bytes(Int64(text.count)))"))
        }
        return .ok
    }

    // MARK: Closures

    func closeTrail() async throws(CommandFailure) -> ExitCode {
        var members: [String: JSONValue] = [:]
        let name = invocation.operands.first
        guard (name == nil) == invocation.has("everything") else {
            throw CommandFailure("cannot close it: name a trail, or say --everything", .usage)
        }
        if let name { members[invocation.has("segment") ? "segment" : "trail"] = .string(name) }
        if invocation.has("everything") { members["everything"] = .bool(true) }
        for option in ["reason", "from", "until"] {
            if let text = invocation.text(option) { members[option] = .string(text) }
        }
        let request = StationRequest(
            method: .post, path: "/v1/trails/closures", body: try StationWriting.bytes(JSONValue.object(members)))
        let body = try await connection.send(request).body
        let _: TrailClosureReply = try present(body) { [TrailScreens.closure($0, dates: dates)] }
        return .ok
    }

    /// The closures by their number, or of what is called so: by its name, else without what stands in brackets, letter case apart, or of
    /// the segment of which a piece is called so, with its source or without.
    private static func closures(_ closures: [TrailClosureReply], named wanted: String) -> [TrailClosureReply] {
        let exact = closures.filter {
            "\($0.id)" == wanted || $0.trail == wanted || $0.segment == wanted
                || (wanted == "everything" && $0.everything == true)
        }
        if !exact.isEmpty { return exact }
        let named = closures.filter { $0.trail.map { bareName($0) == bareName(wanted) } ?? false }
        if !named.isEmpty { return named }
        let segment = wanted.replacing(/(~[0-9]+)+$/, with: "")
        return closures.filter { closure in
            closure.segment.map { $0 == segment || segment.hasSuffix(":\($0)") || $0.hasSuffix(":\(segment)") } ?? false
        }
    }

    func openTrail() async throws(CommandFailure) -> ExitCode {
        let wanted = invocation.operands.first ?? ""
        let reply: TrailClosuresReply = try await connection.get("/v1/trails/closures")
        let own = Self.closures(reply.closures, named: wanted)
        guard !own.isEmpty else {
            if let other = reply.closures.first(where: {
                $0.alsoCloses?.contains { bareName($0) == bareName(wanted) } == true
            }) {
                throw CommandFailure(
                    "cannot open \(wanted): it is closed where \(other.trail ?? other.segment ?? "all") is; konza trails open "
                        + "\(other.id) opens that", .noInput)
            }
            throw CommandFailure(
                "cannot open \(wanted): the station has not closed it; konza trails list shows what it has", .noInput)
        }
        let names = Set(own.map { $0.trail ?? $0.segment ?? "everything" })
        guard names.count == 1 || own.count == 1 else {
            throw CommandFailure(
                "cannot open \(wanted): it may be \(names.sorted().joined(separator: " or ")); give the whole name",
                .usage)
        }
        for closure in own {
            _ = try await connection.send(StationRequest(method: .delete, path: "/v1/trails/closures/\(closure.id)"))
        }
        try show(Line("\(names.first ?? wanted) is open, as far as nothing else closes it"))
        return .ok
    }

    // MARK: The way

    func way() async throws(CommandFailure) -> ExitCode {
        var query: [(name: String, value: String)] = []
        if let end = invocation.operands.first { query.append(("to", end)) }
        guard invocation.has("watch") else {
            let _: TrailWayReply = try await answer("/v1/trails/way", query: query) {
                TrailScreens.way($0, dates: dates, columns: columns)
            }
            return .ok
        }
        return try await walk(query)
    }

    /// Walks with one until the end of the way: on a terminal a screen that is renewed, elsewhere a line for each change.
    private func walk(_ query: [(name: String, value: String)]) async throws(CommandFailure) -> ExitCode {
        let isScreen = console.isTerminal && !invocation.has("json")
        if isScreen { console.enterFullScreen() }
        defer { if isScreen { console.leaveFullScreen() } }
        var last = ""
        while true {
            let body = try await connection.send(StationRequest(path: "/v1/trails/way", query: query)).body
            let way: TrailWayReply = try StationReading.read(body)
            let place: NearestTrailReply = try await connection.get("/v1/trails/nearest")
            if invocation.has("json") {
                try console.write(JSONText.compact(body) + "\n")
            } else if isScreen {
                let size = console.size ?? (HelpText.columns, 24)
                let lines = TrailScreens.walking(way, place, dates: dates, columns: size.columns)
                let text = lines.prefix(size.rows - 1).map { paint.text($0.cut(to: size.columns)) + "\u{1B}[K\n" }
                    .joined()
                try console.write("\u{1B}[H\(text)\u{1B}[J")
            } else {
                let line = TrailScreens.step(way, place)
                if line.text != last { try show(line) }
                last = line.text
            }
            if TrailScreens.hasArrived(way) { return .ok }
            try await pause(seconds: 1)
        }
    }
}
