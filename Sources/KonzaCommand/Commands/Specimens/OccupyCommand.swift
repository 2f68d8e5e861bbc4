internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

extension CommandContext {
    /// Seconds between two looks at an occupation, in steps after which an interrupt is noticed.
    private static let pace = (steps: 5, seconds: 0.2)
    /// Looks between two lines where nobody watches.
    private static let looksPerLine = 30

    func occupy() async throws(CommandFailure) -> ExitCode {
        let specimen = try await wantedSpecimen().specimen
        let path = "/v1/specimens/\(specimen.id)/occupation"
        console.holdInterrupts()
        defer { console.releaseInterrupts() }
        var body = try await begin(path)
        if renews { tell("Stand still. Ctrl-C ends it and keeps what was averaged so far.") }
        var looks = 0
        while true {
            let reply: OccupationReply = try StationReading.read(body)
            guard reply.state == .running else { return try occupied(reply, body, specimen) }
            try tellRunning(reply, specimen, looks)
            looks += 1
            for _ in 0..<Self.pace.steps where !console.wasInterrupted { try await pause(seconds: Self.pace.seconds) }
            body = try await console.wasInterrupted ? write(.delete, path, nil) : look(path)
        }
    }

    /// Starts an occupation, or joins the one that runs already: somebody may have begun it on a terminal that is gone.
    private func begin(_ path: String) async throws(CommandFailure) -> [UInt8] {
        var members: [String: JSONValue] = [:]
        members["wantedAccuracy"] = invocation.measure("accuracy").map { .number($0) }
        members["timeLimitSeconds"] = invocation.number("timeout").map { .number(Double($0)) }
        do throws(CommandFailure) {
            return try await write(.post, path, .object(members))
        } catch {
            guard error.code == .temporary, let body = try? await connection.send(StationRequest(path: path)).body,
                let reply: OccupationReply = try? StationReading.read(body), reply.state == .running
            else { throw error }
            tell("One runs already, as it was begun; here is how it settles.")
            return body
        }
    }

    private func look(_ path: String) async throws(CommandFailure) -> [UInt8] {
        do throws(CommandFailure) {
            return try await connection.send(StationRequest(path: path)).body
        } catch {
            throw CommandFailure(
                "cannot see how the occupation settles: \(error.message); it goes on by itself while the station "
                    + "runs, and konza specimens show tells what came of it",
                error.code)
        }
    }

    private func tellRunning(
        _ reply: OccupationReply, _ specimen: Specimen, _ looks: Int
    ) throws(CommandFailure) {
        guard !invocation.has("json") else { return }
        let line = OccupationScreen.running(reply, specimen)
        if renews {
            try renew(line)
        } else if looks % Self.looksPerLine == 0 {
            try show(line)
        }
    }

    private func occupied(
        _ reply: OccupationReply, _ body: [UInt8], _ specimen: Specimen
    ) throws(CommandFailure) -> ExitCode {
        if invocation.has("json") {
            try console.write(JSONText.indented(body) + "\n")
        } else if reply.problem == nil || reply.position != nil {
            try settle(OccupationScreen.ended(reply, specimen, columns: columns))
        } else {
            try settle([])
        }
        if let problem = reply.problem { throw CommandFailure(problem) }
        let isReached = reply.accuracy.map { $0 <= reply.wantedAccuracy } ?? false
        return isReached || reply.end == "ended" ? .ok : .temporary
    }
}
