internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

extension CommandContext {
    /// Seconds between two looks at the records, beside the events.
    private static let lookAround = 1.0

    private var target: SubmissionTarget {
        invocation.text("target").flatMap(SubmissionTarget.init(rawValue:)) ?? .metpetdb
    }

    func submit() async throws(CommandFailure) -> ExitCode {
        var specimens: [Specimen] = []
        for name in invocation.operands { specimens.append(try await specimen(name).specimen) }
        var watch = SubmissionWatch(columns: columns)
        var failure: CommandFailure?
        let signals = invocation.has("watch") ? signals() : nil
        defer { signals?.cancel() }
        // One that cannot be submitted does not hold back the others.
        for specimen in specimens {
            do throws(CommandFailure) {
                let body = try await submit(specimen)
                let entry: OutboxEntry = try StationReading.read(body)
                guard signals == nil else {
                    try settleUnlessJSON(watch.add(specimen, entry.submission, now: clock.utc()))
                    continue
                }
                if invocation.has("json") {
                    try console.write(JSONText.indented(body) + "\n")
                } else {
                    try show(submitted(entry, specimen))
                }
            } catch {
                guard specimens.count > 1 else { throw error }
                tell("konza: \(error.message)")
                failure = failure ?? error
            }
        }
        if let signals { try await follow(signals, &watch) }
        if failure == nil, !invocation.has("json"), signals == nil { try await tellCourierTrouble() }
        if let failure { return failure.code }
        return signals == nil || watch.isSubmitted ? .ok : .data
    }

    private func submit(_ specimen: Specimen) async throws(CommandFailure) -> [UInt8] {
        var members: [String: JSONValue] = ["target": .string(target.rawValue)]
        members["override"] = invocation.text("override").map { .string($0) }
        return try await write(.post, "/v1/specimens/\(specimen.id)/submit", .object(members))
    }

    private func submitted(_ entry: OutboxEntry, _ specimen: Specimen) -> [Line] {
        Line.hanging(
            Line(specimen.number, .strong) + "  " + SpecimenScreens.word(entry.submission.state) + "  ",
            OutboxScreen.standing(entry.submission, clock.utc()), columns: columns)
    }

    /// Says why nothing will be sent, if that is so.
    private func tellCourierTrouble() async throws(CommandFailure) {
        let outbox: OutboxReply = try await connection.get("/v1/outbox", query: [("limit", "1")])
        if let trouble = OutboxScreen.courierTrouble(outbox.courier) { tell(trouble) }
    }

    // MARK: Watching

    private enum Signal: Sendable {
        case event(StationEvent)
        case look
    }

    /// Events and looks at the records, in one stream.
    private struct Signals: Sendable {
        let stream: AsyncStream<Signal>
        let cancel: @Sendable () -> Void
    }

    private func signals() -> Signals {
        let (stream, continuation) = AsyncStream<Signal>.makeStream(bufferingPolicy: .bufferingNewest(256))
        let (connection, clock) = (connection, clock)
        let events = Task {
            repeat {
                // Whatever ends the events, the looks go on and tell what matters.
                do {
                    for try await event in connection.events([("types", "outbox")]) {
                        continuation.yield(.event(event))
                    }
                } catch {}
                try await clock.sleep(until: clock.monotonic().advanced(bySeconds: 2))
            } while connection.reconnects && !Task.isCancelled
        }
        let looks = Task {
            while !Task.isCancelled {
                continuation.yield(.look)
                try await clock.sleep(until: clock.monotonic().advanced(bySeconds: Self.lookAround))
            }
        }
        return Signals(stream: stream) {
            events.cancel()
            looks.cancel()
            continuation.finish()
        }
    }

    private func follow(_ signals: Signals, _ watch: inout SubmissionWatch) async throws(CommandFailure) {
        guard !watch.waiting.isEmpty else { return }
        if !invocation.has("json") { try await tellCourierTrouble() }
        var told = ""
        for await signal in signals.stream {
            do throws(CommandFailure) {
                switch signal {
                case .event(let event): try await take(event, &watch)
                case .look: try await look(watch.waiting, &watch)
                }
                told = ""
            } catch {
                // A station that restarts is waited for; the same reason is shown once.
                guard connection.reconnects, error.code == .unavailable || error.code == .temporary else { throw error }
                if error.message != told { tell("konza: \(error.message); trying again") }
                told = error.message
            }
            if watch.waiting.isEmpty { return }
        }
    }

