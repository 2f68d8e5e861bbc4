import Foundation
import KonzaTesting
import Testing

/// Postcards that the kiosk's page asks for, with whoever may fail killed at each step. The page is curl: a browser that was killed,
/// with its profile wiped, says nothing more, and so does curl.
@Suite("A postcard that nobody has seen", .serialized)
struct PortalUnseenTests {
    /// Seconds, in place of minutes.
    private static let soon = "UnseenAfter=2"
    private static let late = "UnseenAfter=1h"

    private func open(_ setting: String = soon) throws -> (station: Station, portal: RunningPortal) {
        let station = try Station("\(Station.recorded)\n[Portal]\n\(setting)")
        return (station, try RunningPortal(station))
    }

    /// What the page asks for.
    private func ask(
        _ portal: RunningPortal, _ key: String, _ body: String = "{}", _ arguments: [String] = []
    ) throws -> RunningPortal.Answer {
        try portal.post(
            "/v1/postcards", body, ["-H", "Idempotency-Key: \(key)", "-H", "Konza-Keep: when-seen"] + arguments)
    }

    private func id(_ answer: RunningPortal.Answer) throws -> String {
        try #require(try answer.json()["id"] as? String)
    }

    private func see(_ portal: RunningPortal, _ key: String) throws -> Int {
        try portal.ask("/v1/kiosk/cards/\(key)/seen", ["-X", "PUT"]).status
    }

    private func isThere(_ id: String, _ station: Station) throws -> Bool {
        try station.get("/v1/postcards/\(id)").status == 200
    }

    private func isGone(_ id: String, _ station: Station) throws {
        try waitUntil("the postcard \(id) is deleted", seconds: 30) { try !isThere(id, station) }
    }

    /// Whatever was to be deleted by now is, when a card that nobody sees has been noted and deleted.
    private func pass(_ station: Station, _ portal: RunningPortal) throws {
        try isGone(try id(try ask(portal, "fence-\(UInt32.random(in: 0 ... .max))")), station)
    }

