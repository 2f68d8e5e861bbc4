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

    /// What is asked: feeds of announcements, or calendars; each has its own times and its own route.
    private enum Kind: String {
        case announcements
        case calendar

        var path: String { self == .announcements ? "/v1/announcement-feeds" : "/v1/calendar-feeds" }

        /// A calendar may be an announcement's feed, too: each has its own time.
        func time(of source: String) -> String { self == .announcements ? source : "calendar \(source)" }
    }

    private struct Report: Encodable {
        let source: String
        var audience: String?
        var etag: String?
        var lastModified: String?
        var feed: Feed?
        var calendar: String?
        var problem: String?
    }

    private struct Outcome: Decodable {
        /// Why the portal cannot use the answer.
        let fault: String?
    }

    private struct Sources: Encodable { let sources: [String] }

    func askFeeds(_ portal: StationClient, _ settings: StationSettings, _ interface: String?) throws {
        let sources =
            settings.courier.publicFeeds.map { Source(address: $0, audience: "everyone") }
            + settings.courier.feeds.map { Source(address: $0, audience: "crew") }
        try ask(sources, of: .announcements, before: &chosen, portal, settings, interface)
    }

    func askCalendars(_ portal: StationClient, _ settings: StationSettings, _ interface: String?) throws {
        let sources = settings.courier.calendars.map { Source(address: $0, audience: nil) }
        try ask(sources, of: .calendar, before: &chosenCalendars, portal, settings, interface)
    }

    /// Asks those of the sources that are due, each address once.
    private func ask(
        _ wanted: [Source], of kind: Kind, before chosen: inout [Source]?, _ portal: StationClient,
        _ settings: StationSettings, _ interface: String?
    ) throws {
        var seen: Set<String> = []
        let sources = wanted.filter { seen.insert($0.address).inserted }
        if sources != chosen {
            _ = try portal.send("PUT", kind.path, Sources(sources: sources.map(\.address)))
            chosen = sources
        }
        let due = sources.filter { isDue(kind.time(of: $0.address)) }
        guard !due.isEmpty else { return }
        let states = try portal.get(kind.path, as: FeedStates.self).feeds
        for source in due where !cancellation.isCancelled {
            let known = states.first { $0.source == source.address }
            let isAnswered = try ask(source, of: kind, known, portal, interface)
            askAgain(
                kind.time(of: source.address), after: settings.courier.feedInterval, isAnswered: isAnswered)
        }
    }

    /// - Returns: whether there was a valid answer.
    private func ask(
        _ source: Source, of kind: Kind, _ known: FeedStates.State?, _ portal: StationClient, _ interface: String?
    ) throws -> Bool {
        var report = Report(source: source.address, audience: source.audience)
        if let address = address(source.address) {
            let fetcher = FeedFetcher(interface: interface, cancellation: cancellation, clock: clock)
            // Of a source that never gave an answer all is asked for.
            let validators = FeedFetcher.Validators(
                entityTag: known?.fetchedAt == nil ? nil : known?.etag,
                lastModified: known?.fetchedAt == nil ? nil : known?.lastModified)
            switch kind {
            case .announcements: note(fetcher.fetch(address, known: validators), &report) { $0.feed = $1 }
            case .calendar:
                note(fetcher.ask(address, for: .calendar, known: validators), &report) {
                    $0.calendar = String(decoding: $1, as: UTF8.self)
                }
            }
        } else {
            report.problem = "cannot ask \(source.address): the station's position is not known"
        }
        guard !cancellation.isCancelled else { return false }
        if let problem = report.problem { log(.notice, problem) }
        let answer = try portal.send("POST", kind.path, report)
        guard report.problem == nil else { return false }
        guard let fault = try JSONDecoder().decode(Outcome.self, from: Data(answer.body)).fault else { return true }
        log(.notice, "cannot take the answer of \(source.address): \(fault)")
        return false
    }

    private func note<Content>(
        _ outcome: FeedFetcher.Outcome<Content>, _ report: inout Report, _ take: (inout Report, Content) -> Void
    ) {
        switch outcome {
        case .unchanged: break
        case .answer(let content, let validators):
            take(&report, content)
            report.etag = validators.entityTag
            report.lastModified = validators.lastModified
        case .failed(let problem): report.problem = problem
        }
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
