import Foundation
import KonzaTesting
import Testing

/// A server on loopback that a test scripts: what it answers stands in a file beside it, what it was asked in another.
private final class ScriptedServer {
    let folder: TemporaryFolder
    let port: Int
    private let process = Process()

    // `prepare` puts into the folder what the server reads as it starts.
    init(_ script: String, _ prepare: (_ folder: String) throws -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        try prepare(folder.path)
        port = Int(try freeLoopbackPort())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script, "\(port)", folder.path]
        try process.run()
        try waitUntil("the server listens", seconds: 20) {
            FileManager.default.fileExists(atPath: "\(folder.path)/ready")
        }
    }

    deinit { end(process) }

    func set(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"), options: .atomic)
    }

    func log() -> [String] {
        ((try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)) ?? "").split(separator: "\n").map(
            String.init)
    }
}

/// Answers with what `mode` says, and body `feed`; notes each request with its validators.
private let feedServer = """
    import http.server, os, sys
    folder = sys.argv[2]
    def read(name):
        try: return open(folder + "/" + name).read().strip()
        except OSError: return ""
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *a): pass
        def body(self, status, data, **fields):
            self.send_response(status)
            for name, value in fields.items(): self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        def do_POST(self):
            data = self.rfile.read(int(self.headers["Content-Length"]))
            with open(folder + "/posted", "wb") as f: f.write(data)
            with open(folder + "/all-posted", "ab") as f: f.write(data + b"\\n")
            with open(folder + "/log", "a") as f: f.write("POST %s %s\\n" % (self.headers["Konza-Signature"], self.headers["Idempotency-Key"]))
            if read("mode") == "lost": return self.connection.shutdown(2)
            self.body(int(read("mode") or 204), b"")
        def do_GET(self):
            mode = read("mode")
            with open(folder + "/log", "a") as f: f.write("%s %s %s\\n" % (mode, self.path, self.headers["If-None-Match"]))
            feed = open(folder + "/feed", "rb").read()
            tag = '"' + read("tag") + '"'
            if mode == "loop": return self.body(302, b"", Location="/again")
            if mode == "away" and self.path == "/": return self.body(301, b"", Location="feed?x=1")
            if mode == "plain": return self.body(302, b"", Location="http://192.0.2.1/feed")
            if mode == "500": return self.body(500, feed)
            if mode == "html": return self.body(200, b"<!DOCTYPE html><html><body>Sign in</body></html>")
            if mode == "empty": return self.body(200, b"")
            if mode == "large": return self.body(200, feed + b" " * (10 << 20))
            if mode == "cut":
                self.send_response(200)
                self.send_header("Content-Length", str(len(feed) + 100))
                self.end_headers()
                self.wfile.write(feed)
                return
            if mode == "half": return self.body(200, feed[:len(feed) // 2])
            if tag == self.headers["If-None-Match"]: return self.body(304, b"", ETag=tag)
            self.body(200, feed, ETag=tag, Last_Modified="Sat, 30 May 2026 10:00:00 GMT")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    open(folder + "/ready", "w").close()
    server.serve_forever()
    """

/// A mail server (RFC 5321). Each connection takes a line of `modes`, and fails at the step that it names: with its code, or by
/// hanging up (`cut`).
private let mailServer = """
    import os, socket, sys, threading
    folder = sys.argv[2]
    lock = threading.Lock()
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    open(folder + "/ready", "w").close()
    def serve(s):
        f = s.makefile("rb")
        with lock:
            lines = open(folder + "/modes").read().split("\\n")
            open(folder + "/modes", "w").write("\\n".join(lines[1:]))
        step, code = (lines[0].split() + ["", ""])[:2]
        def say(name, good):
            with open(folder + "/log", "a") as l: l.write(name + "\\n")
            if name == step:
                if code == "cut":
                    s.shutdown(2)
                    return False
                s.sendall((code + "-5.1.1 no such\\r\\n" + code + " user, \\u00fcber\\r\\n").encode())
                return False
            s.sendall((good + "\\r\\n").encode())
            return True
        if not say("greeting", "220 here"): return s.close()
        while True:
            line = f.readline().decode().strip()
            word = line.split(":")[0].split(" ")[0].upper()
            if not line: break
            if word == "DATA":
                if not say("data", "354 go on"): continue
                data = b""
                while not data.endswith(b"\\r\\n.\\r\\n"):
                    more = f.readline()
                    if not more: return
                    data += more
                # Taken to the end, and the answer is lost.
                if step == "answer": open(folder + "/mail", "ab").write(data)
                if step == "answer": return s.shutdown(2)
                if say("end", "250 taken"): open(folder + "/mail", "ab").write(data)
            elif word == "QUIT":
                s.sendall(b"221 bye\\r\\n")
                break
            else:
                say(word.lower(), "250 good")
        s.close()
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()
    """

