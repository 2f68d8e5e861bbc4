import Foundation
import KonzaTesting
import Testing

/// A browser of somebody who signs in, over the portal's loopback port: the kiosk, or with `Loopback=visitor` any other.
struct PersonBrowser {
    let portal: RunningPortal
    var cookie = ""

    private var own: [String] { cookie.isEmpty ? [] : ["-H", "Cookie: __Host-konza-person=\(cookie)"] }

    func get(_ path: String) throws -> RunningPortal.Answer { try portal.ask(path, own) }

    func send(_ method: String, _ path: String, _ json: String = "{}") throws -> RunningPortal.Answer {
        let body = method == "DELETE" || json.isEmpty ? [] : ["-H", "Content-Type: application/json", "-d", json]
        return try portal.ask(path, ["-X", method, "-H", "Origin: \(portal.address)"] + own + body)
    }

    /// Signs in, and keeps the cookie.
    @discardableResult
    mutating func signIn(_ json: String) throws -> RunningPortal.Answer {
        let answer = try send("POST", "/v1/people/session", json)
        if let cookie = answer.cookie("__Host-konza-person") { self.cookie = cookie }
        return answer
    }
}

extension RunningPortal.Answer {
    /// The fields that set cookies.
    var cookies: [String] {
        head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("set-cookie:") }.map {
            String($0.dropFirst(12))
        }
    }

    func cookie(_ name: String) -> String? {
        cookies.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1).prefix { $0 != ";" }) }
    }
}

/// What `konza people add` printed.
struct MadeAccount {
    let number: Int
    let passphrase: String
    let pin: String
    let badge: String

    init(_ json: Data) throws {
        guard let made = try JSONSerialization.jsonObject(with: json) as? [String: Any],
            let person = made["person"] as? [String: Any], let number = person["number"] as? Int,
            let passphrase = made["passphrase"] as? String, let pin = made["pin"] as? String,
            let badge = (made["badge"] as? [String: Any])?["text"] as? String
        else { throw Complaint("no account: \(String(decoding: json.prefix(300), as: UTF8.self))") }
        (self.number, self.passphrase, self.pin, self.badge) = (number, passphrase, pin, badge)
    }
}

extension RunningPortal {
    /// Runs `konza` on the box.
    func konza(_ arguments: [String]) throws -> ProgramRun {
        try run(
            "/usr/bin/env",
            ["KONZA_PORTAL_SOCKET=\(state)/portal.sock", try Programs.path("konza").path] + arguments)
    }

    func addPerson(_ name: String, _ role: String = "crew") throws -> MadeAccount {
        let outcome = try konza(["people", "add", name, "--role", role, "--json"])
        guard outcome.status == 0 else { throw Complaint(outcome.errors) }
        return try MadeAccount(outcome.output)
    }
}

@Suite("People over the portal", .serialized)
struct PeopleTests {
    private func open(
        _ more: String = "Loopback=visitor", isMeasured: Bool = false
    ) throws -> (station: Station, portal: RunningPortal) {
        let station = try Station("\(Station.recorded)\n[Portal]\n\(more)")
        return (station, try RunningPortal(station, isMeasured: isMeasured))
    }

