internal import Feeds
internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import Settings

/// What the courier brings the portal: announcements and calendars of feeds.
extension PortalWork {
    private struct FeedStates: Decodable {
        struct State: Decodable {
            let source: String
            let etag: String?
            let lastModified: String?
            let fetchedAt: String?
        }

        let feeds: [State]
    }

    private struct Report: Encodable {
        let source: String
        var audience: String?
        var etag: String?
        var lastModified: String?
        var feed: Feed?
        var problem: String?
    }

    private struct CalendarReport: Encodable {
        let source: String
        var etag: String?
        var lastModified: String?
        var calendar: String?
        var problem: String?
    }

    private struct CalendarOutcome: Decodable {
        let fault: String?
    }

    private struct Sources: Encodable { let sources: [String] }

    func askFeeds(_ portal: StationClient, _ settings: StationSettings, _ interface: String?) throws {
        var seen: Set<String> = []
        let sources =
            (settings.courier.publicFeeds.map { Source(address: $0, audience: "everyone") }
            + settings.courier.feeds.map { Source(address: $0, audience: "crew") }).filter {
                seen.insert($0.address).inserted
            }
        if sources != chosen {
            _ = try portal.send("PUT", "/v1/announcement-feeds", Sources(sources: sources.map(\.address)))
            chosen = sources
        }
        let due = sources.filter { isDue($0.address) }
        guard !due.isEmpty else { return }
        let states = try portal.get("/v1/announcement-feeds", as: FeedStates.self).feeds
        for source in due where !cancellation.isCancelled {
            let known = states.first { $0.source == source.address }
            let isAnswered = try ask(source, known, portal, interface)
            askAgain(source.address, after: settings.courier.feedInterval, isAnswered: isAnswered)
        }
    }

    private func ask(
        _ source: Source, _ known: FeedStates.State?, _ portal: StationClient, _ interface: String?
    ) throws -> Bool {
        var report = Report(source: source.address, audience: source.audience)
        var isAnswered = true
        if let address = address(source.address) {
            let fetcher = FeedFetcher(interface: interface, cancellation: cancellation, clock: clock)
            let validators = FeedFetcher.Validators(
                entityTag: known?.fetchedAt == nil ? nil : known?.etag,
                lastModified: known?.fetchedAt == nil ? nil : known?.lastModified)
            switch fetcher.fetch(address, known: validators) {
            case .unchanged: break
            case .answer(let feed, let validators):
                report.feed = feed
                report.etag = validators.entityTag
                report.lastModified = validators.lastModified
            case .failed(let problem): report.problem = problem
            }
        } else {
            report.problem = "cannot ask \(source.address): the station's position is not known"
        }
        guard !cancellation.isCancelled else { return false }
        if let problem = report.problem {
            log(.notice, problem)
            isAnswered = false
        }
        _ = try portal.send("POST", "/v1/announcement-feeds", report)
        return isAnswered
    }

    // MARK: - Calendars

    func askCalendars(_ portal: StationClient, _ settings: StationSettings, _ interface: String?) throws {
        var seen: Set<String> = []
        let sources = settings.courier.calendars.filter { seen.insert($0).inserted }
        if sources != chosenCalendars {
            _ = try portal.send("PUT", "/v1/calendar-feeds", Sources(sources: sources))
            chosenCalendars = sources
        }
        // A calendar may be an announcement's feed, too: each has its own time.
        let due = sources.filter { isDue("calendar \($0)") }
        guard !due.isEmpty else { return }
        let states = try portal.get("/v1/calendar-feeds", as: FeedStates.self).feeds
        for source in due where !cancellation.isCancelled {
            let isAnswered = try ask(source, states.first { $0.source == source }, portal, interface)
            askAgain("calendar \(source)", after: settings.courier.feedInterval, isAnswered: isAnswered)
        }
    }

    /// - Returns: whether there was a valid answer.
    private func ask(
        _ source: String, _ known: FeedStates.State?, _ portal: StationClient, _ interface: String?
    ) throws -> Bool {
        var report = CalendarReport(source: source)
        if let address = address(source) {
            let fetcher = FeedFetcher(interface: interface, cancellation: cancellation, clock: clock)
            let validators = FeedFetcher.Validators(entityTag: known?.etag, lastModified: known?.lastModified)
            switch fetcher.ask(address, for: .calendar, known: validators) {
            case .unchanged: break
            case .answer(let body, let validators):
                report.calendar = String(decoding: body, as: UTF8.self)
                report.etag = validators.entityTag
                report.lastModified = validators.lastModified
            case .failed(let problem): report.problem = problem
            }
        } else {
            report.problem = "cannot ask \(source): the station's position is not known"
        }
        guard !cancellation.isCancelled else { return false }
        let answer = try portal.send("POST", "/v1/calendar-feeds", report)
        let fault = try JSONDecoder().decode(CalendarOutcome.self, from: Data(answer.body)).fault
        guard let problem = report.problem ?? fault.map({ "cannot take the answer of \(source): \($0)" }) else {
            return true
        }
        log(.notice, problem)
        return false
    }

    private func isDue(_ name: String) -> Bool { dueAt[name].map { $0 <= clock.monotonic() } ?? true }

    /// Sets when it is asked next: not all stations at the same second, and one that gave no answer sooner.
    private func askAgain(_ name: String, after interval: Double, isAnswered: Bool) {
        let pause = interval * Double.random(in: 0.95...1.05)
        dueAt[name] = clock.monotonic().advanced(bySeconds: isAnswered ? pause : min(pause, Self.pauseAfterFailure))
    }

    private struct Position: Decodable {
        let latitude: Double?
        let longitude: Double?
    }

    /// The address with the station's position in it; nil where that is needed and not known.
    private func address(_ source: String) -> String? {
        guard source.contains("{latitude}") || source.contains("{longitude}") else { return source }
        guard let station = try? StationClient(socketPath: stationSocket, cancellation: cancellation),
            let position = try? station.get("/v1/position", as: Position.self), let latitude = position.latitude,
            let longitude = position.longitude
        else { return nil }
        return source.replacing("{latitude}", with: Self.degrees(latitude))
            .replacing("{longitude}", with: Self.degrees(longitude))
    }

    /// To three digits, about 100 m: alerts are for counties, and an address that is the same each time can be cached.
    static func degrees(_ value: Double) -> String {
        let thousandths = Int((abs(value) * 1000).rounded())
        let digits = String(thousandths % 1000)
        let fraction = String(repeating: "0", count: 3 - digits.count) + digits
        return "\(value < 0 && thousandths > 0 ? "-" : "")\(thousandths / 1000).\(fraction)"
    }
}
