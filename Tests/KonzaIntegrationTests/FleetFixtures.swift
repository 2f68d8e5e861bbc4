import FleetMessaging
import Foundation
import KonzaAPI
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import Synchronization
import Testing

/// Reads everything of a broker, and confirms records as the fleet's database would.
final class FleetReader: Sendable {
    private struct Kept {
        var messages: [(topic: FleetTopic, payload: [UInt8])] = []
        var isConfirming = true
        var isOver = false
    }

    private let kept = Mutex(Kept())
    private let wakeup: Wakeup

    /// - Parameters:
    ///   - broker: which one.
    ///   - change: further settings of the connection.
    /// - Throws: if the system has no thread left.
    init(_ broker: RealBroker, _ change: (inout MQTTSettings) -> Void = { _ in }) throws {
        wakeup = try Wakeup()
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "hub")
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
            kept.messages.append((topic, message.payload))
            return kept.isConfirming
        }
        guard isConfirming, [.postcard, .specimen, .track].contains(topic.kind),
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

    /// Whether the last status of the box says so.
    func isLast(_ state: String) -> Bool {
        guard case .object(let members)? = heads(.status).last?.body else { return false }
        return members["state"] == .string(state)
    }
}

/// A `konza-fleet` for a station, ended when the test lets go of it.
final class RunningFleet {
    private let folder: String
    private var process: Process?

    /// The most memory that it has taken, kB (proc(5), VmHWM).
    var peakKilobytes: Int? {
        guard let process,
            let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    }

    init(_ station: Station) { folder = station.folder.path }
    deinit { stop() }

    func start() throws {
        let process = Process()
        process.executableURL = try Programs.path("konza-fleet")
        process.arguments = [
            "--config", "\(folder)/konzad.conf", "--credentials", folder, "--state", "\(folder)/fleet",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
    }

    func stop() {
        if let process { end(process) }
        process = nil
    }

    /// Ends it as a power cut does.
    func cutOff() {
        guard let process else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }
}

extension RunningHub {
    /// What `konza hub` and its arguments tell.
    func konza(_ words: [String] = []) throws -> ProgramRun {
        try run(try Programs.path("konza").path, ["--socket", socket, "hub"] + words)
    }

    /// The first at a RabbitMQ makes the queues, and the first of a database its tables.
    func waitUntilItTakesMessages() throws {
        try waitUntil("the hub takes messages", seconds: 60) {
            try konza().text.contains("workers that take messages: 1 of 1")
        }
    }
}

extension Station {
    /// The settings of recorded sources and a fleet.
    static func recorded(inFleetOf address: String, box: String = "knz07", _ more: String = "") -> String {
        """
        \(recorded)
        [Fleet]
        Broker=\(address)
        Site=konza
        Box=\(box)
        ReconnectSpread=0
        \(more)
        """
    }

    /// Has the receiver stand at a place until the station's clock is vouched for, and commands are taken.
    func vouch(_ gpsd: RealGPSD) throws {
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        var receiver = WalkingReceiver(from: now, at: (39.1, -96.6), sigma: 0, seed: 1)
        receiver.stand(300)
        try gpsd.plugIn(receiver.epochs, every: 1)
        try waitUntil("the receiver vouches for the time", seconds: 40) {
            let clock = try get("/v1/status").json()["clock"] as? [String: Any]
            return (clock?["health"] as? [String: Any])?["level"] as? String == "ok"
        }
        try waitUntil("the ledger of commands has begun", seconds: 20) {
            try run("sqlite3", ["-readonly", "\(folder.path)/fleet/commands.db", "SELECT name FROM marks"]).text
                .contains("begin")
        }
    }

    /// What it says of its fleet.
    func fleet() throws -> FleetReply { try JSONDecoder().decode(FleetReply.self, from: try get("/v1/fleet").body) }

    /// Takes a postcard.
    ///
    /// - Returns: its id.
    func takePostcard() throws -> String {
        // A machine that is short of processors may paint no frame in time.
        var reply = try post("/v1/postcards", #"{"message":"Hello"}"#)
        for _ in 0..<3 where reply.status == 503 { reply = try post("/v1/postcards", #"{"message":"Hello"}"#) }
        #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
        return try #require(try reply.json()["id"] as? String)
    }

    /// Opens a specimen.
    ///
    /// - Returns: its id.
    func openSpecimen() throws -> String {
        let reply = try post(
            "/v1/specimens",
            #"{"rockType":"gneiss","collector":"Doe","position":{"latitude":39.1,"longitude":-96.6,"accuracy":4}}"#)
        #expect(reply.status == 201)
        return try #require(try reply.json()["id"] as? String)
    }
}
