internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

// A specimen is named by what is written on its bag, or by its id.

extension CommandContext {
    /// Pages of 200 that are looked through for a number.
    private static let mostPages = 50

    /// The specimen that the first operand names.
    func wantedSpecimen(isDeleted: Bool = false) async throws(CommandFailure) -> SpecimenReply {
        try await specimen(invocation.operands.first ?? "", isDeleted: isDeleted)
    }

    /// The specimen of a number or id.
    ///
    /// - Throws: `noInput` if there is none.
    func specimen(_ name: String, isDeleted: Bool = false) async throws(CommandFailure) -> SpecimenReply {
        if let id = SpecimenID(name), !isDeleted { return try await connection.get("/v1/specimens/\(id)") }
        var cursor: String?
        for _ in 0..<Self.mostPages {
            var query = [(name: "limit", value: "200")]
            if SpecimenID(name) == nil { query.append(("text", name)) }
            if isDeleted { query.append(("state", "deleted")) }
            if let cursor { query.append(("cursor", cursor)) }
            let page: SpecimenPageReply = try await connection.get("/v1/specimens", query: query)
            if let found = page.specimens.first(where: { Self.isNamed($0.specimen, name) }) { return found }
            cursor = page.next
            if cursor == nil { break }
        }
        let kind = isDeleted ? "deleted specimen" : "specimen"
        throw CommandFailure(
            "cannot find the \(kind) \"\(TextSafety.shortened(name, to: 60))\": no such number or id; "
                + "konza specimens\(isDeleted ? " --state deleted" : "") lists them",
            .noInput)
    }

    private static func isNamed(_ specimen: Specimen, _ name: String) -> Bool {
        SpecimenNumber.key(specimen.number) == SpecimenNumber.key(name) || specimen.id.description == name
    }

    /// The filters of a list or an export, as the station takes them.
    func specimenFilters() throws(CommandFailure) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        for name in ["near", "state", "text", "box"] {
            if let value = invocation.text(name) { query.append((name, value)) }
        }
        if let text = invocation.text("radius") {
            guard invocation.has("near") else {
                throw CommandFailure("cannot understand --radius: only with --near, such as --near here", .usage)
            }
            guard let metres = Self.metres(text) else {
                throw CommandFailure(
                    "cannot understand --radius \"\(TextSafety.shortened(text, to: 60))\": expected metres, or a "
                        + "distance such as 500m or 10km",
                    .usage)
            }
            query.append(("radius", Figures.shortest(metres)))
        }
        return query
    }

    /// A distance as people write it: metres, or a number with its unit.
    static func metres(_ text: String) -> Double? {
        let units: [(ending: String, metres: Double)] = [("km", 1000), ("m", 1), ("", 1)]
        for unit in units where text.hasSuffix(unit.ending) {
            let number = Double(text.dropLast(unit.ending.count))
            return number.flatMap { (1...2e7).contains($0 * unit.metres) ? $0 * unit.metres : nil }
        }
        return nil
    }
}