    @Test("are made, listed, changed, reset, removed, imported and exported by konza on the box")
    func command() throws {
        let (station, portal) = try open()
        defer { withExtendedLifetime(station) {} }
        let text = try portal.konza(["people", "add", "Kim Keeper", "--role", "keeper"])
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.text.contains("Kim Keeper  No. 1, keeper") && text.text.contains("passphrase  "))
        let twice = try portal.konza(["people", "add", "kim keeper"])
        #expect(twice.status != 0 && twice.errors.contains("another account has the name"))
        // The last keeper goes by nobody's slip, not even here.
        for words in [["people", "role", "Kim Keeper", "officer"], ["people", "remove", "Kim Keeper"]] {
            let refused = try portal.konza(words)
            #expect(refused.status != 0 && refused.errors.contains("cannot take away the last keeper"))
            #expect(
                refused.errors.contains(
                    "make another one with a passphrase first (konza people role NAME keeper), or use konza people"))
        }
        #expect(
            try portal.konza(["people", "role", "Kim Keeper", "officer", "--force"]).text.contains("is officer now"))
        let file = "\(station.folder.path)/people.csv"
        try Data("name,role\r\nBen,crew\r\n=Cleo,officer\r\n".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try portal.konza(["people", "import", file]).text.contains("2 accounts were made"))
        let exported = try portal.konza(["people", "export"]).text
        #expect(exported.contains("2,Ben,crew,,\r\n") && exported.contains("3,'=Cleo,officer,,\r\n"))
        let list = try portal.konza(["people", "list"]).text
        #expect(list.contains("Ben") && list.contains("has no passphrase yet"))
        let made = try MadeAccount(try portal.konza(["people", "reset", "Ben", "--json"]).output)
        var ben = PersonBrowser(portal: portal)
        #expect(try ben.signIn(#"{"name":"ben","passphrase":"\#(made.passphrase)"}"#).status == 201)
        #expect(try portal.konza(["people", "remove", "Ben"]).status == 0)
        #expect(try ben.get("/v1/people/session").json()["person"] == nil)
        #expect(try portal.konza(["people", "remove", "Ben"]).errors.contains("no account"))
    }

    @Test("sign in with what only they know; a PIN is refused away from the kiosk, and what the kiosk began elsewhere")
    func signIn() throws {
        let (station, portal) = try open()
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        let officer = try portal.addPerson("Olga", "officer")
        let keeper = try portal.addPerson("Kim", "keeper")
        var browser = PersonBrowser(portal: portal)
        #expect(try browser.signIn(#"{"name":"Ana","pin":"\#(ana.pin)"}"#).status == 403)
        let wrong = try browser.signIn(#"{"name":"Ana","passphrase":"not that one, no"}"#)
        let unknown = try browser.signIn(#"{"name":"Nobody","passphrase":"not that one, no"}"#)
        #expect(wrong.status == 403 && unknown.status == 403 && wrong.body == unknown.body)
        for bad in [
            #"{"name":"Ana"}"#, "{}", #"{"name":"Ana","passphrase":"x","keep":"all"}"#, #"{"name":1,"passphrase":"x"}"#,
        ] {
            #expect(try browser.signIn(bad).status == 400, "\(bad)")
        }
        #expect(try browser.get("/v1/people").status == 403)
        #expect(try browser.signIn(#"{"name":" ana ","passphrase":"\#(ana.passphrase)"}"#).status == 201)
        #expect(try browser.get("/v1/people").status == 403)
        #expect(try browser.get("/v1/people/me/sessions").status == 200)
        // The same cookie, sent by a page that does not say so.
        let silent = try portal.ask(
            "/v1/people/me/pin", ["-X", "POST", "-H", "Cookie: __Host-konza-person=\(browser.cookie)"])
        #expect(silent.status == 403)
        let rules = try browser.send(
            "PUT", "/v1/people/me/passphrase", #"{"current":"\#(ana.passphrase)","passphrase":"short"}"#)
        #expect(rules.status == 422)
        let own = "seven quiet bison walk by"
        #expect(
            try browser.send(
                "PUT", "/v1/people/me/passphrase", #"{"current":"\#(ana.passphrase)","passphrase":"\#(own)"}"#
            ).status
                == 204)
        #expect(try browser.send("DELETE", "/v1/people/session").status == 204)
        #expect(try browser.get("/v1/people/me/sessions").status == 403)
        #expect(try browser.signIn(#"{"name":"Ana","passphrase":"\#(own)"}"#).status == 201)
        var second = PersonBrowser(portal: portal)
        try second.signIn(#"{"name":"Olga","passphrase":"\#(officer.passphrase)"}"#)
        #expect(try second.get("/v1/people").status == 200)
        #expect(try second.send("POST", "/v1/people", #"{"name":"x y","role":"crew"}"#).status == 403)
        try second.signIn(#"{"name":"Kim","passphrase":"\#(keeper.passphrase)"}"#)
        #expect(try second.send("DELETE", "/v1/people/\(keeper.number)").status == 409)
        #expect(try second.send("DELETE", "/v1/people/\(ana.number)").status == 204)
        #expect(try browser.get("/v1/people/me/sessions").status == 403)
    }

    @Test("renew their own PIN and badge after a fresh login, and see and end their sessions on other devices")
    func ownAccount() throws {
        let (station, portal) = try open("Loopback=kiosk")
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        let ben = try portal.addPerson("Ben")
        var kiosk = PersonBrowser(portal: portal)
        try kiosk.signIn(#"{"name":"Ana","pin":"\#(ana.pin)"}"#)
        let pin = try #require(try kiosk.send("POST", "/v1/people/me/pin", "").json()["pin"] as? String)
        #expect(pin.count == 6 && pin.allSatisfy { $0.isASCII && $0.isNumber })
        let badge = try kiosk.send("POST", "/v1/people/me/badge", "").json()
        let text = try #require(badge["text"] as? String)
        #expect(text.hasPrefix("konza-badge:") && text != ana.badge && (badge["qr"] as? [String])?.count ?? 0 > 20)
        // What was before opens nothing any more; the others' stays.
        var second = PersonBrowser(portal: portal)
        if pin != ana.pin {
            #expect(try second.signIn(#"{"name":"Ana","pin":"\#(ana.pin)"}"#).status == 403)
        }
        #expect(try second.signIn(#"{"badge":"\#(ana.badge)","pin":"\#(pin)"}"#).status == 403)
        #expect(try second.signIn(#"{"badge":"\#(ben.badge)","pin":"\#(ben.pin)"}"#).status == 201)
        var third = PersonBrowser(portal: portal)
        #expect(try third.signIn(#"{"badge":"\#(text)","pin":"\#(pin)"}"#).status == 201)
        func sessions(_ browser: PersonBrowser) throws -> [[String: Any]] {
            try #require(try browser.get("/v1/people/me/sessions").json()["sessions"] as? [[String: Any]])
        }
        let own = try sessions(kiosk)
        #expect(own.count == 2 && own.count { $0["isThis"] as? Bool == true } == 1)
        #expect(try sessions(second).count == 1, "nobody sees others' sessions")
        let other = try #require(own.first { $0["isThis"] as? Bool == false }?["id"] as? String)
        #expect(try second.send("DELETE", "/v1/people/me/sessions/\(other)").status == 404, "nor ends them")
        #expect(try kiosk.send("DELETE", "/v1/people/me/sessions/\(other)").status == 204)
        #expect(try third.get("/v1/people/me/sessions").status == 403, "it is over at once")
        #expect(try kiosk.send("DELETE", "/v1/people/me/sessions/\(other)").status == 404)
        let audit = try portal.askOther(
            "http://localhost/v1/people/audit", ["--unix-socket", "\(portal.state)/portal.sock"]
        ).json()
        let actions = (audit["entries"] as? [[String: Any]])?.compactMap { $0["action"] as? String }
        #expect(actions?.prefix(2) == ["badge", "pin"] && audit["brokenAt"] == nil)
    }

    @Test(
        "may have nothing, the name, or the name and a token kept on a device; never a passphrase, and nothing at the kiosk"
    )
    func choices() throws {
        let (station, portal) = try open()
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana Peña")
        func fields(_ keep: String) throws -> [String] {
            var browser = PersonBrowser(portal: portal)
            return try browser.signIn(#"{"name":"Ana Peña","passphrase":"\#(ana.passphrase)"\#(keep)}"#).cookies
        }
        for (keep, hasName, hasToken) in [
            ("", false, false), (#","keep":"nothing""#, false, false), (#","keep":"name""#, true, false),
            (#","keep":"device""#, true, true),
        ] {
            let cookies = try fields(keep)
            let session = try #require(cookies.first { $0.hasPrefix("__Host-konza-person=") })
            #expect(session.contains("Max-Age=2592000") == hasToken && session.contains("HttpOnly"), "\(keep)")
            #expect(session.contains("SameSite=Strict") && session.contains("Secure"))
            #expect(cookies.contains { $0.hasPrefix("__Host-konza-name=Ana%20Pe%c3%b1a;") } == hasName, "\(keep)")
            #expect(!cookies.joined().contains(ana.passphrase))
        }
        let named = try portal.ask("/v1/people/session", ["-H", "Cookie: __Host-konza-name=Ana%20Pe%c3%b1a"]).json()
        #expect(named["keptName"] as? String == "Ana Peña" && named["person"] == nil)
        // A token lives through a start of the portal, a session without one does not.
        var kept = PersonBrowser(portal: portal)
        try kept.signIn(#"{"name":"Ana Peña","passphrase":"\#(ana.passphrase)","keep":"device"}"#)
        var passing = PersonBrowser(portal: portal)
        try passing.signIn(#"{"name":"Ana Peña","passphrase":"\#(ana.passphrase)"}"#)
        try portal.killAndRestart()
        #expect(try kept.get("/v1/people/session").json()["isFresh"] as? Bool == false)
        #expect(try passing.get("/v1/people/session").json()["person"] == nil)
        let (other, kiosk) = try open("Loopback=kiosk")
        defer { withExtendedLifetime(other) {} }
        let ben = try kiosk.addPerson("Ben")
        var screen = PersonBrowser(portal: kiosk)
        #expect(try screen.signIn(#"{"name":"Ben","pin":"\#(ben.pin)","keep":"name"}"#).status == 422)
        let answer = try screen.signIn(#"{"badge":"\#(ben.badge)","pin":"\#(ben.pin)"}"#)
        #expect(answer.status == 201 && !answer.cookies.joined().contains("Max-Age=2"))
        #expect(try screen.get("/v1/people/me/sessions").status == 200)
    }

    @Test(
        "of whom a hundred sign in wrongly at once take one hash and a queue of four; the others are told to wait, and everybody else is served"
    )
    func flood() throws {
        let (station, portal) = try open(isMeasured: true)
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        let memory = { try residentBytes(of: portal.process.processIdentifier) }
        let before = try memory()
        // The fragment is the browser's own: curl counts with it.
        let url = "\(portal.address)/v1/people/session#[1-100]"
        let flood = Process()
        flood.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        flood.arguments =
            [
                "-s", "-Z", "--parallel-max", "100", "-o", "/dev/null", "-w", "%{http_code}\n", "-X", "POST", "-H",
                "Origin: \(portal.address)", "-H", "Content-Type: application/json", "-d",
                #"{"name":"Nobody","passphrase":"not that one, no"}"#, url,
            ]
        let output = Pipe()
        flood.standardOutput = output
        try flood.run()
        var served = 0
        var most = before
        while flood.isRunning {
            if try portal.ask("/v1/session").status == 200 { served += 1 }
            most = max(most, try memory())
        }
        let codes = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(
            separator: "\n")
        #expect(codes.count == 100 && Set(codes).isSubset(of: ["403", "429", "503"]), "\(Set(codes))")
        #expect(codes.count { $0 == "403" } <= 5 && codes.contains("429"))
        #expect(served > 0)
        // One hash at a time: 19 MiB, and the connections of those that ask.
        #expect(most - before < 48 << 20, "\((most - before) >> 20) MiB")
        // Whoever is known signs in from the socket, where no address is counted.
        let socket = try portal.askOther(
            "http://localhost/v1/people/session",
            [
                "--unix-socket", "\(portal.state)/portal.sock", "-X", "POST", "-H", "Content-Type: application/json",
                "-d",
                #"{"name":"Ana","passphrase":"\#(ana.passphrase)"}"#,
            ])
        #expect(socket.status == 201)
    }
}

/// What a process has in memory.
private func residentBytes(of process: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
    return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
}
