internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer

/// Publishes what RabbitMQ is to keep for boxes that are away: its MQTT plugin keeps what came by MQTT, and a worker is
/// connected by AMQP. Settings are rare, so each has a connection of its own, one at a time.
final class HubRetaining: Sendable {
    private let settings: MQTTSettings
    private let clock = SystemClock()
    private let turns = HubTurns()

    init(_ settings: MQTTSettings) { self.settings = settings }

    /// Publishes a message, and waits for the broker's word.
    ///
    /// - Returns: whether somebody has subscribed to its topic, as far as the broker says; by MQTT 3.1.1 it does not.
    /// - Throws: a problem if the broker does not have it for sure.
    func send(_ publication: MQTTPublication) async throws(Problem) -> Bool {
        let broker = "\(settings.host):\(settings.port)"
        try await turns.begin(broker, for: "other settings for the broker")
        defer { turns.end(broker) }
        return try await onBlockingThread { () throws(Problem) in try self.publish(publication) }
    }

    private func publish(_ publication: MQTTPublication) throws(Problem) -> Bool {
        do {
            let connection = try HubMQTTBroker.connect(
                settings, try StopSignal(), seconds: HubPost.patience / 2)
            defer { connection.disconnect() }
            let id = try connection.publish(publication)
            let end = clock.monotonic().advanced(bySeconds: HubPost.patience)
            while clock.monotonic() < end {
                for event in connection.turn(seconds: 0.5) {
                    switch event {
                    case .acknowledged(id, let reason) where reason >= 0x80: throw HubPost.refused(publication, reason)
                    case .acknowledged(id, let reason): return reason != 0x10
                    case .disconnected(let error): throw error
                    default: break
                    }
                }
            }
            throw HubPost.silent
        } catch let problem as Problem {
            throw problem
        } catch {
            let words = (error as? HubWorker.Failure)?.words ?? "\(error)"
            throw Problem(
                .unavailable,
                "cannot publish on \(publication.topic) by MQTT at \(settings.host):\(settings.port), which alone has "
                    + "the broker keep it: \(words); look at [Hub] MQTT=")
        }
    }
}
