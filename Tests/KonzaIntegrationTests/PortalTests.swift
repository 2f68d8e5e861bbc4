import Foundation
import JPEGCoding
import KonzaModel
import KonzaTesting
import Testing

@Suite("The portal", .serialized)
struct PortalTests {
    let station: Station
    let portal: RunningPortal

    init() throws {
        station = try Station("\(Station.recorded)\n[General]\nStation=North & South")
        portal = try RunningPortal(station)
    }

    @Test("serves a page that is named for the station and takes nothing from elsewhere")
    func firstPage() throws {
        let page = try portal.ask("/")
        #expect(page.status == 200)
        #expect(page.field("content-type") == "text/html; charset=utf-8")
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(text.contains("<title>") && text.contains("North &amp; South"))
        #expect(!text.contains("{{"))
        let policy = try #require(page.field("content-security-policy"))
        for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"] {
            #expect(policy.contains(rule))
        }
        let tag = try #require(page.field("etag"))
        #expect(try portal.ask("/", ["-H", "If-None-Match: \(tag)"]).status == 304)
        // Every file that the page refers to is there.
        for part in text.split(separator: "\"") where part.hasPrefix("/pages/") {
            #expect(try portal.ask(String(part)).status == 200, "\(part)")
        }
    }

    @Test("takes a postcard for a visitor, shows it, and deletes it again")
    func postcard() throws {
        let made = try portal.post("/v1/postcards", #"{"message":"Hello"}"#, ["-H", "Idempotency-Key: a"])
        #expect(made.status == 201)
        let place = try #require(made.field("location"))
        #expect(try portal.post("/v1/postcards", #"{"message":"Hello"}"#, ["-H", "Idempotency-Key: a"]).status == 200)
        let picture = try portal.ask("\(place)/image.jpg")
        #expect(picture.status == 200 && picture.body.starts(with: [0xFF, 0xD8]))
        let id = place.split(separator: "/").last ?? ""
        #expect(picture.body == (try station.get("/v1/postcards/\(id)/image.jpg").body))
        #expect(try portal.ask(place, ["-X", "DELETE"]).status == 204)
        #expect(try portal.ask(place).status == 404)
    }

    @Test("offers the languages that there is a catalogue of")
    func languages() throws {
        #expect(try portal.ask("/v1/session").json()["languages"] as? [String] == ["en", "es"])
    }

    @Test("knows a visitor's postcards again after it was killed")
    func remembered() throws {
        let place = try #require(try portal.post("/v1/postcards", "{}").field("location"))
        try portal.killAndRestart()
        #expect(try portal.ask("\(place)/image.jpg").status == 200)
        #expect(try portal.ask(place, ["-X", "DELETE"]).status == 204)
    }

    @Test("passes on what konzad tells as it happens")
    func events() throws {
        let stream = try run(
            "curl", ["-sN", "-m", "3", "\(portal.address)/v1/events?types=position"], seconds: 10
        ).text
        #expect(stream.contains("event: position\n"))
    }

    @Test("gives each frame once to a page that asks for the one after its last")
    func frames() throws {
        var last = 0
        for _ in 0..<5 {
            let frame = try portal.ask("/v1/camera/frame.jpg?after=\(last)")
            #expect(frame.status == 200 && frame.body.starts(with: [0xFF, 0xD8]))
            let number = try #require(frame.field("konza-frame").flatMap { Int($0) })
            #expect(number > last)
            last = number
        }
        // The number of another boot, at which the clock stood later.
        #expect(try portal.ask("/v1/camera/frame.jpg?after=9007199254740991").status == 200)
        #expect(try portal.ask("/v1/camera/frame.jpg?after=-1").status == 400)
        #expect(try portal.ask("/v1/camera/frame.jpg?width=0").status == 400)
    }

    @Test("gives a smaller picture to whoever needs no more")
    func reducedFrames() throws {
        let whole = try station.get("/v1/camera/frame.jpg").body
        let structure = try JPEGStructure(parsing: FrameData([UInt8](whole)))
        let width = structure.width
        // The portal asks for one of a few widths: no fewer than 160, a quarter of what this camera has.
        let rows = [(width, 1, 1), (width / 2, 2, 2), (width / 4, 4, 4), (width / 8, 8, 4), (1, 8, 4)]
        for (wanted, atStation, atPortal) in rows {
            let pictures = [
                (try station.get("/v1/camera/frame.jpg?width=\(wanted)").body, atStation),
                (try portal.ask("/v1/camera/frame.jpg?width=\(wanted)").body, atPortal),
            ]
            for (body, parts) in pictures {
                let reduced = try JPEGStructure(parsing: FrameData([UInt8](body)))
                #expect(reduced.width == (structure.width + parts - 1) / parts, "width=\(wanted)")
                #expect(reduced.height == (structure.height + parts - 1) / parts, "width=\(wanted)")
            }
        }
    }

    @Test("lets a kiosk do what a kiosk may, and no more, whatever it says of itself")
    func rights() throws {
        let controls = ["-X", "PATCH", "-H", "Content-Type: application/json", "-d", "{}"]
        #expect(try portal.ask("/v1/camera/controls", controls).status == 403)
        #expect(
            try portal.ask("/v1/camera/controls", controls + ["-H", "Konza-On-Behalf-Of: keeper me"]).status == 403)
        #expect(try portal.ask("/v1/errands").status == 403)
        #expect(try portal.ask("/v1/position").status == 200)
        // Other people's postcards.
        let other = try station.post("/v1/postcards").json()["id"] as? String ?? ""
        #expect(try portal.ask("/v1/postcards").status == 403)
        #expect(try portal.ask("/v1/postcards/\(other)").status == 403)
        #expect(try portal.ask("/v1/postcards/\(other)/image.jpg").status == 403)
        #expect(try portal.ask("/v1/postcards/\(other)", ["-X", "DELETE"]).status == 403)
        #expect(try station.get("/v1/postcards/\(other)").status == 200)
    }

    @Test(
        "refuses other sites' pages, rebound names and paths that lead elsewhere",
        arguments: [
            (["-H", "Host: evil.example"], "/", 403), (["-H", "Host: evil.example"], "/v1/position", 403),
            (["-H", "Origin: http://evil.example", "-X", "POST"], "/v1/postcards", 403),
            (["-H", "Sec-Fetch-Site: cross-site"], "/v1/position", 403),
            ([], "/pages/../../../etc/passwd", 404), ([], "/pages/%2e%2e/%2e%2e/etc/passwd", 404),
            ([], "/v1/../health", 404), ([], "/nothing", 404),
        ])
    func strangers(arguments: [String], path: String, status: Int) throws {
        let answer = try portal.ask(path, arguments)
        #expect(answer.status == status)
        #expect(answer.field("content-security-policy") != nil)
        #expect(answer.field("x-content-type-options") == "nosniff")
    }

    @Test(
        "serves the socket that a service manager passed, whatever port is configured"
    )
    func activation() throws {
        let activated = try RunningPortal(station, isActivated: true)
        #expect(try activated.ask("/").status == 200)
        #expect(try activated.ask("/v1/position").status == 200)
    }

    @Test("tells where the kiosk's page is")
    func address() throws {
        let program = try Programs.path("konza-portal").path
        let told = try run(program, ["--print-address", "--port", "8477"])
        #expect(told.status == 0 && told.text == "http://localhost:8477/\n")
        let off = station.folder.appendingPathComponent("off.conf")
        try "[Portal]\nPort=0\n".write(to: off, atomically: true, encoding: .utf8)
        let none = try run(program, ["--print-address", "--config", off.path])
        #expect(none.status == 69 && none.text.isEmpty && none.errors.contains("Port= is 0"))
    }

    @Test("hears the heartbeat of the kiosk's page, tells monitors of it, and says which pages there are")
    func heartbeat() throws {
        let before = try #require(try portal.ask("/health").json()["kiosk"] as? [String: Any])
        #expect(before["screen"] == nil && before["silentSeconds"] is Int)
        let page = String(decoding: try portal.ask("/").body, as: UTF8.self)
        let build = try #require(page.firstMatch(of: /<meta name="build" content="([^"{}]+)">/)?.output.1)
        let beat = #"{"screen":"home","build":"1.0-a","idle":true}"#
        let heard = try portal.post("/v1/kiosk/heartbeat", beat)
        #expect(heard.status == 200)
        #expect(try heard.json()["build"] as? String == String(build))
        let after = try #require(try portal.ask("/health").json()["kiosk"] as? [String: Any])
        #expect(after["screen"] as? String == "home" && after["build"] as? String == "1.0-a")
        #expect(after["idle"] as? Bool == true)
    }

    @Test(
        "keeps what visitors begin with over a restart, tells the kiosk of a change, and refuses what the pages do not have"
    )
    func choices() throws {
        func session() throws -> [String: Any] { try portal.ask("/v1/session").json() }
        let before = try session()
        #expect(before["languages"] as? [String] == ["en", "es"] && before["template"] == nil)
        let path = "/v1/kiosk/choices"
        // A keeper on the box.
        let onTheBox = ["-X", "PUT", "--unix-socket", "\(portal.state)/portal.sock"]
        let chosen = try portal.post(path, #"{"language":"es","template":"band"}"#, onTheBox)
        #expect(chosen.status == 200, "\(String(decoding: chosen.body, as: UTF8.self))")
        #expect(try portal.post(path, #"{"language":"de"}"#, onTheBox).status == 422)
        #expect(try portal.post(path, #"{"template":""}"#, onTheBox).status == 400)
        try portal.killAndRestart()
        let after = try session()
        #expect(after["languages"] as? [String] == ["es", "en"] && after["template"] as? String == "band")
        let beat = #"{"screen":"home","build":"1.0-a","idle":true}"#
        let heard = try portal.post("/v1/kiosk/heartbeat", beat).json()["choices"] as? Int
        #expect(heard == after["choices"] as? Int && heard != before["choices"] as? Int)
        #expect(try portal.post(path, "{}", onTheBox).status == 200)
        #expect(try session()["languages"] as? [String] == ["en", "es"])
    }

    @Test("feeds the watchdog for as long as its own socket answers, and not because it runs")
    func watchdog() throws {
        let station = try Station()
        let watchdog = try WatchdogSocket()
        let portal = try RunningPortal(
            station, environment: ["NOTIFY_SOCKET": watchdog.path, "WATCHDOG_USEC": "1500000"])
        try waitUntil("the watchdog is fed", seconds: 20) { watchdog.fed > 2 }
        try FileManager.default.removeItem(atPath: "\(portal.state)/portal.sock")
        // A question that was under way may have been answered.
        Thread.sleep(forTimeInterval: 0.6)
        let fed = watchdog.fed
        Thread.sleep(forTimeInterval: 1.6)
        #expect(watchdog.fed == fed && portal.process.isRunning)
        #expect(try portal.ask("/v1/session").status == 200)
    }

    @Test(
        "takes no heartbeat that is none",
        arguments: [
            "", "{}", "[]", #"{"screen":"home","build":"1"}"#, #"{"screen":"home","build":"1","idle":1}"#,
            #"{"screen":"","build":"1","idle":true}"#, #"{"screen":"a b","build":"1","idle":true}"#,
            #"{"screen":"home","build":"1","idle":true,"more":1}"#,
            #"{"screen":"\#(String(repeating: "a", count: 65))","build":"1","idle":true}"#,
            String(repeating: " ", count: 2000),
        ])
    func badHeartbeat(body: String) throws {
        let status = try portal.post("/v1/kiosk/heartbeat", body).status
        #expect((400..<500).contains(status), "\(status)")
        #expect(try portal.ask("/v1/kiosk/heartbeat").status != 200)
        let kiosk = try #require(try portal.ask("/health").json()["kiosk"] as? [String: Any])
        #expect(kiosk["screen"] == nil)
    }

    @Test("goes on at the kiosk where the addresses for tablets cannot be had, and says so")
    func withoutNetwork() throws {
        let station = try Station("\(Station.recorded)\n[Portal]\nListen=192.0.2.1:8443\nTakeHome=192.0.2.1:8480")
        let portal = try RunningPortal(station)
        // The kiosk's page is served before the network's addresses are tried.
        try waitUntil("it says so", seconds: 10) {
            let health = try portal.ask("/health")
            #expect(health.status == 200)
            return (try health.json()["state"] as? String ?? "").contains("192.0.2.1:8443")
        }
        #expect(try portal.ask("/health").json()["status"] as? String == "degraded")
        #expect(try portal.ask("/").status == 200)
    }

    @Test("says that no postcard can be kept, as konzad does, with what to do")
    func outOfService() throws {
        let station = try Station("\(Station.recorded)\n[Postcards]\nSpaceReserve=1T")
        let portal = try RunningPortal(station)
        let archive = try #require(try station.get("/v1/status").json()["archive"] as? [String: Any])
        #expect((archive["health"] as? [String: Any])?["level"] as? String == "failed")
        let health = try portal.ask("/health")
        #expect(health.status == 200)
        #expect(try health.json()["status"] as? String == "degraded")
        let faults = try #require(try health.json()["faults"] as? [[String: Any]])
        let fault = try #require(faults.first { $0["code"] as? String == "station" })
        #expect((fault["what"] as? String ?? "").hasPrefix("archive: "))
        #expect((fault["remedy"] as? String ?? "").contains("make room"))
    }

    @Test("takes a target with the host in it as one without, and judges it the same")
    func absolute() throws {
        let form = { (path: String) in ["--request-target", "\(portal.address)\(path)"] }
        #expect(try portal.ask("/", form("/v1/position")).status == 200)
        #expect(try portal.ask("/", form("/v1/position?x=1")).status == 400)
        #expect(try portal.ask("/", form("/v1/errands")).status == 403)
        #expect(try portal.ask("/", form("/v1/../health")).status == 404)
        #expect(try portal.ask("/", ["--request-target", "http://evil.example/v1/position"]).status == 403)
        #expect(try portal.ask("/", ["--request-target", "ftp://localhost/v1/position"]).status == 400)
        #expect(try portal.ask("/", ["--request-target", "http://localhost"]).status == 200)
    }

    @Test("serves an address when its interface has come up, and tells visitors nothing of the machine meanwhile")
    func lateInterface() throws {
        let taken = Int(try freeLoopbackPort())
        let listener = Process()
        listener.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        listener.arguments = [
            "-c", "import socket, time; s = socket.create_server(('127.0.0.1', \(taken))); time.sleep(600)",
        ]
        try listener.run()
        defer { end(listener) }
        let open = try freeLoopbackPort()
        let station = try Station(
            "\(Station.recorded)\n[Portal]\nListen=127.0.0.1:\(taken) 127.0.0.1:\(open) 0.0.0.0:8443 \nNames=a.lan b.example"
        )
        try waitUntil("the port is taken", seconds: 20) {
            try run("curl", ["-s", "-m", "1", "telnet://127.0.0.1:\(taken)"], input: Data()).status != 7
        }
        let portal = try RunningPortal(station)
        let told = try portal.ask("/health").json()["state"] as? String ?? ""
        #expect(told.contains("127.0.0.1:\(taken)") && told.contains("0.0.0.0 stands for every address"))
        let visitor = try portal.askOther("https://127.0.0.1:\(open)/health", ["-k"])
        let state = try visitor.json()["state"] as? String ?? ""
        #expect(visitor.status == 200 && state.contains("konza portal") && !state.contains("0.0.0.0"))
        end(listener)
        try waitUntil("the address is served", seconds: 40) {
            try portal.askOther("https://127.0.0.1:\(taken)/health", ["-k"]).status == 200
        }
        #expect(station.stop() == 0)
        let away = try portal.askOther("https://127.0.0.1:\(open)/v1/position", ["-k"])
        #expect(away.status == 502 && !String(decoding: away.body, as: UTF8.self).contains("/konza.sock"))
        let unwell = try portal.askOther("https://127.0.0.1:\(open)/health", ["-k"])
        #expect(unwell.status == 503 && !String(decoding: unwell.body, as: UTF8.self).contains("/"))
    }

    @Test("says for which names no device would trust it, and serves the others")
    func foreignNames() throws {
        let port = try freeLoopbackPort()
        let station = try Station("\(Station.recorded)\n[Portal]\nListen=127.0.0.1:\(port)\nNames=one.example")
        let portal = try RunningPortal(station)
        #expect(try portal.ask("/health").json()["status"] as? String == "ok")
        let file = station.folder.appendingPathComponent("konzad.conf")
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacing("one.example", with: "other.example").write(to: file, atomically: true, encoding: .utf8)
        try portal.killAndRestart()
        try waitUntil("it says so", seconds: 10) {
            let state = try portal.ask("/health").json()["state"] as? String ?? ""
            return state.contains("other.example") && state.contains("authority.pem")
        }
        let authority = "\(station.folder.path)/authority.crt"
        try portal.askOther("https://127.0.0.1:\(port)/station-authority.crt", ["-k"]).body
            .write(to: URL(fileURLWithPath: authority))
        #expect(try portal.askOther("https://127.0.0.1:\(port)/health", ["--cacert", authority]).status == 200)
    }

    @Test("says that konzad is away, and goes on by itself when it is back")
    func withoutStation() throws {
        #expect(try portal.ask("/health").status == 200)
        #expect(station.stop() == 0)
        #expect(try portal.ask("/").status == 200)
        let refused = try portal.ask("/v1/position")
        #expect(refused.status == 502)
        #expect(try refused.json()["kind"] as? String == "unavailable")
        let unwell = try portal.ask("/health")
        #expect(unwell.status == 503)
        #expect(try unwell.json()["kiosk"] != nil)
        try station.start()
        #expect(try portal.ask("/v1/position").status == 200)
        #expect(try portal.ask("/health").status == 200)
    }
}
