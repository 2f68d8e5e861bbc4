import Foundation
import KonzaTesting
import Testing

@Suite("Announcements over the portal", .serialized)
struct AnnouncementTests {
    /// A station whose content folder is its own.
    private func open() throws -> (station: Station, portal: RunningPortal, content: String) {
        let content = "\(FileManager.default.temporaryDirectory.path)/konza-content-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: "\(content)/announcements", withIntermediateDirectories: true)
        let station = try Station("\(Station.recorded)\n[Portal]\nContent=\(content)")
        return (station, try RunningPortal(station), content)
    }

    /// Over the portal's socket, as people of the station and the courier do.
    private func ask(_ portal: RunningPortal, _ method: String, _ path: String, _ body: String? = nil) throws
        -> RunningPortal.Answer
    {
        try portal.askOther(
            "http://localhost\(path)",
            ["--unix-socket", "\(portal.state)/portal.sock", "-X", method]
                + (body.map { ["-H", "Content-Type: application/json", "-d", $0] } ?? []))
    }

    private func titles(_ answer: RunningPortal.Answer) throws -> [String] {
        (try answer.json()["announcements"] as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
    }

    @Test("are written at the kiosk and on one's own telephone by officers who signed in, and by nobody else there")
    func officers() throws {
        for device in ["kiosk", "visitor"] {
            let station = try Station("\(Station.recorded)\n[Portal]\nLoopback=\(device)")
            let portal = try RunningPortal(station)
            defer { withExtendedLifetime(station) {} }
            func signedIn(_ name: String, _ role: String) throws -> PersonBrowser {
                let account = try portal.addPerson(name, role)
                var browser = PersonBrowser(portal: portal)
                let proof = device == "kiosk" ? #""pin":"\#(account.pin)""# : #""passphrase":"\#(account.passphrase)""#
                #expect(try browser.signIn(#"{"name":"\#(name)",\#(proof)}"#).status == 201)
                return browser
            }
            let (officer, crew) = (try signedIn("Olga", "officer"), try signedIn("Carl", "crew"))
            let made = try officer.send("POST", "/v1/announcements", #"{"title":"Burn","body":"Stay off"}"#)
            #expect(made.status == 201)
            let path = try #require(made.field("location"))
            let own = try officer.get(path).json()
            #expect(own["author"] as? String == "Olga" && own["source"] as? String == "written")
            for other in [crew, PersonBrowser(portal: portal)] {
                for (method, path) in [
                    ("POST", "/v1/announcements"), ("PATCH", path), ("DELETE", path),
                    ("DELETE", "/v1/announcements/none"),
                ] {
                    let answer = try other.send(method, path, #"{"title":"x"}"#)
                    #expect(answer.status == 403, "\(device) \(method) \(path)")
                }
            }
            // Another site's page has no use for the officer's cookie.
            let foreign = try portal.ask(
                "/v1/announcements",
                [
                    "-X", "POST", "-H", "Origin: https://evil.example", "-H", "Content-Type: application/json", "-H",
                    "Cookie: __Host-konza-person=\(officer.cookie)", "-d", #"{"title":"x"}"#,
                ])
            #expect(foreign.status == 403)
            #expect(try officer.send("PATCH", path, #"{"title":"Burn at noon"}"#).status == 200)
            #expect(try titles(crew.get("/v1/announcements")) == ["Burn at noon"])
            #expect(try officer.send("DELETE", path).status == 204)
            #expect(try titles(crew.get("/v1/announcements")).isEmpty)
            // A demotion counts at once.
            #expect(try portal.konza(["people", "role", "Olga", "crew"]).status == 0)
            #expect(try officer.send("POST", "/v1/announcements", #"{"title":"x"}"#).status == 403)
        }
    }

    @Test("are written, read by opening, changed and unread again, retired; kept through a kill")
    func life() throws {
        let (station, portal, content) = try open()
        defer {
            try? FileManager.default.removeItem(atPath: content)
            withExtendedLifetime(station) {}
        }
        #expect(try titles(ask(portal, "GET", "/v1/announcements")).isEmpty)
        let made = try ask(
            portal, "POST", "/v1/announcements",
            #"{"title":"Burn","body":"Stay *off*","more":"m","isUrgent":true,"translations":{"es":{"title":"Quema"}}}"#)
        #expect(made.status == 201)
        let path = try #require(made.field("location"))
        _ = try ask(portal, "POST", "/v1/announcements", #"{"title":"Coffee","audience":"everyone"}"#)
        let list = try ask(portal, "GET", "/v1/announcements")
        #expect(try titles(list) == ["Burn", "Coffee"])
        #expect(try list.json()["unread"] as? Int == 2 && list.json()["unreadUrgent"] as? Int == 1)
        // The kiosk's visitor sees what is for everyone, and that there is something urgent for the crew.
        let visitor = try portal.ask("/v1/announcements")
        #expect(try titles(visitor) == ["Coffee"] && visitor.json()["hiddenUrgent"] as? Int == 1)
        #expect(try portal.ask(path).status == 404)
        #expect(try portal.post("/v1/announcements", #"{"title":"x"}"#).status == 403)
        // Opened.
        for language in ["es", "es-MX"] {
            let one = try ask(portal, "GET", "\(path)?language=\(language)").json()
            #expect(
                one["isRead"] as? Bool == true && one["title"] as? String == "Quema"
                    && one["language"] as? String == "es")
        }
        #expect(try titles(ask(portal, "GET", "/v1/announcements")) == ["Coffee", "Burn"])
        try portal.killAndRestart()
        #expect(try titles(ask(portal, "GET", "/v1/announcements")) == ["Coffee", "Burn"])
        #expect(try ask(portal, "PATCH", path, #"{"body":"Stay off until Friday"}"#).json()["isRead"] as? Bool == false)
        let again = try ask(portal, "GET", "/v1/announcements")
        #expect(try titles(again) == ["Burn", "Coffee"])
        let first = try #require((try again.json()["announcements"] as? [[String: Any]])?.first)
        #expect(first["isChanged"] as? Bool == true)
        // Nothing new is not sent again.
        let tag = try #require(again.field("etag"))
        let unchanged = try portal.askOther(
            "http://localhost/v1/announcements",
            ["--unix-socket", "\(portal.state)/portal.sock", "-H", "If-None-Match: \(tag)"])
        #expect(unchanged.status == 304)
        #expect(try ask(portal, "DELETE", path).status == 204)
        #expect(try ask(portal, "GET", path).status == 404 && ask(portal, "DELETE", path).status == 404)
        try portal.killAndRestart()
        #expect(try titles(ask(portal, "GET", "/v1/announcements")) == ["Coffee"])
    }

    @Test("of a removed account say so as their author; those of another name and their words stay")
    func removedAuthor() throws {
        let (station, portal, content) = try open()
        defer {
            try? FileManager.default.removeItem(atPath: content)
            withExtendedLifetime(station) {}
        }
        func write(_ name: String, _ passphrase: String) throws -> String {
            let socket = ["--unix-socket", "\(portal.state)/portal.sock", "-H", "Content-Type: application/json"]
            let session = try portal.askOther(
                "http://localhost/v1/people/session",
                socket + ["-d", #"{"name":"\#(name)","passphrase":"\#(passphrase)","keep":"nothing"}"#])
            let cookie = try #require(session.cookie("__Host-konza-person"))
            let made = try portal.askOther(
                "http://localhost/v1/announcements",
                socket + ["-H", "Cookie: __Host-konza-person=\(cookie)", "-d", #"{"title":"By \#(name)"}"#])
            let path = try #require(made.field("location"))
            #expect(try ask(portal, "GET", path).json()["author"] as? String == name)
            return path
        }
        let eva = try portal.addPerson("Eva")
        let gone = try write("Eva", eva.passphrase)
        let other = try write("Eva Maria", try portal.addPerson("Eva Maria").passphrase)
        #expect(try portal.konza(["people", "remove", "Eva"]).status == 0)
        let left = try ask(portal, "GET", gone).json()
        #expect(left["author"] as? String == "removed person \(eva.number)" && left["title"] as? String == "By Eva")
        #expect(try ask(portal, "GET", other).json()["author"] as? String == "Eva Maria")
    }

    @Test("are refused with every fault named")
    func refused() throws {
        let (station, portal, content) = try open()
        defer {
            try? FileManager.default.removeItem(atPath: content)
            withExtendedLifetime(station) {}
        }
        for (body, words) in [
            ("{}", "/title"), (#"{"title":"x","urgent":true}"#, "/urgent"),
            (#"{"title":"x","endDate":"soon"}"#, "/endDate"),
            (#"{"title":"x","audience":"all"}"#, "/audience"), (#"{"title":"a\u202eb"}"#, "/title"),
            (#"{"title":"x","startDate":"2026-05-30T14:00:00Z","endDate":"2026-05-30T14:00:00Z"}"#, "/endDate"),
            (#"{"title":"x","endDate":"2026-01-01T00:00:00Z"}"#, "/endDate (is over by the station's clock"),
            (#"{"title":"x","translations":{"es":{}}}"#, "/translations/es/title"), ("[]", "object"),
            (#"{"title":"\#(String(repeating: "x", count: 201))"}"#, "/title"),
        ] {
            let answer = try ask(portal, "POST", "/v1/announcements", body)
            #expect([400, 422].contains(answer.status), "\(body)")
            #expect((try answer.json()["detail"] as? String)?.contains(words) == true, "\(body)")
        }
    }

    @Test("come from files at once, and from the courier's feeds, whose faults leave what is there")
    func sources() throws {
        let (station, portal, content) = try open()
        defer {
            try? FileManager.default.removeItem(atPath: content)
            withExtendedLifetime(station) {}
        }
        try Data("---\ntitle: From a file\nurgent: yes\n---\n".utf8).write(
            to: URL(fileURLWithPath: "\(content)/announcements/a.md"))
        try waitUntil("the file is taken up", seconds: 20) {
            try titles(ask(portal, "GET", "/v1/announcements")) == ["From a file"]
        }
        let source = "https://feed.example/atom"
        let report =
            #"{"source":"\#(source)","audience":"everyone","etag":"\"1\"","feed":{"title":"F","items":[{"id":"1","title":"From a feed","body":"b","more":"","isUrgent":false,"rank":0,"isRequired":true,"supersedes":[]}]}}"#
        #expect(try ask(portal, "POST", "/v1/announcement-feeds", report).json()["added"] as? Int == 1)
        #expect(try titles(ask(portal, "GET", "/v1/announcements")) == ["From a file", "From a feed"])
        #expect(try titles(portal.ask("/v1/announcements")) == ["From a feed"])
        _ = try ask(portal, "POST", "/v1/announcement-feeds", #"{"source":"\#(source)","problem":"status 500"}"#)
        let list = try ask(portal, "GET", "/v1/announcements").json()
        let feed = try #require((list["feeds"] as? [[String: Any]])?.first)
        #expect(feed["fault"] as? String == "status 500" && feed["ageSeconds"] as? Int == 0)
        let known = try ask(portal, "GET", "/v1/announcement-feeds").json()["feeds"] as? [[String: Any]]
        #expect(known?.first?["etag"] as? String == "\"1\"")
        #expect(try portal.ask("/v1/announcement-feeds").status == 403)
        #expect(try ask(portal, "PUT", "/v1/announcement-feeds", #"{"sources":[]}"#).status == 204)
        #expect(try titles(ask(portal, "GET", "/v1/announcements")) == ["From a file"])
    }

    @Test("are konza's to write, to list, to show and to retire")
    func command() throws {
        let (station, portal, content) = try open()
        defer {
            try? FileManager.default.removeItem(atPath: content)
            withExtendedLifetime(portal) {}
        }
        func konza(_ arguments: String...) throws -> String {
            let outcome = try run(
                try Programs.path("konza").path, arguments + ["--socket", "\(station.folder.path)/konza.sock"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.text
        }
        let text = try konza("announce", "--title", "Gate 4 is locked", "--body", "Use gate 3.", "--urgent")
        let id = String(try #require(text.split(separator: " ").first))
        #expect(try konza("announce", "list").contains("unread   urgent Gate 4 is locked"))
        #expect(try konza("announce", "show", id).contains("Use gate 3."))
        #expect(try konza("announce", "list").contains("read     urgent"))
        _ = try konza("announce", "change", id, "--body", "Use gate 2.", "--not-urgent")
        let same = try konza("announce", "change", id, "--body", "Use gate 2. \n")
        #expect(same.contains("says what it said") && !same.contains("unread"))
        let over = try konza("announce", "change", id, "--end", "2026-01-01T00:00:00Z")
        #expect(over.contains("is changed, and unread by everyone") && over.contains("Its end is over"))
        _ = try konza("announce", "change", id, "--end", "2100-01-01T00:00:00Z")
        #expect(try konza("announce", "list").contains("changed  Gate 4 is locked"))
        _ = try konza("announce", "retire", id)
        #expect(try konza("announce", "list").contains("There are no announcements"))
    }
}