    @Test("is deleted; one that was seen is kept, and so is one that a script took, with whatever key")
    func seen() throws {
        let (station, portal) = try open()
        let card = try ask(portal, "a")
        #expect(card.status == 201)
        #expect(try see(portal, "a") == 204)
        let unseen = try id(try ask(portal, "b"))
        let script = try portal.post("/v1/postcards", "{}", ["-H", "Idempotency-Key: b"])
        #expect(script.status == 201)
        #expect(try id(script) != unseen)
        let other = try id(try portal.post("/v1/postcards", "{}"))
        try isGone(unseen, station)
        try pass(station, portal)
        // A repetition after it was seen takes no part either.
        #expect(try ask(portal, "a").status == 200)
        try pass(station, portal)
        for kept in [try id(card), try id(script), other] { #expect(try isThere(kept, station), "\(kept)") }
    }

    @Test("is deleted at once when the page gives it up, also before it is taken")
    func givenUp() throws {
        let (station, portal) = try open(Self.late)
        let made = try ask(portal, "a")
        #expect(try portal.ask("/v1/kiosk/cards/a", ["-X", "DELETE"]).status == 204)
        try isGone(try id(made), station)
        // In the countdown: konzad takes it, and it is deleted then.
        let counting = try ask(portal, "b", #"{"countdownSeconds":1}"#)
        #expect(counting.status == 202)
        #expect(try portal.ask("/v1/kiosk/cards/b", ["-X", "DELETE"]).status == 204)
        try isGone(try id(counting), station)
        // What the page said last has come first.
        #expect(try portal.ask("/v1/kiosk/cards/c", ["-X", "DELETE"]).status == 204)
        #expect(try ask(portal, "c").status == 409)
        // One that was seen is not given up any more.
        let seen = try ask(portal, "d")
        #expect(try see(portal, "d") == 204)
        #expect(try portal.ask("/v1/kiosk/cards/d", ["-X", "DELETE"]).status == 204)
        let last = try ask(portal, "e")
        #expect(try portal.ask("/v1/kiosk/cards/e", ["-X", "DELETE"]).status == 204)
        try isGone(try id(last), station)
        #expect(try isThere(try id(seen), station))
    }

    @Test(
        "is deleted when konzad makes it after the page has gone, whether or not the portal was killed meanwhile",
        arguments: [false, true])
    func silent(isKilled: Bool) throws {
        let (station, portal) = try open()
        let heard = try station.listen("postcard", seconds: 120)
        if isKilled {
            // konzad has begun: it does not notice that nobody waits any more.
            #expect(try ask(portal, "a", #"{"burstSeconds":2}"#, ["-m", "1"]).status == 0)
            try portal.killAndRestart()
        } else {
            kill(station.process.processIdentifier, SIGSTOP)
            #expect(try ask(portal, "a", "{}", ["-m", "2"]).status == 0)
            kill(station.process.processIdentifier, SIGCONT)
        }
        try waitUntil("what was made is deleted", seconds: 60) { heard.text.contains(#""state":"deleted""#) }
        let events = heard.stop()
        #expect(events.count { $0["state"] as? String == "kept" } == 1)
        #expect(try (station.get("/v1/postcards").json()["postcards"] as? [Any])?.isEmpty == true)
    }

    @Test(
        "is deleted when the browser, the portal and konzad are killed in its countdown or after it",
        arguments: [true, false])
    func killed(isCounting: Bool) throws {
        let (station, portal) = try open()
        let card = try id(try ask(portal, "a", isCounting ? #"{"countdownSeconds":1}"# : "{}"))
        try portal.killAndRestart()
        try isGone(card, station)
        // konzad, in the countdown of another one: nothing is made, and the portal goes on.
        let lost = try id(try ask(portal, "b", #"{"countdownSeconds":1}"#))
        kill(station.process.processIdentifier, SIGKILL)
        station.process.waitUntilExit()
        try portal.killAndRestart()
        try station.start()
        #expect(try !isThere(lost, station))
        try pass(station, portal)
    }

    @Test(
        "is kept when the page says that it was seen to a portal that was killed, and stays when that was killed after")
    func seenBetween() throws {
        let (station, portal) = try open("UnseenAfter=20")
        let card = try id(try ask(portal, "a"))
        try portal.killAndRestart()
        #expect(try see(portal, "a") == 204)
        try portal.killAndRestart()
        let other = try ask(portal, "b")
        #expect(try portal.ask("/v1/kiosk/cards/b", ["-X", "DELETE"]).status == 204)
        try isGone(try id(other), station)
        #expect(try isThere(card, station))
    }

    @Test(
        "says what is wrong with a wish that names no key, or another one",
        arguments: [
            ["-H", "Konza-Keep: when-seen"], ["-H", "Konza-Keep: when-seen", "-H", "Idempotency-Key: a b"],
            ["-H", "Konza-Keep: for-ever", "-H", "Idempotency-Key: a"],
        ])
    func refused(arguments: [String]) throws {
        let (station, portal) = try open()
        let answer = try portal.post("/v1/postcards", "{}", arguments)
        #expect(answer.status == 400)
        #expect(try (answer.json()["detail"] as? String)?.contains("Konza-Keep is when-seen") == true)
        #expect(try (station.get("/v1/postcards").json()["postcards"] as? [Any])?.isEmpty == true)
    }

    @Test("can be asked for by the key of its request, at konzad")
    func key() throws {
        let (station, _) = try open()
        func ask(_ key: String) throws -> Station.Reply { try station.get("/v1/postcards?key=\(key)") }
        let headers = ["Idempotency-Key: a"]
        let made = try station.post("/v1/postcards", "{}", headers: headers)
        let found = try #require(try ask("a").json()["postcards"] as? [[String: Any]])
        #expect(found.map { $0["id"] as? String } == [try made.json()["id"] as? String])
        #expect(try (ask("b").json()["postcards"] as? [Any])?.isEmpty == true)
        let counting = try station.post("/v1/postcards", #"{"countdownSeconds":2}"#, headers: ["Idempotency-Key: b"])
        #expect(counting.status == 202)
        #expect(try ask("b").status == 409)
        #expect(try station.get("/v1/postcards?key=a&limit=2").status == 400)
        let id = try #require(try made.json()["id"] as? String)
        #expect(try station.request("DELETE", "/v1/postcards/\(id)").status == 204)
        #expect(try (ask("a").json()["postcards"] as? [Any])?.isEmpty == true)
    }
}
