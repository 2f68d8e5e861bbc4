import KonzaSystem
import KonzaTesting
import MQTTTransfer
import Testing

@Suite("A connection to mosquitto", .serialized)
struct MQTTConnectionTests {
    private func settings(_ broker: RealBroker, _ id: String) -> MQTTSettings {
        MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: id)
    }

    /// Turns until an event is there, at most ten seconds.
    private func wait(_ connection: MQTTConnection, _ condition: (MQTTEvent) -> Bool) -> [MQTTEvent] {
        var events: [MQTTEvent] = []
        let clock = ContinuousClock()
        let end = clock.now + .seconds(10)
        while clock.now < end {
            events += connection.turn(seconds: 0.5)
            if events.contains(where: condition) { break }
        }
        return events
    }

    @Test("a message goes from one client to another, in both versions of the protocol", arguments: [true, false])
    func delivered(_ isVersion5: Bool) throws {
        let broker = try RealBroker()
        let wakeup = try Wakeup()
        let receiver = try MQTTConnection(settings(broker, "receiver"), isVersion5: isVersion5, wakeup: wakeup)
        #expect(wait(receiver) { $0 == .connected }.contains(.connected))
        let subscription = try receiver.subscribe("konza/1/+/+/postcard", .atLeastOnce)
        #expect(wait(receiver) { $0 == .subscribed(subscription, isGranted: true) }.count == 1)
        let sender = try MQTTConnection(settings(broker, "sender"), isVersion5: isVersion5, wakeup: wakeup)
        _ = wait(sender) { $0 == .connected }
        let payload = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let id = try sender.publish(
            MQTTPublication(topic: "konza/1/site/box/postcard", payload: payload, quality: .atLeastOnce))
        #expect(wait(sender) { $0 == .acknowledged(id, reason: 0) }.contains(.acknowledged(id, reason: 0)))
        let message = MQTTMessage(topic: "konza/1/site/box/postcard", payload: payload, isRetained: false)
        #expect(wait(receiver) { $0 == .message(message) }.contains(.message(message)))
    }

    @Test("version 5 says that nobody has subscribed")
    func nobody() throws {
        let broker = try RealBroker()
        let sender = try MQTTConnection(settings(broker, "sender"), wakeup: try Wakeup())
        _ = wait(sender) { $0 == .connected }
        let id = try sender.publish(MQTTPublication(topic: "a/b", payload: [1], quality: .atLeastOnce))
        #expect(wait(sender) { $0 == .acknowledged(id, reason: 0x10) }.count == 1)
    }

    @Test("the will tells of a client that is gone, and not of one that said goodbye")
    func will() throws {
        let broker = try RealBroker()
        let wakeup = try Wakeup()
        let watcher = try MQTTConnection(settings(broker, "watcher"), wakeup: wakeup)
        _ = wait(watcher) { $0 == .connected }
        let subscription = try watcher.subscribe("will/#", .atLeastOnce)
        _ = wait(watcher) { $0 == .subscribed(subscription, isGranted: true) }
        for name in ["polite", "gone"] {
            var settings = settings(broker, name)
            settings.will = MQTTPublication(topic: "will/\(name)", payload: [7], quality: .atLeastOnce)
            settings.willDelaySeconds = 0
            let client = try MQTTConnection(settings, wakeup: wakeup)
            _ = wait(client) { $0 == .connected }
            if name == "polite" { client.disconnect() }
        }
        let message = MQTTMessage(topic: "will/gone", payload: [7], isRetained: false)
        let events = wait(watcher) { $0 == .message(message) }
        #expect(events == [.message(message)])
    }

    /// mosquitto 2.0.11 closes the first without a word; others say 0x8E (MQTT 5 section 3.14.2.1).
    @Test("a second client of one identity ends the first")
    func takenOver() throws {
        let broker = try RealBroker()
        let wakeup = try Wakeup()
        let first = try MQTTConnection(settings(broker, "knz07"), wakeup: wakeup)
        _ = wait(first) { $0 == .connected }
        let second = try MQTTConnection(settings(broker, "knz07"), wakeup: wakeup)
        _ = wait(second) { $0 == .connected }
        let isOver: (MQTTEvent) -> Bool = { if case .disconnected = $0 { true } else { false } }
        guard case .disconnected(let error)? = wait(first, isOver).last else {
            Issue.record("the first client goes on")
            return
        }
        #expect(error.reason == .identityInUse || error.reason == .unreachable)
        // That tells it from a broker that was started anew.
        #expect(!first.isResumed && second.isResumed)
    }

    @Test("a broker that dies is noticed, and one that is not there is said")
    func broken() throws {
        let broker = try RealBroker()
        let wakeup = try Wakeup()
        let client = try MQTTConnection(settings(broker, "client"), wakeup: wakeup)
        _ = wait(client) { $0 == .connected }
        broker.kill()
        let isOver: (MQTTEvent) -> Bool = { if case .disconnected = $0 { true } else { false } }
        guard case .disconnected(let error)? = wait(client, isOver).last else {
            Issue.record("nothing was noticed")
            return
        }
        #expect(error.reason == .unreachable)
        #expect(throws: MQTTError.self) { try MQTTConnection(settings(broker, "client"), wakeup: wakeup) }
        try broker.start()
        let next = try MQTTConnection(settings(broker, "client"), wakeup: wakeup)
        #expect(wait(next) { $0 == .connected }.contains(.connected) && !next.isResumed)
    }

    @Test("a client that the broker does not know is told to look at its password")
    func refused() throws {
        let broker = try RealBroker(["allow_anonymous false"])
        for isVersion5 in [true, false] {
            let client = try MQTTConnection(settings(broker, "client"), isVersion5: isVersion5, wakeup: try Wakeup())
            let isOver: (MQTTEvent) -> Bool = { if case .disconnected = $0 { true } else { false } }
            guard case .disconnected(let error)? = wait(client, isOver).last else {
                Issue.record("it was let in")
                continue
            }
            #expect(error.reason == .refused && error.description.contains("password"))
        }
    }
}
