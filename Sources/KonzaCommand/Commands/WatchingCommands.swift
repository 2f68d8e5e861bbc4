internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

// where, sky and events, which can go on until Ctrl-C.

extension CommandContext {
    func whereIs() async throws(CommandFailure) -> ExitCode {
        let format = invocation.text("format").flatMap(CoordinateFormat.init(rawValue:)) ?? .decimal
        if invocation.has("watch") { return try await watchPosition(format) }
        let body = try await connection.send(StationRequest(path: "/v1/position")).body
        let position: PositionReply = try StationReading.read(body)
        if invocation.has("json") {
            try console.write(JSONText.indented(body) + "\n")
        } else if WhereScreen.place(of: position) == nil {
            let why = position.reason.map { ": \($0)" } ?? "; konza doctor looks for the cause"
            throw CommandFailure("cannot say where the station is\(why)", .unavailable)
        } else {
            try show(
                WhereScreen.line(position, format: format) + (format == .geo ? Line() : await trailWords(position)))
        }
        return position.state == .fix ? .ok : .unavailable
    }

    /// Where a fresh position is on the trails; nothing where the station does not say.
    private func trailWords(_ position: PositionReply) async -> Line {
        guard position.state == .fix else { return Line() }
        do throws(CommandFailure) {
            let place: NearestTrailReply = try await connection.get("/v1/trails/nearest")
            return Line("; \(place.words)")
        } catch {
            return Line()
        }
    }

    /// A line that is renewed in place on a terminal, a line each elsewhere.
    private func watchPosition(_ format: CoordinateFormat) async throws(CommandFailure) -> ExitCode {
        let renews = console.isTerminal && !invocation.has("json")
        try await follow([("types", "position"), ("positionRate", "1")]) { event throws(CommandFailure) in
            if invocation.has("json") { return try console.write(JSONText.compact(event.data) + "\n") }
            let position: PositionReply = try StationReading.read(event.data)
            let line = WhereScreen.line(position, format: format)
            guard renews else { return try show(line) }
            TerminalRestoring.isLineOpen.store(true, ordering: .sequentiallyConsistent)
            let room = console.size?.columns ?? HelpText.columns
            // Room for the ^C that the terminal shows.
            try console.write("\r\u{1B}[K" + paint.text(line.cut(to: room - 3)))
        }
        return .ok
    }

    func events() async throws(CommandFailure) -> ExitCode {
        var query: [(name: String, value: String)] = []
        if let types = invocation.text("types") { query.append(("types", types)) }
        query.append(("positionRate", "\(invocation.number("rate") ?? 1)"))
        try await follow(query) { event throws(CommandFailure) in
            if invocation.has("json") {
                // One object a line, with the name that the stream gives beside the data.
                let name = JSONText.quoted(event.name)
                return try console.write("{\"event\":\(name),\"data\":\(JSONText.compact(event.data))}\n")
            }
            try show(EventScreen.line(event, at: clock.utc(), dates: dates))
        }
        return .ok
    }

    func sky() async throws(CommandFailure) -> ExitCode {
        if invocation.has("sun") || invocation.has("at") || invocation.has("time") { return try await sunAndMoon() }
        guard invocation.has("watch"), console.isTerminal, !invocation.has("json") else {
            if invocation.has("watch") { return try await repeatSky() }
            // A station of an older version knows no sun.
            let bodies: SkyReply? = invocation.has("json") ? nil : try? await connection.get("/v1/sky")
            let above = bodies.map { SunScreen.lines($0, dates: dates) } ?? []
            let size = console.isTerminal ? console.size.map { ($0.columns, $0.rows - above.count) } : nil
            if !above.isEmpty { try show(above) }
            let _: SatellitesReply = try await answer("/v1/satellites") { SkyScreen.lines($0, size: size) }
            return .ok
        }
        console.enterFullScreen()
        defer { console.leaveFullScreen() }
        while true {
            let lines = try await skyOrReason()
            // Home, each line cleared behind its end, then the rest of the screen: no flicker.
            let size = console.size ?? (HelpText.columns, 24)
            let text = lines.prefix(size.rows - 1).map { paint.text($0.cut(to: size.columns)) + "\u{1B}[K\n" }.joined()
            try console.write("\u{1B}[H\(text)\u{1B}[J")
            try await pause(seconds: 1)
        }
    }

    private func sunAndMoon() async throws(CommandFailure) -> ExitCode {
        var query: [(name: String, value: String)] = []
        if let place = invocation.text("at") {
            let parts = place.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.filter { $0 != " " }
            }
            guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
                Coordinate(latitude: latitude, longitude: longitude) != nil
            else {
                throw CommandFailure(
                    "cannot understand --at \(place): expected latitude,longitude in degrees, such as 39.1,-96.6",
                    .usage)
            }
            query += [("latitude", parts[0]), ("longitude", parts[1])]
        }
        if let time = invocation.text("time") { query.append(("time", time)) }
        let _: SkyReply = try await answer("/v1/sky", query: query) { SunScreen.lines($0, dates: dates) }
        return .ok
    }

    private func repeatSky() async throws(CommandFailure) -> ExitCode {
        while true {
            let body = try await connection.send(StationRequest(path: "/v1/satellites")).body
            if invocation.has("json") {
                try console.write(JSONText.compact(body) + "\n")
            } else {
                let sky: SatellitesReply = try StationReading.read(body)
                try show(SkyScreen.lines(sky, size: nil) + [Line()])
            }
            try await pause(seconds: 1)
        }
    }

    /// While the picture is watched, a station that restarts is waited for.
    private func skyOrReason() async throws(CommandFailure) -> [Line] {
        do throws(CommandFailure) {
            let sky: SatellitesReply = try await connection.get("/v1/satellites")
            return SkyScreen.lines(sky, size: console.size)
        } catch {
            guard error.code == .unavailable || error.code == .temporary else { throw error }
            let room = (console.size?.columns ?? HelpText.columns) - 1
            return Line.hanging(Line("waiting: ", .caution), error.message, columns: room)
        }
    }

    func pause(seconds: Double) async throws(CommandFailure) {
        do {
            try await clock.sleep(until: clock.monotonic().advanced(bySeconds: seconds))
        } catch {
            throw CommandFailure("", .ok)
        }
    }

    /// Hands every event on, and waits for a station that hangs up and comes back. The first connection must succeed.
    private func follow(
        _ query: [(name: String, value: String)], _ body: (StationEvent) throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        var hasBegun = false
        var told = ""
        while true {
            var reason = "the station ended the stream"
            do {
                for try await event in connection.events(query) {
                    hasBegun = true
                    told = ""
                    try body(event)
                }
            } catch let failure as CommandFailure {
                guard hasBegun, failure.code == .unavailable || failure.code == .temporary else { throw failure }
                reason = failure.message
            } catch {
                throw CommandFailure("cannot follow the station's events: \(error)", .io)
            }
            guard connection.reconnects else { return }
            // The same reason is shown once, not at every try.
            if reason != told { tell("konza: \(reason); trying again") }
            told = reason
            try await pause(seconds: 2)
        }
    }
}
