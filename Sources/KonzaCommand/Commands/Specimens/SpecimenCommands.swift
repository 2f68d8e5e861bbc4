internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

// A specimen: listed, shown, opened, changed, deleted, restored.

extension CommandContext {
    func specimens() async throws(CommandFailure) -> ExitCode {
        let filters = try specimenFilters()
        var wanted = invocation.number("limit") ?? 50
        var found: [SpecimenReply] = []
        var bodies: [[UInt8]] = []
        var cursor: String?
        repeat {
            var query = filters + [(name: "limit", value: "\(min(wanted, 200))")]
            if let cursor { query.append(("cursor", cursor)) }
            let body = try await connection.send(StationRequest(path: "/v1/specimens", query: query)).body
            let page: SpecimenPageReply = try StationReading.read(body)
            bodies.append(body)
            found += page.specimens
            wanted -= page.specimens.count
            // A page without anything would be asked for again and again.
            cursor = page.specimens.isEmpty ? nil : page.next
        } while cursor != nil && wanted > 0
        if invocation.has("json") {
            for body in bodies { try console.write(JSONText.indented(body) + "\n") }
        } else {
            try show(
                SpecimenScreens.list(found, isFiltered: !filters.isEmpty, hasMore: cursor != nil, columns: columns))
        }
        return .ok
    }

    func showSpecimen() async throws(CommandFailure) -> ExitCode {
        let id = try await wantedSpecimen().specimen.id
        let _: SpecimenReply = try await answer("/v1/specimens/\(id)") {
            SpecimenScreens.page($0, dates: dates, columns: columns)
        }
        return .ok
    }

    func newSpecimen() async throws(CommandFailure) -> ExitCode {
        var members = try SpecimenWords(invocation).members
        members["rockType"] = .string(invocation.operands.first ?? "")
        let body = try await write(.post, "/v1/specimens", .object(members))
        let _: SpecimenReply = try present(body) { SpecimenScreens.opened($0, dates: dates, columns: columns) }
        return .ok
    }

    func setSpecimen() async throws(CommandFailure) -> ExitCode {
        var words = try SpecimenWords(invocation)
        for operand in invocation.operands.dropFirst() { try words.assign(operand) }
        guard !words.members.isEmpty else {
            throw CommandFailure(
                "cannot change the specimen: nothing is said about it; see konza help specimens set", .usage)
        }
        let id = try await wantedSpecimen().specimen.id
        let body = try await write(.patch, "/v1/specimens/\(id)", .object(words.members))
        let _: SpecimenReply = try present(body) { SpecimenScreens.page($0, dates: dates, columns: columns) }
        return .ok
    }

    func deleteSpecimen() async throws(CommandFailure) -> ExitCode {
        let wanted = try await wantedSpecimen()
        let specimen = wanted.specimen
        _ = try await connection.send(StationRequest(method: .delete, path: "/v1/specimens/\(specimen.id)"))
        try show(Line("Deleted \(specimen.number)"))
        try show(
            Line.hanging(
                Line("  "), "for 30 days it can be restored: konza specimens restore \(Self.typed(specimen))",
                style: .quiet, columns: columns))
        // What was published is others' by now: it is theirs who run the server to take it back.
        for submission in wanted.submissions where submission.remoteID != nil {
            try show(
                Line.hanging(
                    Line("  "),
                    "\(submission.target.rawValue) keeps what it has of it: \(submission.remoteURL ?? "delete it there")",
                    style: .quiet, columns: columns))
        }
        return .ok
    }

    func restoreSpecimen() async throws(CommandFailure) -> ExitCode {
        let id = try await wantedSpecimen(isDeleted: true).specimen.id
        let body = try await write(.post, "/v1/specimens/\(id)/restore", nil)
        let _: SpecimenReply = try present(body) { SpecimenScreens.page($0, dates: dates, columns: columns) }
        return .ok
    }

    /// Sends JSON, or nothing, and gives the answer's body.
    func write(
        _ method: StationRequest.Method, _ path: String, _ value: JSONValue?
    ) async throws(CommandFailure) -> [UInt8] {
        var request = StationRequest(method: method, path: path)
        if let value { request.body = try StationWriting.bytes(value) }
        return try await connection.send(request).body
    }

    /// A specimen as a shell takes it: its number, or its id where the number is not one plain word.
    static func typed(_ specimen: Specimen) -> String {
        let isPlain = specimen.number.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        return isPlain && !specimen.number.hasPrefix("-") ? specimen.number : specimen.id.description
    }
}