/// A mail server on 127.0.0.2, with STARTTLS (RFC 3207) by `cert.pem` unless there is a file `plain`; an account is offered behind it
/// alone. It notes each command, and whether it came encrypted.
private let secureMailServer = """
    import os, socket, ssl, sys, threading
    folder = sys.argv[2]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
    listener = socket.create_server(("127.0.0.2", int(sys.argv[1])))
    open(folder + "/ready", "w").close()
    def serve(s):
        secure = False
        f = s.makefile("rb")
        s.sendall(b"220 here\\r\\n")
        while True:
            line = f.readline().decode().strip()
            if not line: break
            word = line.split(":")[0].split(" ")[0].upper()
            with open(folder + "/log", "a") as l: l.write(("secure " if secure else "plain ") + word + "\\n")
            if word == "EHLO":
                offers = ["here"] + (["AUTH PLAIN"] if secure else [] if os.path.exists(folder + "/plain") else ["STARTTLS"])
                s.sendall("".join("250%s%s\\r\\n" % (" " if one == offers[-1] else "-", one) for one in offers).encode())
            elif word == "STARTTLS":
                s.sendall(b"220 go on\\r\\n")
                try: s = context.wrap_socket(s, server_side=True)
                except (ssl.SSLError, OSError): return
                f = s.makefile("rb")
                secure = True
            elif word == "AUTH":
                if len(line.split(" ")) < 3:
                    s.sendall(b"334 \\r\\n")
                    f.readline()
                s.sendall(b"235 known\\r\\n")
            elif word == "DATA":
                s.sendall(b"354 go on\\r\\n")
                data = b""
                while not data.endswith(b"\\r\\n.\\r\\n"):
                    more = f.readline()
                    if not more: return
                    data += more
                open(folder + "/mail", "ab").write(data)
                s.sendall(b"250 taken\\r\\n")
            elif word == "QUIT":
                s.sendall(b"221 bye\\r\\n")
                break
            else: s.sendall(b"250 good\\r\\n")
        s.close()
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()
    """

@Suite("The courier for the portal", .serialized)
struct PortalCourierTests {
    private func ask(_ portal: RunningPortal, _ path: String) throws -> [String: Any] {
        try portal.askOther("http://localhost\(path)", ["--unix-socket", "\(portal.state)/portal.sock"]).json()
    }

    private func open(_ settings: (_ folder: String) -> String) throws -> (Station, RunningPortal, RunningCourier) {
        let station = try Station(Station.recorded)
        try Data(
            "\(Station.recorded)\n[Portal]\nSocket=\(station.folder.path)/portal/portal.sock\n\(settings(station.folder.path))\n"
                .utf8
        )
        .write(to: URL(fileURLWithPath: "\(station.folder.path)/konzad.conf"))
        return (station, try RunningPortal(station), RunningCourier(folder: station.folder.path))
    }

