internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

// trails record and trails junction: a trail made by walking.

extension CommandContext {
    private static let recording = "/v1/trails/recording"
    /// Steps of so many seconds between two looks, after which an interrupt is noticed.
    private static let pace = (steps: 5, seconds: 0.2)
    /// Looks between two lines where nobody watches.
    private static let looksPerLine = 30

    func recordTrail() async throws(CommandFailure) -> ExitCode {
        let discards = invocation.has("discard")
        if discards || invocation.has("stop") {
            guard invocation.operands.isEmpty else {
                throw CommandFailure(
                    "cannot end it: --stop and --discard take no name, one trail is recorded at a time", .usage)
            }
            return try await endRecording(discards: discards)
        }
        guard let name = invocation.operands.first else {
            throw CommandFailure("cannot record a trail without a name: konza trails record NAME", .usage)
        }
        console.holdInterrupts()
        defer { console.releaseInterrupts() }
        var body = try await beginRecording(name)
        if let notice = (try StationReading.read(body) as TrailRecordingReply).notice { tell(notice) }
        if renews {
            tell("Walk. At a junction: konza trails junction, in another terminal. Ctrl-C ends it and keeps the trail.")
        }
        var looks = 0
        while true {
            let reply: TrailRecordingReply = try StationReading.read(body)
            guard reply.trail != nil else {
                throw CommandFailure(
                    "cannot see how far the trail is: it was ended elsewhere; konza trails list has it if it was kept",
                    .temporary)
            }
            if !invocation.has("json") {
                let line = TrailRecordingScreen.running(reply)
                if renews {
                    try renew(line)
                } else if looks % Self.looksPerLine == 0 {
                    try show(line)
                }
            }
            looks += 1
            for _ in 0..<Self.pace.steps where !console.wasInterrupted { try await pause(seconds: Self.pace.seconds) }
            if console.wasInterrupted { return try await endRecording(discards: false) }
            do throws(CommandFailure) {
                body = try await connection.send(StationRequest(path: Self.recording)).body
            } catch {
                throw CommandFailure(
                    "cannot see how far the trail is: \(error.message); the station keeps what was walked, and konza "
                        + "trails record joins again if it still runs", error.code)
            }
        }
    }

    /// Begins, or joins the recording of that name: somebody may have begun it on a terminal that is gone.
    private func beginRecording(_ name: String) async throws(CommandFailure) -> [UInt8] {
        var members: [String: JSONValue] = ["trail": .string(name)]
        if let source = invocation.text("source") { members["source"] = .string(source) }
        if invocation.has("replace") { members["replace"] = .bool(true) }
        do throws(CommandFailure) {
            return try await write(.post, Self.recording, .object(members))
        } catch {
            guard error.code == .temporary,
                let body = try? await connection.send(StationRequest(path: Self.recording)).body,
                let reply: TrailRecordingReply = try? StationReading.read(body),
                let since = reply.startedAt, [name, "\(name) (made up)"].contains(reply.trail)
            else { throw error }
            tell("It is recorded already, since \(dates.dateAndTime(since)).")
            return body
        }
    }

    private func endRecording(discards: Bool) async throws(CommandFailure) -> ExitCode {
        let request = StationRequest(
            method: .delete, path: Self.recording, query: discards ? [("discard", "yes")] : [])
        let body = try await connection.send(request).body
        let reply: TrailRecordingReply = try StationReading.read(body)
        if invocation.has("json") {
            try console.write(JSONText.indented(body) + "\n")
        } else {
            try settle(TrailRecordingScreen.ended(reply, columns: columns))
        }
        return .ok
    }

    func occupyJunction() async throws(CommandFailure) -> ExitCode {
        var members: [String: JSONValue] = [:]
        if let name = invocation.operands.first { members["name"] = .string(name) }
        if let kind = invocation.text("kind") { members["kind"] = .string(kind) }
        members["timeLimitSeconds"] = invocation.number("timeout").map { .number(Double($0)) }
        let path = "\(Self.recording)/junction"
        console.holdInterrupts()
        defer { console.releaseInterrupts() }
        var body = try await write(.post, path, .object(members))
        let before: TrailRecordingReply = try StationReading.read(body)
        if renews { tell("Stand still. Ctrl-C, or walking on, ends it and keeps what was averaged.") }
        while true {
            let reply: TrailRecordingReply = try StationReading.read(body)
            guard let occupation = reply.occupation else {
                return try occupied(reply, body, count: before.junctions.count)
            }
            if !invocation.has("json") { try renew(TrailRecordingScreen.occupying(occupation)) }
            for _ in 0..<Self.pace.steps where !console.wasInterrupted { try await pause(seconds: Self.pace.seconds) }
            body =
                console.wasInterrupted
                ? try await write(.delete, path, nil)
                : try await connection.send(StationRequest(path: Self.recording)).body
        }
    }

    private func occupied(
        _ reply: TrailRecordingReply, _ body: [UInt8], count: Int
    ) throws(CommandFailure) -> ExitCode {
        guard reply.junctions.count > count, let junction = reply.junctions.last else {
            try settle([])
            throw CommandFailure(
                reply.problem
                    ?? Problem(.noPosition, "cannot keep the junction: nothing was averaged; occupy it again"))
        }
        if invocation.has("json") {
            try console.write(JSONText.indented(body) + "\n")
        } else {
            try settle([TrailRecordingScreen.junction(junction)])
        }
        return .ok
    }
}
