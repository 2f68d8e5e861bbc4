import FleetMessaging
import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import PostgresAccess
import Testing

@testable import KonzaHub

@Suite("The hub and brokers of other kinds", .serialized)
struct HubBrokerTests {
    /// A broker that takes 3.1.1 alone: what it says to another version (MQTT 3.1.1 section 3.1.2.2), or that it hangs up.
    private final class OldBroker: Sendable {
        let port: Int
        private let descriptor: Int32

        init(answer: [UInt8]) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listening = descriptor
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                    bind(listening, name, size) == 0 && listen(listening, 4) == 0
                        && getsockname(listening, name, &size) == 0
                }
            }
            try #require(isBound)
            port = Int(UInt16(bigEndian: address.sin_port))
            try startThread(named: "old-broker") {
                while true {
                    let client = accept(listening, nil, nil)
                    guard client >= 0 else { return }
                    var head = [UInt8](repeating: 0, count: 512)
                    let count = read(client, &head, head.count)
                    // The protocol's level follows its name.
                    let isOld = count > 9 && head[8] == 4
                    let reply = isOld ? [0x20, 2, 0, 0] : answer
                    _ = write(client, reply, reply.count)
                    if isOld { _ = read(client, &head, head.count) }
                    close(client)
                }
            }
        }

        deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    @Test(
        "3.1.1 is spoken with a broker that refuses MQTT 5, or hangs up on it",
        arguments: [[0x20, 2, 0, 1], []] as [[UInt8]])
    func old(_ answer: [UInt8]) throws {
        let broker = try OldBroker(answer: answer)
        let settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "hub")
        #expect(try HubMQTTBroker.connect(settings, try .init()).version == 4)
    }

    @Test("settings that the broker lost are published again, byte for byte, until their box says that it has them")
    func settingsAgain() async throws {
        let broker = try RealBroker()
        let name = try TestDatabases.make()
        let hub = try RunningHub(port: broker.port, database: TestDatabases.server.get().address(name))
        #expect(await hub.ready(), "\(hub.log)")
        let wanted = Said.desired(box: "knz07", version: 3).replacing("\"settings\"", with: " \"settings\"")
        #expect(try hub.put("/v1/boxes/knz07/desired?site=konza", wanted).status == 200)
        let topic = "konza/1/konza/knz07/desired"
        /// What the broker hands to whoever comes now; nil where that is nothing.
        func kept(within seconds: Double) throws -> String? {
            let box = try MQTTConnection(
                MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "knz07"), isVersion5: true,
                wakeup: try Wakeup())
            defer { box.disconnect() }
            let end = SystemClock().monotonic().advanced(bySeconds: seconds)
            while SystemClock().monotonic() < end {
                for event in box.turn(seconds: 0.1) {
                    switch event {
                    case .connected: _ = try box.subscribe(topic, .atLeastOnce)
                    case .message(let message): return String(decoding: message.payload, as: UTF8.self)
                    default: break
                    }
                }
            }
            return nil
        }
        #expect(try kept(within: 10) == wanted)

        // It keeps nothing on a disk.
        broker.kill()
        try broker.start()
        #expect(try kept(within: 60) == wanted, "\(hub.log)")

        // The box has them: nobody needs them again.
        let boxes = try SimulatedBoxes(port: broker.port)
        #expect(boxes.run { boxes.isConnected })
        try boxes.say(Said.state(.reported, #"{"version":3,"state":"applied"}"#))
        let store = try HubStore(TestDatabases.address(name))
        _ = boxes.run {
            (try? store.ask("SELECT reported ->> 'version' FROM boxes WHERE box = 'knz07'")) == ["3"]
        }
        #expect(try store.ask("SELECT reported ->> 'version' FROM boxes WHERE box = 'knz07'") == ["3"])
        hub.kill()
        broker.kill()
        try broker.start()
        try hub.start()
        #expect(await hub.ready(), "\(hub.log)")
        #expect(try kept(within: 4) == nil)
    }

    @Test("a broker that does not let it publish receipts is complained about once, and what came is kept")
    func receiptsRefused() async throws {
        let folder = try TemporaryFolder()
        let rules = "topic readwrite konza/1/+/+/postcard\n"
        try Data(rules.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/acl"))
        let broker = try RealBroker(["allow_anonymous true", "acl_file \(folder.path)/acl"])
        let name = try TestDatabases.make()
        let hub = try RunningHub(port: broker.port, database: TestDatabases.server.get().address(name))
        #expect(await hub.ready(), "\(hub.log)")
        let boxes = try SimulatedBoxes(port: broker.port)
        for number in 1...20 {
            boxes.add(Said.record(id: Said.id(number), seq: Int64(number)), box: "knz07", id: Said.id(number), rev: 1)
        }
        #expect(boxes.run { boxes.sent > 40 })
        #expect(boxes.receipted.isEmpty)
        #expect(await eventually { hub.log.contains("konza/1/+/+/receipt") }, "\(hub.log)")
        #expect(hub.log.split(separator: "\n").count { $0.contains("konza/1/+/+/receipt") } == 1)
        let store = try HubStore(TestDatabases.address(name))
        #expect(try await eventually { try store.ask("SELECT count(*) FROM postcards") == ["20"] })
    }

    @Test("what the broker kept of boxes comes to one of two workers, records to both")
    func shared() async throws {
        let broker = try RealBroker()
        let boxes = try SimulatedBoxes(port: broker.port)
        _ = boxes.run { boxes.isConnected }
        for number in 1...5 { try boxes.say(Said.status("s1", "online", box: "box\(number)"), isRetained: true) }
        let name = try TestDatabases.make()
        let hub = try RunningHub(port: broker.port, database: TestDatabases.server.get().address(name), workers: 2)
        #expect(await hub.ready(), "\(hub.log)")
        let store = try HubStore(TestDatabases.address(name))
        #expect(try await eventually { try store.ask("SELECT count(*) FROM boxes WHERE state = 'online'") == ["5"] })
        #expect(try hub.get("/metrics").body.contains("konza_hub_messages_total{kind=\"status\"} 5"))
    }
}