    /// One turn of the courier, to its end.
    private func turn(_ courier: RunningCourier) throws {
        let outcome = try run(
            try Programs.path("konza-courier").path,
            courier.arguments + ["--socket", "\(courier.folder)/konza.sock", "--once"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func feed(_ titles: [String]) -> String {
        let items = titles.map { #"{"id":"\#($0)","title":"\#($0)","content_text":"text of \#($0)"}"# }
        return
            #"{"version":"https://jsonfeed.org/version/1.1","title":"Notices","items":[\#(items.joined(separator: ","))]}"#
    }

    @Test("brings what a feed says, asks by its validators, and keeps what is known through every fault of a server")
    func feeds() throws {
        let server = try ScriptedServer(feedServer)
        let (station, portal, courier) = try open { _ in "[Courier]\nPublicFeeds=http://127.0.0.1:\(server.port)/" }
        defer { withExtendedLifetime(station) {} }
        func titles() throws -> [String] {
            (try portal.ask("/v1/announcements").json()["announcements"] as? [[String: Any]] ?? [])
                .compactMap { $0["title"] as? String }.sorted()
        }
        func fault() throws -> String? {
            (try ask(portal, "/v1/announcements")["feeds"] as? [[String: Any]])?.first?["fault"] as? String
        }
        try server.set("feed", feed(["a", "b"]))
        try server.set("tag", "1")
        try server.set("mode", "")
        try turn(courier)
        #expect(try titles() == ["a", "b"] && fault() == nil)
        // Unchanged: one conditional request.
        try turn(courier)
        #expect(server.log() == [" / None", #" / "1""#])
        #expect(try titles() == ["a", "b"])
        // New bytes and another tag with the same text: nothing differs.
        try server.set("feed", feed(["b", "a"]) + "\n")
        try server.set("tag", "2")
        try turn(courier)
        #expect(try titles() == ["a", "b"])
        for (mode, words) in [
            ("500", "status 500"), ("html", "document type"), ("empty", "empty"), ("large", "larger than"),
            ("cut", "cannot"),
            ("half", "damaged"), ("loop", "more than 3 redirections"), ("plain", "not encrypted"),
        ] {
            try server.set("feed", feed([]))
            try server.set("tag", "x")
            if mode == "cut" || mode == "half" { try server.set("feed", feed(["a", "b", "c"])) }
            try server.set("mode", mode)
            try turn(courier)
            #expect(try titles() == ["a", "b"], "\(mode)")
            let found = try fault() ?? "no fault"
            #expect(found.contains(words), "\(mode): \(found)")
        }
        // Redirected once it is the same feed; what vanished in a whole answer is retired.
        try server.set("feed", feed(["b"]))
        try server.set("tag", "3")
        try server.set("mode", "away")
        try turn(courier)
        #expect(try titles() == ["b"] && fault() == nil)
        try server.set("feed", feed([]))
        try server.set("tag", "4")
        try turn(courier)
        #expect(try titles().isEmpty)
    }

    @Test(
        "brings calendars: what the last whole valid answer said stays through every fault, a restart, and until they are not wanted"
    )
    func calendars() throws {
        let server = try ScriptedServer(feedServer)
        let address = "http://127.0.0.1:\(server.port)/"
        let (station, portal, courier) = try open { _ in "[Courier]\nCalendars=\(address)" }
        defer { withExtendedLifetime(station) {} }
        func calendar(_ titles: [String]) -> String {
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Konza//test\r\n"
                + titles.enumerated().map { number, title in
                    "BEGIN:VEVENT\r\nUID:\(title)\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260101T1\(number)0000Z\r\n"
                        + "RRULE:FREQ=YEARLY\r\nSUMMARY:\(title)\r\nEND:VEVENT\r\n"
                }.joined() + "END:VCALENDAR\r\n"
        }
        func titles() throws -> [String] {
            let events = try ask(portal, "/v1/calendar")["events"] as? [[String: Any]] ?? []
            return Set(events.compactMap { $0["title"] as? String }).sorted()
        }
        func state() throws -> [String: Any]? {
            (try ask(portal, "/v1/calendar-feeds")["feeds"] as? [[String: Any]])?.first
        }
        try server.set("feed", calendar(["Bird walk", "Burn day"]))
        try server.set("tag", "1")
        try server.set("mode", "")
        try turn(courier)
        // Examples that came along are not shown beside them.
        #expect(try titles() == ["Bird walk", "Burn day"])
        try turn(courier)
        #expect(server.log() == [" / None", #" / "1""#])
        for (mode, words) in [
            ("500", "status 500"), ("html", "BEGIN:VCALENDAR"), ("empty", "BEGIN:VCALENDAR"), ("large", "larger than"),
            ("cut", "cannot"), ("half", "cut off"), ("loop", "more than 3 redirections"), ("plain", "not encrypted"),
        ] {
            try server.set("feed", calendar(["Other"]))
            try server.set("tag", "x")
            try server.set("mode", mode)
            try turn(courier)
            #expect(try titles() == ["Bird walk", "Burn day"], "\(mode)")
            let fault = try state()?["fault"] as? String ?? "no fault"
            #expect(fault.contains(words), "\(mode): \(fault)")
        }
        // It is there before the courier comes again.
        try portal.killAndRestart()
        #expect(try titles() == ["Bird walk", "Burn day"])
        #expect(try state()?["etag"] as? String == #""1""#)
        try server.set("mode", "away")
        try turn(courier)
        #expect(try titles() == ["Other"])
        #expect(try state()?["fault"] == nil)
        let settings = URL(fileURLWithPath: "\(station.folder.path)/konzad.conf")
        let text = try String(contentsOf: settings, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "Calendars=", with: "#").utf8).write(to: settings)
        try turn(courier)
        #expect(try state() == nil && !titles().contains("Other"))
    }

    @Test("sends mail once, after every fault of a server at every step, and gives up what is refused for good")
    func mail() throws {
        let server = try ScriptedServer(mailServer)
        let faults = [
            "greeting 421", "greeting cut", "ehlo cut", "mail 451", "mail cut", "rcpt 451", "rcpt cut", "data 451",
            "data cut", "end 452", "end cut", "rcpt 550", "none",
        ]
        let officers = faults.indices.map { "officer\($0)@example.org" }.joined(separator: " ")
        let (station, portal, courier) = try open { _ in
            "[Courier]\nMailServer=smtp://127.0.0.1:\(server.port)\nMailFrom=station@example.org\n"
                + "[Trips]\nOfficerAfter=0\nOfficer=\(officers)"
        }
        defer { withExtendedLifetime(station) {} }
        func messages() throws -> [[String: Any]] {
            try ask(portal, "/v1/messages")["messages"] as? [[String: Any]] ?? []
        }
        func mails() -> [String] {
            ((try? String(contentsOfFile: "\(server.folder.path)/mail", encoding: .utf8)) ?? "")
                .components(separatedBy: "\r\n.\r\n").filter { !$0.isEmpty }
        }
        let time = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 2))
        let wish = #"{"leader":"Ana Mu\u00f1oz","destination":"20B","expectedAt":"\#(time)"}"#
        #expect(try portal.post("/v1/trips", wish).status == 201)
        try waitUntil("the messages are written", seconds: 30) { try messages().count == faults.count }
        try server.set("modes", faults.joined(separator: "\n"))
        try turn(courier)
        let tried = try messages()
        for (index, fault) in faults.enumerated() {
            let message = try #require(
                tried.first { ($0["recipient"] as? String)?.hasPrefix("officer\(index)@") == true })
            let expected = fault == "none" ? "sent" : fault == "rcpt 550" ? "given-up" : "waiting"
            #expect(message["state"] as? String == expected && message["attempts"] as? Int == 1, "\(fault)")
            let failure = message["failure"] as? String
            #expect(fault == "none" ? failure == nil : failure?.contains("cannot send mail") == true, "\(fault)")
            if let code = fault.split(separator: " ").last, Int(code) != nil {
                let words = "the server answered \(code) 5.1.1 no such user, \u{FC}ber"
                #expect(failure?.hasSuffix(words) == true, "\(fault): \(failure ?? "")")
            }
        }
        #expect(mails().count == 1, "what a server did not take to the end it does not have")
        // The others go when their next attempt is due.
        try server.set("modes", "")
        try waitUntil("all is sent", seconds: 60) {
            try turn(courier)
            return try ask(portal, "/v1/messages")["waiting"] as? Int == 0
        }
        #expect(mails().count == faults.count - 1)
        let mail = try #require(mails().first { $0.contains("=?utf-8?B?") })
        #expect(mail.contains("From: <station@example.org>\r\n") && mail.contains("Message-ID: <"))
        let text = mail.components(separatedBy: "\r\n\r\n").last?.replacingOccurrences(of: "\r\n", with: "") ?? ""
        let body = Data(base64Encoded: text).map { String(decoding: $0, as: UTF8.self) } ?? ""
        #expect(body.contains("Party: Ana Mu\u{F1}oz") && body.contains("Destination: 20B"), "\(mail)")
    }

