import Foundation
import KonzaTesting
import Testing

@Suite("A device that is paired with the station", .serialized)
struct PairingTests {
    let station: Station
    let portal: RunningPortal
    /// Where tablets are served.
    let tablets: String
    private let port: Int

    init() throws {
        port = Int(try freeLoopbackPort())
        station = try Station(
            "\(Station.recorded)\n[Portal]\nListen=127.0.0.1:\(port)\nNames=konza.test\n[General]\nStation=Prairie")
        portal = try RunningPortal(station)
        tablets = "https://konza.test:\(port)"
    }

    // MARK: The tools of a keeper and of a tablet

    /// Runs `konza`, which finds the portal's socket beside the station's.
    private func konza(_ arguments: String...) throws -> ProgramRun { try konza(arguments, input: "") }

    private func konza(_ arguments: [String], input: String) throws -> ProgramRun {
        try run(
            try Programs.path("konza").path, arguments + ["--socket", "\(station.folder.path)/konza.sock"],
            input: Data(input.utf8))
    }

    /// A link as `konza pair` prints it, and the secret in it.
    private func link(_ role: String) throws -> (address: Substring, token: Substring) {
        let answer = try konza("pair", role)
        #expect(answer.status == 0, "\(answer)")
        let line = try #require(answer.text.split(separator: "\n").first { $0.contains("/pair#") })
        let parts = line.trimmingPrefix { $0.isWhitespace }.split(separator: "#")
        return (parts[0], parts[1].prefix { !$0.isWhitespace })
    }

    /// Asks as a tablet does: with TLS that trusts the station's own authority and nothing else.
    private func ask(
        _ path: String, _ arguments: [String] = [], cookie: String? = nil, origin: String? = nil
    ) throws -> RunningPortal.Answer {
        let authority = "\(station.folder.path)/authority.crt"
        if !FileManager.default.fileExists(atPath: authority) {
            #expect(try konza("portal", "certificate", "-o", authority).status == 0)
        }
        return try portal.askOther(
            "\(tablets)\(path)",
            ["--cacert", authority, "--resolve", "konza.test:\(port):127.0.0.1"]
                + (cookie.map { ["-H", "Cookie: \($0)"] } ?? []) + (origin.map { ["-H", "Origin: \($0)"] } ?? [])
                + arguments)
    }

    private func post(
        _ path: String, _ json: String, cookie: String? = nil, origin: String? = nil
    ) throws -> RunningPortal.Answer {
        try ask(
            path, ["-X", "POST", "-H", "Content-Type: application/json", "-d", json], cookie: cookie,
            origin: origin ?? tablets)
    }

