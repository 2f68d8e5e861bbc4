import Foundation
import KonzaTesting
import Testing

@Suite("Who is still out, over the portal", .serialized)
struct TripTests {
    private func ask(
        _ portal: RunningPortal, _ method: String, _ path: String, _ body: String? = nil, _ fields: [String] = []
    )
        throws -> RunningPortal.Answer
    {
        try portal.askOther(
            "http://localhost\(path)",
            ["--unix-socket", "\(portal.state)/portal.sock", "-X", method] + fields.flatMap { ["-H", $0] }
                + (body.map { ["-H", "Content-Type: application/json", "-d", $0] } ?? []))
    }

    private func time(_ seconds: Double) -> String {
        ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: seconds))
    }

    private func wish(_ leader: String, in seconds: Double) -> String {
        #"{"leader":"\#(leader)","party":["Ben"],"destination":"20B","route":["Nature Trail"],"vehicle":"truck","contact":{"name":"Eve","phone":"+1 785"},"expectedAt":"\#(time(seconds))","place":{"latitude":39.1,"longitude":-96.6}}"#
    }

    @Test("a party signs out at the kiosk, is on the list, extends, and is back, through a kill after each step")
    func steps() throws {
        let station = try Station(Station.recorded)
        let portal = try RunningPortal(station)
        let key = ["-H", "Idempotency-Key: k1"]
        let made = try portal.post("/v1/trips", wish("Ana Maria Muñoz", in: 7200), key)
        #expect(made.status == 201)
        let path = try #require(made.field("location"))
        try portal.killAndRestart()
        #expect(
            try portal.post("/v1/trips", wish("Ana Maria Muñoz", in: 7200), key).field("location") == path,
            "Enter twice")
        let list = try ask(portal, "GET", "/v1/trips").json()
        #expect(list["out"] as? Int == 1 && list["people"] as? Int == 2 && list["isReported"] as? Bool == false)
        let row = try #require((list["trips"] as? [[String: Any]])?.first)
        #expect(row["destination"] as? String == "20B" && row["state"] as? String == "out")
        // At the kiosk the names are there to say "I am back", and nothing else.
        let kiosk = try #require(try portal.ask("/v1/trips").json()["trips"] as? [[String: Any]])
        #expect(
            kiosk.first?["leader"] as? String == "Ana M." && kiosk.first?["contact"] == nil
                && kiosk.first?["destination"] == nil)
        #expect((kiosk.first?["party"] as? [String])?.isEmpty == true)
        #expect(try portal.ask(path).status == 403 && portal.ask("/v1/trips?state=returned").status == 403)
        let later = time(10_000)
        #expect(try portal.post("\(path)/extend", #"{"expectedAt":"\#(later)","by":"Ana"}"#).status == 200)
        try portal.killAndRestart()
        let kept = try ask(portal, "GET", path).json()
        #expect((kept["expectedAt"] as? String)?.prefix(19) == later.prefix(19))
        #expect((kept["events"] as? [[String: Any]])?.compactMap { $0["who"] as? String } == ["kiosk", "Ana"])
        #expect(try ask(portal, "POST", "\(path)/acknowledge", "{}").status == 409, "it is not overdue")
        #expect(try portal.post("\(path)/return", #"{"how":"on foot"}"#).status == 200)
        try portal.killAndRestart()
        #expect(
            try portal.post("\(path)/return", "{}").json()["endedHow"] as? String == "on foot", "said again, the same")
        #expect(try ask(portal, "GET", "/v1/trips").json()["out"] as? Int == 0)
        #expect(try (ask(portal, "GET", "/v1/trips?state=returned").json()["trips"] as? [Any])?.count == 1)
        #expect(try portal.post("\(path)/extend", #"{"expectedAt":"\#(later)"}"#).status == 409)
    }

    @Test("overdue is raised while the portal was killed, once, and konza says that nobody outside was told")
    func overdue() throws {
        let station = try Station(
            "\(Station.recorded)\n[Trips]\nOfficerAfter=0\nContactsAfter=0\nSheriffAfter=0\nSheriff=Riley County 911\nOfficer=o@example.org\n[Courier]\nMailServer=smtp://127.0.0.1:9\nMailFrom=s@example.org"
        )
        let portal = try RunningPortal(station)
        let path = try #require(try portal.post("/v1/trips", wish("Ana", in: 2)).field("location"))
        try portal.killAndRestart()
        try waitUntil("the trip is overdue", seconds: 30) {
            try ask(portal, "GET", path).json()["waitingMessages"] as? Int == 1
        }
        for _ in 0..<2 { try portal.killAndRestart() }
        let messages = try ask(portal, "GET", "/v1/messages").json()
        #expect(messages["waiting"] as? Int == 1)
        let one = try #require((messages["messages"] as? [[String: Any]])?.first)
        #expect(
            one["subject"] as? String == "Konza Prairie: overdue: Ana"
                || (one["subject"] as? String)?.hasSuffix("overdue: Ana / con retraso: Ana") == true)
        let outcome = try run(
            try Programs.path("konza").path, ["trips", "--socket", "\(station.folder.path)/konza.sock"])
        #expect(
            outcome.text.contains("Nobody outside the station was told.") && outcome.text.contains("Riley County 911"))
        #expect(outcome.text.contains("call for a search"), "\(outcome.text) \(outcome.errors)")
        #expect(try ask(portal, "POST", "\(path)/acknowledge", #"{"by":"Ben"}"#).status == 409, "one of the party")
        #expect(
            try ask(portal, "POST", "\(path)/acknowledge", #"{"by":"Zoe"}"#).json()["acknowledgedBy"] as? String
                == "Zoe")
        #expect(try ask(portal, "GET", path).json()["state"] as? String == "overdue", "no time ends a trip")
        #expect(try portal.post("\(path)/return", "").status == 200)
    }

    @Test("overdue, with a webhook taken out of the settings, leave no message waiting; what is missing is said")
    func unsetWebhook() throws {
        let settings = "\(Station.recorded)\n[Trips]\nOfficerAfter=0\n[Courier]\nWebhook="
        let station = try Station("\(settings)http://127.0.0.1:9/hook")
        let portal = try RunningPortal(station)
        let path = try #require(try portal.post("/v1/trips", wish("Ana", in: 2)).field("location"))
        func messages() throws -> (waiting: Int?, state: String?, failure: String?) {
            let reply = try ask(portal, "GET", "/v1/messages").json()
            let one = (reply["messages"] as? [[String: Any]])?.first
            return (reply["waiting"] as? Int, one?["state"] as? String, one?["failure"] as? String)
        }
        try waitUntil("the message is written", seconds: 30) { try messages().waiting == 1 }
        try station.reconfigure(settings)
        try portal.killAndRestart()
        try waitUntil("nothing waits", seconds: 30) { try messages().waiting == 0 }
        #expect(try messages() == (0, "given-up", "no webhook is set: [Courier] Webhook="))
        #expect(try ask(portal, "GET", path).json()["waitingMessages"] as? Int == 0)
        let health = try ask(portal, "GET", "/health").json()
        #expect("\(health["faults"] ?? "")".contains("the last one to the webhook: no webhook is set"), "\(health)")
        try station.reconfigure("\(settings)http://127.0.0.1:9/hook")
        try portal.killAndRestart()
        try waitUntil("it waits again", seconds: 30) { try messages() == (1, "waiting", nil) }
    }

    @Test("made by somebody who signed in carries the account, and none of the party acknowledges it under theirs")
    func accounts() throws {
        let station = try Station(
            "\(Station.recorded)\n[Portal]\nLoopback=kiosk\n[Trips]\nOfficerAfter=0\nContactsAfter=0\nSheriffAfter=0")
        let portal = try RunningPortal(station)
        let ana = try portal.addPerson("Ana Reyes")
        let ben = try portal.addPerson("Ben Okafor")
        let zoe = try portal.addPerson("Zoe Hill")
        var screen = PersonBrowser(portal: portal)
        try screen.signIn(#"{"name":"Ana Reyes","pin":"\#(ana.pin)"}"#)
        // Signed in at the kiosk one is the crew, and is named as one is.
        #expect(
            try screen.send("POST", "/v1/trips", wish("Kim", in: 2).replacing("}}", with: #"},"by":"Zoe"}"#)).status
                == 400)
        let made = try screen.send(
            "POST", "/v1/trips", wish("Kim Berg", in: 2).replacing(#"["Ben"]"#, with: #"["ben okafor"]"#))
        #expect(made.status == 201)
        #expect(try made.json()["startedBy"] as? String == "Ana Reyes" && made.json()["person"] as? Int == ana.number)
        #expect(try made.json()["isOwn"] as? Bool == true && made.json()["destination"] as? String == "20B")
        let path = try #require(made.field("location"))
        try portal.killAndRestart()
        try waitUntil("the trip is overdue", seconds: 30) {
            try ask(portal, "GET", path).json()["overdue"] as? String == "search"
        }
        // Nobody signed in: a name is needed, and none of the party's.
        let nobody = PersonBrowser(portal: portal)
        #expect(try nobody.send("POST", "\(path)/acknowledge").status == 400)
        for name in ["Kim", "Kim Berg", "kim b.", "Ben", "Ben Okafor", "Ana Reyes"] {
            #expect(try nobody.send("POST", "\(path)/acknowledge", #"{"by":"\#(name)"}"#).status == 409, "\(name)")
        }
        // By their own accounts, which they cannot lend another name.
        for (name, pin) in [("Ana Reyes", ana.pin), ("Ben Okafor", ben.pin)] {
            var own = PersonBrowser(portal: portal)
            try own.signIn(#"{"name":"\#(name)","pin":"\#(pin)"}"#)
            #expect(try own.send("POST", "\(path)/acknowledge").status == 409, "\(name)")
            #expect(try own.send("POST", "\(path)/acknowledge", #"{"by":"Zoe Hill"}"#).status == 400, "\(name)")
        }
        var other = PersonBrowser(portal: portal)
        #expect(try other.signIn(#"{"name":"Zoe Hill","pin":"\#(zoe.pin)"}"#).status == 201)
        let cared = try other.send("POST", "\(path)/acknowledge")
        #expect(
            try cared.json()["acknowledgedBy"] as? String == "Zoe Hill",
            "\(String(decoding: cared.body, as: UTF8.self))")
        let events = try #require(try ask(portal, "GET", path).json()["events"] as? [[String: Any]])
        #expect(events.first?["person"] as? Int == ana.number && events.last?["person"] as? Int == zoe.number)
        // Whoever comes back says so, with or without an account.
        #expect(try nobody.send("POST", "\(path)/return").status == 200)
    }

    @Test("is refused with every fault named, and konza signs out, extends and returns")
    func command() throws {
        let station = try Station(Station.recorded)
        let portal = try RunningPortal(station)
        for (body, words) in [
            ("{}", "/leader"), (wish("A", in: -60), "/expectedAt"),
            (wish("A", in: 1001 * 3600), "/expectedAt (must be at most 1000 hours from now"),
            (#"{"leader":"A","destination":"x","expectedAt":"soon"}"#, "/expectedAt"),
            (#"{"leader":"A","destination":"x","expectedAt":"\#(time(60))","party":"B"}"#, "/party"),
            (
                #"{"leader":"A","destination":"x","expectedAt":"\#(time(60))","contact":{"email":"x"}}"#,
                "/contact/email"
            ),
            (
                #"{"leader":"A","destination":"x","expectedAt":"\#(time(60))","place":{"latitude":91}}"#,
                "/place/latitude"
            ),
            (#"{"leader":"A","destination":"x","expectedAt":"\#(time(60))","hours":2}"#, "/hours"),
            (
                #"{"leader":"A","destination":"x","expectedAt":"\#(time(60))","contact":{"language":"fr"}}"#,
                "/contact/language (expected en or es)"
            ),
        ] {
            let answer = try ask(portal, "POST", "/v1/trips", body)
            #expect([400, 422].contains(answer.status), "\(body)")
            #expect((try answer.json()["detail"] as? String)?.contains(words) == true, "\(body)")
        }
        func konza(_ arguments: String...) throws -> String {
            let outcome = try run(
                try Programs.path("konza").path, arguments + ["--socket", "\(station.folder.path)/konza.sock"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.text
        }
        let text = try konza(
            "trips", "start", "--leader", "Ana", "--with", "Ben", "--with", "Kim", "--to", "20B", "--in", "4")
        let id = String(try #require(text.split(separator: " ").first))
        #expect(try konza("trips").contains("Ana and 2 more  20B") && konza("trips").contains("1 party out, 3 people"))
        #expect(try konza("trips", "extend", id, "--in", "6", "--by", "radio").contains("is expected"))
        #expect(try konza("trips", "show", id).contains("extended by radio"))
        #expect(try konza("trips", "return", id).contains("is back."))
        #expect(try konza("trips").contains("Nobody is out.") && konza("trips", "--returned").contains("Ana"))
        #expect(try konza("trips", "messages").contains("0 wait to be sent"))
        // Words that are no trail are kept, and said to be none.
        let trails = try #require(try ask(portal, "GET", "/v1/trails").json()["trails"] as? [[String: Any]])
        let trail = try #require(trails.first?["name"] as? String)
        let told = try konza(
            "trips", "start", "--leader", "Eva", "--to", "20B", "--route", trail.uppercased(), "--route",
            "the old road",
            "--in", "4", "--contact", "Luz", "--email", "luz@example.org", "--language", "es")
        let words = "\"the old road\" is no trail of the station's network: it is kept as it was written."
        #expect(told.contains(words) && !told.contains("\(trail.uppercased())\" is no trail"), "\(told)")
        let other = String(try #require(told.split(separator: " ").first))
        #expect(try konza("trips", "show", other).contains(words))
        let contact = try ask(portal, "GET", "/v1/trips/\(other)").json()["contact"] as? [String: Any]
        #expect(contact?["language"] as? String == "es")
    }

    @Test("of a removed account say so, and nothing of the name is in the portal's database while it runs")
    func removed() throws {
        let station = try Station(Station.recorded)
        let portal = try RunningPortal(station)
        _ = try portal.addPerson("Eva Quellenstein")
        let made = try portal.post("/v1/trips", wish("Eva Quellenstein", in: 7200))
        let path = try #require(made.field("location"))
        #expect(try portal.post("\(path)/return", #"{"by":"Eva Quellenstein"}"#).status == 200)
        #expect(try portal.konza(["people", "remove", "Eva Quellenstein"]).status == 0)
        #expect(try ask(portal, "GET", path).json()["leader"] as? String == "removed person 1")
        func files(with words: [String]) throws -> [String] {
            try ["portal.db", "portal.db-wal"].filter { name in
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(portal.state)/\(name)"))
                return words.contains { bytes.range(of: Data($0.utf8)) != nil }
            }
        }
        #expect(try files(with: ["Quellenstein", "quellenstein"]).isEmpty)
        // A party that is out keeps the name, and not a moment longer.
        _ = try portal.addPerson("Ida Birkenfeld")
        let out = try #require(try portal.post("/v1/trips", wish("Ida Birkenfeld", in: 7200)).field("location"))
        #expect(try portal.konza(["people", "remove", "Ida Birkenfeld"]).status == 0)
        #expect(try !files(with: ["Birkenfeld"]).isEmpty)
        #expect(try portal.post("\(out)/return", #"{"by":"Ben"}"#).status == 200)
        #expect(try files(with: ["Birkenfeld", "birkenfeld"]).isEmpty)
    }
}
