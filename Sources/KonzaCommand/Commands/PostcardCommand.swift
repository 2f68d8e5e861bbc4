internal import FoundationEssentials
internal import KonzaAPI
internal import KonzaModel

extension CommandContext {
    func postcard() async throws(CommandFailure) -> ExitCode {
        // Asked before the shot: a postcard should not be taken for a file that cannot be written.
        let file = invocation.has("output") ? try OutputFile(invocation, standard: "-") : nil
        let countdown = invocation.number("countdown") ?? 0
        let order = PostcardRequest(
            template: invocation.text("template"), message: invocation.text("message"),
            place: invocation.text("place"), countdownSeconds: countdown > 0 ? countdown : nil)
        let request = StationRequest(method: .post, path: "/v1/postcards", body: try StationWriting.bytes(order))
        let reply = try await connection.send(request)
        let body = reply.status == 202 ? try await waitForCountdown(reply.body) : reply.body
        let card: PostcardReply = try StationReading.read(body)
        if let file { try await save(card.id, "image.jpg", to: file) }
        // The picture went to the standard output: words would spoil it.
        if file?.isStandardOutput == true { return .ok }
        if invocation.has("json") {
            try console.write(JSONText.indented(body) + "\n")
        } else {
            var lines = PostcardScreens.taken(card, dates: dates, columns: columns)
            if let file { lines += Line.hanging(Line("  Copy").padded(to: 12), file.path, columns: columns) }
            try show(lines)
        }
        return .ok
    }

    /// Counts aloud until the postcard is kept.
    ///
    /// - Returns: the postcard, as JSON.
    private func waitForCountdown(_ body: [UInt8]) async throws(CommandFailure) -> [UInt8] {
        var pending: PendingPostcardReply = try StationReading.read(body)
        let started = clock.monotonic()
        // The longest countdown, and patience for the camera after it.
        let limit = Double(PostcardRequest.longestCountdown) + 30
        var told: Int?
        while clock.monotonic().seconds(since: started) < limit {
            if pending.state == "failed" {
                throw pending.problem.map { CommandFailure($0) }
                    ?? CommandFailure("cannot take the postcard: the station does not say why", .unavailable)
            }
            if let remaining = pending.remainingSeconds, remaining > 0, remaining != told {
                tell("\(remaining)...")
                told = remaining
            }
            try await pause(seconds: 0.2)
            let next = try await connection.send(StationRequest(path: "/v1/postcards/\(try Self.checked(pending.id))"))
            guard let state: PostcardState = try? StationReading.read(next.body), state.isPending else {
                return next.body
            }
            pending = try StationReading.read(next.body)
        }
        throw CommandFailure(
            "cannot wait any longer for the postcard \(pending.id): konza postcards shows whether it was kept",
            .temporary)
    }

    /// What a pending postcard and a kept one share.
    private struct PostcardState: Decodable {
        let state: String
        let links: PostcardReply.Links?
        var isPending: Bool { links == nil }
    }

    func postcards() async throws(CommandFailure) -> ExitCode {
        var wanted = invocation.number("limit") ?? 20
        var cards: [PostcardReply] = []
        var bodies: [[UInt8]] = []
        var cursor: String?
        repeat {
            var query = [(name: "limit", value: "\(min(wanted, 200))")]
            if let cursor { query.append(("cursor", cursor)) }
            let body = try await connection.send(StationRequest(path: "/v1/postcards", query: query)).body
            let page: PostcardPageReply = try StationReading.read(body)
            bodies.append(body)
            cards += page.postcards
            wanted -= page.postcards.count
            // A page without anything would be asked for again and again.
            cursor = page.postcards.isEmpty ? nil : page.next
        } while cursor != nil && wanted > 0
        if invocation.has("json") {
            for body in bodies { try console.write(JSONText.indented(body) + "\n") }
        } else {
            try show(PostcardScreens.list(cards, hasMore: cursor != nil, dates: dates, columns: columns))
        }
        return .ok
    }

    func showPostcard() async throws(CommandFailure) -> ExitCode {
        let id = try wantedID
        let body = try await connection.send(StationRequest(path: "/v1/postcards/\(id)")).body
        if let state: PostcardState = try? StationReading.read(body), state.isPending {
            let pending: PendingPostcardReply = try present(body) { pending in
                [Line("Postcard \(pending.id) is not kept yet: \(pending.state)")]
            }
            return pending.state == "failed" ? .unavailable : .temporary
        }
        let _: PostcardReply = try present(body) { PostcardScreens.page($0, dates: dates, columns: columns) }
        return .ok
    }

    func getPostcard() async throws(CommandFailure) -> ExitCode {
        let id = try wantedID
        if invocation.has("original"), invocation.has("thumbnail") {
            throw CommandFailure("cannot get --original and --thumbnail at once: choose one", .usage)
        }
        let kind = invocation.has("original") ? "original" : invocation.has("thumbnail") ? "thumbnail" : "image"
        let file = try OutputFile(invocation, standard: kind == "image" ? "\(id).jpg" : "\(id)-\(kind).jpg")
        let count = try await save(id, "\(kind).jpg", to: file)
        if !file.isStandardOutput { try show(Line("Saved as \(file.path), \(Figures.bytes(Int64(count)))")) }
        return .ok
    }

    func deletePostcard() async throws(CommandFailure) -> ExitCode {
        let id = try wantedID
        if console.canAsk, !invocation.has("yes") {
            console.writeError("Delete the postcard \(id) and its pictures for ever? [y/N] ")
            guard let answer = console.readAnswer()?.lowercased(), answer == "y" || answer == "yes" else {
                tell("Nothing was deleted.")
                return .ok
            }
        }
        _ = try await connection.send(StationRequest(method: .delete, path: "/v1/postcards/\(id)"))
        try show(Line("Deleted \(id)"))
        return .ok
    }

    @discardableResult
    private func save(_ id: String, _ name: String, to file: OutputFile) async throws(CommandFailure) -> Int {
        let picture = try await connection.send(StationRequest(path: "/v1/postcards/\(try Self.checked(id))/\(name)"))
        try file.write(picture.body, console: console)
        return picture.body.count
    }

    /// The id on the command line, safe in a path of the API and in the name of a file.
    private var wantedID: String {
        get throws(CommandFailure) { try Self.checked(invocation.operands.first ?? "") }
    }

    private static func checked(_ id: String) throws(CommandFailure) -> String {
        guard PostcardID(id) != nil else {
            throw CommandFailure(
                "cannot find the postcard \"\(TextSafety.shortened(id, to: 60))\": an id has 26 letters and digits; "
                    + "konza postcards lists them",
                .noInput)
        }
        return id
    }
}