    /// Pairs a tablet.
    ///
    /// - Returns: its cookie.
    private func pair(_ role: String) throws -> String {
        let answer = try post("/v1/session", #"{"token":"\#(try link(role).token)","name":"tablet"}"#)
        #expect(answer.status == 201)
        return String(try #require(answer.field("set-cookie")).prefix { $0 != ";" })
    }

    // MARK: The rows

    @Test("gets a cookie for a link, once, by a certificate that it trusts")
    func link() throws {
        let link = try link("ranger")
        #expect(link.address == "\(tablets)/pair")
        let wish = #"{"token":"\#(link.token)","name":"Ana's tablet"}"#
        let paired = try post("/v1/session", wish)
        #expect(paired.status == 201)
        let cookie = try #require(paired.field("set-cookie"))
        for word in ["__Host-konza=", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/", "Max-Age=7776000"] {
            #expect(cookie.contains(word))
        }
        #expect(try post("/v1/session", wish).status == 404)
        let session = try ask("/v1/session", cookie: String(cookie.prefix { $0 != ";" })).json()
        #expect(session["role"] as? String == "ranger" && session["device"] as? String == "Ana's tablet")
        #expect(try konza("devices").text.contains("Ana's tablet"))
    }

    @Test("is let in by the letters that it shows")
    func letters() throws {
        let asked = try post("/v1/pairing-requests", #"{"name":"old tablet"}"#).json()
        let letters = try #require(asked["letters"] as? String)
        let wish = #"{"token":"\#(asked["token"] as? String ?? "")"}"#
        #expect(try post("/v1/pairing-requests/session", wish).status == 202)
        #expect(try post("/v1/pairing-requests/session", wish).status == 429)
        #expect(try konza("devices").text.contains("\(letters)  old tablet at 127.0.0.1"))
        #expect(try konza("devices", "approve", letters.lowercased(), "collector").status == 0)
        #expect(try konza("devices", "approve", letters, "keeper").status != 0)
        try waitUntil("the device may ask again", seconds: 10) {
            try post("/v1/pairing-requests/session", wish).status == 201
        }
    }

    @Test("is sent away at once, and remembered when the portal was killed")
    func revoked() throws {
        let cookie = try pair("ranger")
        #expect(try ask("/v1/postcards", cookie: cookie).status == 200)
        try portal.killAndRestart()
        #expect(try ask("/v1/postcards", cookie: cookie).status == 200)
        let devices = try konza("devices", "--json").text
        // What it reads without an end ends with it.
        let heads = ["events", "station"].map { "\(station.folder.path)/\($0).head" }
        let streams = try zip(["/v1/events", "/v1/station/events"], heads).map { path, head in
            let stream = Process()
            stream.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
            stream.arguments = [
                "-sN", "--cacert", "\(station.folder.path)/authority.crt", "--resolve", "konza.test:\(port):127.0.0.1",
                "-H", "Cookie: \(cookie)", "-D", head, "\(tablets)\(path)",
            ]
            stream.standardOutput = FileHandle.nullDevice
            try stream.run()
            return stream
        }
        defer { for stream in streams { end(stream) } }
        // One that began later would be a visitor's.
        try waitUntil("both are open", seconds: 10) {
            heads.allSatisfy { (try? String(contentsOfFile: $0, encoding: .utf8))?.contains(" 200") == true }
        }
        let id = try #require(devices.firstMatch(of: /"id": "([a-z0-9]+)"/)?.1)
        #expect(try konza("devices", "rename", String(id), "Bo").status == 0)
        #expect(try konza("devices", "revoke", String(id)).status == 0)
        #expect(try ask("/v1/postcards", cookie: cookie).status == 403)
        try waitUntil("the streams end", seconds: 10) { streams.allSatisfy { !$0.isRunning } }
        #expect(try konza("devices", "revoke", String(id)).status != 0)
        let answer = try ask("/v1/session", cookie: cookie)
        #expect(try answer.json()["role"] as? String == "visitor")
    }

    @Test(
        "does what its role may, and no more",
        arguments: [
            // The role, what it asks, and the answers: to a reading, a postcard, the camera's control, a link for others.
            ("kiosk", [403, 201, 403, 403]), ("collector", [200, 201, 403, 403]), ("ranger", [200, 201, 200, 403]),
            ("keeper", [200, 201, 200, 201]),
        ])
    func roles(role: String, statuses: [Int]) throws {
        let cookie = try pair(role)
        let change = ["-X", "PATCH", "-H", "Content-Type: application/json", "-d", #"{"brightness":128}"#]
        let answers = [
            try ask("/v1/postcards", cookie: cookie), try post("/v1/postcards", "{}", cookie: cookie),
            try ask("/v1/camera/controls", change, cookie: cookie, origin: tablets),
            try post("/v1/invitations", #"{"role":"ranger"}"#, cookie: cookie),
        ]
        // The recorded camera has no controls: who may set them is told so.
        #expect(answers.map(\.status).map { $0 == 409 || $0 == 422 || $0 == 400 ? 200 : $0 } == statuses)
    }

    @Test("is shown a collector's own postcards and those of the gallery, and nobody else's")
    func collector() throws {
        let (collector, other, ranger) = (try pair("collector"), try pair("collector"), try pair("ranger"))
        func take(_ cookie: String? = nil) throws -> String {
            let made =
                cookie == nil
                ? try portal.post("/v1/postcards", "{}") : try post("/v1/postcards", "{}", cookie: cookie)
            return try #require(try made.json()["id"] as? String)
        }
        func list(_ cookie: String, _ query: String = "") throws -> (ids: [String], next: String?) {
            let page = try ask("/v1/postcards\(query)", cookie: cookie).json()
            let cards = page["postcards"] as? [[String: Any]] ?? []
            return (cards.compactMap { $0["id"] as? String }, page["next"] as? String)
        }
        let strangers = try (0..<3).map { _ in try take() }
        // What is judged and what konzad reads are one path: a letter in percent code is refused.
        for path in [
            "/v1/%70ostcards", "/v%31/postcards", "/v1/postcards%2F\(strangers[0])", "/%761/postcards/\(strangers[0])",
            "/v1/%70ostcards/\(strangers[0])/image.jpg", "/v1/%70ostcards/\(strangers[0])/original.jpg", "/v1/%65vents",
        ] {
            #expect(try ask(path, ["-m", "5"], cookie: collector).status == 400, "\(path)")
        }
        let own = try take(collector)
        let shown = try take()
        let others = try take(other)
        #expect(try portal.ask("/v1/gallery/\(shown)", ["-X", "PUT"]).status == 200)
        #expect(try list(collector).ids == [shown, own])
        #expect(try list(other).ids == [others, shown])
        #expect(try list(ranger).ids == [others, shown, own] + strangers.reversed())
        // Pages are as long as they are wished, and go on where the one before ended.
        let first = try list(collector, "?limit=1")
        #expect(first.ids == [shown])
        #expect(try list(collector, "?limit=1&cursor=\(#require(first.next))").ids == [own])
        for (id, isSeen) in [(own, true), (shown, true), (others, false), (strangers[0], false)] {
            for part in ["", "/image.jpg", "/thumbnail.jpg", "/original.jpg"] {
                let status = try ask("/v1/postcards/\(id)\(part)", cookie: collector).status
                #expect((status != 403) == isSeen, "\(id)\(part): \(status)")
            }
        }
        // Nor is it told of them as they are taken.
        #expect(try ask("/v1/events?types=postcard", ["-m", "2"], cookie: collector).status == 403)
        try portal.killAndRestart()
        #expect(try list(collector).ids == [shown, own])
        #expect(try portal.ask("/v1/gallery/\(shown)", ["-X", "DELETE"]).status == 204)
        #expect(try list(collector).ids == [own])
        #expect(try ask("/v1/postcards/\(shown)/image.jpg", cookie: collector).status == 403)
    }

    @Test("is the kiosk by a token of the portal's socket, once, and finds the kiosk again behind its door")
    func ticket() throws {
        let station = try Station("\(Station.recorded)\n[Portal]\nLoopback=visitor")
        let portal = try RunningPortal(station)
        #expect(try portal.ask("/v1/session").json()["role"] as? String == "visitor")
        let socket = ["--unix-socket", "\(portal.state)/portal.sock", "-X", "POST"]
        #expect(try portal.ask("/v1/kiosk/ticket", ["-X", "POST"]).status == 403)
        let ticket = try portal.askOther("http://localhost/v1/kiosk/ticket", socket).json()
        let wish = #"{"token":"\#(ticket["token"] as? String ?? "")"}"#
        let answer = try portal.post("/v1/session", wish, ["-H", "Origin: \(portal.address)"])
        #expect(try answer.status == 201 && answer.json()["role"] as? String == "kiosk")
        #expect(try portal.post("/v1/session", wish).status == 404)
        let cookie = String(try #require(answer.field("set-cookie")).prefix { $0 != ";" })
        let own = ["-H", "Cookie: \(cookie)", "-H", "Origin: \(portal.address)"]
        let place = try #require(try portal.post("/v1/postcards", "{}", own).field("location"))
        #expect(try portal.ask(place, own).status == 200 && portal.ask(place).status == 403)
        // A ranger comes and goes by the door.
        let pin = try run(
            try Programs.path("konza").path, ["portal", "pin", "--socket", "\(station.folder.path)/konza.sock"],
            input: Data("2468\n".utf8))
        #expect(pin.status == 0)
        let opened = try portal.post("/v1/kiosk/door", #"{"pin":"2468"}"#, own)
        let ranger = String(try #require(opened.field("set-cookie")).prefix { $0 != ";" })
        let left = try portal.ask(
            "/v1/session", ["-X", "DELETE", "-H", "Cookie: \(ranger)", "-H", "Origin: \(portal.address)"])
        #expect(left.status == 204 && left.field("set-cookie")?.hasPrefix(cookie) == true)
        #expect(try portal.ask(place, own).status == 200)
        #expect(try portal.ask(place, ["-H", "Cookie: \(ranger)"]).status == 403)
        // The browser starts anew: what it was before is over.
        let next = try portal.askOther("http://localhost/v1/kiosk/ticket", socket).json()["token"] as? String ?? ""
        #expect(try portal.post("/v1/session", #"{"token":"\#(next)"}"#).status == 201)
        #expect(try portal.ask("/v1/session", own).json()["role"] as? String == "visitor")
    }

    @Test("has its own postcards at each kiosk, and no other kiosk's")
    func kiosks() throws {
        let cookies = [try pair("kiosk"), try pair("kiosk")]
        let made = try post("/v1/postcards", "{}", cookie: cookies[0])
        let place = try #require(made.field("location"))
        #expect(try ask(place, cookie: cookies[0]).status == 200)
        #expect(try ask(place, cookie: cookies[1]).status == 403)
        #expect(try portal.ask(place).status == 403)
        #expect(try ask(place, ["-X", "DELETE"], cookie: cookies[1], origin: tablets).status == 403)
        try portal.killAndRestart()
        #expect(try ask(place, cookie: cookies[1]).status == 403)
        #expect(try ask(place, ["-X", "DELETE"], cookie: cookies[0], origin: tablets).status == 204)
    }

    @Test("serves visitors the position and nothing that has people on it")
    func visitors() throws {
        for path in ["/v1/position", "/v1/status", "/v1/session", "/health", "/", "/pair", "/station-authority.crt"] {
            #expect(try ask(path).status == 200, "\(path)")
        }
        for path in ["/v1/camera/frame.jpg", "/v1/postcards", "/v1/events", "/v1/devices"] {
            #expect(try ask(path).status == 403, "\(path)")
        }
        // Of specimens they read what is public (PublicReadingTests).
        #expect(try post("/v1/specimens", "{}").status == 403)
        #expect(try post("/v1/postcards", "{}").status == 403)
        #expect(try post("/v1/invitations", #"{"role":"keeper"}"#).status == 403)
    }

    @Test("cannot be made to act by another site's page, nor by one that does not say where it is from")
    func strangers() throws {
        let cookie = try pair("keeper")
        let wish = #"{"role":"keeper"}"#
        #expect(try post("/v1/invitations", wish, cookie: cookie).status == 201)
        for origin in ["https://evil.example", "https://konza.test", "http://konza.test:\(port)", "null"] {
            #expect(try post("/v1/invitations", wish, cookie: cookie, origin: origin).status == 403, "\(origin)")
        }
        let silent = try ask(
            "/v1/invitations", ["-X", "POST", "-H", "Content-Type: application/json", "-d", wish], cookie: cookie)
        #expect(silent.status == 403)
        let text = try ask(
            "/v1/invitations", ["-X", "POST", "-H", "Content-Type: text/plain", "-d", wish], cookie: cookie,
            origin: tablets)
        #expect(text.status == 415)
        #expect(try ask("/v1/invitations", cookie: cookie).status == 405)
        #expect(try ask("/v1/session", ["-H", "Host: evil.example"], cookie: cookie).status == 403)
        for forged in [cookie + "0", String(cookie.dropLast()), "\(cookie); \(cookie)", "__Host-konza="] {
            #expect(try post("/v1/invitations", wish, cookie: forged).status == 403, "\(forged.suffix(9))")
        }
    }

    @Test("finds guessing slow: a few attempts a minute from one address")
    func guessing() throws {
        var statuses: [Int] = []
        for _ in 0..<22 {
            statuses.append(
                try post("/v1/session", #"{"token":"\#(String(repeating: "0", count: 64))"}"#).status)
        }
        #expect(statuses.prefix(20).allSatisfy { $0 == 404 } && statuses.suffix(2) == [429, 429])
        // Those who ask whether they were let in ask oftener, and not without an end either.
        let wish = #"{"token":"\#(String(repeating: "0", count: 64))"}"#
        let answers = try (0..<125).map { _ in try post("/v1/pairing-requests/session", wish).status }
        #expect(answers.prefix(120).allSatisfy { $0 == 404 } && answers.last == 429)
    }

    @Test("is offered TLS 1.2 and 1.3 with a certificate for the station alone")
    func certificate() throws {
        #expect(try ask("/health").status == 200)
        let authority = "\(station.folder.path)/authority.crt"
        let text = try run("openssl", ["x509", "-in", authority, "-noout", "-text"]).text
        #expect(text.contains("CA:TRUE, pathlen:0") && text.contains("Permitted:") && text.contains("DNS:konza.test"))
        func handshake(_ option: String) throws -> String {
            try run(
                "openssl",
                [
                    "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "konza.test", "-CAfile", authority,
                    "-verify_hostname", "konza.test", option,
                ], input: Data()
            ).text
        }
        for option in ["-tls1_2", "-tls1_3"] {
            #expect(try handshake(option).contains("Verify return code: 0 (ok)"), "\(option)")
        }
        #expect(try handshake("-tls1_1").contains("Cipher is (NONE)"))
        // What another host would need is not in it.
        let other = try portal.askOther(
            "https://other.test:\(port)/health",
            ["--cacert", authority, "--resolve", "other.test:\(port):127.0.0.1"])
        #expect(other.status == 0)
        let shown = try konza("portal", "certificate").text
        let digest = try run("openssl", ["x509", "-in", authority, "-noout", "-fingerprint", "-sha256"]).text
        #expect(
            shown.contains(
                try #require(digest.split(separator: "=").last).trimmingCharacters(in: .whitespacesAndNewlines)))
        // The certificate stays the same at the next start.
        try portal.killAndRestart()
        #expect(try ask("/health").status == 200)
    }

    @Test("draws a QR code into a pipe where it is asked for, and else says that it does not")
    func codes() throws {
        for command in [["pair", "ranger"], ["portal", "certificate"]] {
            let plain = try konza(command, input: "")
            #expect(plain.status == 0 && !plain.text.contains("█"))
            #expect(plain.errors.contains("--qr"), "\(plain.errors)")
            let drawn = try konza(command + ["--qr"], input: "")
            #expect(drawn.status == 0 && drawn.text.contains("█") && drawn.errors.isEmpty, "\(drawn.errors)")
            let json = try konza(command + ["--json"], input: "")
            #expect(json.status == 0 && json.errors.isEmpty && json.text.contains("\"qr\""))
        }
    }

    @Test("opens the kiosk's door with its PIN, and waits longer after each wrong one")
    func door() throws {
        func open(_ pin: String) throws -> RunningPortal.Answer {
            try portal.post("/v1/kiosk/door", #"{"pin":"\#(pin)"}"#)
        }
        #expect(try portal.ask("/v1/session").json()["door"] as? Bool == false)
        #expect(try open("2468").status == 404)
        #expect(try konza(["portal", "pin"], input: "12\n").status != 0)
        #expect(try konza(["portal", "pin"], input: "2468\n").status == 0)
        #expect(try portal.ask("/v1/session").json()["door"] as? Bool == true)
        #expect(try open("0000").status == 403)
        let opened = try open("2468")
        #expect(opened.status == 201)
        let cookie = String(try #require(opened.field("set-cookie")).prefix { $0 != ";" })
        #expect(try portal.ask("/v1/postcards").status == 403)
        #expect(try portal.ask("/v1/postcards", ["-H", "Cookie: \(cookie)"]).status == 200)
        #expect(try portal.ask("/v1/devices", ["-H", "Cookie: \(cookie)"]).status == 403)
        #expect(try String(decoding: konza("devices").output, as: UTF8.self).contains("the kiosk's door"))
        let close = ["-X", "DELETE", "-H", "Cookie: \(cookie)", "-H", "Origin: \(portal.address)"]
        #expect(try portal.ask("/v1/session", close).status == 204)
        #expect(try portal.ask("/v1/postcards", ["-H", "Cookie: \(cookie)"]).status == 403)
        // The fourth waits, the right one too, which is not called wrong.
        let wrong = try (0..<3).map { try open("000\($0)") }
        #expect(wrong.map(\.status) == [403, 403, 403])
        let told = try wrong[2].json()["detail"] as? String ?? ""
        #expect(
            told.wholeMatch(of: /cannot open the door: that is not its PIN; the next may be tried in [1-5] s/) != nil)
        let early = try open("2468")
        #expect(early.status == 429 && (1...5).contains(Int(early.field("retry-after") ?? "") ?? 0))
        #expect(
            try early.json()["detail"] as? String ?? "" != ""
                && !(try early.json()["detail"] as? String ?? "").contains("not its PIN"))
        // A new start of the portal gives no free tries.
        try portal.killAndRestart()
        #expect(try open("2468").status == 429)
        // From elsewhere there is no door.
        #expect(try post("/v1/kiosk/door", #"{"pin":"2468"}"#).status == 403)
        #expect(try konza("portal", "pin", "--clear").status == 0)
        #expect(try open("2468").status == 404)
    }

    @Test("is a visitor behind a proxy, whatever this machine's own browser may")
    func proxied() throws {
        #expect(try portal.ask("/v1/camera/frame.jpg").status == 200)
        #expect(try portal.ask("/v1/camera/frame.jpg", ["-H", "X-Forwarded-For: 192.0.2.1"]).status == 403)
        #expect(try portal.ask("/v1/camera/frame.jpg", ["-H", "Forwarded: for=192.0.2.1"]).status == 403)
    }
}
