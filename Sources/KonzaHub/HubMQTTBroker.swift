internal import FleetMessaging
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer

/// A broker that speaks MQTT: subscriptions in a clean session. What a worker has not committed is sent again by its box.
final class HubMQTTBroker: HubBroker {
    /// The longest wait for the broker's word, seconds.
    private static let connectSeconds = 30.0

    private static let subscriptionRefused = MQTTError(
        .refused,
        "the broker does not let konza-hub read konza/1/+/+/...: let its user read all topics of boxes (acl_file: "
            + "topic read konza/1/+/+/postcard, and so on)")

    private let connection: MQTTConnection
    /// The numbers of the answers to come.
    private var subscriptions: Set<Int32> = []

    /// Connects, and subscribes to what a worker takes.
    ///
    /// - Parameters:
    ///   - settings: the broker.
    ///   - number: the worker's: the first takes the states.
    ///   - workers: how many there are.
    ///   - stop: ends the wait.
    /// - Throws: why the broker cannot be used.
    init(
        _ settings: MQTTSettings, worker number: Int, of workers: Int, stop: StopSignal
    ) throws(HubWorker.Failure) {
        connection = try Self.connect(settings, stop)
        let share = workers > 1 ? "$share/konza-hub/" : ""
        var filters = HubWorker.recordKinds.map { "\(share)\(FleetTopic.prefix)/+/+/\($0.rawValue)" }
        if number == 0 { filters += HubWorker.stateKinds.map { "\(FleetTopic.prefix)/+/+/\($0.rawValue)" } }
        do throws(MQTTError) {
            for filter in filters { subscriptions.insert(try connection.subscribe(filter, .atLeastOnce)) }
        } catch {
            throw .broker(error.description)
        }
    }

    /// MQTT 5, and 3.1.1 with a broker that does not speak it: such a one says so, or hangs up.
    static func connect(
        _ settings: MQTTSettings, _ stop: StopSignal, seconds: Double = connectSeconds
    ) throws(HubWorker.Failure) -> MQTTConnection {
        let (connection, refusal) = try connect(settings, isVersion5: settings.triesVersion5, stop, seconds)
        if let connection { return connection }
        let error = refusal ?? MQTTError(.unreachable, "the broker did not answer")
        guard settings.triesVersion5, [.version, .closed, .unreachable].contains(error.reason), !stop.isSet else {
            throw .broker(error.description)
        }
        // Whoever hangs up on MQTT 5 says nothing of the user; what it says of 3.1.1 is the reason.
        let (older, reason) = try connect(settings, isVersion5: false, stop, seconds)
        if let older { return older }
        throw .broker((reason ?? error).description)
    }

    /// - Returns: the connection, or why the broker, which was reached, did not take it.
    private static func connect(
        _ settings: MQTTSettings, isVersion5: Bool, _ stop: StopSignal, _ seconds: Double
    ) throws(HubWorker.Failure) -> (MQTTConnection?, MQTTError?) {
        let clock = SystemClock()
        let connection: MQTTConnection
        do throws(MQTTError) {
            connection = try MQTTConnection(settings, isVersion5: isVersion5, wakeup: stop.wakeup)
        } catch {
            throw .broker(error.description)
        }
        let end = clock.monotonic().advanced(bySeconds: seconds)
        while !stop.isSet, clock.monotonic() < end {
            for event in connection.turn(seconds: 1) {
                switch event {
                case .connected: return (connection, nil)
                case .disconnected(let error): return (nil, error)
                default: break
                }
            }
        }
        return (nil, MQTTError(.unreachable, "the broker \(settings.host) took the connection and says nothing"))
    }

    func turn(seconds: Double) throws(HubWorker.Failure) -> [HubBrokerEvent] {
        var events: [HubBrokerEvent] = []
        for event in connection.turn(seconds: seconds) {
            switch event {
            case .connected: break
            case .subscribed(let id, let isGranted):
                guard isGranted else { throw .broker(Self.subscriptionRefused.description) }
                if subscriptions.remove(id) != nil, subscriptions.isEmpty { events.append(.ready) }
            case .message(let message): events.append(.message(message))
            case .acknowledged(let id, let reason): events.append(.acknowledged(id, reason: reason))
            case .disconnected(let error): throw .broker(error.description)
            }
        }
        return events
    }

    func publish(_ publication: MQTTPublication) throws(HubWorker.Failure) -> Int32? {
        do throws(MQTTError) { return try connection.publish(publication) } catch { throw .broker(error.description) }
    }

    /// The broker was told when the message came: its box keeps it until the receipt.
    func settle() {}

    func disconnect() { connection.disconnect() }
}
