import Foundation
import KonzaTesting
import Testing

/// The ten requirements of the muster's thesis (NPS 2012), each over the real sockets.
@Suite("The muster over the portal", .serialized)
struct MusterTests {
    private func open(
        _ muster: String = "Until=23:59", loopback: String = "visitor"
    ) throws -> (station: Station, portal: RunningPortal) {
        let station = try Station("\(Station.recorded)\n[Portal]\nLoopback=\(loopback)\n[Muster]\n\(muster)")
        return (station, try RunningPortal(station))
    }

    private func kiosk(_ muster: String = "Until=23:59") throws -> (station: Station, portal: RunningPortal) {
        try open(muster, loopback: "kiosk")
    }

    private func you(_ browser: PersonBrowser) throws -> [String: Any] {
        try #require(try browser.get("/v1/muster").json()["you"] as? [String: Any])
    }

    /// Over the portal's socket, with a person's cookie: a device of the station itself that is not the kiosk.
    private func elsewhere(
        _ portal: RunningPortal, _ cookie: String, _ method: String, _ path: String, _ json: String = "{}"
    ) throws -> RunningPortal.Answer {
        let body = method == "GET" ? [] : ["-H", "Content-Type: application/json", "-d", json]
        return try portal.askOther(
            "http://localhost\(path)",
            [
                "--unix-socket", "\(portal.state)/portal.sock", "-X", method, "-H",
                "Cookie: __Host-konza-person=\(cookie)",
            ]
                + body)
    }

    /// Of somebody who signed in there.
    private func cookie(_ person: MadeAccount, _ name: String, _ portal: RunningPortal) throws -> String {
        let answer = try portal.askOther(
            "http://localhost/v1/people/session",
            [
                "--unix-socket", "\(portal.state)/portal.sock", "-X", "POST", "-H",
                "Content-Type: application/json", "-d",
                #"{"name":"\#(name)","passphrase":"\#(person.passphrase)","keep":"device"}"#,
            ])
        return try #require(answer.cookie("__Host-konza-person"))
    }

    @Test("1: cannot be used at all without a name and what belongs to it")
    func requirement1() throws {
        let (station, portal) = try open()
        defer { withExtendedLifetime(station) {} }
        let nobody = PersonBrowser(portal: portal)
        for path in ["/v1/muster", "/v1/muster/roster", "/v1/muster/records", "/v1/muster/export", "/v1/muster/verify"]
        {
            #expect(try nobody.get(path).status == 403, "\(path)")
        }
        #expect(try nobody.send("POST", "/v1/muster").status == 403)
        // The box itself musters nobody.
        let box = try portal.askOther(
            "http://localhost/v1/muster",
            [
                "--unix-socket", "\(portal.state)/portal.sock", "-X", "POST", "-H", "Content-Type: application/json",
                "-d", "{}",
            ])
        #expect(box.status == 403)
    }

