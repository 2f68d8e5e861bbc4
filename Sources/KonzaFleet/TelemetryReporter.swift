internal import FleetMessaging
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import Settings

/// Says how the station is and where: its health when it changes and now and then, its position when it has moved. What
/// is lost of it is replaced by the next. It also tells konzad how the broker is.
final class TelemetryReporter {
    /// Seconds between two looks.
    private static let period = 5.0
    /// Seconds between two positions of a station that moves.
    private static let positionPeriod = 10.0
    /// Seconds between two messages of counts.
    private static let metricsPeriod = 300.0
    /// How often konzad is told about the broker when nothing changes, seconds.
    private static let reportPeriod = 20.0

    private let station: StationClient
    private let mailbox: FleetMailbox
    private let settings: () -> StationSettings
    private let log: Log
    private let cancellation: TransferCancellation
    private let clock = SystemClock()
    private var connection: Int?
    private var health = ""
    private var healthAt: MonotonicInstant?
    private var place: PlaceTold?
    private var metricsAt: MonotonicInstant?
    private var reported: (connection: FleetConnection, at: MonotonicInstant)?
    private var reportedStore: (report: FleetStoreReport, at: MonotonicInstant)?

    init(
        station: StationClient, mailbox: FleetMailbox, settings: @escaping () -> StationSettings, log: Log,
        cancellation: TransferCancellation
    ) {
        self.station = station
        self.mailbox = mailbox
        self.settings = settings
        self.log = log
        self.cancellation = cancellation
    }

    /// Goes on until it is cancelled.
    func run() {
        var next = clock.monotonic()
        while !cancellation.isCancelled {
            report()
            reportStore()
            if clock.monotonic() >= next {
                next = clock.monotonic().advanced(bySeconds: Self.period)
                do throws(ClientError) {
                    try tell()
                } catch {
                    log(.debug, "\(error)")
                }
            }
            Pause.seconds(0.5)
        }
    }

    private func report() {
        let now = clock.monotonic()
        let current = mailbox.report
        if let reported, reported.connection == current, now.seconds(since: reported.at) < Self.reportPeriod { return }
        guard (try? station.send("PUT", "/v1/fleet/connection", current)) != nil else { return }
        reported = (current, now)
    }

    /// The thread that stores pictures has no time for it during a long transfer.
    private func reportStore() {
        guard let current = mailbox.storeReport else { return }
        let now = clock.monotonic()
        if let reportedStore, reportedStore.report == current, now.seconds(since: reportedStore.at) < Self.reportPeriod
        {
            return
        }
        guard (try? station.send("PUT", "/v1/fleet/store", current)) != nil else { return }
        reportedStore = (current, now)
    }

    private func tell() throws(ClientError) {
        guard let connection = mailbox.connection else { return }
        if connection != self.connection {
            // The broker kept the last ones, but it may be another broker.
            self.connection = connection
            healthAt = nil
            place = nil
            metricsAt = nil
        }
        try tellHealth()
        try tellPosition()
        try tellMetrics()
    }

    private func publish(_ kind: FleetKind, at instant: String, timeSource: String, _ body: [UInt8]) {
        let fleet = settings().fleet
        let name = FleetName(site: fleet.site, box: fleet.box)
        mailbox.send(
            name.publication(
                kind,
                FleetEnvelope(
                    kind, id: FleetName.newID(at: clock.utc()), box: name.box, at: instant, timeSource: timeSource,
                    body: body)))
    }

    // MARK: - Health

    private func tellHealth() throws(ClientError) {
        let answer = try station.bytes("/v1/status")
        guard case .object(let members)? = try? JSONReader.value(of: answer.body) else { return }
        // What is to be told at once is what a part's health is, not its figures or words.
        let kinds = members.sorted { $0.key < $1.key }.map { "\($0.key) \(Self.kind($0.value))" }.joined(separator: ",")
        let now = clock.monotonic()
        if kinds == health, let healthAt, now.seconds(since: healthAt) < settings().fleet.healthInterval { return }
        health = kinds
        healthAt = now
        publish(.health, at: clock.utc().rfc3339, timeSource: "system", answer.body)
    }

    private static func kind(_ value: JSONValue) -> String {
        guard case .object(let part) = value else { return "" }
        if case .object(let health)? = part["health"] { return kind(.object(health)) }
        guard case .string(let level)? = part["level"] else { return "" }
        guard case .string(let kind)? = part["kind"] else { return level }
        return "\(level) \(kind)"
    }

    // MARK: - Counts

    private func tellMetrics() throws(ClientError) {
        let now = clock.monotonic()
        if let metricsAt, now.seconds(since: metricsAt) < Self.metricsPeriod { return }
        metricsAt = now
        let text = String(decoding: try station.bytes("/metrics").body, as: UTF8.self)
        publish(.metrics, at: clock.utc().rfc3339, timeSource: "system", FleetMetrics.encodedBody(of: text, .counters))
    }

    // MARK: - Position

    private struct PlaceTold {
        let place: Coordinate
        let at: MonotonicInstant
    }

    private func tellPosition() throws(ClientError) {
        let now = clock.monotonic()
        if let place, now.seconds(since: place.at) < Self.positionPeriod { return }
        let answer = try station.bytes("/v1/position")
        guard case .object(let members)? = try? JSONReader.value(of: answer.body),
            members["state"] == .string("fix"), let latitude = members["latitude"]?.double,
            let longitude = members["longitude"]?.double,
            let here = Coordinate(latitude: latitude, longitude: longitude),
            case .string(let time)? = members["timestamp"]
        else { return }
        if let place {
            let isMoved = place.place.distance(to: here) > members["accuracy"]?.double ?? 0
            guard isMoved || now.seconds(since: place.at) >= settings().fleet.healthInterval else { return }
        }
        place = PlaceTold(place: here, at: now)
        publish(.position, at: time, timeSource: "gps", answer.body)
    }
}
