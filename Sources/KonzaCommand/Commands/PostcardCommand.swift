internal import FoundationEssentials
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

extension CommandContext {
    func postcard() async throws(CommandFailure) -> ExitCode {
        // Asked before the shot: a postcard should not be taken for a file that cannot be written.
        let file = invocation.has("output") ? try OutputFile(invocation, standard: "-") : nil
        let countdown = invocation.number("countdown") ?? 0
        let burst = invocation.number("burst") ?? 0
        var order = PostcardRequest(
            template: invocation.text("template"), message: invocation.text("message"),
            place: invocation.text("place"), countdownSeconds: countdown > 0 ? countdown : nil,
            burstSeconds: burst > 0 ? burst : nil, labels: invocation.has("labels") ? true : nil,
            language: invocation.text("language"))
        try await addShots(to: &order)
        let request = StationRequest(method: .post, path: "/v1/postcards", body: try StationWriting.bytes(order))
        let reply = try await connection.send(request)
        let body =
            reply.status == 202 ? try await waitForCountdown(reply.body, in: "/v1/postcards") : reply.body
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

    /// Takes the pictures of a collage, if one is asked for, each after its own countdown.
    private func addShots(to order: inout PostcardRequest) async throws(CommandFailure) {
        guard let count = invocation.number("shots") else {
            guard invocation.text("layout") == nil else {
                throw CommandFailure(
                    "cannot use --layout without --shots: it is how the pictures of a collage lie", .usage)
            }
            return
        }
        guard order.burstSeconds == nil, order.labels == nil else {
            throw CommandFailure(
                "cannot make a collage with --burst or --labels: they belong to one picture; leave --shots out", .usage)
        }
        let shot = ShotRequest(countdownSeconds: invocation.number("countdown") ?? Self.secondsBetweenShots)
        let request = StationRequest(method: .post, path: "/v1/shots", body: try StationWriting.bytes(shot))
        var shots: [String] = []
        for number in 1...count {
            tell("Picture \(number) of \(count)")
            let reply = try await connection.send(request)
            let body = reply.status == 202 ? try await waitForCountdown(reply.body, in: "/v1/shots") : reply.body
            let taken: ShotReply = try StationReading.read(body)
            shots.append(taken.id)
        }
        order.countdownSeconds = nil
        order.shots = shots
        order.layout = invocation.text("layout")
    }

    /// The countdown before each picture of a collage, unless another is asked for.
    private static let secondsBetweenShots = 3

    /// Counts aloud until a picture is taken.
    ///
    /// - Parameters:
    ///   - body: the first reply.
    ///   - collection: the path in which the picture is asked for by its id.
    /// - Returns: what was taken, as JSON.
    /// - Throws: why no picture was taken, or that the wait is over its limit.
    private func waitForCountdown(_ body: [UInt8], in collection: String) async throws(CommandFailure) -> [UInt8] {
        var pending: Underway = try StationReading.read(body)
        let started = clock.monotonic()
        // The longest countdown, and patience for the camera after it.
        let limit = Double(PostcardRequest.longestCountdown) + 30
        var told: Int?
        while clock.monotonic().seconds(since: started) < limit {
            if pending.state == "failed" {
                throw pending.problem.map { CommandFailure($0) }
                    ?? CommandFailure("cannot take the picture: the station does not say why", .unavailable)
            }
            if let remaining = pending.remainingSeconds, remaining > 0, remaining != told {
                tell("\(remaining)...")
                told = remaining
            }
            try await pause(seconds: 0.2)
            let next = try await connection.send(
                StationRequest(path: "\(collection)/\(try Self.checked(pending.id))"))
            pending = try StationReading.read(next.body)
            if pending.isTaken { return next.body }
        }
        throw CommandFailure(
            "cannot wait any longer for the picture \(pending.id): konza postcards shows whether it was kept",
            .temporary)
    }

    /// What postcards and shots share, under way and taken.
    private struct Underway: Decodable {
        let id: String
        let state: String
        let remainingSeconds: Int?
        let problem: Problem?
        let links: Links?

        /// The picture alone tells that it was taken.
        struct Links: Decodable {
            let image: String
        }

        var isTaken: Bool { links != nil }
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
        if let state: Underway = try? StationReading.read(body), !state.isTaken {
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
        let kinds = ["original", "thumbnail", "animation"].filter { invocation.has($0) }
        guard kinds.count <= 1 else {
            throw CommandFailure("cannot get --\(kinds.joined(separator: " and --")) at once: choose one", .usage)
        }
        let (picture, name) =
            switch kinds.first {
            case "animation": ("animation", "\(id).webp")
            case let kind?: ("\(kind).jpg", "\(id)-\(kind).jpg")
            case nil: ("image.jpg", "\(id).jpg")
            }
        let file = try OutputFile(invocation, standard: name)
        let count = try await save(id, picture, to: file)
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