    @Test("2: keeps of a login what its user chooses, and asks for the passphrase again before a muster all the same")
    func requirement2() throws {
        let (station, portal) = try open()
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        for keep in ["nothing", "name", "device"] {
            var browser = PersonBrowser(portal: portal)
            try browser.signIn(#"{"name":"Ana","passphrase":"\#(ana.passphrase)","keep":"\#(keep)"}"#)
            let session = try browser.get("/v1/people/session").json()
            #expect(session["keeps"] as? String == keep && session["isFresh"] as? Bool == true)
        }
    }

    @Test(
        "3 to 6: all active announcements are seen, the urgent first, marked when opened, and each is read before a muster"
    )
    func requirements3To6() throws {
        let (station, portal) = try kiosk()
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        for arguments in [
            ["--title", "Road to the north gate", "--body", "Closed."],
            ["--title", "Burn on 20B", "--body", "Stay off.", "--urgent"],
        ] { #expect(try portal.konza(["announce"] + arguments).status == 0) }
        // What is over is announced to nobody.
        let over = ["announce", "--title", "Long over", "--body", "x", "--end", "2020-01-01T00:00:00Z"]
        #expect(try portal.konza(over).status != 0)
        var screen = PersonBrowser(portal: portal)
        try screen.signIn(#"{"name":"Ana","pin":"\#(ana.pin)"}"#)
        func list() throws -> [[String: Any]] {
            try #require(try screen.get("/v1/announcements").json()["announcements"] as? [[String: Any]])
        }
        func titles() throws -> [String] { try list().compactMap { $0["title"] as? String } }
        #expect(try titles() == ["Burn on 20B", "Road to the north gate"])
        #expect(try list().allSatisfy { $0["isRead"] as? Bool == false })
        let refused = try screen.send("POST", "/v1/muster")
        #expect(refused.status == 409)
        let errors = try #require(try refused.json()["errors"] as? [[String: Any]])
        #expect(
            errors.count == 2 && errors.allSatisfy { ($0["path"] as? String)?.hasPrefix("/announcements/") == true })
        #expect((try you(screen)["unread"] as? [[String: Any]])?.count == 2)
        let ids = try list().compactMap { $0["id"] as? String }
        #expect(try screen.get("/v1/announcements/\(ids[0])").status == 200)
        #expect(try titles() == ["Road to the north gate", "Burn on 20B"], "what is read comes last")
        #expect(try screen.send("POST", "/v1/muster").status == 409)
        #expect(try screen.get("/v1/announcements/\(ids[1])").status == 200)
        #expect(try list().allSatisfy { $0["isRead"] as? Bool == true })
        // Changed meanwhile: it is unread again, and gates again.
        #expect(try portal.konza(["announce", "change", ids[0], "--body", "Stay off until Friday."]).status == 0)
        #expect(try screen.send("POST", "/v1/muster").status == 409)
        #expect(try screen.get("/v1/announcements/\(ids[0])").status == 200)
        #expect(try screen.send("POST", "/v1/muster").status == 201)
        // What one has read nobody else has.
        let ben = try portal.addPerson("Ben")
        try screen.signIn(#"{"name":"Ben","pin":"\#(ben.pin)"}"#)
        #expect(try screen.send("POST", "/v1/muster").status == 409)
    }

    @Test("names what is still to be read in the reader's language")
    func unreadTitles() throws {
        let content = try TemporaryFolder()
        let folder = "\(content.path)/announcements"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, title) in [("burn.md", "Burn on 20B"), ("burn.es.md", "Quema en 20B")] {
            try Data("---\ntitle: \(title)\nrequired: true\n---\nx\n".utf8).write(
                to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        let station = try Station("\(Station.recorded)\n[Portal]\nLoopback=kiosk\nContent=\(content.path)")
        let portal = try RunningPortal(station)
        let ana = try portal.addPerson("Ana")
        var screen = PersonBrowser(portal: portal)
        try screen.signIn(#"{"name":"Ana","pin":"\#(ana.pin)"}"#)
        func titles(_ query: String) throws -> [String] {
            let you = try #require(try screen.get("/v1/muster\(query)").json()["you"] as? [String: Any])
            return (you["unread"] as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
        }
        #expect(try titles("?language=es") == ["Quema en 20B"])
        #expect(try titles("?language=en") == ["Burn on 20B"] && titles("") == ["Burn on 20B"])
        #expect(try titles("?language=es-MX") == ["Quema en 20B"])
        #expect(try titles("?language=fr") == ["Burn on 20B"], "where there is none in it, its own")
        // What a refusal names is in it, too: where that alone is missing, and where more is.
        let own = try cookie(ana, "Ana", portal)
        for (query, title) in [
            ("?language=es-MX", "Quema en 20B"), ("?language=fr", "Burn on 20B"), ("", "Burn on 20B"),
        ] {
            for refused in [
                try screen.send("POST", "/v1/muster\(query)"),
                try elsewhere(portal, own, "POST", "/v1/muster\(query)"),
            ] {
                #expect(refused.status == 409)
                let errors = try #require(try refused.json()["errors"] as? [[String: Any]])
                #expect(errors.last?["detail"] as? String == "\(title) is not read yet", "\(query)")
            }
        }
    }

    @Test(
        "of somebody on leave is not missed: officers give it and take it back, at the kiosk as well, and nobody else")
    func leave() throws {
        let (station, portal) = try kiosk()
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        let eva = try portal.addPerson("Eva", "officer")
        var screen = PersonBrowser(portal: portal)
        try screen.signIn(#"{"name":"Eva","pin":"\#(eva.pin)"}"#)
        func line() throws -> [String: Any]? {
            (try screen.get("/v1/muster/roster").json()["people"] as? [[String: Any]])?
                .first { $0["number"] as? Int == ana.number }
        }
        let roster = try screen.get("/v1/muster/roster").json()
        let today = try #require(roster["day"] as? String)
        // Nobody is expected on a weekend, on leave or not.
        let isWorkday = roster["isWorkday"] as? Bool == true
        let wish = #"{"person":"\#(ana.number)","first":"\#(today)","last":"\#(today)","reason":"field course"}"#
        #expect(try line()?["state"] as? String == (isWorkday ? "expected" : "not-expected"))
        let made = try screen.send("POST", "/v1/muster/leave", wish)
        let number = try #require(try made.json()["number"] as? Int)
        #expect(made.status == 201)
        if isWorkday {
            #expect(try line()?["state"] as? String == "excused" && line()?["reason"] as? String == "field course")
        }
        let back = #"{"person":"Ana","first":"\#(today)","last":"2020-01-01"}"#
        #expect(try screen.send("POST", "/v1/muster/leave", back).status == 400)
        // Whose it is sees it, and may not change it.
        var own = PersonBrowser(portal: portal)
        try own.signIn(#"{"name":"Ana","pin":"\#(ana.pin)"}"#)
        func leave(_ browser: PersonBrowser) throws -> [Int] {
            (try browser.get("/v1/muster/leave").json()["leave"] as? [[String: Any]] ?? []).compactMap {
                $0["number"] as? Int
            }
        }
        #expect(try leave(own) == [number])
        #expect(try own.send("POST", "/v1/muster/leave", wish).status == 403)
        #expect(try own.send("DELETE", "/v1/muster/leave/\(number)").status == 403)
        try screen.signIn(#"{"name":"Eva","pin":"\#(eva.pin)"}"#)
        #expect(try leave(screen) == [number])
        #expect(try screen.send("DELETE", "/v1/muster/leave/\(number)").status == 204)
        #expect(try screen.send("DELETE", "/v1/muster/leave/\(number)").status == 404)
        #expect(try line()?["state"] as? String == (isWorkday ? "expected" : "not-expected") && leave(screen).isEmpty)
    }

    @Test("7: is never automatic: by hand, with a fresh login, and with what only the kiosk's screen shows, once")
    func requirement7() throws {
        let (station, portal) = try kiosk()
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        let ben = try portal.addPerson("Ben")
        let own = try cookie(ana, "Ana", portal)
        let refused = try elsewhere(portal, own, "POST", "/v1/muster")
        #expect(refused.status == 409)
        let errors = try refused.json()["errors"] as? [[String: Any]]
        #expect(errors?.compactMap { $0["path"] as? String } == ["/ticket"])
        #expect(try elsewhere(portal, own, "POST", "/v1/muster", #"{"ticket":"00"}"#).status == 409)
        // The code is the kiosk's alone: nobody else is shown it.
        #expect(try elsewhere(portal, own, "GET", "/v1/muster/challenge").status == 403)
        #expect(try portal.ask("/v1/muster/challenge", ["-H", "X-Forwarded-For: 192.0.2.1"]).status == 403)
        let challenge = try portal.ask("/v1/muster/challenge").json()
        let code = try #require(challenge["code"] as? String)
        #expect((challenge["link"] as? String)?.hasSuffix("/muster#\(code)") == true)
        #expect((challenge["digits"] as? String)?.utf8.count == 8 && (challenge["qr"] as? [String])?.isEmpty == false)
        #expect(
            try elsewhere(
                portal, own, "POST", "/v1/muster/tickets", #"{"code":"\#(code.reversed().map(String.init).joined())"}"#
            ).status == 403)
        let ticket = try #require(
            try elsewhere(portal, own, "POST", "/v1/muster/tickets", #"{"code":"\#(code)"}"#).json()["ticket"]
                as? String)
        let made = try elsewhere(portal, own, "POST", "/v1/muster", #"{"ticket":"\#(ticket)"}"#)
        #expect(made.status == 201)
        let record = try #require(try made.json()["record"] as? [String: Any])
        #expect(record["evidence"] as? String == "network" && record["verdict"] as? String == "this machine, code")
        // A ticket is good once, also for another.
        let other = try cookie(ben, "Ben", portal)
        #expect(try elsewhere(portal, other, "POST", "/v1/muster", #"{"ticket":"\#(ticket)"}"#).status == 409)
        // A token that was kept on a device does not muster: after a start nobody's login is fresh.
        try portal.killAndRestart()
        let next = try #require(try portal.ask("/v1/muster/challenge").json()["digits"] as? String)
        let second = try #require(
            try elsewhere(portal, other, "POST", "/v1/muster/tickets", #"{"code":"\#(next)"}"#).json()["ticket"]
                as? String)
        let stale = try elsewhere(portal, other, "POST", "/v1/muster", #"{"ticket":"\#(second)"}"#)
        #expect(stale.status == 409)
        #expect(((try stale.json()["errors"] as? [[String: Any]])?.first?["path"] as? String) == "/login")
        #expect(
            try elsewhere(portal, try cookie(ben, "Ben", portal), "POST", "/v1/muster", #"{"ticket":"\#(second)"}"#)
                .status
                == 201)
    }

    @Test("8 and 9: how one is today is shown after the login, and one who did not muster today may, once")
    func requirements8And9() throws {
        let (station, portal) = try kiosk()
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        var screen = PersonBrowser(portal: portal)
        #expect(try screen.signIn(#"{"name":"Ana","pin":"\#(ana.pin)"}"#).status == 201)
        let before = try you(screen)
        #expect(before["isMustered"] as? Bool == false && (before["missing"] as? [String])?.isEmpty == true)
        let made = try screen.send("POST", "/v1/muster")
        #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
        let first = try #require(try made.json()["record"] as? [String: Any])
        #expect(first["evidence"] as? String == "kiosk" && first["verdict"] as? String == "loopback")
        let after = try you(screen)
        #expect(after["isMustered"] as? Bool == true && after["at"] as? String == first["at"] as? String)
        let again = try screen.send("POST", "/v1/muster")
        #expect(again.status == 200)
        #expect((try again.json()["record"] as? [String: Any])?["sequence"] as? Int == first["sequence"] as? Int)
        // By a second device, too, whatever it lacks.
        let session = try portal.askOther(
            "http://localhost/v1/people/session",
            [
                "--unix-socket", "\(portal.state)/portal.sock", "-X", "POST", "-H", "Content-Type: application/json",
                "-d",
                #"{"name":"Ana","passphrase":"\#(ana.passphrase)"}"#,
            ])
        let second = try elsewhere(portal, try #require(session.cookie("__Host-konza-person")), "POST", "/v1/muster")
        #expect(second.status == 200)
        #expect((try second.json()["record"] as? [String: Any])?["sequence"] as? Int == first["sequence"] as? Int)
        // It is on the disk.
        try portal.killAndRestart()
        #expect(try portal.konza(["muster"]).text.contains("Ana"))
        #expect(try portal.konza(["muster", "verify"]).status == 0)
    }

    @Test("10: is on the station's own network, by the one login of the station, and not from elsewhere")
    func requirement10() throws {
        let (station, portal) = try open()
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        var browser = PersonBrowser(portal: portal)
        try browser.signIn(#"{"name":"Ana","passphrase":"\#(ana.passphrase)"}"#)
        #expect(try you(browser)["missing"] as? [String] == ["challenge"])
        let passed = try portal.ask(
            "/v1/muster",
            [
                "-X", "POST", "-H", "Origin: \(portal.address)", "-H", "Content-Type: application/json", "-d", "{}",
                "-H",
                "Cookie: __Host-konza-person=\(browser.cookie)", "-H", "X-Forwarded-For: 192.168.8.7",
            ])
        #expect(passed.status == 403)
        #expect(try browser.get("/v1/people/me/sessions").status == 200)
        let (other, alone) = try open("Place=kiosk")
        defer { withExtendedLifetime(other) {} }
        let ben = try alone.addPerson("Ben")
        var second = PersonBrowser(portal: alone)
        try second.signIn(#"{"name":"Ben","passphrase":"\#(ben.passphrase)"}"#)
        #expect(try second.send("POST", "/v1/muster").status == 403)
    }

    @Test(
        "has a roster by name for officers, corrections by others than oneself, and CSV with the head of a chain that holds"
    )
    func officers() throws {
        let (station, portal) = try open()
        defer { withExtendedLifetime(station) {} }
        let olga = try portal.addPerson("Olga", "officer")
        let ana = try portal.addPerson("=Ana")
        var officer = PersonBrowser(portal: portal)
        try officer.signIn(#"{"name":"Olga","passphrase":"\#(olga.passphrase)"}"#)
        let roster = try officer.get("/v1/muster/roster").json()
        #expect((roster["people"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["=Ana", "Olga"])
        func correct(_ json: String) throws -> Int { try officer.send("POST", "/v1/muster/corrections", json).status }
        #expect(try correct(#"{"person":"Olga","state":"mustered","reason":"I was"}"#) == 403)
        #expect(try correct(#"{"person":"=Ana","state":"mustered"}"#) == 400)
        #expect(try correct(#"{"person":"=Ana","state":"expected","reason":"x"}"#) == 400)
        #expect(try correct(#"{"person":"=Ana","day":"2200-01-01","state":"excused","reason":"x"}"#) == 422)
        #expect(
            try correct(#"{"person":"=Ana","day":"2000-01-03","state":"excused","reason":"x"}"#) == 422,
            "nobody was known then")
        #expect(try correct(#"{"person":"Nobody","state":"excused","reason":"x"}"#) == 404)
        #expect(try correct(#"{"person":"=Ana","state":"excused","reason":"+ill"}"#) == 201)
        var crew = PersonBrowser(portal: portal)
        try crew.signIn(#"{"name":"=Ana","passphrase":"\#(ana.passphrase)"}"#)
        #expect(try crew.get("/v1/muster/roster").status == 403)
        let own = try crew.get("/v1/muster/records").json()["records"] as? [[String: Any]]
        #expect(own?.first?["reason"] as? String == "+ill")
        let csv = try officer.get("/v1/muster/roster?form=csv")
        let text = String(decoding: csv.body, as: UTF8.self)
        #expect(text.contains("'=Ana,crew,excused,,officer,vouched,,'+ill\r\n"))
        let head = try #require(csv.field("konza-audit-head"))
        #expect(text.contains(head))
        let file = "\(station.folder.path)/muster.csv"
        #expect(try portal.konza(["muster", "export", "-o", file]).text.contains(head))
        #expect(try portal.konza(["muster", "verify", "--head", head]).status == 0)
        let other = String(head.dropLast()) + (head.hasSuffix("0") ? "1" : "0")
        #expect(try portal.konza(["muster", "verify", "--head", other]).status == 65)
        #expect(try portal.konza(["muster", "correct", "=Ana", "missed", "-r", "seen elsewhere"]).status == 0)
        #expect(try portal.konza(["muster", "leave", "=Ana", "2026-06-01", "2026-06-02"]).status == 0)
    }

    @Test(
        "is made at a place where the settings say so: inside a circle, with all of the position's error, which is not kept"
    )
    func fence() throws {
        let (station, portal) = try kiosk("Until=23:59\nPlace=fence\nFence=39.1069,-96.6091,500")
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        let session = try portal.askOther(
            "http://localhost/v1/people/session",
            [
                "--unix-socket", "\(portal.state)/portal.sock", "-X", "POST", "-H", "Content-Type: application/json",
                "-d", #"{"name":"Ana","passphrase":"\#(ana.passphrase)"}"#,
            ])
        let cookie = try #require(session.cookie("__Host-konza-person"))
        #expect(try elsewhere(portal, cookie, "GET", "/v1/muster").json()["needsPosition"] as? Bool == true)
        let digits = try #require(try portal.ask("/v1/muster/challenge").json()["digits"] as? String)
        let ticket = try #require(
            try elsewhere(portal, cookie, "POST", "/v1/muster/tickets", #"{"code":"\#(digits)"}"#).json()["ticket"]
                as? String)
        func muster(_ position: String) throws -> RunningPortal.Answer {
            try elsewhere(portal, cookie, "POST", "/v1/muster", #"{"ticket":"\#(ticket)"\#(position)}"#)
        }
        func place(_ latitude: Double, _ more: String) -> String {
            #","position":{"latitude":\#(latitude),"longitude":-96.6091\#(more)}"#
        }
        for (position, words) in [
            ("", "does not say where"), (place(39.1069, ""), "how accurate"),
            (place(39.1069, #","accuracy":20"#), "60 seconds"),
            (place(39.1069, #","accuracy":2200,"ageSeconds":1"#), "100 m"),
            (place(39.1069, #","accuracy":20,"ageSeconds":1,"isSimulated":true"#), "made up"),
            (place(39.1113, #","accuracy":20,"ageSeconds":1"#), "cannot be told"),
            (place(39.12, #","accuracy":20,"ageSeconds":1"#), "not at the station"),
        ] {
            let answer = try muster(position)
            #expect(answer.status == 409, "\(position)")
            let errors = try answer.json()["errors"] as? [[String: Any]]
            #expect(errors?.first?["path"] as? String == "/position", "\(position)")
            #expect((errors?.first?["detail"] as? String)?.contains(words) == true, "\(errors ?? [])")
        }
        #expect(try muster(#","position":{"latitude":91,"longitude":0}"#).status == 400)
        // The ticket was not used up by what was refused.
        let made = try muster(place(39.1070, #","accuracy":20,"ageSeconds":1"#))
        #expect(made.status == 201)
        let record = try #require(try made.json()["record"] as? [String: Any])
        #expect(record["verdict"] as? String == "this machine, code, inside the fence")
        #expect(!String(decoding: made.body, as: UTF8.self).contains("39.107"))
    }

    @Test("of another box is taken from its export, says what was read by its hash, and is refused when it was changed")
    func boxes() throws {
        let (first, here) = try kiosk()
        let (second, there) = try kiosk()
        defer { withExtendedLifetime((first, second)) {} }
        _ = try here.addPerson("Ben")
        _ = try here.addPerson("Ana")
        let ana = try there.addPerson("Ana")
        #expect(try there.konza(["announce", "--title", "Burn", "--body", "Stay off."]).status == 0)
        var screen = PersonBrowser(portal: there)
        try screen.signIn(#"{"name":"Ana","pin":"\#(ana.pin)"}"#)
        let list = try #require(try screen.get("/v1/announcements").json()["announcements"] as? [[String: Any]])
        let id = try #require(list.first?["id"] as? String)
        let opened = try screen.get("/v1/announcements/\(id)").json()
        let made = try screen.send("POST", "/v1/muster")
        #expect(made.status == 201)
        let read = try #require((try made.json()["record"] as? [String: Any])?["announcements"] as? String)
        #expect(read.hasPrefix("\(id)=") && read.utf8.count == id.utf8.count + 65)
        #expect(opened["hash"] == nil || read.hasSuffix(opened["hash"] as? String ?? ""))
        #expect(try there.konza(["muster", "export"]).text.contains(read))
        let file = "\(first.folder.path)/there.ledger"
        #expect(try there.konza(["muster", "export", "--ledger", "-o", file]).status == 0)
        #expect(try here.konza(["muster", "import", file]).text.hasPrefix("1 record of the box"))
        #expect(try here.konza(["muster", "import", file]).text.hasPrefix("0 records of the box"))
        let roster = try here.konza(["muster"]).text
        #expect(roster.contains("was last heard") && roster.contains("Ana") && roster.contains("mustered"))
        try here.killAndRestart()
        #expect(try here.konza(["muster"]).text.contains("mustered"))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing("\"loopback\"", with: "\"proved\"").write(toFile: file, atomically: true, encoding: .utf8)
        let refused = try here.konza(["muster", "import", file])
        #expect(refused.status != 0 && refused.errors.contains("record 1 does not follow"), "\(refused.errors)")
        #expect(try there.konza(["muster", "import", "/nonexistent"]).status == 66)
    }

    @Test("loses no muster that it acknowledged to a kill, and makes no second one")
    func killed() throws {
        let kills = RandomTest.cases(2)
        let (station, portal) = try kiosk()
        defer { withExtendedLifetime(station) {} }
        for kill in 0..<kills {
            let name = "Crew \(Character(UnicodeScalar(UInt8(65 + kill % 26))))"
            let person = try portal.addPerson(name)
            var screen = PersonBrowser(portal: portal)
            try screen.signIn(#"{"name":"\#(name)","pin":"\#(person.pin)"}"#)
            let killer = Process()
            killer.executableURL = URL(fileURLWithPath: "/bin/sh")
            killer.arguments = ["-c", "sleep 0.0\(kill % 10); kill -9 \(portal.process.processIdentifier)"]
            try killer.run()
            let made = try screen.send("POST", "/v1/muster")
            killer.waitUntilExit()
            try portal.killAndRestart()
            let list =
                try portal.askOther(
                    "http://localhost/v1/muster/records?person=\(person.number)",
                    ["--unix-socket", "\(portal.state)/portal.sock"]
                ).json()["records"] as? [[String: Any]]
            #expect(made.status != 201 || list?.count == 1, "kill \(kill)")
            try screen.signIn(#"{"name":"\#(name)","pin":"\#(person.pin)"}"#)
            let again = try screen.send("POST", "/v1/muster").status
            #expect(again == (list?.isEmpty == false ? 200 : 201), "kill \(kill)")
            #expect(try portal.konza(["muster", "verify"]).status == 0)
        }
    }
}
