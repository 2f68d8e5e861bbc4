internal import KonzaModel
internal import KonzaSystem

// announce: what everyone is to read before going out.

extension CommandContext {
    private struct Wish: Encodable {
        struct Words: Encodable {
            var title: String
            var body: String?
            var more: String?
        }

        var title: String?
        var body: String?
        var more: String?
        var startDate: String?
        var endDate: String?
        var isUrgent: Bool?
        var audience: String?
        var translations: [String: Words]?
    }

    private func ask(
        _ method: StationRequest.Method, _ path: String, _ wish: Wish? = nil,
        query: [(name: String, value: String)] = []
    ) async throws(CommandFailure) -> [UInt8] {
        var request = StationRequest(path: path, query: query)
        request.method = method
        if let wish { request.body = try StationWriting.bytes(wish) }
        return try await portal.send(request).body
    }

    private var announcementPath: String {
        "/v1/announcements/\(percentEncoded(invocation.operands.first ?? ""))"
    }

    private func wish() throws(CommandFailure) -> Wish {
        var wish = Wish(
            title: invocation.text("title"), body: try body(), more: invocation.text("more"),
            startDate: invocation.text("start"), endDate: invocation.text("end"), audience: invocation.text("audience"))
        if invocation.has("urgent") { wish.isUrgent = true }
        if invocation.has("not-urgent") { wish.isUrgent = false }
        if let title = invocation.text("title-es") {
            wish.translations = [
                "es": .init(title: title, body: invocation.text("body-es"), more: invocation.text("more-es"))
            ]
        } else if invocation.text("body-es") != nil || invocation.text("more-es") != nil {
            throw CommandFailure("cannot take the Spanish text without a title: add --title-es", .usage)
        }
        return wish
    }

    private func body() throws(CommandFailure) -> String? {
        guard invocation.text("body") == "-" else { return invocation.text("body") }
        var lines: [String] = []
        // The server takes less than this.
        while lines.count < 2000, let line = console.readAnswer() { lines.append(line) }
        return lines.joined(separator: "\n")
    }

    func announce() async throws(CommandFailure) -> ExitCode {
        var wish = try wish()
        if wish.title == nil {
            if console.canAsk { tell("The title:") }
            wish.title = console.readAnswer()
        }
        guard let title = wish.title, !title.isEmpty else {
            throw CommandFailure("cannot announce anything without a title: add --title", .usage)
        }
        let body = try await ask(.post, "/v1/announcements", wish)
        let _: AnnouncementScreens.Announcement = try present(body) {
            [Line("\($0.id)", .strong) + " is announced to \($0.audience == "crew" ? "the crew" : "everyone")."]
        }
        return .ok
    }

    func announcements() async throws(CommandFailure) -> ExitCode {
        let body = try await ask(.get, "/v1/announcements", query: invocation.has("all") ? [("all", "true")] : [])
        let _: AnnouncementScreens.List = try present(body) { AnnouncementScreens.list($0, now: clock.utc()) }
        return .ok
    }

    func announcement() async throws(CommandFailure) -> ExitCode {
        let _: AnnouncementScreens.Announcement = try present(
            try await ask(.get, announcementPath), AnnouncementScreens.one)
        return .ok
    }

    func changeAnnouncement() async throws(CommandFailure) -> ExitCode {
        let body = try await ask(.patch, announcementPath, try wish())
        let _: AnnouncementScreens.Announcement = try present(body) {
            AnnouncementScreens.changed($0, now: clock.utc())
        }
        return .ok
    }

    func retireAnnouncement() async throws(CommandFailure) -> ExitCode {
        _ = try await ask(.delete, announcementPath)
        try show(Line("\(invocation.operands.first ?? "") is retired."))
        return .ok
    }
}
