import FleetMessaging
import Foundation
import KonzaAPI
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import Synchronization
import Testing

/// A station of a fleet with the real programs: konzad, konza-fleet, and mosquitto; what keeps the records is a reader that
/// sends receipts when it is told to.
@Suite("A station of a fleet")
struct FleetTests {
    /// Reads everything of a broker, and confirms it.
    private final class Reader: Sendable {
        struct Kept {
            var messages: [(topic: FleetTopic, payload: [UInt8], isRetained: Bool)] = []
            var isConfirming = true
            var isOver = false
        }

        private let kept = Mutex(Kept())
        private let wakeup: Wakeup

        init(_ broker: RealBroker, _ change: (inout MQTTSettings) -> Void = { _ in }) throws {
            wakeup = try Wakeup()
            var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "reader")
            settings.sessionExpirySeconds = 0
            change(&settings)
            try startThread(named: "reader") { [self, settings] in
                while !kept.withLock({ $0.isOver }) {
                    guard let connection = try? MQTTConnection(settings, wakeup: wakeup) else {
                        usleep(50_000)
                        continue
                    }
                    read(connection)
                }
            }
        }

        func end() { kept.withLock { $0.isOver = true } }

        private func read(_ connection: MQTTConnection) {
            while !kept.withLock({ $0.isOver }) {
                for event in connection.turn(seconds: 0.2) {
                    switch event {
                    case .connected: _ = try? connection.subscribe("konza/1/#", .atLeastOnce)
                    case .message(let message): take(message, connection)
                    case .disconnected: return
                    default: break
                    }
                }
            }
            connection.disconnect()
        }

        private func take(_ message: MQTTMessage, _ connection: MQTTConnection) {
            guard let topic = FleetTopic(message.topic), topic.kind.isFromBox else { return }
            let isConfirming = kept.withLock { kept in
                kept.messages.append((topic, message.payload, message.isRetained))
                return kept.isConfirming
            }
            guard isConfirming, topic.kind == .postcard || topic.kind == .specimen,
                let head = try? FleetMessageHead(message.payload, on: topic)
            else { return }
            let receipt = FleetReceipts(box: topic.box, pairs: [.init(id: head.id, rev: head.rev)])
            _ = try? connection.publish(
                MQTTPublication(
                    topic: FleetTopic(site: topic.site, box: topic.box, kind: .receipt).description,
                    payload: receipt.encoded, quality: .atLeastOnce))
        }

        func confirm(_ isConfirming: Bool) { kept.withLock { $0.isConfirming = isConfirming } }

        func heads(_ kind: FleetKind) -> [FleetMessageHead] {
            kept.withLock { $0.messages }.filter { $0.topic.kind == kind }.compactMap {
                try? FleetMessageHead($0.payload, on: $0.topic)
            }
        }

