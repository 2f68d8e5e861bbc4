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
