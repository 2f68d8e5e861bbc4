import FleetMessaging
import Foundation
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import Testing

@testable import KonzaHub

@Suite(
    "The hub and boxes at a RabbitMQ with certificates", .serialized,
    .enabled(if: RealRabbit.isInstalled, "rabbitmq-server is missing"))
struct HubRabbitTLSTests {
    /// A box's client, as konza-fleet is one.
    private final class Box {
        private let connection: MQTTConnection
        private(set) var events: [MQTTEvent] = []

        init(_ name: String, _ file: String, _ rabbit: RealRabbit, _ certificates: FleetCertificates) throws {
            var settings = MQTTSettings(host: "localhost", port: rabbit.portForMQTT, clientID: name)
            settings.tls = .init(
                authorities: "\(certificates.folder)/fleet-ca.pem", certificate: "\(certificates.folder)/\(file).pem",
                key: "\(certificates.folder)/\(file)-key.pem")
            connection = try MQTTConnection(settings, isVersion5: false, wakeup: try Wakeup())
        }

        /// Turns until something holds, or the connection is over.
        func until(_ condition: ([MQTTEvent]) -> Bool) -> Bool {
            for _ in 0..<600 where !condition(events) && !isOver { events += connection.turn(seconds: 0.1) }
            return condition(events)
        }

        var isOver: Bool { events.contains { if case .disconnected = $0 { true } else { false } } }
        var isIn: Bool { until { $0.contains(.connected) } }

        /// Whether the broker lets it read a topic.
        func reads(_ topic: String) throws -> Bool {
            let id = try connection.subscribe(topic, .atLeastOnce)
            return until { events in
                events.contains { if case .subscribed(id, _) = $0 { true } else { false } }
            } && events.contains(.subscribed(id, isGranted: true))
        }

        /// Whether the broker takes a message.
        func writes(_ topic: String, _ payload: [UInt8]) throws -> Bool {
            let id = try connection.publish(
                MQTTPublication(topic: topic, payload: payload, quality: .atLeastOnce))
            return until { $0.contains(.acknowledged(id, reason: 0)) }
        }
    }

    private func topic(_ box: String, _ kind: String) -> String { "konza/1/konza/\(box)/\(kind)" }

