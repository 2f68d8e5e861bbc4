import FleetMessaging
import Foundation
import KonzaAPI
import KonzaTesting
import Testing

/// What operators sign, carried out by the real programs: konza signs, mosquitto_pub publishes, konza-fleet judges.
@Suite("A command from afar", .enabled(if: RealGPSD.isInstalled))
struct FleetCommandTests {
    private let broker: RealBroker
    private let reader: FleetReader
    private let keys: TemporaryFolder

    init() throws {
        broker = try RealBroker()
        reader = try FleetReader(broker)
        keys = try TemporaryFolder()
    }

    /// - Returns: the operator's line for the stations' file.
    private func makeKey(_ name: String, rights: String) throws -> String {
        let outcome = try run(
            try Programs.path("konza").path,
            ["fleet", "key", "make", "\(keys.path)/\(name)", "--rights", rights, "--name", name])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.text
    }

    private func sign(_ words: [String], by name: String, box: String = "knz07") throws -> String {
        let outcome = try run(
            try Programs.path("konza").path,
            ["fleet", "sign"] + words + ["--key", "\(keys.path)/\(name)", "--box", box])
        guard outcome.status == 0 else { throw Complaint("konza fleet sign: \(outcome.errors)") }
        return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func publish(_ message: String, retained: Bool = false) throws {
        let outcome = try run(
            "mosquitto_pub",
            ["-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t", "konza/1/konza/knz07/command", "-m", message]
                + (retained ? ["-r"] : []))
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// What the station says of each command, the last word by its id.
    private var answers: [String: (state: String, reason: String)] {
        var answers: [String: (state: String, reason: String)] = [:]
        for head in reader.heads(.answer) {
            guard case .object(let members) = head.body, case .string(let state)? = members["state"] else { continue }
            var reason = ""
            if case .string(let text)? = members["reason"] { reason = text }
            if state != "accepted" || answers[head.id] == nil { answers[head.id] = (state, reason) }
        }
        return answers
    }

    private func id(_ message: String) throws -> String {
        guard case .object(let members) = try JSONReader.value(of: Array(message.utf8)),
            case .string(let id)? = members["id"]
        else { throw Complaint("no command: \(message)") }
        return id
    }

    /// A station with a receiver, which vouches for the time.
    private func station(_ gpsd: RealGPSD, _ more: String = "") throws -> Station {
        try Station(
            """
            [Position]
            Source=gpsd
            GPSD=127.0.0.1:\(gpsd.port)
            [Camera]
            Source=recorded
            Width=640
            Height=480
            [Fleet]
            Broker=mqtt://127.0.0.1:\(broker.port)
            Site=konza
            Box=knz07
            ReconnectSpread=0
            \(more)
            """)
    }

    @Test("acts once, for whom it may, while the clock is sure; and whoever else commands gets nothing")
    func commands() async throws {
        defer { reader.end() }
        let gpsd = try RealGPSD()
        try await gpsd.start()
        let station = try station(gpsd)
        let line = try makeKey("ranger", rights: "postcard,whoami")
        let weak = try makeKey("guest", rights: "whoami")
        _ = try makeKey("stranger", rights: "postcard")
        try Data((line + weak).utf8).write(to: URL(fileURLWithPath: "\(station.folder.path)/fleet-operators"))
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("it is online", seconds: 20) { reader.isLast("online") }

        // No receiver yet: the clock is in doubt, and nothing acts.
        let early = try sign(["postcard"], by: "ranger")
        try publish(early)
        try waitUntil("it is answered", seconds: 20) { answers[try id(early)] != nil }
        #expect(answers[try id(early)]?.state == "refused")
        #expect(answers[try id(early)]?.reason.contains("clock") == true, "\(answers)")

        try station.vouch(gpsd)
        let good = try sign(["postcard", "message=Hello from afar"], by: "ranger")
        try publish(good)
        try waitUntil("it is done", seconds: 30) { answers[try id(good)]?.state == "done" }
        func cards() throws -> [[String: Any]] {
            try station.get("/v1/postcards").json()["postcards"] as? [[String: Any]] ?? []
        }
        #expect(try cards().count == 1 && cards().first?["message"] as? String == "Hello from afar")

        // Again, and after a crash again; in another's name; without the right; for another box; changed; retained.
        try publish(good)
        let foreign = try sign(["postcard"], by: "stranger")
        try publish(foreign)
        let unable = try sign(["postcard"], by: "guest")
        try publish(unable)
        try publish(try sign(["postcard"], by: "ranger", box: "knz08"))
        try publish(try sign(["postcard", "message=Mine"], by: "ranger").replacing("Mine", with: "Yours"))
        try publish(try sign(["postcard"], by: "ranger"), retained: true)
        program.cutOff()
        try program.start()
        try publish(good)
        try publish("{}")
        try publish(String(repeating: "x", count: 100_000))
        let last = try sign(["whoami"], by: "guest")
        try waitUntil("a later one is answered", seconds: 30) {
            // What had not been judged when the program was killed is gone: nobody may count on a single message.
            for message in [unable, last] { try publish(message) }
            return try answers[id(last)]?.state == "done" && answers[id(unable)] != nil
        }
        #expect(try cards().count == 1)
        #expect(answers[try id(unable)]?.state == "refused")
        #expect(answers[try id(foreign)] == nil)
    }

    @Test("an original that an operator asks for is sent whatever the policy, and answered when the store has it")
    func original() async throws {
        defer { reader.end() }
        let gpsd = try RealGPSD()
        try await gpsd.start()
        let store = try PictureStore()
        let station = try station(gpsd, "Store=\(store.server.address)\nOriginals=none")
        try station.setAccount()
        let line = try makeKey("ranger", rights: "original")
        try Data(line.utf8).write(to: URL(fileURLWithPath: "\(station.folder.path)/fleet-operators"))
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("it is online", seconds: 20) { reader.isLast("online") }
        try station.vouch(gpsd)
        let card = try station.takePostcard()
        let other = try station.takePostcard()
        try waitUntil("the small pictures are stored", seconds: 30) { try store.objects().count == 2 }

        // The store does not answer for a while, and the program is killed: the command goes on.
        try store.inject("[500, 500, 500]")
        let order = try sign(["original", "record=\(card)"], by: "ranger")
        try publish(order)
        try waitUntil("it is accepted", seconds: 30) { answers[try id(order)] != nil }
        program.cutOff()
        try program.start()
        try waitUntil("it is done", seconds: 60) { answers[try id(order)]?.state == "done" }
        let expected = try station.objects(ofPostcard: card)
        let objects = try store.objects()
        #expect(objects.count == 3 && expected.allSatisfy { objects[$0.key]?.sha256 == $0.value })
        #expect(
            try !objects.keys.contains { key in
                try station.objects(ofPostcard: other).keys.contains(key) && !key.contains(".thumb")
            })

        let unknown = try sign(["original", "record=01k2b3c4d5e6f7g8h9j0kmnpqr"], by: "ranger")
        try publish(unknown)
        try waitUntil("it is answered", seconds: 30) { answers[try id(unknown)] != nil }
        #expect(answers[try id(unknown)]?.state == "refused")
        #expect(answers[try id(unknown)]?.reason.contains("cannot find the picture") == true, "\(answers)")
    }
}
