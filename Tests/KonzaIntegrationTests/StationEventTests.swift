import Foundation
import KonzaTesting
import Testing

/// A stream of events that curl reads.
private final class EventCurl {
    private let process = Process()
    private let file: URL

    init(_ url: String, _ arguments: [String] = []) throws {
        file = FileManager.default.temporaryDirectory.appending(path: "konza-events-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else { throw Complaint("no file") }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = ["-sSNi", "-m", "60"] + arguments + [url]
        process.standardOutput = try FileHandle(forWritingTo: file)
        process.standardError = FileHandle.nullDevice
        try process.run()
        try wait(for: "\r\n\r\n")
    }

    deinit {
        // It inherits a mask that has SIGTERM blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: file)
    }

    var text: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }
    var isOver: Bool { !process.isRunning }
    var status: Int { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

    func count(_ name: String) -> Int { text.components(separatedBy: "event: \(name)\n").count - 1 }

    /// The id of the last event.
    var lastID: String? { text.matches(of: /\nid: (.+)\n/).last.map { String($0.1) } }

    func wait(for words: String) throws {
        try waitUntil("the stream says \(words.debugDescription)", seconds: 20) { text.contains(words) }
    }

    func wait(for name: String, count: Int) throws {
        try waitUntil("\(count) events \(name)", seconds: 20) { self.count(name) >= count }
    }
}

@Suite("Events of the station's life, over the portal", .serialized)
struct StationEventTests {
    private func open(_ loopback: String) throws -> (station: Station, portal: RunningPortal) {
        let station = try Station("\(Station.recorded)\n[Portal]\nLoopback=\(loopback)\n[Muster]\nUntil=23:59")
        return (station, try RunningPortal(station))
    }

    /// Over the portal's socket, as the box's keeper does.
    private func socket(_ portal: RunningPortal) -> [String] { ["--unix-socket", "\(portal.state)/portal.sock"] }

    private func ask(_ portal: RunningPortal, _ method: String, _ path: String, _ body: String? = nil) throws
        -> RunningPortal.Answer
    {
        try portal.askOther(
            "http://localhost\(path)",
            socket(portal) + ["-X", method]
                + (body.map { ["-H", "Content-Type: application/json", "-d", $0] } ?? []))
    }

    private func announce(_ portal: RunningPortal, _ more: String = "") throws {
        let made = try ask(portal, "POST", "/v1/announcements", #"{"title":"Secret words"\#(more)}"#)
        #expect(made.status == 201)
    }

    private func signOutParty(_ portal: RunningPortal) throws {
        let back = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 3600))
        let wish = #"{"leader":"Ana","destination":"20B","expectedAt":"\#(back)"}"#
        #expect(try ask(portal, "POST", "/v1/trips", wish).status == 201)
    }

