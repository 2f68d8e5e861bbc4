import Foundation
import KonzaTesting
import Testing

@Suite("The gallery of what visitors agreed to show", .serialized)
struct PortalGalleryTests {
    /// A station with a gallery, and its portal.
    private func open(_ rule: String) throws -> (station: Station, portal: RunningPortal) {
        let station = try Station("\(Station.recorded)\n[Portal]\nGallery=\(rule)")
        return (station, try RunningPortal(station))
    }

    private func card(_ portal: RunningPortal, _ message: String) throws -> String {
        var id = ""
        try waitUntil("the kiosk takes a postcard", seconds: 30) {
            id = try portal.post("/v1/postcards", #"{"message":"\#(message)"}"#).json()["id"] as? String ?? ""
            return !id.isEmpty
        }
        return id
    }

    private func agree(_ portal: RunningPortal, _ id: String) throws -> RunningPortal.Answer {
        try portal.ask("/v1/gallery/\(id)", ["-X", "PUT"])
    }

    /// What everybody sees.
    private func shown(_ portal: RunningPortal) throws -> [String] {
        let cards = try portal.ask("/v1/gallery").json()["postcards"] as? [[String: Any]] ?? []
        return cards.compactMap { $0["id"] as? String }
    }

    /// Over the portal's socket, as rangers do.
    private func decide(_ portal: RunningPortal, _ id: String, _ state: String) throws -> Int {
        try portal.askOther(
            "http://localhost/v1/moderation/\(id)",
            [
                "--unix-socket", "\(portal.state)/portal.sock", "-X", "PATCH", "-H", "Content-Type: application/json",
                "-d", #"{"state":"\#(state)"}"#,
            ]
        ).status
    }

    @Test("has nothing that nobody agreed to, the picture of what somebody did, and no position")
    func consent() throws {
        let (station, portal) = try open("open")
        let kept = try card(portal, "mine")
        #expect(try shown(portal).isEmpty)
        #expect(try portal.ask("/v1/gallery/\(kept)/image.jpg").status == 404)
        #expect(try agree(portal, kept).json()["state"] as? String == "shown")
        let page = try portal.ask("/v1/gallery").json()
        let first = try #require((page["postcards"] as? [[String: Any]])?.first)
        #expect(first["id"] as? String == kept && first["message"] as? String == "mine")
        #expect(
            Set(first.keys) == ["id", "place", "message", "exposedAt", "width", "height", "links"]
                && page["next"] == nil)
        let links = try #require(first["links"] as? [String: String])
        #expect(
            try portal.ask(links["image"] ?? "").body == (try station.get("/v1/postcards/\(kept)/image.jpg").body))
        #expect(try portal.ask(links["thumbnail"] ?? "").status == 200)
        // Others' postcards cannot be shown by whoever did not take them.
        let other = try station.post("/v1/postcards").json()["id"] as? String ?? ""
        #expect(try agree(portal, other).status == 403)
        #expect(try agree(portal, "../x").status == 404)
        try portal.killAndRestart()
        #expect(try shown(portal) == [kept])
        // The visitor takes it back, and agrees once more.
        #expect(try portal.ask("/v1/gallery/\(kept)", ["-X", "DELETE"]).status == 204)
        #expect(try shown(portal).isEmpty)
        #expect(try portal.ask(links["image"] ?? "").status == 404)
        #expect(try agree(portal, kept).status == 200)
        // Deleted by its visitor, and by the station: gone at once.
        #expect(try portal.ask("/v1/postcards/\(kept)", ["-X", "DELETE"]).status == 204)
        #expect(try shown(portal).isEmpty && portal.ask(links["image"] ?? "").status == 404)
        #expect(try agree(portal, kept).status == 404)
        let second = try card(portal, "second")
        #expect(try agree(portal, second).status == 200)
        _ = try station.request("DELETE", "/v1/postcards/\(second)")
        #expect(try shown(portal).isEmpty)
        #expect(try portal.ask("/v1/gallery/\(second)/image.jpg").status == 404)
    }

    @Test("is a ranger's to hide and to show again")
    func moderated() throws {
        let (station, portal) = try open("open")
        defer { withExtendedLifetime(station) {} }
        let cards = try (0..<3).map { try card(portal, "\($0)") }
        for one in cards { #expect(try agree(portal, one).status == 200) }
        #expect(try decide(portal, cards[1], "hidden") == 200)
        #expect(try shown(portal) == [cards[2], cards[0]])
        #expect(try portal.ask("/v1/gallery/\(cards[1])/thumbnail.jpg").status == 404)
        #expect(try agree(portal, cards[1]).json()["state"] as? String == "hidden")
        let socket = ["--unix-socket", "\(portal.state)/portal.sock"]
        let all = try portal.askOther("http://localhost/v1/moderation", socket).json()
        let states = (all["postcards"] as? [[String: Any]])?.compactMap { $0["state"] as? String }
        #expect(states == ["shown", "hidden", "shown"])
        #expect(try decide(portal, cards[1], "shown") == 200)
        #expect(try decide(portal, cards[1], "waiting") == 400)
        #expect(try decide(portal, String(repeating: "0", count: 26), "hidden") == 404)
        // In pages.
        let first = try portal.ask("/v1/gallery?limit=2").json()
        let next = try #require(first["next"] as? String)
        let second = try portal.ask("/v1/gallery?limit=2&cursor=\(next)").json()["postcards"] as? [[String: Any]]
        #expect(second?.compactMap { $0["id"] as? String } == [cards[0]])
        for query in ["limit=0", "limit=49", "cursor=x", "cursor=-1", "more=1"] {
            #expect(try portal.ask("/v1/gallery?\(query)").status == 400, "\(query)")
        }
    }

    @Test("shows what a ranger approved, where that comes first, and is not there where it is off")
    func rules() throws {
        let (station, portal) = try open("approved")
        defer { withExtendedLifetime(station) {} }
        let one = try card(portal, "one")
        #expect(try agree(portal, one).json()["state"] as? String == "waiting")
        #expect(try shown(portal).isEmpty && portal.ask("/v1/gallery/\(one)/image.jpg").status == 404)
        #expect(try decide(portal, one, "shown") == 200)
        #expect(try shown(portal) == [one])
        #expect(try portal.ask("/v1/session").json()["gallery"] as? String == "approved")
        let (other, without) = try open("off")
        defer { withExtendedLifetime(other) {} }
        let two = try card(without, "two")
        #expect(try agree(without, two).status == 404)
        #expect(try without.ask("/v1/gallery").status == 404)
    }
}
