internal import AMQPTransfer
internal import FleetMessaging
internal import KonzaSystem
internal import MQTTTransfer

/// RabbitMQ: boxes speak MQTT to it, and workers share durable queues over AMQP 0-9-1. A message leaves its queue when it is
/// committed, or is in the quarantine.
final class HubAMQPBroker: HubBroker {
    /// Where RabbitMQ's MQTT plugin publishes; the levels of a topic are separated by dots there.
    private static let exchange = "amq.topic"
    /// For what no queue takes, where the broker has a policy that names it as the alternate exchange of `amq.topic`.
    private static let alternate = "konza.unrouted"
    /// Delivered from a queue and not acknowledged; three queues together stay below a batch's bound.
    private static let prefetch = 1000

    private static let records = AMQPQueue("konza.hub", mostMessages: 500_000)
    /// One worker at a time has them, in their order. What is older than a silent box's last word says nothing any more.
    private static let states = AMQPQueue(
        "konza.hub.states", mostMessages: 200_000, messageSeconds: 1800, isSingleActive: true)
    private static let unrouted = AMQPQueue("konza.unrouted", mostMessages: 10_000, isSingleActive: true)

    private let connection: AMQPConnection
    private var isReady = false
    /// The newest delivery that is not acknowledged.
    private var newest: UInt64?

    /// Connects, makes what is missing, and asks for messages.
    ///
    /// - Throws: why the broker cannot be used.
    init(_ settings: AMQPSettings, stop: StopSignal) throws(HubWorker.Failure) {
        do throws(AMQPError) {
            connection = try AMQPConnection(settings, wakeup: stop.wakeup)
            try connection.declareTopicExchange(Self.alternate)
            for queue in [Self.records, Self.states, Self.unrouted] { try connection.declare(queue) }
            for kind in FleetKind.allCases where kind.isFromBox {
                let queue = kind.isRecord ? Self.records : Self.states
                try connection.bind(queue.name, to: Self.exchange, "konza.1.*.*.\(kind.rawValue)")
            }
            try connection.bind(Self.unrouted.name, to: Self.alternate, "konza.1.#")
            for queue in [Self.records, Self.states, Self.unrouted] {
                try connection.consume(queue.name, most: Self.prefetch)
            }
        } catch {
            throw .broker(error.description)
        }
    }

    func turn(seconds: Double) throws(HubWorker.Failure) -> [HubBrokerEvent] {
        guard isReady else {
            isReady = true
            return [.ready]
        }
        do throws(AMQPError) {
            let deliveries = try connection.turn(seconds: seconds)
            newest = deliveries.last?.tag ?? newest
            return deliveries.map { delivery in
                .message(
                    MQTTMessage(
                        topic: delivery.routingKey.replacing(".", with: "/"), payload: delivery.payload,
                        isRetained: false))
            }
        } catch {
            throw .broker(error.description)
        }
    }

    func publish(_ publication: MQTTPublication) throws(HubWorker.Failure) -> Int32? {
        do throws(AMQPError) {
            try connection.publish(
                publication.payload, to: Self.exchange, key: publication.topic.replacing("/", with: "."),
                expiresAfter: publication.expirySeconds)
        } catch {
            throw .broker(error.description)
        }
        return nil
    }

    func settle() throws(HubWorker.Failure) {
        guard let tag = newest else { return }
        do throws(AMQPError) { try connection.acknowledge(through: tag) } catch { throw .broker(error.description) }
        newest = nil
    }

    func disconnect() { connection.close() }
}
