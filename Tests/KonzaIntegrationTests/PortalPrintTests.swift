import Foundation
import KonzaTesting
import Testing

@Suite("The portal's printer", .serialized)
struct PortalPrintTests {
    let station: Station

    @Test("prints a postcard of the kiosk's as it is on the disk, tells how far it is, and cancels")
    func prints() throws {
        let printer = try RealPrinter(.prints)
        let station = try Station("\(Station.recorded)\n[Printing]\nPrinter=\(printer.uri)\nCopies=2")
        let portal = try RunningPortal(station)
        let card = try self.card(portal)
        try waitUntil("the printer is ready", seconds: 20) {
            try portal.ask("/v1/printer").json()["state"] as? String == "ready"
        }
        let about = try portal.ask("/v1/printer").json()
        #expect(about["configured"] as? Bool == true && about["canPrint"] as? Bool == true)
        #expect(about["copies"] as? Int == 2 && about["model"] as? String == "Example Printer")
        let body = #"{"postcard":"\#(card)","copies":2}"#
        let asked = try portal.post("/v1/prints", body, ["-H", "Idempotency-Key: a"])
        #expect(asked.status == 202)
        let place = try #require(asked.field("location"))
        try waitUntil("it is printed", seconds: 20) { try portal.ask(place).json()["state"] as? String == "done" }
        let done = try portal.ask(place).json()
        #expect(done["printed"] as? Int == 2 && done["left"] as? Int == 0)
        #expect(Data(printer.picture) == (try station.get("/v1/postcards/\(card)/image.jpg").body))
        // Again: the same answer, and not another sheet.
        let again = try portal.post("/v1/prints", body, ["-H", "Idempotency-Key: a"])
        #expect(again.status == 200 && again.field("location") == place)
        let more = try portal.post("/v1/prints", body, ["-H", "Idempotency-Key: b"])
        let kind = try more.json()["kind"] as? String
        #expect(more.status == 409 && kind == "conflict")
        #expect(printer.printed.count == 2)
        // One that is stuck at the printer is cancelled.
        try printer.set(.isOutOfPaper)
        let second = try self.card(portal)
        let stuck = try #require(try portal.post("/v1/prints", #"{"postcard":"\#(second)"}"#).field("location"))
        try waitUntil("paper is missed", seconds: 20) {
            try portal.ask("/v1/printer").json()["state"] as? String == "paper-out"
        }
        let refused = try portal.post("/v1/prints", #"{"postcard":"\#(second)"}"#)
        let detail = try refused.json()["detail"] as? String ?? ""
        #expect(refused.status == 503 && detail.contains("put in paper"))
        // That is told with what to do, and makes the portal no worse than degraded: visitors are served.
        let health = try portal.ask("/health")
        let faults = try health.json()["faults"] as? [[String: String]] ?? []
        #expect(try health.status == 200 && health.json()["status"] as? String == "degraded")
        #expect(faults.map { $0["code"] } == ["printer"])
        #expect(faults.first?["what"]?.hasPrefix("the printer is halted: ") == true)
        #expect(faults.first?["remedy"]?.contains("put in paper") == true)
        #expect(try portal.ask(stuck, ["-X", "DELETE"]).json()["state"] as? String == "cancelling")
        try waitUntil("the job is cancelled at the printer", seconds: 20) {
            printer.endCommands()
            return try portal.ask(stuck).json()["state"] as? String == "cancelled"
        }
    }

    @Test("lists the open prints for a ranger, who cancels one that waits behind another")
    func cancelled() throws {
        let printer = try RealPrinter(.waits)
        let station = try Station("\(Station.recorded)\n[Printing]\nPrinter=\(printer.uri)")
        let portal = try RunningPortal(station)
        func onBox(_ path: String, _ arguments: [String] = []) throws -> RunningPortal.Answer {
            try portal.askOther(
                "http://localhost\(path)", ["--unix-socket", "\(portal.state)/portal.sock"] + arguments)
        }
        let cards = [try card(portal), try card(portal)]
        let places = try cards.map { card in
            try #require(try portal.post("/v1/prints", #"{"postcard":"\#(card)"}"#).field("location"))
        }
        try waitUntil("the first is at the printer", seconds: 20) {
            try portal.ask(places[0]).json()["state"] as? String == "printing"
        }
        // A kiosk is told of its own alone.
        #expect(try portal.ask("/v1/prints").status == 403)
        let open = try onBox("/v1/prints").json()["prints"] as? [[String: Any]] ?? []
        #expect(open.map { $0["postcard"] as? String } == cards)
        #expect(open.map { $0["state"] as? String } == ["printing", "waiting"])
        #expect(open.map { $0["before"] as? Int } == [0, 1])
        #expect(try onBox(places[1], ["-X", "DELETE"]).json()["state"] as? String == "cancelled")
        #expect(FileManager.default.createFile(atPath: "\(printer.folder.path)/go", contents: nil))
        try waitUntil("the first is printed", seconds: 20) {
            try portal.ask(places[0]).json()["state"] as? String == "done"
        }
        #expect((try onBox("/v1/prints").json()["prints"] as? [[String: Any]] ?? []).isEmpty)
        #expect(printer.printed.count == 1)
        #expect(try portal.ask(places[1]).json()["printed"] as? Int == 0)
    }

    @Test("cancels what waits of a postcard when that is deleted, by the kiosk or behind the portal's back")
    func deleted() throws {
        let printer = try RealPrinter(.waits)
        let station = try Station("\(Station.recorded)\n[Printing]\nPrinter=\(printer.uri)")
        let portal = try RunningPortal(station)
        let cards = [try card(portal), try card(portal), try card(portal)]
        let places = try cards.map { card in
            try #require(try portal.post("/v1/prints", #"{"postcard":"\#(card)"}"#).field("location"))
        }
        func state(_ index: Int) throws -> String? { try portal.ask(places[index]).json()["state"] as? String }
        try waitUntil("the first is at the printer", seconds: 20) { try state(0) == "printing" }
        #expect(try portal.ask("/v1/postcards/\(cards[1])", ["-X", "DELETE"]).status == 204)
        #expect(try state(1) == "cancelled")
        #expect(try station.request("DELETE", "/v1/postcards/\(cards[2])").status == 204)
        try waitUntil("the other is cancelled", seconds: 20) { try state(2) == "cancelled" }
        #expect(try portal.ask(places[2]).json()["reason"] as? String == "the postcard was deleted")
        #expect(try state(0) == "printing", "that of another card goes on")
        #expect(FileManager.default.createFile(atPath: "\(printer.folder.path)/go", contents: nil))
        try waitUntil("it is printed", seconds: 20) { try state(0) == "done" }
        #expect(printer.printed.count == 1)
    }

    @Test("is emptied by konza printer: what waits is listed by its ids, and cancelled by one of them or all at once")
    func emptied() throws {
        let printer = try RealPrinter(.waits)
        let station = try Station("\(Station.recorded)\n[Printing]\nPrinter=\(printer.uri)")
        let portal = try RunningPortal(station)
        func konza(_ words: String...) throws -> ProgramRun {
            try run(
                try Programs.path("konza").path,
                ["printer"] + words + ["--socket", "\(station.folder.path)/konza.sock"],
                input: Data())
        }
        #expect(try konza("list").text == "Nothing waits for the printer.\n")
        #expect(try konza("cancel", "all").text == "Nothing waits for the printer.\n")
        let cards = try (0..<4).map { _ in try card(portal) }
        let places = try cards.map { card in
            try #require(try portal.post("/v1/prints", #"{"postcard":"\#(card)"}"#).field("location"))
        }
        let ids = places.map { String($0.dropFirst("/v1/prints/".count)) }
        try waitUntil("the first is at the printer", seconds: 20) {
            try portal.ask(places[0]).json()["state"] as? String == "printing"
        }
        #expect(try konza().text.contains("waiting  4  (konza printer list)"))
        let rows = try konza("list").text.split(separator: "\n").dropFirst().map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(rows.map(\.first) == ids && rows.map(\.last) == cards)
        #expect(rows.map { $0[1] } == ["printing", "waiting", "waiting", "waiting"])
        // One by its id: the others are as they were. Once more: it had ended, and that is no success.
        let one = try konza("cancel", ids[1])
        #expect(one.status == 0 && one.text == "\(ids[1]) is cancelled: 0 of 1 sheet came out.\n")
        #expect(try konza("cancel", ids[1]).status == 0)
        #expect(try konza("cancel", "all", ids[2]).status == 64)
        #expect(try konza("cancel", String(ids[2].reversed())).status == 66)
        #expect(try konza("list").text.contains(ids[2]))
        // One that is none keeps no other waiting.
        let mixed = try konza("cancel", ids[3], String(ids[2].reversed()))
        #expect(mixed.status == 66 && mixed.text.contains("\(ids[3]) is cancelled"))
        let all = try konza("cancel", "all")
        #expect(all.status == 0)
        #expect(all.text.contains("\(ids[2]) is cancelled") && all.text.contains("\(ids[0]) is being cancelled"))
        // The sheet under way comes out, and no other.
        #expect(FileManager.default.createFile(atPath: "\(printer.folder.path)/go", contents: nil))
        try waitUntil("nothing waits", seconds: 20) { try konza("list").text == "Nothing waits for the printer.\n" }
        #expect(printer.printed.count == 1)
        // What came out cannot be cancelled, which is said and is no success.
        try printer.set(.prints)
        let last = try #require(try portal.post("/v1/prints", #"{"postcard":"\#(cards[1])"}"#).field("location"))
        try waitUntil("it is printed", seconds: 30) { try portal.ask(last).json()["state"] as? String == "done" }
        #expect(
            try konza("cancel", "all", "--json").text.split(whereSeparator: \.isWhitespace).joined()
                == #"{"prints":[]}"#)
        let late = try konza("cancel", String(last.dropFirst("/v1/prints/".count)))
        #expect(late.status == 65 && late.text.contains("had ended before (done): 1 of 1 sheet came out"))
    }

    @Test("killed while it prints, the portal goes on at its next start and prints nothing twice")
    func killed() throws {
        let printer = try RealPrinter(.waits)
        let station = try Station("\(Station.recorded)\n[Printing]\nPrinter=\(printer.uri)")
        let portal = try RunningPortal(station)
        let card = try self.card(portal)
        let body = #"{"postcard":"\#(card)","copies":2}"#
        let place = try #require(try portal.post("/v1/prints", body, ["-H", "Idempotency-Key: a"]).field("location"))
        try waitUntil("it is printing", seconds: 20) { try portal.ask(place).json()["state"] as? String == "printing" }
        try portal.killAndRestart()
        #expect(try portal.ask(place).json()["state"] as? String == "printing")
        #expect(FileManager.default.createFile(atPath: "\(printer.folder.path)/go", contents: nil))
        try waitUntil("it is printed", seconds: 30) { try portal.ask(place).json()["state"] as? String == "done" }
        #expect(printer.printed.count == 2 && Set(printer.printed).count == 2)
        try portal.killAndRestart()
        #expect(try portal.ask(place).json()["printed"] as? Int == 2)
        #expect(printer.printed.count == 2)
    }

    @Test("prints nothing that the kiosk may not show, takes no other body, and without a printer says so")
    func refusals() throws {
        let portal = try RunningPortal(station)
        #expect(try portal.ask("/v1/printer").json()["configured"] as? Bool == false)
        let card = try self.card(portal)
        #expect(try portal.post("/v1/prints", #"{"postcard":"\#(card)"}"#).status == 404)
        let printer = try RealPrinter(.prints)
        let other = try Station("\(Station.recorded)\n[Printing]\nPrinter=\(printer.uri)")
        let printing = try RunningPortal(other)
        var foreign = ""
        try waitUntil("the station takes a postcard", seconds: 30) {
            foreign = try other.post("/v1/postcards").json()["id"] as? String ?? ""
            return !foreign.isEmpty
        }
        for (body, status) in [
            (#"{"postcard":"\#(foreign)"}"#, 403), (#"{"postcard":"../../x"}"#, 400), (#"{"copies":1}"#, 400),
            ("[]", 400),
            (#"{"postcard":"\#(foreign)","copies":3}"#, 400), (#"{"postcard":"\#(foreign)","copies":0}"#, 400),
            (#"{"postcard":"\#(foreign)","more":1}"#, 400),
        ] {
            #expect(try printing.post("/v1/prints", body).status == status, "\(body)")
        }
        #expect(
            try printing.ask("/v1/prints", ["-X", "POST", "-H", "Content-Type: text/plain", "-d", "{}"]).status == 415)
        #expect(try printing.ask("/v1/prints/01ksr49200ztqmw9m65x2rdp08").status == 404)
        // A kiosk is no ranger.
        #expect(try printing.post("/v1/printer/resume", "{}").status == 403)
        #expect(printer.printed.isEmpty)
    }

    init() throws { station = try Station(Station.recorded) }

    private func card(_ portal: RunningPortal) throws -> String {
        var id = ""
        try waitUntil("the kiosk takes a postcard", seconds: 30) {
            id = try portal.post("/v1/postcards", "{}").json()["id"] as? String ?? ""
            return !id.isEmpty
        }
        return id
    }
}