    @Test("a visitor hears of announcements and of nobody; the kiosk of trips too; neither is told what they are")
    func roles() throws {
        for loopback in ["visitor", "kiosk"] {
            let (station, portal) = try open(loopback)
            defer { withExtendedLifetime(station) {} }
            let url = "\(portal.address)/v1/station/events"
            let stream = try EventCurl(url)
            #expect(stream.status == 200 && stream.text.contains("text/event-stream"))
            let keeper = try EventCurl("http://localhost/v1/station/events", socket(portal))
            let ana = try portal.addPerson("Ana")
            #expect(
                try ask(
                    portal, "POST", "/v1/muster/corrections",
                    #"{"person":"\#(ana.number)","state":"excused","reason":"away"}"#
                ).status == 201)
            try signOutParty(portal)
            try announce(portal, #","audience":"crew","isUrgent":true"#)
            try stream.wait(for: "announcements", count: 1)
            try keeper.wait(for: "announcements", count: 1)
            #expect(keeper.count("trips") == 1 && keeper.count("muster") == 2, "an account, and a correction")
            #expect(stream.count("trips") == (loopback == "kiosk" ? 1 : 0) && stream.count("muster") == 0)
            #expect(!stream.text.contains("Ana") && !stream.text.contains("Secret") && !keeper.text.contains("Ana"))
            // What may not be heard is not had by asking for it.
            let wanting = try EventCurl("\(url)?types=trips,muster")
            #expect(wanting.status == 200)
            #expect(try portal.ask("/v1/station/events?types=everything").status == 400)
            // A time that comes is an event, too.
            let soon = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 2))
            try announce(portal, #","startDate":"\#(soon)""#)
            try stream.wait(for: "announcements", count: 3)
            #expect(wanting.count("announcements") == 0 && wanting.count("muster") == 0)
        }
    }

    @Test("whoever signed in hears of musters until the session ends, and the stream with it")
    func session() throws {
        let (station, portal) = try open("visitor")
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        var browser = PersonBrowser(portal: portal)
        try browser.signIn(#"{"name":"Ana","passphrase":"\#(ana.passphrase)"}"#)
        let stream = try EventCurl(
            "\(portal.address)/v1/station/events", ["-H", "Cookie: __Host-konza-person=\(browser.cookie)"])
        let correction = #"{"person":"\#(ana.number)","state":"excused","reason":"away"}"#
        #expect(try ask(portal, "POST", "/v1/muster/corrections", correction).status == 201)
        try stream.wait(for: "muster", count: 1)
        #expect(try browser.send("DELETE", "/v1/people/session").status == 204)
        try stream.wait(for: "event: session\n")
        try waitUntil("the stream ends", seconds: 10) { stream.isOver }
        // A wrong passphrase of somebody is nothing that others hear of; the removal of an account ends its streams.
        try browser.signIn(#"{"name":"Ana","passphrase":"\#(ana.passphrase)"}"#)
        let again = try EventCurl(
            "\(portal.address)/v1/station/events", ["-H", "Cookie: __Host-konza-person=\(browser.cookie)"])
        var other = PersonBrowser(portal: portal)
        #expect(try other.signIn(#"{"name":"Ana","passphrase":"wrong words of some length"}"#).status == 403)
        #expect(again.count("muster") == 0)
        #expect(try ask(portal, "DELETE", "/v1/people/\(ana.number)").status == 204)
        try again.wait(for: "event: session\n")
        try waitUntil("the stream ends", seconds: 10) { again.isOver }
    }

    @Test("every stream of a session ends with it, and when its person has another role", arguments: ["leave", "role"])
    func everyStream(way: String) throws {
        let (station, portal) = try open("kiosk")
        defer { withExtendedLifetime(station) {} }
        let ana = try portal.addPerson("Ana")
        var browser = PersonBrowser(portal: portal)
        try browser.signIn(#"{"name":"Ana","passphrase":"\#(ana.passphrase)"}"#)
        let cookie = ["-H", "Cookie: __Host-konza-person=\(browser.cookie)"]
        let paths = ["/v1/station/events", "/v1/station/events?types=announcements", "/v1/events"]
        let streams = try paths.map { try EventCurl("\(portal.address)\($0)", cookie) }
        let others = try paths.map { try EventCurl("\(portal.address)\($0)") }
        #expect((streams + others).allSatisfy { $0.status == 200 })
        // A name is no role.
        #expect(try ask(portal, "PATCH", "/v1/people/\(ana.number)", #"{"name":"Ana Sol"}"#).status == 200)
        if way == "leave" {
            #expect(try browser.send("DELETE", "/v1/people/session").status == 204)
        } else {
            #expect(try ask(portal, "PATCH", "/v1/people/\(ana.number)", #"{"role":"officer"}"#).status == 200)
            #expect(try portal.ask("/v1/people/session", cookie).json()["person"] != nil, "the session stays")
        }
        try waitUntil("the streams end", seconds: 10) { streams.allSatisfy(\.isOver) }
        try announce(portal)
        try others[0].wait(for: "announcements", count: 1)
        #expect(others.allSatisfy { !$0.isOver })
    }

    @Test("the streams of an operator's visit by the door end with it: left, dropped by a ninth, or all sent away")
    func visits() throws {
        let (station, portal) = try open("kiosk")
        defer { withExtendedLifetime(station) {} }
        #expect(try ask(portal, "PUT", "/v1/kiosk/door", #"{"pin":"2468"}"#).status == 204)
        func visit() throws -> (cookie: [String], streams: [EventCurl]) {
            let opened = try portal.post("/v1/kiosk/door", #"{"pin":"2468"}"#)
            let value = String(try #require(opened.field("set-cookie")).prefix { $0 != ";" })
            let cookie = ["-H", "Cookie: \(value)"]
            return (
                cookie,
                try ["/v1/events", "/v1/station/events"].map { try EventCurl("\(portal.address)\($0)", cookie) }
            )
        }
        let first = try visit()
        let second = try visit()
        let leave = ["-X", "DELETE", "-H", "Origin: \(portal.address)"] + first.cookie
        #expect(try portal.ask("/v1/session", leave).status == 204)
        try waitUntil("its streams end", seconds: 10) { first.streams.allSatisfy(\.isOver) }
        #expect(second.streams.allSatisfy { !$0.isOver }, "and no other's")
        let more = try (0..<8).map { _ in try visit() }
        try waitUntil("those of the dropped end", seconds: 10) { second.streams.allSatisfy(\.isOver) }
        #expect(more.allSatisfy { $0.streams.allSatisfy { !$0.isOver } })
        #expect(try ask(portal, "DELETE", "/v1/devices/kiosk-door").status == 204)
        try waitUntil("all end", seconds: 10) { more.allSatisfy { $0.streams.allSatisfy(\.isOver) } }
        #expect(try portal.ask("/v1/postcards", more[7].cookie).status == 403)
    }

    @Test("events are resumed by their ids; a gap says that some are lost, as after a restart")
    func resumed() throws {
        let (station, portal) = try open("kiosk")
        defer { withExtendedLifetime(station) {} }
        let url = "\(portal.address)/v1/station/events"
        let stream = try EventCurl(url)
        try announce(portal)
        try stream.wait(for: "announcements", count: 1)
        let first = try #require(stream.lastID)
        try signOutParty(portal)
        try announce(portal)
        try stream.wait(for: "announcements", count: 2)
        let later = try EventCurl(url, ["-H", "Last-Event-ID: \(first)"])
        try later.wait(for: "announcements", count: 1)
        #expect(later.count("trips") == 1 && later.count("gap") == 0)
        #expect(later.lastID == stream.lastID)
        // So many that the first are not kept any more.
        for _ in 0..<70 { try signOutParty(portal) }
        let late = try EventCurl(url, ["-H", "Last-Event-ID: \(first)"])
        try late.wait(for: "event: gap\n")
        try portal.killAndRestart()
        try waitUntil("the streams end with the portal", seconds: 10) { stream.isOver && later.isOver }
        let other = try EventCurl(url, ["-H", "Last-Event-ID: \(first)"])
        try other.wait(for: "event: gap\n")
    }

    @Test("a device has sixteen streams at most, and gets another one when it closes one")
    func bounded() throws {
        let (station, portal) = try open("kiosk")
        defer { withExtendedLifetime(station) {} }
        let url = "\(portal.address)/v1/station/events"
        var streams: [EventCurl] = []
        for _ in 0..<16 { streams.append(try EventCurl(url)) }
        #expect(streams.allSatisfy { $0.status == 200 })
        let refused = try portal.ask("/v1/station/events")
        #expect(refused.status == 503)
        #expect(try refused.json()["kind"] as? String == "unavailable")
        streams.removeLast()
        // That a client is gone is found out by writing to it: an event, else the heartbeat.
        try waitUntil("there is a place again", seconds: 40) {
            try announce(portal)
            return try EventCurl(url).status == 200
        }
        for stream in streams { try stream.wait(for: "announcements", count: 1) }
    }
}
