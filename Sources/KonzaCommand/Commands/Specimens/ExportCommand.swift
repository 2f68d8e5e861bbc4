internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

extension CommandContext {
    func export() async throws(CommandFailure) -> ExitCode {
        let form = invocation.text("format") ?? "csv"
        var query = try specimenFilters() + [(name: "format", value: form)]
        if let code = invocation.text("sesar-code") { query.append(("sesarCode", code)) }
        let destination = try Destination(invocation, standard: Self.exportName(form, dates.date(clock.utc())))
        console.holdInterrupts()
        defer { console.releaseInterrupts() }
        let isText = !["metpetdb-sheets", "kmz", "zip"].contains(form)
        let delivery = try Delivery(destination, isText: isText, console: console)
        let reply = try await connection.fetch(StationRequest(path: "/v1/specimens/export", query: query)) {
            delivery.take($0)
        }
        let count = try delivery.finish()
        if !destination.isStandardOutput {
            try show(Line("Specimens saved as \(destination.path), \(Figures.bytes(Int64(count)))"))
        }
        if let leftOut = reply.headers["konza-left-out"].flatMap({ Int($0) }), leftOut > 0 {
            try await tellLeftOut(leftOut, form, query)
        }
        return .ok
    }

    /// A name by the form and the day: exports of several days lie beside each other on one stick.
    private static func exportName(_ form: String, _ day: String) -> String {
        switch form {
        case "metpetdb-csv": "konza-metpetdb-\(day).csv"
        case "metpetdb-sheets": "konza-metpetdb-\(day).zip"
        case "sesar": "konza-sesar-\(day).csv"
        default: "konza-specimens-\(day).\(form)"
        }
    }

    /// Names what the file does not hold, and why.
    private func tellLeftOut(
        _ count: Int, _ form: String, _ query: [(name: String, value: String)]
    ) async throws(CommandFailure) {
        tell("konza: \(Figures.count(count, "specimen")) left out, which the form \(form) cannot hold:")
        let check: ExportCheckReply = try await connection.get("/v1/specimens/export/check", query: query)
        for refused in check.leftOut {
            for reason in refused.reasons {
                let field = reason.field.map { "\($0): " } ?? ""
                tell("  \(refused.number ?? refused.specimen?.description ?? "?"): \(field)\(reason.words)")
            }
        }
    }
}
