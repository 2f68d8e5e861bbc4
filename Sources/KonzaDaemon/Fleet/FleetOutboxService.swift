internal import Forwarding
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Storage
internal import Synchronization

/// Keeps the fleet's outbox going: switches it as the settings say, adds the records from before, hands out what waits
/// and takes what is confirmed.
final class FleetOutboxService: Service {
    let name = "fleet"

    /// What falls due without a bell is noticed so soon, seconds.
    private static let lookAround = 5.0
    /// How long what konza-fleet said of the broker counts, seconds: it says so every 20.
    private static let silence = 60.0

    private struct State {
        var said: (connection: FleetConnection, at: MonotonicInstant)?
        var confirmedAt: UTCInstant?
        var confirmed = 0
        /// When it was last looked at.
        var waiting: Int?
    }

    private let parts: StationParts
    private let bell = Bell()
    private let state = Mutex(State())

    init(parts: StationParts) {
        self.parts = parts
        parts.events.onRecord { [bell] in bell.ring() }
    }

    private var settings: StationSettings.Fleet { parts.settings.current.fleet }
    var isEnabled: Bool { settings.broker != nil }

    // MARK: - Life

    func run() async throws {
        var isSettled = false
        var wasEnabled = false
        while !Task.isCancelled {
            let seen = bell.count
            if isEnabled != wasEnabled {
                wasEnabled = isEnabled
                isSettled = false
            }
            if !isSettled { isSettled = await settle() }
            if isSettled, isEnabled,
                let figures = try? await parts.onOutbox({ archive throws(StorageError) in try archive.figures() })
            {
                state.withLock { $0.waiting = figures.waiting }
                // The index may be made anew at any time: then forwarding is off there.
                if !figures.isOn { isSettled = false }
            }
            let deadline = parts.clock.monotonic().advanced(bySeconds: isSettled ? 60 : Self.lookAround)
            await bell.wait(after: seen, until: deadline, clock: parts.clock)
        }
    }

    /// Something was put into the outbox that is no record.
    func tell() { bell.ring() }

    /// An hour of the station's way.
    func track(_ id: String) async throws(Problem) -> [UInt8] {
        guard let body = try await parts.wordingOutbox({ archive throws(StorageError) in try archive.track(id) }) else {
            throw Problem(.notFound, "there is no track \(id) in the outbox; the fleet may have it by now")
        }
        return body
    }

    /// The settings were read anew.
    func reload() { bell.ring() }

    /// Records have a next revision, their pictures being stored.
    func wake() { bell.ring() }

    /// - Returns: whether the outbox is as the settings say, with every record in it.
    private func settle() async -> Bool {
        let isEnabled = isEnabled
        let log = SpecimenID.random(at: parts.clock.utc()).description
        do {
            try await parts.onOutbox { archive throws(StorageError) in try archive.turn(isEnabled, log: log) }
            guard isEnabled else { return true }
            while try await parts.onOutbox({ archive throws(StorageError) in try archive.addOlder() }) {
                if Task.isCancelled { return false }
            }
            bell.ring()
            return true
        } catch {
            parts.log(.debug, "the fleet's outbox waits: \(error)")
            return false
        }
    }

    // MARK: - For konza-fleet

    /// What waits, of some kinds; waits for it at most so long.
    func entries(
        limit: Int, waitingSeconds: Double, of kinds: Set<ForwardedKind>
    ) async throws(Problem) -> FleetOutboxReply {
        try requireEnabled()
        let deadline = parts.clock.monotonic().advanced(bySeconds: waitingSeconds)
        while true {
            let seen = bell.count
            let reply = try await parts.wordingOutbox { archive throws(StorageError) in
                let entries = try archive.entries(limit: limit, of: kinds)
                return FleetOutboxReply(
                    log: try archive.figures().log,
                    entries: entries.map {
                        .init(kind: $0.kind.rawValue, id: $0.id, rev: $0.rev, seq: $0.seq, deleted: $0.isDeleted)
                    })
            }
            let now = parts.clock.monotonic()
            guard reply.entries.isEmpty, now < deadline, !Task.isCancelled else { return reply }
            await bell.wait(
                after: seen, until: min(deadline, now.advanced(bySeconds: Self.lookAround)), clock: parts.clock)
        }
    }

