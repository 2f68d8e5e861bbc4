internal import KonzaModel
internal import KonzaSystem

// hub command, hub desired: signed here with the operator's key, which the hub never has, and published by the hub.

extension CommandContext {
    private struct Published: Decodable {
        let heard: Bool
    }

    private var box: String { invocation.operands.first ?? "" }

    private func publish(
        _ method: StationRequest.Method, _ noun: String, _ message: [UInt8]
    ) async throws(CommandFailure) -> [UInt8] {
        var request = StationRequest(method: method, path: "/v1/boxes/\(percentEncoded(box))/\(noun)")
        request.query = invocation.text("site").map { [("site", $0)] } ?? []
        request.body = message
        let body = try await askHub(request).body
        let reply: Published = try StationReading.read(body)
        if !reply.heard { tell("\(box) has not subscribed at the broker: it gets this only if it comes in time") }
        return body
    }

    func hubCommand() async throws(CommandFailure) -> ExitCode {
        let words = invocation.operands
        let command = try signedCommand(words.count > 1 ? words[1] : "", words.dropFirst(2), box: box)
        let body = try await publish(.post, "commands", command.bytes)
        guard let seconds = invocation.number("wait") else {
            if invocation.has("json") {
                try console.write(JSONText.indented(body) + "\n")
            } else {
                try show([Line("Published as \(command.id); konza hub answer \(box) \(command.id) shows its answer.")])
            }
            return .ok
        }
        return try await hubAnswer(command.id, within: Double(seconds))
    }

    func hubAnswer() async throws(CommandFailure) -> ExitCode {
        let words = invocation.operands
        return try await hubAnswer(
            words.count > 1 ? words[1] : "", within: Double(invocation.number("wait") ?? 0))
    }

    /// Waits for the last word about a command, and shows it.
    private func hubAnswer(_ id: String, within seconds: Double) async throws(CommandFailure) -> ExitCode {
        // One question at a time is held open for as long as the hub allows.
        let portion = 25.0
        let end = clock.monotonic().advanced(bySeconds: seconds)
        while true {
            let left = max(0, end.seconds(since: clock.monotonic()))
            var request = StationRequest(path: "/v1/boxes/\(percentEncoded(box))/answers/\(percentEncoded(id))")
            request.query = [("wait", "\(Int(min(portion, left).rounded(.up)))")]
            do throws(CommandFailure) {
                let body = try await askHub(request).body
                let answer: HubScreens.Answer = try StationReading.read(body)
                if answer.state == "accepted", clock.monotonic() < end { continue }
                let _: HubScreens.Answer = try present(body, HubScreens.answer)
                return answer.state == "done" ? .ok : answer.state == "accepted" ? .temporary : .data
            } catch {
                guard error.code == .noInput else { throw error }
                guard clock.monotonic() >= end else { continue }
                let state = try await hubState()
                throw CommandFailure(
                    "no answer of \(box) has come in \(Int(seconds)) s; it is \(state). It does what it gets in time, and "
                        + "answers when it can: konza hub answer \(box) \(id)", .temporary)
            }
        }
    }

    private func hubState() async throws(CommandFailure) -> String {
        let body = try await askHub(StationRequest(path: "/v1/boxes/\(percentEncoded(box))")).body
        let reply: HubScreens.Box = try StationReading.read(body)
        return "\(reply.state), heard \(HubScreens.heard(reply))"
    }

    /// The version of the settings that the hub has for the box; 0 without any, and of a box of which nothing has come yet.
    private func knownVersion() async throws(CommandFailure) -> Int64 {
        do throws(CommandFailure) {
            let body = try await askHub(StationRequest(path: "/v1/boxes/\(percentEncoded(box))")).body
            let known: HubScreens.Box = try StationReading.read(body)
            return known.desired?.version ?? 0
        } catch {
            guard error.code == .noInput else { throw error }
            return 0
        }
    }

    func hubDesired() async throws(CommandFailure) -> ExitCode {
        guard invocation.text("key") != nil || invocation.operands.count > 1 else {
            let body = try await askHub(StationRequest(path: "/v1/boxes/\(percentEncoded(box))")).body
            let _: HubScreens.Box = try present(body) { HubScreens.desired($0, columns: columns) }
            return .ok
        }
        let message = try signedSettings(invocation.operands.dropFirst(), box: box, above: try await knownVersion())
        let body = try await publish(.put, "desired", message)
        if invocation.has("json") {
            try console.write(JSONText.indented(body) + "\n")
        } else {
            try show([
                Line("The broker keeps it for \(box); konza hub desired \(box) shows what the station makes of it.")
            ])
        }
        return .ok
    }
}

// hub enrol, hub revoke: who is in the fleet.

extension CommandContext {
    func hubEnrol() async throws(CommandFailure) -> ExitCode {
        let body = try await askHub(
            StationRequest(method: .post, path: "/v1/boxes/\(percentEncoded(box))/enrolment")
        ).body
        let dates = self.dates
        let _: HubScreens.Enrolment = try present(body) { HubScreens.enrolment($0, dates: dates) }
        return .ok
    }

    func hubRevoke() async throws(CommandFailure) -> ExitCode {
        let body = try await askHub(
            StationRequest(method: .post, path: "/v1/boxes/\(percentEncoded(box))/revocation")
        ).body
        let _: HubScreens.Revocation = try present(body, HubScreens.revocation)
        return .ok
    }
}
