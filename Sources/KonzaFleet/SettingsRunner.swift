internal import FleetCommanding
internal import FleetMessaging
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Storage

/// Hands konzad the settings that operators signed, and reports what the station made of them: after each connection and
/// whenever that has changed. konzad judges them anew and keeps them; here only the highest version is remembered, so
/// that no older one comes in again.
final class SettingsRunner {
    /// How often konzad is asked what is in force, seconds: somebody at the station may have dropped it.
    private static let period = 10.0

    private let station: StationClient
    private let mailbox: FleetMailbox
    private let name: () -> FleetName
    private let log: Log
    private let clock = SystemClock()
    /// The last one whose signature holds.
    private var held: RemoteSettings?
    /// Why the last message was not taken; nil where it was.
    private var rejection: DesiredReport.Rejection?
    private var current: FleetDesiredReply?
    private var askedAt: MonotonicInstant?
    private var software = ""
    private var reported: (connection: Int, body: [UInt8])?
    private var complaint = ""

    init(station: StationClient, mailbox: FleetMailbox, name: @escaping () -> FleetName, log: Log) {
        self.station = station
        self.mailbox = mailbox
        self.name = name
        self.log = log
    }

    /// Does what is to be done.
    ///
    /// - Parameters:
    ///   - ledger: with the highest version.
    ///   - operators: whom the station listens to.
    /// - Throws: ``StorageError`` if the ledger cannot be read or written.
    func turn(_ ledger: CommandLedger, _ operators: () -> OperatorKeys?) throws(StorageError) {
        for message in mailbox.takeDesired() {
            // Without a list that can be read nobody may do anything; the broker keeps the message.
            if let operators = operators() { try judge(message, operators, ledger) }
        }
        let now = clock.monotonic()
        if let askedAt, now.seconds(since: askedAt) < Self.period, held == nil || current != nil { return report() }
        do throws(ClientError) {
            var reply = try station.get("/v1/fleet/desired", as: FleetDesiredReply.self)
            if software.isEmpty { software = try station.get("/v1/status", as: StatusReply.self).version }
            if let held, isNews(held, to: reply, highest: highest(ledger)) { reply = try put(held) }
            current = reply
            complaint = ""
        } catch {
            if error.description != complaint { log(.warning, "cannot hand settings to konzad: \(error)") }
            complaint = error.description
        }
        askedAt = now
        if let current, current.state == .applied, current.version > (try ledger.desiredVersion()) {
            try ledger.noteDesired(version: current.version)
        }
        report()
    }

    private func highest(_ ledger: CommandLedger) -> Int64 { (try? ledger.desiredVersion()) ?? 0 }

    /// Whether konzad is to have it: it is above what is there, and nobody at the station has dropped it.
    private func isNews(_ held: RemoteSettings, to reply: FleetDesiredReply, highest: Int64) -> Bool {
        switch reply.state {
        case .off: false
        case .dropped: held.version > max(reply.version, highest)
        case .none, .applied, .damaged: held.version > reply.version
        }
    }

    private func judge(
        _ message: [UInt8], _ operators: OperatorKeys, _ ledger: CommandLedger
    ) throws(StorageError) {
        let highest = max(try ledger.desiredVersion(), held?.version ?? 0)
        switch DesiredSettings.judge(message, box: name().box, operators: operators, applied: highest) {
        case .apply(let wanted):
            held = wanted
            askedAt = nil
            rejection = nil
        case .known: log(.info, "settings from afar are older than what was applied, ignoring")
        case .rejected(let version, let reason):
            let new = DesiredReport.Rejection(version: version, reason: reason)
            // The broker brings the same again with each connection.
            if new != rejection { log(.notice, "settings from afar are not taken: \(reason)") }
            rejection = new
        }
    }

    private func put(_ wanted: RemoteSettings) throws(ClientError) -> FleetDesiredReply {
        let request = FleetDesiredRequest(
            version: wanted.version,
            settings: wanted.applied.map { .init(section: $0.section, key: $0.key, value: $0.value) },
            refused: wanted.refused.map {
                .init(section: $0.section, key: $0.key, reason: String($0.reason.prefix(400)))
            })
        let reply = try station.put("/v1/fleet/desired", request, as: FleetDesiredReply.self)
        log(.notice, "settings from afar, version \(wanted.version): konzad has them")
        return reply
    }

    // MARK: - Reporting

    private func report() {
        guard let connection = mailbox.connection, let current else { return }
        let body = DesiredReport(
            current, rejection: rejection, packages: ["konzad": software, "konza-fleet": ProgramVersion.number]
        ).body
        if let reported, reported.connection == connection, reported.body == body { return }
        let now = clock.utc()
        let envelope = FleetEnvelope(
            .reported, id: FleetName.newID(at: now), box: name().box, at: now.rfc3339, timeSource: "system", body: body)
        if mailbox.send(name().publication(.reported, envelope)) { reported = (connection, body) }
    }
}