    @Test("posts to a webhook what OpenSSL finds signed by the key, once it is there")
    func webhook() throws {
        let server = try ScriptedServer(feedServer)
        let (station, portal, courier) = try open { _ in
            "[Courier]\nWebhook=http://127.0.0.1:\(server.port)/hook\n[Trips]\nOfficerAfter=0"
        }
        defer { withExtendedLifetime(station) {} }
        let time = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 2))
        #expect(
            try portal.post("/v1/trips", #"{"leader":"Ana","destination":"20B","expectedAt":"\#(time)"}"#).status == 201
        )
        try waitUntil("a message is written", seconds: 30) { try ask(portal, "/v1/messages")["waiting"] as? Int == 1 }
        try courier.give("secret words", as: "webhook-key")
        try turn(courier)
        #expect(try ask(portal, "/v1/messages")["waiting"] as? Int == 0)
        let parts = try #require(server.log().first?.firstMatch(of: /t=(\d+),v1=([0-9a-f]{64})/))
        let body = try Data(contentsOf: URL(fileURLWithPath: "\(server.folder.path)/posted"))
        try (Data("\(parts.1).".utf8) + body).write(to: URL(fileURLWithPath: "\(server.folder.path)/signed"))
        let openssl = try run(
            "openssl", ["dgst", "-sha256", "-hmac", "secret words", "-r", "\(server.folder.path)/signed"])
        #expect(openssl.text.hasPrefix(parts.2))
        #expect(String(decoding: body, as: UTF8.self).contains("overdue"))
    }

    /// An authority, and a certificate of it for an address, by OpenSSL.
    private func certificates(_ folder: String, for address: String) throws {
        for arguments in [
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=Station authority", "-keyout", "\(folder)/ca.key", "-out", "\(folder)/ca.pem",
            ],
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=mail", "-addext",
                "subjectAltName=IP:\(address)", "-keyout", "\(folder)/key.pem", "-out", "\(folder)/request.pem",
            ],
            [
                "x509", "-req", "-in", "\(folder)/request.pem", "-CA", "\(folder)/ca.pem", "-CAkey", "\(folder)/ca.key",
                "-CAcreateserial", "-days", "2", "-copy_extensions", "copy", "-out", "\(folder)/cert.pem",
            ],
        ] {
            let made = try run("openssl", arguments)
            guard made.status == 0 else { throw Complaint(made.errors) }
        }
    }

    @Test("says nothing to a mail server before STARTTLS, nor to one whose certificate is another's")
    func startTLS() throws {
        for (address, isTrusted, isPlain, expected) in [
            ("127.0.0.2", true, false, nil), ("127.0.0.2", false, false, "certificate"),
            ("127.0.0.3", true, false, "127.0.0.2"), ("127.0.0.2", true, true, "TLS"),
        ] as [(String, Bool, Bool, String?)] {
            let server = try ScriptedServer(secureMailServer) { try certificates($0, for: address) }
            if isPlain { try server.set("plain", "") }
            let (station, portal, courier) = try open { _ in
                "[Courier]\nMailServer=smtp://127.0.0.2:\(server.port)\nMailFrom=station@example.org\nMailUser=station\n"
                    + (isTrusted ? "MailAuthorities=\(server.folder.path)/ca.pem\n" : "")
                    + "[Trips]\nOfficerAfter=0\nOfficer=officer@example.org"
            }
            defer { withExtendedLifetime(station) {} }
            try courier.give("tallgrass", as: "mail-password")
            try overdue(portal)
            try turn(courier)
            let message = try #require((try ask(portal, "/v1/messages")["messages"] as? [[String: Any]])?.first)
            let mail = (try? String(contentsOfFile: "\(server.folder.path)/mail", encoding: .utf8)) ?? ""
            let log = server.log()
            guard let expected else {
                #expect(message["state"] as? String == "sent", "\(message["failure"] ?? "")")
                #expect(mail.contains("Message-ID: <"))
                #expect(
                    log.starts(with: ["plain EHLO", "plain STARTTLS", "secure EHLO", "secure AUTH", "secure MAIL"]))
                continue
            }
            let failure = message["failure"] as? String ?? ""
            #expect(message["state"] as? String == "waiting" && mail.isEmpty, "\(expected)")
            #expect(failure.contains(expected), "\(failure)")
            #expect(!log.contains { $0.hasPrefix("secure ") }, "\(log)")
            #expect(
                !log.contains {
                    ["AUTH", "MAIL", "RCPT", "DATA"].contains($0.split(separator: " ").last.map(String.init))
                })
        }
    }

    /// Has one trip become overdue, with a message of it written.
    private func overdue(_ portal: RunningPortal) throws {
        let time = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 2))
        #expect(
            try portal.post("/v1/trips", #"{"leader":"Ana","destination":"20B","expectedAt":"\#(time)"}"#).status == 201
        )
        try waitUntil("a message is written", seconds: 30) { try ask(portal, "/v1/messages")["waiting"] as? Int == 1 }
    }

    @Test("sends mail again under the same Message-ID where a server took it and its answer was lost")
    func lostAnswer() throws {
        let server = try ScriptedServer(mailServer)
        let (station, portal, courier) = try open { _ in
            "[Courier]\nMailServer=smtp://127.0.0.1:\(server.port)\nMailFrom=station@example.org\n"
                + "[Trips]\nOfficerAfter=0\nOfficer=officer@example.org"
        }
        defer { withExtendedLifetime(station) {} }
        try overdue(portal)
        try server.set("modes", "answer lost")
        try turn(courier)
        #expect(try ask(portal, "/v1/messages")["waiting"] as? Int == 1, "nobody knows that it was taken")
        // The portal is killed while it waits: the name of a message is on the disk.
        try portal.killAndRestart()
        try waitUntil("it is sent again", seconds: 60) {
            try turn(courier)
            return try ask(portal, "/v1/messages")["waiting"] as? Int == 0
        }
        let text = try String(contentsOfFile: "\(server.folder.path)/mail", encoding: .utf8)
        let names = text.matches(of: /Message-ID: <([^>]+)>/).map { String($0.1) }
        #expect(names.count == 2 && Set(names).count == 1, "\(names)")
        let dates = text.matches(of: /\r\nDate: ([^\r]+)/).map { String($0.1) }
        #expect(dates.count == 2)
    }

    @Test("posts to a webhook again under the same key where a server took it and its answer was lost")
    func lostReply() throws {
        let server = try ScriptedServer(feedServer)
        let (station, portal, courier) = try open { _ in
            "[Courier]\nWebhook=http://127.0.0.1:\(server.port)/hook\n[Trips]\nOfficerAfter=0"
        }
        defer { withExtendedLifetime(station) {} }
        try courier.give("secret words", as: "webhook-key")
        try overdue(portal)
        try server.set("mode", "lost")
        try turn(courier)
        #expect(try ask(portal, "/v1/messages")["waiting"] as? Int == 1 && server.log().count == 1)
        try server.set("mode", "")
        try portal.killAndRestart()
        try waitUntil("it is posted again", seconds: 60) {
            try turn(courier)
            return try ask(portal, "/v1/messages")["waiting"] as? Int == 0
        }
        let keys = server.log().compactMap { $0.split(separator: " ").last.map(String.init) }
        #expect(keys.count == 2 && Set(keys).count == 1 && keys.first != "None", "\(keys)")
        let bodies = try String(contentsOfFile: "\(server.folder.path)/all-posted", encoding: .utf8).split(
            separator: "\n")
        #expect(bodies.count == 2 && bodies.allSatisfy { $0.contains(keys.first ?? "?") }, "the body names it as well")
    }
}