    @Test("a broker is trusted by its authority and its name, and a hub that does not trust it says what to look at")
    func trust() async throws {
        let folder = try TemporaryFolder()
        let certificates = try FleetCertificates(in: folder.path)
        try certificates.make("broker", file: "broker", hosts: "DNS:localhost")
        let strange = try TemporaryFolder()
        let others = try FleetCertificates(in: strange.path)
        let rabbit = try RealRabbit(certificates: folder.path)
        let database = try TestDatabases.server.get().address(try TestDatabases.make())
        func hub(_ host: String, _ authority: String) throws -> RunningHub {
            try RunningHub(
                port: rabbit.port, database: database, scheme: "amqps", host: host, "Authorities=\(authority)")
        }
        let trusting = try hub("localhost", "\(folder.path)/fleet-ca.pem")
        #expect(await trusting.ready(), "\(trusting.log)")
        for (host, authority) in [
            ("localhost", "\(others.folder)/fleet-ca.pem"), ("127.0.0.1", "\(folder.path)/fleet-ca.pem"),
        ] {
            let wary = try hub(host, authority)
            #expect(
                await eventually { wary.log.contains("check the certificates, the broker's name and the clock") },
                "\(wary.log)")
            #expect(try wary.get("/v1/status").body.contains("\"level\":\"failed\""))
        }
        let blind = try hub("localhost", "\(folder.path)/none.pem")
        #expect(await eventually { blind.log.contains("check that the file can be read") }, "\(blind.log)")
        #expect(trusting.stop() == 0)
    }

    @Test("with the rights that are shipped a box writes and reads what is its own, and nothing else")
    func rights() async throws {
        let folder = try TemporaryFolder()
        let certificates = try FleetCertificates(in: folder.path)
        try certificates.make("broker", file: "broker")
        for box in ["knz07", "knz08", "knz09"] { try certificates.make(box, file: box) }
        let rabbit = try RealRabbit(certificates: folder.path)
        for box in ["knz07", "knz08"] { try rabbit.rights(["box", "konza", box]) }
        // Again, as after a box has a new site.
        try rabbit.rights(["box", "konza", "knz07"])
        try rabbit.control(["-q", "add_user", "home", "secret"])
        try rabbit.rights(["hub", "home"])
        let name = try TestDatabases.make()
        let store = try HubStore(TestDatabases.address(name))
        let credentials = try TemporaryFolder()
        for (file, text) in [("broker-user", "home"), ("broker-password", "secret")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(credentials.path)/\(file)"))
        }
        let hub = try RunningHub(
            port: rabbit.port, database: TestDatabases.server.get().address(name), scheme: "amqps", host: "localhost",
            credentials: credentials.path,
            "Authorities=\(folder.path)/fleet-ca.pem\nMQTT=mqtts://localhost:\(rabbit.portForMQTT)")
        #expect(await hub.ready(), "\(hub.log)")
        // Before the box is there.
        let wanted = try hub.put("/v1/boxes/knz07/desired?site=konza", Said.desired(box: "knz07", version: 1))
        #expect(wanted.status == 200, "\(wanted.body)")
        func record(_ box: String, _ number: Int) -> [UInt8] {
            Said.record(box: box, id: Said.id(number), seq: Int64(number)).payload
        }

        let box = try Box("knz07", "knz07", rabbit, certificates)
        #expect(box.isIn)
        for kind in FleetKind.allCases where !kind.isFromBox {
            #expect(try box.reads(topic("knz07", kind.rawValue)), "\(kind)")
        }
        #expect(
            box.until { events in
                events.contains {
                    if case .message(let message) = $0 { message.topic.hasSuffix("/desired") } else { false }
                }
            })
        for kind in FleetKind.allCases where kind.isFromBox {
            #expect(try box.writes(topic("knz07", kind.rawValue), record("knz07", 1)), "\(kind)")
        }
        #expect(try box.writes("homeassistant/device/konza_konza_knz07/config", Array("{}".utf8)))
        #expect(
            box.until { events in
                events.contains {
                    if case .message(let message) = $0 { message.topic.hasSuffix("/receipt") } else { false }
                }
            }, "\(hub.log)")
        let kept = { (try? store.ask("SELECT box FROM postcards")) ?? [] }
        #expect(await eventually { kept() == ["knz07"] }, "\(kept())")

        // What is not its own ends the connection, or is refused.
        for other in [topic("knz07", "receipt"), topic("knz07", "postcard"), "konza/1/#", "#"] {
            let box = try Box("knz08", "knz08", rabbit, certificates)
            #expect(box.isIn)
            #expect(try !box.reads(other), "\(other)")
        }
        for (other, payload) in [
            (topic("knz07", "postcard"), record("knz07", 2)), (topic("knz08", "receipt"), []),
            (topic("knz08", "command"), []), ("homeassistant/device/konza_konza_knz07/config", []),
        ] {
            let box = try Box("knz08", "knz08", rabbit, certificates)
            #expect(box.isIn)
            #expect(try !box.writes(other, payload), "\(other)")
        }
        // Its certificate is another's than its id: it gets nothing of what is for that one.
        let thief = try Box("knz07", "knz08", rabbit, certificates)
        #expect(try !thief.isIn || !thief.reads(topic("knz07", "receipt")))
        // Signed by the fleet, and not let in here.
        #expect(!((try? Box("knz09", "knz09", rabbit, certificates))?.isIn ?? false))
        #expect(try store.ask("SELECT count(*) FROM postcards") == ["1"])
    }
}
