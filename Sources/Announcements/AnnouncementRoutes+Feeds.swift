internal import Feeds
internal import HTTPServing
internal import JSONCoding
internal import KonzaAPI
internal import KonzaModel
internal import Storage

/// What the courier asks and brings.
extension AnnouncementRoutes {
    /// Bytes of a feed in JSON: every character of it may have been escaped.
    private static let longestReport = 8 << 20
    private static let longestValidator = 1000

    /// What the courier brings of one feed.
    private struct Report: Decodable {
        let source: String
        let audience: Announcement.Audience?
        let etag: String?
        let lastModified: String?
        /// A complete valid answer.
        let feed: Feed?
        /// Why there is none.
        let problem: String?
    }

    private struct State: Encodable {
        let source: String
        let title: String
        let etag: String?
        let lastModified: String?
        let fetchedAt: UTCInstant?
        let checkedAt: UTCInstant?
        let fault: String?
    }

    private struct States: Encodable { let feeds: [State] }

    private struct Outcome: Encodable {
        let added: Int
        let changed: Int
        let retired: Int
    }

    private struct Sources: Decodable { let sources: [String] }

    var feedRoutes: [Route] {
        [
            Route(
                .get, "/v1/announcement-feeds", access: .only(.courier, .ranger, .keeper), operation: "listFeeds",
                summary: "The feeds that announcements come from, with the validators of their last answers",
                replies: [Reply(200, "The feeds.", schema: "AnnouncementFeeds")],
                handler: .asynchronous { _ in
                    let states = try kept { () throws(StorageError) in try register.feedStates() }
                    return try .json(
                        States(
                            feeds: states.sorted { $0.key < $1.key }.map { source, state in
                                State(
                                    source: source, title: state.title, etag: state.entityTag,
                                    lastModified: state.lastModified, fetchedAt: state.fetchedAt,
                                    checkedAt: state.checkedAt, fault: state.fault)
                            }))
                }
            ).failing(.archiveUnavailable),
            Route(
                .post, "/v1/announcement-feeds", access: .only(.courier), operation: "reportFeed",
                summary: "What a feed answered: a whole feed, that nothing changed, or why there is no answer",
                body: RequestBody(schema: "AnnouncementFeedReport", isRequired: true, limit: Self.longestReport),
                replies: [Reply(200, "What changed.", schema: "AnnouncementFeedOutcome")],
                handler: .asynchronous { request in try report(request) }
            ).failing(.archiveUnavailable),
            Route(
                .put, "/v1/announcement-feeds", access: .only(.courier), operation: "chooseFeeds",
                summary: "Which feeds are configured: what others said is retired",
                body: RequestBody(schema: "AnnouncementFeedChoice", isRequired: true, limit: 128 << 10),
                replies: [Reply(204, "Done.")],
                handler: .asynchronous { request in
                    let sources = try Self.decode(Sources.self, request.body).sources
                    try kept { () throws(StorageError) in try register.keepOnly(Set(sources)) }
                    return Response(status: 204)
                }
            ).failing(.archiveUnavailable),
        ]
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ body: [UInt8]) throws(Problem) -> Value {
        do {
            return try JSONText.decode(type, from: body)
        } catch {
            throw Problem(.invalidRequest, "cannot take the report: konza-courier and konza-portal differ in version")
        }
    }

    private func report(_ request: Request) throws(Problem) -> Response {
        let report = try Self.decode(Report.self, request.body)
        guard (1...1000).contains(report.source.utf8.count), !report.source.isEmpty,
            report.source != AnnouncementFiles.source
        else { throw Problem(.invalidRequest, "cannot take the report: the source is no address of a feed") }
        if let problem = report.problem {
            register.noteFault(report.source, TextRule.cleaned(problem))
            return try .json(Outcome(added: 0, changed: 0, retired: 0))
        }
        guard let feed = report.feed else {
            register.noteChecked(report.source, at: register.clock.utc())
            return try .json(Outcome(added: 0, changed: 0, retired: 0))
        }
        let outcome = try kept { () throws(StorageError) in
            try register.take(
                feed, from: report.source, for: report.audience ?? .crew,
                state: .init(
                    title: feed.title,
                    entityTag: report.etag.flatMap { $0.utf8.count <= Self.longestValidator ? $0 : nil },
                    lastModified: report.lastModified.flatMap { $0.utf8.count <= Self.longestValidator ? $0 : nil }))
        }
        if !outcome.isUnchanged {
            note(
                "announcements of \(report.source.prefix(200)): \(outcome.added) new, \(outcome.changed) changed, \(outcome.retired) retired"
            )
        }
        return try .json(Outcome(added: outcome.added, changed: outcome.changed, retired: outcome.retired))
    }
}
