internal import FleetMessaging
internal import KonzaFleet
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer

/// One box of a simulated fleet: a real MQTT client with the real envelopes and topics, and an outbox that lets go on receipts
/// alone. It does as `konza-fleet` and konzad's outbox do together; its time may run faster.
final class SimulatedBox {
    /// How a box comes back to a broker that it lost.
    enum Return {
        /// As `konza-fleet` does, with this `ReconnectSpread=`.
        case spread(seconds: Double)
        /// Again and again after the same pause: what many clients do.
        case fixed(seconds: Double)
    }

    /// A record that waits for its receipt.
    private struct Entry {
        let kind: FleetKind
        let id: String
        var rev: Int64
        let seq: Int64
        let at: UTCInstant
        /// On the steady clock.
        let begun: Double
    }

    /// What all boxes of a fleet have in common.
    struct Fleet {
        let port: Int
        let bodies: StationBodies
        let wakeup: Wakeup
        /// How many seconds of a box's pass in one.
        var speed: Double
        var isTelling = false
        var returns: Return
    }

    // A station's day, seconds between two of a kind: 96 states of health, 96 positions, 288 of metrics, 41 records.
    private static let healthPeriod = 900.0
    private static let positionPeriod = 900.0
    private static let metricsPeriod = 300.0
    private static let recordPeriod = 86_400.0 / 41
    /// As `konza-fleet` has it: unacknowledged messages, records under way, and the wait for their receipts.
    private static let window = 20
    private static let portion = 100
    private static let firstWait = 20.0
    private static let longestWait = 300.0
    private static let patience = 60.0

    let name: FleetName
    let log = FleetName.newID(at: SystemClock().utc())
    /// What receipts have named, by id.
    private(set) var acknowledged: [String: (kind: FleetKind, rev: Int64)] = [:]
    private(set) var sequence: Int64 = 0
    /// From a record's beginning to its receipt, seconds.
    private(set) var ages: [Double] = []
    private(set) var published = 0
    private(set) var resent = 0
    /// Messages and bytes of payload, by kind.
    private(set) var sent: [FleetKind: (messages: Int, bytes: Int)] = [:]
    private(set) var connections = 0
    private(set) var isUp = false
    private var entries: [Entry] = []
    private var connection: MQTTConnection?
    private var session = ""
    private var subscriptions: Set<Int32> = []
    private var unacknowledged: [Int32: Double] = [:]
    /// Ids that are under way, and those of them that are still to be sent.
    private var open: Set<FleetReceipts.Pair> = []
    private var unsent: ArraySlice<FleetReceipts.Pair> = []
    private var deadline = 0.0
    private var silences = 0
    private var sentOnce: Set<FleetReceipts.Pair> = []
    private var due: [(kind: FleetKind, at: Double)] = []
    private var recordDue = 0.0
    private var changeable: [(kind: FleetKind, id: String)] = []
    private var retryAt = 0.0
    private var begun = 0.0
    private var backOff: BackOff?
    private let clock = SystemClock()

    init(_ name: FleetName) { self.name = name }

    /// Draws when it says what: of boxes that were silent for long, everything would be due at once.
    func beginTelling(_ fleet: Fleet, at now: Double) {
        func moment(_ period: Double) -> Double { now + Double.random(in: 0..<1) * period / fleet.speed }
        recordDue = moment(Self.recordPeriod)
        due = Self.periods.map { ($0, moment($1)) }
    }

    private static let periods: [(FleetKind, Double)] = [
        (.health, healthPeriod), (.position, positionPeriod), (.metrics, metricsPeriod),
    ]

    var waiting: Int { entries.count }
    var isAway: Bool { connection == nil }
    var descriptor: Int32 { connection?.descriptor ?? -1 }
    var wanted: PollEvents { connection?.wanted ?? [] }

    // MARK: - Records

    /// Keeps a new record, or changes one that the fleet knows.
    func makeRecord(at now: Double) {
        // A postcard is announced and then changed (its picture is stored); one record in 41 is a specimen.
        if !changeable.isEmpty, Bool.random() {
            let (kind, id) = changeable.removeFirst()
            if let index = entries.firstIndex(where: { $0.id == id }) {
                // It keeps its number and is sent as it is now.
                entries[index].rev = 2
                return
            }
            add(kind, id, rev: 2, at: now)
        } else {
            let kind: FleetKind = Int.random(in: 0..<21) == 0 ? .specimen : .postcard
            let id = FleetName.newID(at: clock.utc())
            add(kind, id, rev: 1, at: now)
            if kind == .postcard { changeable.append((kind, id)) }
        }
    }

    private func add(_ kind: FleetKind, _ id: String, rev: Int64, at now: Double) {
        sequence += 1
        entries.append(Entry(kind: kind, id: id, rev: rev, seq: sequence, at: clock.utc(), begun: now))
    }

    /// Forgets that nobody confirmed anything: what a box learns with its next single record.
    func forgetSilence() {
        silences = 0
        deadline = 0
    }

    func forgetFigures() {
        ages = []
        sent = [:]
    }

    // MARK: - Connection

    /// Connects if that is due.
    func connect(_ fleet: Fleet, at now: Double) {
        guard connection == nil, now >= retryAt else { return }
        session = FleetName.newID(at: clock.utc())
        var settings = MQTTSettings(host: "127.0.0.1", port: fleet.port, clientID: name.box)
        settings.will = name.status("offline", session: session, at: clock.utc())
        begun = now
        do throws(MQTTError) {
            connection = try MQTTConnection(settings, wakeup: fleet.wakeup, waitsForTransport: false)
        } catch {
            disconnected(fleet, at: now)
        }
    }

