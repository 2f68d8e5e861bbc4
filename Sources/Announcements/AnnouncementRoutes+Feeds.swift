internal import FeedReporting
internal import Feeds
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Storage

/// What the courier asks and brings.
extension AnnouncementRoutes {
    private static let contract = FeedContract(
        path: "/v1/announcement-feeds", noun: "feed", schema: "AnnouncementFeed", longestReport: 8 << 20,
        list: (
            "listFeeds", "The feeds that announcements come from, with the validators of their last answers",
            "The feeds."
        ),
        report: (
            "reportFeed", "What a feed answered: a whole feed, that nothing changed, or why there is no answer",
            "What changed."
        ), choose: ("chooseFeeds", "Which feeds are configured: what others said is retired"))

    private struct Report: FeedReport {
        let source: String
        let audience: Announcement.Audience?
        let etag: String?
        let lastModified: String?
        /// A complete valid answer.
        let feed: Feed?
        /// Why there is none.
        let problem: String?
    }

    private struct Outcome: Encodable {
        let added: Int
        let changed: Int
        let retired: Int
    }

    var feedRoutes: [Route] {
        FeedReportRoutes<Report>(
            Self.contract,
            states: { () throws(Problem) in
                let states = try kept { () throws(StorageError) in try register.feedStates() }
                return states.sorted { $0.key < $1.key }.map { source, state in
                    FeedSourceState(
                        source, title: state.title, validators: (state.entityTag, state.lastModified),
                        fetchedAt: state.fetchedAt, checkedAt: state.checkedAt, fault: state.fault)
                }
            }, take: { report throws(Problem) in try take(report) },
            keepOnly: { sources throws(Problem) in
                try kept { () throws(StorageError) in try register.keepOnly(sources) }
            }
        ).routes
    }

    private func take(_ report: Report) throws(Problem) -> Response {
        guard report.source != AnnouncementFiles.source else {
            throw Problem(.invalidRequest, "cannot take the report: the source is no address of a feed")
        }
        if let problem = report.problem {
            register.noteFault(report.source, TextRule.cleaned(problem))
            return try .json(Outcome(added: 0, changed: 0, retired: 0))
        }
        guard let feed = report.feed else {
            register.noteChecked(report.source, at: register.clock.utc())
            return try .json(Outcome(added: 0, changed: 0, retired: 0))
        }
        let validators = report.validators
        let outcome = try kept { () throws(StorageError) in
            try register.take(
                feed, from: report.source, for: report.audience ?? .crew,
                state: .init(
                    title: feed.title, entityTag: validators.entityTag, lastModified: validators.lastModified))
        }
        if !outcome.isUnchanged {
            note(
                "announcements of \(report.source.prefix(200)): \(outcome.added) new, \(outcome.changed) changed, \(outcome.retired) retired"
            )
        }
        return try .json(Outcome(added: outcome.added, changed: outcome.changed, retired: outcome.retired))
    }
}