    private func take(_ event: StationEvent, _ watch: inout SubmissionWatch) async throws(CommandFailure) {
        guard event.name == EventName.outbox.rawValue else { return }
        let step: OutboxEvent = try StationReading.read(event.data)
        guard step.target == target, watch.concerns(step) else { return }
        if invocation.has("json") { try console.write(JSONText.compact(event.data) + "\n") }
        if let line = watch.progress(step) { return try renew(line) }
        try settleUnlessJSON(watch.take(step))
        try await look([step.specimen], &watch)
    }

    private func look(_ ids: [SpecimenID], _ watch: inout SubmissionWatch) async throws(CommandFailure) {
        for id in ids {
            let entry: OutboxEntry = try await connection.get("/v1/outbox/\(id)/\(target.rawValue)")
            try settleUnlessJSON(watch.take(entry.submission, now: clock.utc()))
        }
    }

    private func settleUnlessJSON(_ lines: [Line]) throws(CommandFailure) {
        if !lines.isEmpty, !invocation.has("json") { try settle(lines) }
    }

    // MARK: The outbox

    func outbox() async throws(CommandFailure) -> ExitCode {
        var entries: [OutboxEntry] = []
        var cursor: String?
        var last: OutboxReply
        repeat {
            var query = [(name: "limit", value: "200")]
            if let cursor { query.append(("cursor", cursor)) }
            let body = try await connection.send(StationRequest(path: "/v1/outbox", query: query)).body
            last = try StationReading.read(body)
            if invocation.has("json") { try console.write(JSONText.indented(body) + "\n") }
            entries += last.submissions
            cursor = last.submissions.isEmpty ? nil : last.next
        } while cursor != nil
        if !invocation.has("json") {
            try show(
                OutboxScreen.lines(
                    entries, counts: last.counts, courier: last.courier, now: clock.utc(), columns: columns))
        }
        return .ok
    }

    func flush() async throws(CommandFailure) -> ExitCode {
        _ = try await write(.post, "/v1/outbox/flush", nil)
        try show(Line("What is ready is tried now; konza specimens outbox shows what comes of it."))
        return .ok
    }

    func resolve() async throws(CommandFailure) -> ExitCode {
        let specimen = try await wantedSpecimen().specimen
        let path = "/v1/outbox/\(specimen.id)/\(target.rawValue)"
        let before: OutboxEntry = try await connection.get(path)
        guard before.submission.state == .conflict, let conflict = before.submission.conflict else {
            throw CommandFailure(
                "cannot resolve \(specimen.number): there is no conflict, it is \(before.submission.state.rawValue) at "
                    + target.rawValue,
                .data)
        }
        if !invocation.has("json") { try show(OutboxScreen.conflict(conflict, specimen.number, columns: columns)) }
        guard let side = invocation.text("keep").flatMap(ConflictChoice.init(rawValue:)) else {
            if !invocation.has("json") { tell("Nothing was changed. Choose with --keep ours or --keep theirs.") }
            return .ok
        }
        guard confirms(side) else {
            tell("Nothing was changed.")
            return .ok
        }
        let body = try await write(.post, "\(path)/resolve", .object(["keep": .string(side.rawValue)]))
        let _: OutboxEntry = try present(body) { submitted($0, specimen) }
        return .ok
    }

    private func confirms(_ side: ConflictChoice) -> Bool {
        guard console.canAsk, !invocation.has("yes") else { return true }
        switch side {
        case .ours: console.writeError("Send our side over what is there now? [y/N] ")
        case .theirs: console.writeError("Leave what is there, and not send our side? [y/N] ")
        }
        let answer = console.readAnswer()?.lowercased()
        return answer == "y" || answer == "yes"
    }
}
