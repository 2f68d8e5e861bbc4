internal import FeedReporting
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Storage

/// `/v1/calendar-feeds`: what the courier asks and brings of calendars.
struct CalendarFeedRoutes: Sendable {
    private static let contract = FeedContract(
        path: "/v1/calendar-feeds", noun: "calendar", schema: "CalendarFeed", longestReport: 9 << 20,
        list: (
            "listCalendarFeeds", "The calendars that are fetched, with the validators of their last answers",
            "The calendars."
        ),
        report: (
            "reportCalendarFeed",
            "What a calendar answered: a whole one, that nothing changed, or why there is no answer",
            "Whether it can be used."
        ), choose: ("chooseCalendarFeeds", "Which calendars are configured: others are forgotten"))

    private struct Report: FeedReport {
        let source: String
        let etag: String?
        let lastModified: String?
        /// A whole answer.
        let calendar: String?
        /// Why there is none.
        let problem: String?
    }

    private struct Outcome: Encodable {
        /// Why the answer cannot be used; absent if it is.
        let fault: String?
    }

    let feeds: CalendarFeeds
    /// Called after the calendars have changed.
    let changed: @Sendable () -> Void

    var routes: [Route] {
        FeedReportRoutes<Report>(
            Self.contract,
            states: {
                feeds.states.map { state in
                    FeedSourceState(
                        state.source, validators: (state.entityTag, state.lastModified), fetchedAt: state.fetchedAt,
                        checkedAt: state.checkedAt, fault: state.fault)
                }
            }, take: { report throws(Problem) in try take(report) },
            keepOnly: { sources throws(Problem) in
                if try kept({ () throws(StorageError) in try feeds.keepOnly(sources) }) { changed() }
            }
        ).routes
    }

    private func kept<Value>(_ body: () throws(StorageError) -> Value) throws(Problem) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            throw Problem(.archiveUnavailable, "cannot keep the calendar: \(error); free or mend the disk")
        }
    }

    private func take(_ report: Report) throws(Problem) -> Response {
        guard report.problem == nil, let text = report.calendar else {
            feeds.note(report.source, fault: report.problem.map { TextRule.cleaned(String($0.prefix(1000))) })
            return try .json(Outcome(fault: nil))
        }
        let validators = report.validators
        let fault = try kept { () throws(StorageError) in
            try feeds.take(
                text, from: report.source, entityTag: validators.entityTag, lastModified: validators.lastModified)
        }
        if fault == nil { changed() }
        return try .json(Outcome(fault: fault))
    }
}
