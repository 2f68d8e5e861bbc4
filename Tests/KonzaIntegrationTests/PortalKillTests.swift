import Foundation
import KonzaTesting
import Testing

/// Kills the portal in the middle of what it does, at random moments.
@Suite("A portal that is killed", .serialized)
struct PortalKillTests {
    /// What was answered with success, and so must hold for ever.
    private struct Promises {
        /// Tokens that were given.
        var open: [String] = []
        /// Those that paired a device: they pair no other.
        var spent: [String] = []
        /// Whether others see a postcard; nil while a decision was not answered.
        var states: [String: String] = [:]
        var prints: [String] = []
    }

    @Test("loses nothing that it acknowledged, and takes no token twice")
    func killed() throws {
        let kills = RandomTest.cases(3)
        let seed = RandomTest.seed(of: "PortalKillTests")
        var random = seed
        func next(_ bound: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (random >> 33) % bound
        }
        let printer = try RealPrinter(.prints)
        let station = try Station("\(Station.recorded)\n[Printing]\nPrinter=\(printer.uri)\nCopies=20")
        defer { withExtendedLifetime(station) {} }
        let portal = try RunningPortal(station)
        var cards: [String] = []
        try waitUntil("the kiosk takes postcards", seconds: 30) {
            if let id = try portal.post("/v1/postcards", "{}").json()["id"] as? String { cards.append(id) }
            return cards.count == 4
        }
        var promises = Promises()
        let socket = ["--unix-socket", "\(portal.state)/portal.sock"]
        // One who asks without a pause: links, pairings, consents, decisions, prints.
        func work(_ turn: UInt64) throws -> Bool {
            var status = 0
            let card = cards[Int(turn % 4)]
            switch turn % 5 {
            case 0:
                let made = try portal.askOther(
                    "http://localhost/v1/kiosk/ticket", socket + ["-X", "POST"], seconds: 2)
                status = made.status
                if made.status == 201, let token = try made.json()["token"] as? String { promises.open.append(token) }
            case 1:
                guard let token = promises.open.popLast() else { return true }
                let paired = try portal.ask(
                    "/v1/session",
                    ["-X", "POST", "-H", "Content-Type: application/json", "-d", #"{"token":"\#(token)"}"#], seconds: 2)
                status = paired.status
                // Without an answer it may have been used: nobody knows, and nobody may use it after one that was answered.
                if paired.status == 201 { promises.spent.append(token) }
            case 2:
                let before = promises.states.removeValue(forKey: card)
                status = try portal.ask("/v1/gallery/\(card)", ["-X", "PUT"], seconds: 2).status
                // What a ranger has hidden stays hidden.
                if status == 200 { promises.states[card] = before == "hidden" ? "hidden" : before.map { _ in "shown" } }
            case 3:
                let state = turn % 2 == 0 ? "hidden" : "shown"
                promises.states[card] = nil
                let answer = try portal.askOther(
                    "http://localhost/v1/moderation/\(card)",
                    socket + [
                        "-X", "PATCH", "-H", "Content-Type: application/json", "-d", #"{"state":"\#(state)"}"#,
                    ], seconds: 2)
                status = answer.status
                if status == 200 { promises.states[card] = state }
            default:
                let asked = try portal.ask(
                    "/v1/prints",
                    [
                        "-X", "POST", "-H", "Content-Type: application/json", "-H", "Idempotency-Key: k\(turn)", "-d",
                        #"{"postcard":"\#(card)"}"#,
                    ], seconds: 2)
                status = asked.status
                if status == 202, let place = asked.field("location") { promises.prints.append(place) }
            }
            return status != 0
        }
        for kill in 0..<kills {
            let begin = UInt64(kill) * 1000 + next(1000)
            let killer = Process()
            killer.executableURL = URL(fileURLWithPath: "/bin/sh")
            killer.arguments = [
                "-c", "sleep 0.\(String(next(600) + 1100).dropFirst()); kill -9 \(portal.process.processIdentifier)",
            ]
            try killer.run()
            var turn = begin
            while try work(turn) { turn += 1 }
            killer.waitUntilExit()
            try portal.killAndRestart()
            for token in promises.spent.suffix(3) {
                let again = try portal.askOther(
                    "http://localhost/v1/session",
                    socket + ["-X", "POST", "-H", "Content-Type: application/json", "-d", #"{"token":"\#(token)"}"#])
                #expect(again.status == 404, "kill \(kill): a token was taken twice")
            }
            let list = try portal.askOther("http://localhost/v1/moderation?limit=48", socket).json()["postcards"]
            let states = Dictionary(
                (list as? [[String: Any]] ?? []).map { ($0["id"] as? String ?? "", $0["state"] as? String ?? "") },
                uniquingKeysWith: { $1 })
            for (card, state) in promises.states { #expect(states[card] == state, "kill \(kill): \(card)") }
            for place in promises.prints.suffix(4) {
                #expect(try portal.ask(place).status == 200, "kill \(kill): \(place) is forgotten")
            }
        }
        print("PortalKillTests: \(promises.spent.count) pairings, \(promises.prints.count) prints were acknowledged")
    }
}
