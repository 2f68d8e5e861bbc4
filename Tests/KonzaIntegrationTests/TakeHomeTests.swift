import Foundation
import KonzaTesting
import Testing

@Suite("A postcard that goes home on a telephone", .serialized)
struct TakeHomeTests {
    let station: Station
    let portal: RunningPortal
    private let address: String

    init() throws {
        address = "127.0.0.1:\(try freeLoopbackPort())"
        station = try Station(
            "\(Station.recorded)\n[Portal]\nTakeHome=\(address)\nWiFiName=Konza; guests\nWiFiPassword=tall\"grass")
        portal = try RunningPortal(station)
    }

    private func takePostcard() throws -> String {
        let made = try portal.post("/v1/postcards", #"{"message":"Hello"}"#)
        return String(try #require(made.field("location")?.split(separator: "/").last))
    }

    private func share(_ id: String) throws -> [String: Any] {
        let answer = try portal.post("/v1/shares", #"{"postcard":"\#(id)"}"#)
        #expect(answer.status == 201)
        return try answer.json()
    }

    /// What a telephone asks for.
    private func fetch(_ url: String, _ arguments: [String] = []) throws -> RunningPortal.Answer {
        try portal.askOther(url, arguments)
    }

    @Test("is the very picture, on a page without script and as a file, in the telephone's language")
    func picture() throws {
        let id = try takePostcard()
        let link = try #require((try share(id)["link"] as? [String: Any])?["text"] as? String)
        #expect(link.hasPrefix("http://\(address)/t/"))
        let page = try fetch(link, ["-H", "Accept-Language: es-MX,es;q=0.9"])
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(page.status == 200 && text.contains("<html lang=\"es\">") && text.contains("Su postal"))
        #expect(!text.contains("<script") && page.field("set-cookie") == nil)
        let picture = try fetch("\(link)/postcard.jpg")
        #expect(picture.body == (try station.get("/v1/postcards/\(id)/image.jpg").body))
        #expect(
            try fetch("\(link)/postcard.jpg?download=yes").field("content-disposition")?.hasPrefix("attachment") == true
        )
        #expect(try fetch("http://\(address)/pages/style/take-home.css").status == 200)
        // A link that was given goes on after a restart.
        try portal.killAndRestart()
        #expect(try fetch(link).status == 200)
    }

    @Test("is over when its postcard is deleted, at the station too, and no other link or print of it is made")
    func deleted() throws {
        let id = try takePostcard()
        let link = try #require((try share(id)["link"] as? [String: Any])?["text"] as? String)
        #expect(try station.request("DELETE", "/v1/postcards/\(id)").status == 204)
        let page = try fetch(link)
        #expect(page.status == 404 && String(decoding: page.body, as: UTF8.self).contains("This link is over"))
        #expect(try fetch("\(link)/postcard.jpg").status == 404)
        #expect(try portal.post("/v1/shares", #"{"postcard":"\#(id)"}"#).status == 404)
    }

    @Test("cannot be guessed: after 20 links that lead nowhere an address waits, for the right one, too")
    func guessing() throws {
        let link = try #require((try share(try takePostcard())["link"] as? [String: Any])?["text"] as? String)
        for number in 0..<20 {
            let guess = String(repeating: String(number % 10), count: 32)
            let path = ["", "/postcard.jpg", "/postcard.webp"][number % 3]
            #expect(try fetch("http://\(address)/t/\(guess)\(path)").status == 404)
        }
        let page = try fetch(link)
        #expect(page.status == 429 && (1...60).contains(Int(page.field("retry-after") ?? "") ?? 0))
        #expect(String(decoding: page.body, as: UTF8.self).contains("Please wait a minute"))
        let picture = try fetch("\(link)/postcard.jpg")
        #expect(picture.status == 429 && String(decoding: picture.body, as: UTF8.self).contains("too-many-requests"))
        #expect(try fetch(link, ["--interface", "127.0.0.9"]).status == 200, "another telephone does not wait")
    }

    @Test("moves where a burst was taken, and stands still for whoever wants little motion")
    func animation() throws {
        let made = try portal.post("/v1/postcards", #"{"burstSeconds":1}"#)
        let id = String(try #require(made.field("location")?.split(separator: "/").last))
        let link = try #require((try share(id)["link"] as? [String: Any])?["text"] as? String)
        let text = String(decoding: try fetch(link).body, as: UTF8.self)
        #expect(text.contains("prefers-reduced-motion: reduce") && text.contains("/postcard.webp\""))
        let file = try fetch("\(link)/postcard.webp")
        #expect(file.body == (try station.get("/v1/postcards/\(id)/animation").body))
        #expect(file.field("content-type") == "image/webp")
        let plain = try #require((try share(try takePostcard())["link"] as? [String: Any])?["text"] as? String)
        #expect(!String(decoding: try fetch(plain).body, as: UTF8.self).contains(".webp"))
        #expect(try fetch("\(plain)/postcard.webp").status == 404)
    }

    @Test("says which network to join, in a code that telephones understand")
    func network() throws {
        let share = try share(try takePostcard())
        let network = try #require(share["network"] as? [String: Any])
        let code = try #require(network["code"] as? [String: Any])
        #expect(code["text"] as? String == #"WIFI:T:WPA;S:Konza\; guests;P:tall\"grass;;"#)
        // What the rows show, a reader of codes reads.
        let rows = try #require((share["link"] as? [String: Any])?["qr"] as? [String])
        let file = "\(station.folder.path)/code.pbm"
        let edge = rows.count + 8
        let blank = String(repeating: "0", count: edge)
        let padded = [blank, blank, blank, blank] + rows.map { "0000\($0)0000" } + [blank, blank, blank, blank]
        let large = padded.flatMap { row in
            Array(repeating: row.map { String(repeating: String($0), count: 8) }.joined(), count: 8)
        }
        try "P1\n\(edge * 8) \(edge * 8)\n\(large.joined(separator: "\n"))\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let read = try run("zbarimg", ["-q", "--raw", file]).text
        #expect(
            read.trimmingCharacters(in: .whitespacesAndNewlines) == (share["link"] as? [String: Any])?["text"]
                as? String)
    }

    @Test("is gone when its visitor deletes it, and nobody guesses a link")
    func gone() throws {
        let id = try takePostcard()
        let link = try #require((try share(id)["link"] as? [String: Any])?["text"] as? String)
        let guess = link.dropLast() + (link.hasSuffix("0") ? "1" : "0")
        #expect(try fetch(String(guess)).status == 404)
        #expect(try portal.ask("/v1/postcards/\(id)", ["-X", "DELETE"]).status == 204)
        #expect(try fetch("\(link)/postcard.jpg").status == 404)
    }

    @Test("is given for the visitor's own postcards alone, and nothing else is at that address")
    func narrow() throws {
        let other = try station.post("/v1/postcards").json()["id"] as? String ?? ""
        #expect(try portal.post("/v1/shares", #"{"postcard":"\#(other)"}"#).status == 403)
        #expect(try portal.post("/v1/shares", #"{"postcard":"../x"}"#).status == 400)
        for path in ["/v1/session", "/v1/position", "/v1/postcards", "/pages/core/api.js", "/health", "/t/../v1"] {
            #expect(try fetch("http://\(address)\(path)").status == 404, "\(path)")
        }
        #expect(try fetch("http://\(address)/", ["-H", "Host: evil.example"]).status == 403)
    }
}
