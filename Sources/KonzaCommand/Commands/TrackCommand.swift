internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

extension CommandContext {
    /// The forms of a track, by their switches.
    private static let forms = ["gpx", "geojson", "json"]

    func track() async throws(CommandFailure) -> ExitCode {
        let form = try trackForm()
        var query: [(name: String, value: String)] = []
        if let since = invocation.text("since") { query.append(("since", try instant(since).rfc3339)) }
        guard let form else {
            let reply: TrackReply = try await connection.get("/v1/track", query: query)
            try show(TrackScreen.lines(reply, dates: dates))
            return .ok
        }
        let file = try OutputFile(invocation, standard: "-")
        query.append(("format", form))
        let body = try await connection.send(StationRequest(path: "/v1/track", query: query)).body
        let text =
            form == "gpx"
            ? TextSafety.cleanedLines(String(decoding: body, as: UTF8.self)) : JSONText.indented(body) + "\n"
        try file.write(Array(text.utf8), console: console)
        if !file.isStandardOutput {
            try show(Line("Track saved as \(file.path), \(Figures.bytes(Int64(text.utf8.count)))"))
        }
        return .ok
    }

    private func trackForm() throws(CommandFailure) -> String? {
        let chosen = Self.forms.filter(invocation.has)
        if chosen.count > 1 {
            throw CommandFailure(
                "cannot write the track as \(chosen.joined(separator: " and ")) at once: choose one", .usage)
        }
        if let form = chosen.first { return form }
        guard let path = invocation.text("output") else { return nil }
        guard let form = Self.forms.first(where: { path.lowercased().hasSuffix(".\($0)") }) else {
            throw CommandFailure(
                "cannot tell the form of the track from the name \(path): add --gpx, --geojson or --json", .usage)
        }
        return form
    }

    /// A time span back from now, or an instant.
    private func instant(_ text: String) throws(CommandFailure) -> UTCInstant {
        if let instant = UTCInstant(rfc3339: text) { return instant }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units = ["s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400]
        if let number = Int(digits), (0...1_000_000).contains(number),
            let unit = units[String(text.dropFirst(digits.count))]
        {
            return clock.utc().advanced(bySeconds: -Double(number * unit))
        }
        throw CommandFailure(
            "cannot understand --since \"\(text)\": expected a span such as 90s, 10m or 1h, "
                + "or a time such as 2026-05-30T14:00:00Z",
            .usage)
    }
}
