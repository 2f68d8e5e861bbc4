import FleetMessaging
import KonzaModel
import KonzaSystem
import KonzaTesting
import MQTTTransfer

/// Boxes at a broker over one connection: each sends its records in the order of their numbers, a window at a time, and again
/// until their receipts come, as boxes do.
final class SimulatedBoxes {
    struct Record {
        let box: String
        let message: MQTTMessage
        let id: String
        let rev: Int64
        var sentAt: MonotonicInstant?
    }

    /// What is sent at once and not receipted.
    static let window = 200
    /// How long a box waits for a receipt before it sends again, seconds.
    static let patience = 1.0

    /// By box, id and revision.
    private(set) var waiting: [String: Record] = [:]
    private(set) var order: [String] = []
    private(set) var receipted: Set<String> = []
    private(set) var receiptMessages = 0
    private(set) var sent = 0
    /// By the broker.
    private(set) var acknowledged = 0
    private let settings: MQTTSettings
    private let isVersion5: Bool
    private let wakeup: Wakeup
    private let clock = SystemClock()
    private var connection: MQTTConnection?
    private var isSubscribed = false

    init(port: Int, name: String = "boxes", isVersion5: Bool = true) throws {
        self.isVersion5 = isVersion5
        settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: name)
        wakeup = try Wakeup()
    }

    static func key(_ box: String, _ id: String, _ rev: Int64) -> String { "\(box) \(id) \(rev)" }

    func add(_ message: MQTTMessage, box: String, id: String, rev: Int64) {
        let key = Self.key(box, id, rev)
        waiting[key] = Record(box: box, message: message, id: id, rev: rev)
        order.append(key)
    }

    /// Publishes something that nobody waits for.
    func say(_ message: MQTTMessage, isRetained: Bool = false) throws {
        try connection?.publish(
            MQTTPublication(
                topic: message.topic, payload: message.payload, quality: .atLeastOnce, isRetained: isRetained))
    }

    var isConnected: Bool { connection != nil && isSubscribed }

    /// Does what is due: connects, sends, takes receipts.
    func turn() {
        guard let connection = connection ?? connect() else { return }
        if isSubscribed { send(connection) }
        for event in connection.turn(seconds: 0.005) {
            switch event {
            case .connected: _ = try? connection.subscribe("konza/1/+/+/receipt", .atLeastOnce)
            case .subscribed: isSubscribed = true
            case .message(let message): take(message)
            case .acknowledged: acknowledged += 1
            case .disconnected:
                self.connection = nil
                isSubscribed = false
            }
        }
    }

    private func connect() -> MQTTConnection? {
        connection = try? MQTTConnection(settings, isVersion5: isVersion5, wakeup: wakeup)
        for key in order { waiting[key]?.sentAt = nil }
        return connection
    }

    private func send(_ connection: MQTTConnection) {
        let now = clock.monotonic()
        var underWay = 0
        for key in order {
            guard let record = waiting[key] else { continue }
            underWay += 1
            if underWay > Self.window { break }
            if let sentAt = record.sentAt, now.seconds(since: sentAt) < Self.patience { continue }
            waiting[key]?.sentAt = now
            sent += 1
            let publication = MQTTPublication(
                topic: record.message.topic, payload: record.message.payload, quality: .atLeastOnce)
            if (try? connection.publish(publication)) == nil { return }
        }
    }

    private func take(_ message: MQTTMessage) {
        guard let topic = FleetTopic(message.topic), let receipts = try? FleetReceipts(message.payload, on: topic)
        else {
            return
        }
        receiptMessages += 1
        for pair in receipts.pairs {
            let key = Self.key(receipts.box, pair.id, pair.rev)
            receipted.insert(key)
            waiting[key] = nil
        }
        if order.count > 2 * waiting.count + 1000 { order.removeAll { waiting[$0] == nil } }
    }

    /// Turns until a condition holds.
    ///
    /// - Returns: whether it came to hold in time.
    func run(within seconds: Double = 60, until condition: () throws -> Bool) rethrows -> Bool {
        let end = clock.monotonic().advanced(bySeconds: seconds)
        while clock.monotonic() < end {
            turn()
            if try condition() { return true }
        }
        return false
    }
}
