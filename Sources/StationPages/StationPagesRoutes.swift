public import HTTPServing
public import KonzaModel

/// What is on, whom to ask, and what the station says about itself: `/v1/calendar`, `/v1/personnel`, `/v1/pages`.
public struct StationPagesRoutes: Sendable {
    private let content: StationContent
    private let feeds: CalendarFeeds?
    private let clock: any StationClock

    /// - Parameters:
    ///   - content: what is shown.
    ///   - feeds: calendars that are fetched; nil for none.
    ///   - clock: the time.
    public init(_ content: StationContent, feeds: CalendarFeeds? = nil, clock: any StationClock) {
        self.content = content
        self.feeds = feeds
        self.clock = clock
    }

    public var routes: [Route] {
        CalendarRoutes(content: content, clock: clock).routes + PersonnelRoutes(content: content).routes
            + PageRoutes(content: content).routes
            + (feeds.map { CalendarFeedRoutes(feeds: $0, changed: { [content] in content.refresh() }).routes } ?? [])
    }
}