    /// Takes receipts.
    func confirm(_ request: FleetReceiptsRequest) async throws(Problem) -> FleetReceiptsReply {
        try requireEnabled()
        let receipts = request.receipts.map { ForwardingReceipt(id: $0.id, rev: $0.rev) }
        let count = try await parts.wordingOutbox { archive throws(StorageError) in try archive.confirm(receipts) }
        let now = parts.clock.utc()
        state.withLock { state in
            state.confirmed += count
            if count > 0 { state.confirmedAt = now }
        }
        return FleetReceiptsReply(confirmed: count)
    }

    func take(_ connection: FleetConnection) {
        let now = parts.clock.monotonic()
        state.withLock { $0.said = (connection, now) }
    }

    private func requireEnabled() throws(Problem) {
        guard isEnabled else {
            throw Problem(
                .targetDisabled,
                "cannot forward anything: the station belongs to no fleet; set [Fleet] Broker= and Box=")
        }
    }

    // MARK: - How it is

    /// What konza-fleet last said; nil if it has been silent.
    private var connection: FleetConnection? {
        guard let said = state.withLock({ $0.said }) else { return nil }
        return parts.clock.monotonic().seconds(since: said.at) <= Self.silence ? said.connection : nil
    }

    func reply() async throws(Problem) -> FleetReply {
        let figures = try await parts.wordingOutbox { archive throws(StorageError) in try archive.figures() }
        let (confirmedAt, confirmed) = state.withLock { ($0.confirmedAt, $0.confirmed) }
        let settings = settings
        return FleetReply(
            enabled: isEnabled, site: isEnabled ? settings.site : nil, box: isEnabled ? settings.box : nil,
            broker: settings.broker?.description, connection: connection,
            waiting: isEnabled ? figures.waiting : 0, waitingSince: isEnabled ? Self.instant(figures.oldest) : nil,
            log: figures.log, lastSeq: figures.lastSeq, confirmedAt: confirmedAt, confirmed: confirmed)
    }

    private static func instant(_ id: String?) -> UTCInstant? {
        id.flatMap { SpecimenID($0) }.map { UTCInstant(nanoseconds: Int64($0.milliseconds) * 1_000_000) }
    }

    /// - Parameter complaint: why what was set from afar is not in force.
    /// - Returns: how the way to the fleet is.
    func health(remoteComplaint complaint: String?) -> PartHealth {
        let health = health
        guard isEnabled, health.level == .ok, let complaint else { return health }
        return PartHealth(level: .degraded, kind: "fleet-settings-damaged", reason: String(complaint.prefix(480)))
    }

    /// Why visitors get no public link where the settings want them to have one.
    var publicLinkComplaint: PartHealth? {
        settings.publicLinkGap.map { gap in
            PartHealth(level: .degraded, kind: "fleet-no-public-links", reason: gap.reason)
        }
    }

    private var health: PartHealth {
        guard isEnabled else { return .ok("the station belongs to no fleet") }
        guard !settings.box.isEmpty else {
            return PartHealth(
                level: .failed, kind: "fleet-unnamed",
                reason: "the fleet has a broker and the station no name in it: set [Fleet] Box=")
        }
        guard let connection else {
            return PartHealth(
                level: .degraded, kind: "fleet-silent",
                reason: "konza-fleet says nothing; try: systemctl status konza-fleet")
        }
        switch connection.state {
        case .connected:
            guard let kind = connection.kind else { return .ok("the fleet's broker is connected") }
            return PartHealth(
                level: .degraded, kind: "fleet-\(kind)",
                reason: connection.reason ?? "the fleet's broker does not take all messages")
        case .connecting: return .ok("the fleet's broker is being reached")
        case .failed:
            return PartHealth(
                level: .degraded, kind: "fleet-\(connection.kind ?? "unreachable")",
                reason: connection.reason ?? "the fleet's broker cannot be reached")
        }
    }

    func count(_ page: inout MetricsText) {
        let counted = state.withLock { $0 }
        page.add(
            "konza_fleet_connected", .gauge, "1 while the fleet's broker is connected.",
            connection?.state == .connected ? 1 : 0)
        page.add(
            "konza_fleet_confirmed_total", .counter, "Messages that the fleet has confirmed.", Double(counted.confirmed)
        )
        page.add(
            "konza_fleet_waiting", .gauge, "Records that the fleet does not know as they are now.",
            isEnabled ? counted.waiting.map { Double($0) } : nil)
    }
}
