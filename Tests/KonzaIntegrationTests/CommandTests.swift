import Foundation
import KonzaTesting
import Testing

@Suite("konza and konzad, the real programs")
struct CommandTests {
    @Test("konza shows the station, takes a postcard and never overwrites a file")
    func command() throws {
        let station = try Station()
        let konza = try Programs.path("konza").path
        func ask(_ arguments: String...) throws -> ProgramRun {
            try run(konza, ["--socket", station.socket] + arguments)
        }
        try waitUntil("a position is there", seconds: 20) { try ask("where").status == 0 }
        #expect(try ask("where").text.hasPrefix("(recorded) 39.1"))
        #expect(try ask("status").text.contains("Archive"))
        #expect(try ask("sky").text.contains("satellites used"))
        let card = station.folder.appendingPathComponent("card.jpg").path
        let taken = try ask("postcard", "--message", "From the terminal", "-o", card)
        #expect(taken.status == 0, "\(taken.errors)")
        #expect(try run("exiftool", ["-s3", "-UserComment", card]).text == "From the terminal\n")
        // EX_CANTCREAT: the file is there already, and the postcard of another visitor.
        #expect(try ask("postcard", "-o", card).status == 73)
        #expect(try ask("postcard", "--template", "nope").status == 66)
        #expect(try ask("wher").status == 64)
        #expect(try run(konza, ["--socket", "/nonexistent/konza.sock", "status"]).status == 69)
        let page = try ask("postcards", "--json").output
        #expect(try JSONSerialization.jsonObject(with: page) is [String: Any])
    }

    @Test("konza makes a collage of several pictures, and brings the animated picture of a burst")
    func collageAndBurst() throws {
        let station = try Station()
        let konza = try Programs.path("konza").path
        func ask(_ arguments: String...) throws -> ProgramRun {
            try run(konza, ["--socket", station.socket] + arguments)
        }
        let collage = try ask("postcard", "--shots", "3", "--countdown", "0", "--layout", "strip", "--json")
        #expect(collage.status == 0, "\(collage.errors)")
        #expect(collage.errors == "Picture 1 of 3\nPicture 2 of 3\nPicture 3 of 3\n")
        let card = try #require(try JSONSerialization.jsonObject(with: collage.output) as? [String: Any])
        #expect(card["layout"] as? String == "strip")
        #expect((card["shots"] as? [Any])?.count == 3)
        // EX_USAGE, before any picture is taken.
        #expect(try ask("postcard", "--layout", "grid").status == 64)
        #expect(try ask("postcard", "--shots", "2", "--labels").status == 64)
        #expect(try ask("postcard", "--shots", "5").status == 64)

        let film = station.folder.appendingPathComponent("film.webp").path
        let burst = try ask("postcard", "--burst", "1", "--json")
        let id = try #require(
            (try JSONSerialization.jsonObject(with: burst.output) as? [String: Any])?["id"] as? String)
        #expect(try ask("postcards", "get", id, "--animation", "-o", film).status == 0)
        #expect(try run("exiftool", ["-s3", "-MIMEType", film]).text == "image/webp\n")
        #expect(try ask("postcards", "get", id, "--animation", "--thumbnail").status == 64)
    }

    @Test("every template takes a message of the greatest length whole", arguments: ShippedTemplates.names)
    func longMessage(template: String) throws {
        let station = try Station()
        for letter in ["i", "n", "W"] {
            let words = String(repeating: String(repeating: letter, count: 7) + " ", count: 10).dropLast()
            let reply = try station.post("/v1/postcards", #"{"template":"\#(template)","message":"\#(words)"}"#)
            #expect(reply.status == 201, "\(template) \(letter): \(String(decoding: reply.body, as: UTF8.self))")
        }
        let marks = "e" + String(repeating: "\u{301}", count: 5000)
        #expect(try station.post("/v1/postcards", #"{"message":"\#(marks)"}"#).status == 400)
    }

    @Test("two daemons do not share one archive")
    func oneArchive() throws {
        let station = try Station()
        let other = station.folder.appendingPathComponent("other.conf")
        try """
        [General]
        State=\(station.folder.path)/state
        Socket=\(station.folder.path)/other.sock
        \(Station.recorded)
        """.write(to: other, atomically: true, encoding: .utf8)
        let outcome = try run(try Programs.path("konzad").path, ["--config", other.path], seconds: 20)
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("another konzad"))
    }

    @Test("the metrics are in Prometheus' text form and count what happened")
    func metrics() throws {
        let station = try Station()
        _ = try station.post("/v1/postcards")
        let page = try station.get("/metrics")
        #expect(page.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        let lines = String(decoding: page.body, as: UTF8.self).split(separator: "\n")
        let sample = /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+0-9.eInfNa]+/
        for line in lines where !line.hasPrefix("#") {
            #expect(line.wholeMatch(of: sample) != nil, "\(line)")
        }
        #expect(lines.contains { $0.hasPrefix("konza_stamping_total{") && $0.hasSuffix(" 1") })
    }
}
