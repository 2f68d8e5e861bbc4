internal import HTTPServing
internal import JSONCoding
internal import KonzaAPI
internal import KonzaModel
internal import Storage

/// `/v1/calendar-feeds`: what the courier asks and brings of calendars.
struct CalendarFeedRoutes: Sendable {
    /// Bytes of a calendar in JSON: every character of it may have been escaped.
    private static let longestReport = 9 << 20

    private struct Report: Decodable {
        let source: String
        let etag: String?
        let lastModified: String?
        /// A whole answer.
        let calendar: String?
        /// Why there is none.
        let problem: String?
    }

    private struct Sources: Decodable { let sources: [String] }

    private struct States: Encodable {
        struct State: Encodable {
            let source: String
            let etag: String?
            let lastModified: String?
            let fetchedAt: UTCInstant?
            let checkedAt: UTCInstant?
            let fault: String?
        }

        let feeds: [State]
    }

    private struct Outcome: Encodable {
        /// Why the answer cannot be used; absent if it is.
        let fault: String?
    }

    let feeds: CalendarFeeds
    /// Called after the calendars have changed.
    let changed: @Sendable () -> Void

    var routes: [Route] {
        [
            Route(
                .get, "/v1/calendar-feeds", access: .only(.courier, .ranger, .keeper), operation: "listCalendarFeeds",
                summary: "The calendars that are fetched, with the validators of their last answers",
                replies: [Reply(200, "The calendars.", schema: "CalendarFeeds")],
                handler: .immediate { [feeds] _ throws(Problem) in
                    try .json(
                        States(
                            feeds: feeds.states.map { state in
                                States.State(
                                    source: state.source, etag: state.entityTag, lastModified: state.lastModified,
                                    fetchedAt: state.fetchedAt, checkedAt: state.checkedAt, fault: state.fault)
                            }))
                }),
            Route(
                .post, "/v1/calendar-feeds", access: .only(.courier), operation: "reportCalendarFeed",
                summary: "What a calendar answered: a whole one, that nothing changed, or why there is no answer",
                body: RequestBody(schema: "CalendarFeedReport", isRequired: true, limit: Self.longestReport),
                replies: [Reply(200, "Whether it can be used.", schema: "CalendarFeedOutcome")],
                handler: .asynchronous { request in try report(request) }
            ).failing(.archiveUnavailable),
            Route(
                .put, "/v1/calendar-feeds", access: .only(.courier), operation: "chooseCalendarFeeds",
                summary: "Which calendars are configured: others are forgotten",
                body: RequestBody(schema: "CalendarFeedChoice", isRequired: true, limit: 128 << 10),
                replies: [Reply(204, "Done.")],
                handler: .asynchronous { request in
                    let sources = try Self.decode(Sources.self, request.body).sources
                    if try kept({ () throws(StorageError) in try feeds.keepOnly(Set(sources)) }) { changed() }
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

    private func kept<Value>(_ body: () throws(StorageError) -> Value) throws(Problem) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            throw Problem(.archiveUnavailable, "cannot keep the calendar: \(error); free or mend the disk")
        }
    }

    private func report(_ request: Request) throws(Problem) -> Response {
        let report = try Self.decode(Report.self, request.body)
        guard (1...CalendarFeeds.longestName).contains(report.source.utf8.count) else {
            throw Problem(.invalidRequest, "cannot take the report: the source is no address of a calendar")
        }
        guard report.problem == nil, let text = report.calendar else {
            feeds.note(report.source, fault: report.problem.map { TextRule.cleaned(String($0.prefix(1000))) })
            return try .json(Outcome(fault: nil))
        }
        func bounded(_ validator: String?) -> String? {
            validator.flatMap { $0.utf8.count <= CalendarFeeds.longestName ? $0 : nil }
        }
        let fault = try kept { () throws(StorageError) in
            try feeds.take(
                text, from: report.source, entityTag: bounded(report.etag), lastModified: bounded(report.lastModified))
        }
        if fault == nil { changed() }
        return try .json(Outcome(fault: fault))
    }
}