    private func disconnected(_ fleet: Fleet, at now: Double) {
        connection = nil
        subscriptions = []
        unacknowledged = [:]
        // Another connection: everything is asked for and sent again.
        open = []
        unsent = []
        switch fleet.returns {
        case .fixed(let seconds): retryAt = now + seconds
        case .spread(let seconds):
            var backOff = backOff ?? BackOff(spread: seconds)
            if backOff.spread != seconds || (isUp && now - begun >= Self.patience / fleet.speed) {
                backOff = BackOff(spread: seconds)
            }
            retryAt = now + backOff.pause(random: .random(in: 0..<1))
            self.backOff = backOff
        }
        isUp = false
    }

    /// Ends the connection without a word.
    func drop(_ fleet: Fleet, at now: Double) {
        if connection != nil { disconnected(fleet, at: now) }
    }

    /// Does what the events of its descriptor ask for.
    func handle(_ found: PollEvents, _ fleet: Fleet, at now: Double) {
        guard let connection else { return }
        for event in connection.handle(found) {
            do throws(MQTTError) {
                switch event {
                case .connected:
                    for kind in FleetKind.allCases where !kind.isFromBox {
                        subscriptions.insert(try connection.subscribe(name.topic(kind).description, .atLeastOnce))
                    }
                case .subscribed(let id, _):
                    guard subscriptions.remove(id) != nil, subscriptions.isEmpty, !isUp else { continue }
                    isUp = true
                    connections += 1
                    try publish(.status, name.status("online", session: session, at: clock.utc()), at: now)
                case .acknowledged(let id, _): unacknowledged[id] = nil
                case .message(let message): take(message, at: now)
                case .disconnected: return disconnected(fleet, at: now)
                }
            } catch {
                return disconnected(fleet, at: now)
            }
        }
    }

    private func take(_ message: MQTTMessage, at now: Double) {
        guard let topic = FleetTopic(message.topic), topic.kind == .receipt, topic.box == name.box,
            let receipts = try? FleetReceipts(message.payload, on: topic)
        else { return }
        silences = 0
        for pair in receipts.pairs {
            open.remove(pair)
            sentOnce.remove(pair)
            guard let index = entries.firstIndex(where: { $0.id == pair.id && $0.rev == pair.rev }) else { continue }
            let entry = entries.remove(at: index)
            ages.append(now - entry.begun)
            acknowledged[entry.id] = (entry.kind, max(entry.rev, acknowledged[entry.id]?.rev ?? 0))
        }
    }

    private func publish(_ kind: FleetKind, _ publication: MQTTPublication, at now: Double) throws(MQTTError) {
        guard let connection else { return }
        let id = try connection.publish(publication)
        let before = sent[kind] ?? (0, 0)
        sent[kind] = (before.messages + 1, before.bytes + publication.payload.count)
        published += 1
        if publication.quality == .atLeastOnce { unacknowledged[id] = now }
    }

    // MARK: - What is due

    /// Sends what is due.
    func tick(_ fleet: Fleet, at now: Double) {
        if fleet.isTelling, now >= recordDue {
            recordDue = max(recordDue + Self.recordPeriod / fleet.speed, now)
            makeRecord(at: now)
        }
        guard isUp else {
            if connection != nil, now - begun > 30 { disconnected(fleet, at: now) }
            return
        }
        if let oldest = unacknowledged.values.min(), now - oldest > Self.patience {
            return disconnected(fleet, at: now)
        }
        do throws(MQTTError) {
            if fleet.isTelling { try tell(fleet, at: now) }
            try send(fleet, at: now)
        } catch {
            disconnected(fleet, at: now)
        }
    }

    private func tell(_ fleet: Fleet, at now: Double) throws(MQTTError) {
        for index in due.indices where now >= due[index].at {
            let kind = due[index].kind
            let period = Self.periods.first { $0.0 == kind }?.1 ?? Self.healthPeriod
            // On its beat, also if this machine was late; what it missed altogether is not said later.
            due[index].at = max(due[index].at + period / fleet.speed, now)
            let at = clock.utc()
            let envelope = FleetEnvelope(
                kind, id: FleetName.newID(at: at), box: name.box, at: at.rfc3339, timeSource: "gps",
                body: fleet.bodies.body(kind, id: ""))
            try publish(kind, name.publication(kind, envelope), at: now)
        }
    }

    private func send(_ fleet: Fleet, at now: Double) throws(MQTTError) {
        if unsent.isEmpty, open.isEmpty || now >= deadline {
            guard !entries.isEmpty else { return }
            if !open.isEmpty { silences = min(silences + 1, 5) }
            let pairs = entries.prefix(silences == 0 ? Self.portion : 1).map {
                FleetReceipts.Pair(id: $0.id, rev: $0.rev)
            }
            open = Set(pairs)
            unsent = pairs[...]
        }
        while unacknowledged.count < Self.window, let pair = unsent.popFirst() {
            // It may have come to something else since.
            guard let entry = entries.first(where: { $0.id == pair.id && $0.rev == pair.rev }) else {
                open.remove(pair)
                continue
            }
            if !sentOnce.insert(pair).inserted { resent += 1 }
            let envelope = FleetEnvelope(
                entry.kind, id: entry.id, box: name.box, log: log, seq: entry.seq, rev: entry.rev, at: entry.at.rfc3339,
                timeSource: "gps", body: fleet.bodies.body(entry.kind, id: entry.id))
            try publish(entry.kind, name.publication(entry.kind, envelope), at: now)
            let wait = min(Self.longestWait, Self.firstWait * Double(1 << silences))
            deadline = now + max(1, wait / fleet.speed)
        }
    }
}
