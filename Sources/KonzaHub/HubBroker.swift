internal import AMQPTransfer
internal import MQTTTransfer

/// What a worker needs of a broker, for one thread. Where a connection fails it is over, and a worker begins anew.
protocol HubBroker {
    /// Waits for what happens, up to so many seconds or until the worker is stopped.
    func turn(seconds: Double) throws(HubWorker.Failure) -> [HubBrokerEvent]

    /// Publishes a message, and does not wait for the broker's word.
    ///
    /// - Returns: the number that the broker's word will have; nil where none follows.
    func publish(_ publication: MQTTPublication) throws(HubWorker.Failure) -> Int32?

    /// All messages that came so far are committed, or are none of the hub's: the broker may forget them.
    func settle() throws(HubWorker.Failure)

    /// Says goodbye.
    func disconnect()
}

/// What happened at a broker.
enum HubBrokerEvent {
    /// Messages come from now on.
    case ready
    case message(MQTTMessage)
    /// The broker took what was published under this number; as in MQTT 5 the reason says what it did with it.
    case acknowledged(Int32, reason: Int32)
}

/// Where a worker's broker is.
enum HubBrokerPlace: Sendable {
    case mqtt(MQTTSettings)
    case amqp(AMQPSettings)

    var description: String {
        switch self {
        case .mqtt(let settings): "\(settings.host):\(settings.port)"
        case .amqp(let settings): "\(settings.host):\(settings.port)"
        }
    }
}