        /// What the last message of each record says.
        var records: [String: FleetMessageHead] {
            Dictionary((heads(.postcard) + heads(.specimen)).map { ($0.id, $0) }) { $0.rev > $1.rev ? $0 : $1 }
        }
    }

    private static func settings(_ broker: RealBroker, _ more: String = "") -> String {
        """
        \(Station.recorded)
        [Fleet]
        Broker=mqtt://127.0.0.1:\(broker.port)
        Site=konza
        Box=knz07
        ReconnectSpread=0
        \(more)
        """
    }

    /// A `konza-fleet` for a station, ended when the test lets go of it.
    private final class RunningFleet {
        private let folder: String
        private var process: Process?

        init(_ station: Station) { folder = station.folder.path }
        deinit { stop() }

        func start() throws {
            let process = Process()
            process.executableURL = try Programs.path("konza-fleet")
            process.arguments = ["--config", "\(folder)/konzad.conf", "--credentials", folder]
            process.standardError = FileHandle.nullDevice
            try process.run()
            self.process = process
        }

        func stop() {
            if let process { end(process) }
            process = nil
        }

        func cutOff() {
            guard let process else { return }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            self.process = nil
        }
    }

    private func take(_ station: Station) throws -> String {
        // A machine that is short of processors may paint no frame in time.
        var reply = try station.post("/v1/postcards", #"{"message":"Hello"}"#)
        for _ in 0..<3 where reply.status == 503 { reply = try station.post("/v1/postcards", #"{"message":"Hello"}"#) }
        #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
        return try #require(try reply.json()["id"] as? String)
    }

    private func open(_ station: Station) throws -> String {
        let reply = try station.post(
            "/v1/specimens",
            #"{"rockType":"gneiss","collector":"Doe","position":{"latitude":39.1,"longitude":-96.6,"accuracy":4}}"#)
        #expect(reply.status == 201)
        return try #require(try reply.json()["id"] as? String)
    }

    private func fleet(_ station: Station) throws -> FleetReply {
        try JSONDecoder().decode(FleetReply.self, from: try station.get("/v1/fleet").body)
    }

    @Test("tells the fleet of its records as its own API gives them, and lets go when they are confirmed")
    func tells() throws {
        let broker = try RealBroker()
        let reader = try Reader(broker)
        defer { reader.end() }
        let station = try Station(Self.settings(broker))
        let before = try take(station)
        let program = RunningFleet(station)
        try program.start()
        let specimen = try open(station)
        try waitUntil("the fleet has both", seconds: 30) { reader.records.count == 2 }
        for (id, path) in [(before, "postcards"), (specimen, "specimens")] {
            let own = try JSONReader.value(of: Array(try station.get("/v1/\(path)/\(id)").body))
            #expect(reader.records[id]?.body == own)
        }
        try waitUntil("the receipts are there", seconds: 20) { try fleet(station).waiting == 0 }
        let status = try #require(reader.heads(.status).last)
        guard case .object(let members) = status.body else {
            Issue.record("no status")
            return
        }
        #expect(members["state"] == .string("online") && members["session"] == .string(status.id))
        try waitUntil("health and position are told", seconds: 20) {
            !reader.heads(.health).isEmpty && !reader.heads(.position).isEmpty
        }
        // What is deleted here by a person is told as deleted.
        #expect(try station.request("DELETE", "/v1/postcards/\(before)").status == 204)
        try waitUntil("the fleet knows that it is deleted", seconds: 20) { reader.records[before]?.isDeleted == true }
        program.stop()
        try waitUntil("it said goodbye", seconds: 10) {
            guard case .object(let members)? = reader.heads(.status).last?.body else { return false }
            return members["state"] == .string("offline")
        }
    }

    @Test("loses nothing and leaves no number out, whatever is killed")
    func killed() throws {
        let broker = try RealBroker()
        let reader = try Reader(broker)
        defer { reader.end() }
        let station = try Station(Self.settings(broker))
        let program = RunningFleet(station)
        try program.start()
        var ids: Set<String> = []
        for round in 0..<6 {
            ids.insert(try take(station))
            ids.insert(try open(station))
            switch round {
            case 0: program.cutOff()
            case 1: broker.kill()
            case 2:
                station.cutOff()
                try station.start()
            case 3: reader.confirm(false)
            case 4: broker.freeze(true)
            default: break
            }
            ids.insert(try take(station))
            switch round {
            case 0: try program.start()
            case 1: try broker.start()
            case 4: broker.freeze(false)
            default: break
            }
        }
        reader.confirm(true)
        // What the reader heard while it confirmed nothing is sent again after a while; a new connection does so at once.
        program.cutOff()
        try program.start()
        try waitUntil("everything is confirmed", seconds: 60) { try fleet(station).waiting == 0 }
        #expect(Set(reader.records.keys) == ids)
        let last = try fleet(station).lastSeq
        let numbers = Set((reader.heads(.postcard) + reader.heads(.specimen)).compactMap(\.seq))
        #expect(numbers == Set(1...last))
        #expect(Set((reader.heads(.postcard) + reader.heads(.specimen)).compactMap(\.log)).count == 1)
    }

    @Test("says what is in the way of the broker, and konza says what to do")
    func unreachable() throws {
        let broker = try RealBroker(["allow_anonymous false"])
        let station = try Station(Self.settings(broker))
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("konzad knows why", seconds: 20) { try fleet(station).connection?.kind == "refused" }
        let konza = try Programs.path("konza").path
        let shown = try run(konza, ["fleet", "--socket", station.socket])
        #expect(
            shown.status == 69 && shown.text.contains("not reached") && shown.text.contains("password"), "\(shown.text)"
        )
        let doctor = try run(konza, ["doctor", "--socket", station.socket])
        #expect(doctor.text.contains("Fleet"), "\(doctor.text)")
        let status = try station.get("/v1/status").json()
        #expect((status["fleet"] as? [String: Any]) != nil)
    }

    @Test("a station of no fleet has nothing to do with one")
    func alone() throws {
        let station = try Station()
        #expect(try fleet(station).enabled == false)
        #expect(try station.get("/v1/fleet/outbox").status == 409)
        #expect(try station.get("/v1/status").json()["fleet"] == nil)
    }
}
