internal import KonzaModel
internal import KonzaSystem

// muster: who is there today, which the portal keeps.

extension CommandContext {
    private struct Correction: Encodable {
        var person: String
        var day: String?
        var state: String?
        var first: String?
        var last: String?
        var reason: String
    }

    private var dayQuery: [(name: String, value: String)] {
        invocation.text("day").map { [(name: "day", value: $0)] } ?? []
    }

    func musterRoster() async throws(CommandFailure) -> ExitCode {
        if invocation.has("csv") || invocation.text("output") != nil {
            let file = try OutputFile(invocation, standard: "-")
            let request = StationRequest(path: "/v1/muster/roster", query: dayQuery + [("form", "csv")])
            try file.write(try await portal.send(request).body, console: console)
            return .ok
        }
        let body = try await portal.send(StationRequest(path: "/v1/muster/roster", query: dayQuery)).body
        let _: MusterScreens.Roster = try present(body) { MusterScreens.roster($0) }
        return .ok
    }

    func correctMuster() async throws(CommandFailure) -> ExitCode {
        guard let reason = invocation.text("reason"), !reason.isEmpty else {
            throw CommandFailure("cannot correct the muster: say why with --reason; the person sees it", .usage)
        }
        let operands = invocation.operands
        var request = StationRequest(path: "/v1/muster/corrections")
        request.method = .post
        request.body = try StationWriting.bytes(
            Correction(
                person: operands.first ?? "", day: invocation.text("day"), state: operands.count > 1 ? operands[1] : "",
                reason: reason))
        let _: MusterScreens.Made = try present(try await portal.send(request).body) {
            [Line("Record \($0.record.sequence): \(TextSafety.cleaned(operands.first ?? "")) is \($0.state).")]
        }
        return .ok
    }

    func musterLeave() async throws(CommandFailure) -> ExitCode {
        let operands = invocation.operands
        var request = StationRequest(path: "/v1/muster/leave")
        request.method = .post
        request.body = try StationWriting.bytes(
            Correction(
                person: operands.first ?? "", first: operands.count > 1 ? operands[1] : "",
                last: operands.count > 2 ? operands[2] : nil, reason: invocation.text("reason") ?? ""))
        let _: MusterScreens.Number = try present(try await portal.send(request).body) {
            [Line("Leave \($0.number) is written down.")]
        }
        return .ok
    }

    func exportMuster() async throws(CommandFailure) -> ExitCode {
        let file = try OutputFile(invocation, standard: "-")
        var query: [(name: String, value: String)] = []
        for name in ["from", "to"] {
            if let value = invocation.text(name) { query.append((name, value)) }
        }
        if invocation.has("ledger") { query.append(("form", "ledger")) }
        let reply = try await portal.send(StationRequest(path: "/v1/muster/export", query: query))
        try file.write(reply.body, console: console)
        if !file.isStandardOutput, let head = reply.headers.first(where: { $0.key.lowercased() == "konza-audit-head" })
        {
            try show(Line("head  ", .quiet) + Line(head.value))
        }
        return .ok
    }

    func importMuster() async throws(CommandFailure) -> ExitCode {
        let file = invocation.operands.first ?? ""
        var request = StationRequest(path: "/v1/muster/import")
        request.method = .post
        request.upload = .init(
            file: file, byteCount: try byteCount(of: file), mediaType: "application/x-ndjson")
        let body: [UInt8]
        do throws(CommandFailure) {
            body = try await portal.send(request).body
        } catch {
            throw CommandFailure("\(file): \(error.message)", error.code)
        }
        let _: MusterScreens.Union = try present(body) {
            [
                Line(
                    "\(Figures.count($0.added, "record")) of the box \(TextSafety.cleaned($0.box)) \($0.added == 1 ? "is" : "are") new."
                )
            ]
        }
        return .ok
    }

    func verifyMuster() async throws(CommandFailure) -> ExitCode {
        let query = invocation.text("head").map { [(name: "head", value: $0)] } ?? []
        let body = try await portal.send(StationRequest(path: "/v1/muster/verify", query: query)).body
        let verdict: MusterScreens.Verdict = try present(body, MusterScreens.verdict)
        return verdict.isWhole ? .ok : .data
    }
}
