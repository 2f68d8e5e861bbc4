import Foundation
import HTTPTransfer
import KonzaTesting
import Testing

/// Every route of the portal's own, and some of konzad's through it, with every kind of client. What is not in a row's roles
/// is refused; a route that is not in the table is not tested, and so belongs here when it is made.
@Suite("The portal's rights", .serialized)
struct RightsTableTests {
    private struct Row {
        let method: String
        let path: String
        /// Who may.
        let roles: Set<String>
        var body: String?
    }

    private static let everyone: Set<String> = ["visitor", "kiosk", "collector", "ranger", "keeper"]
    private static let crew: Set<String> = ["collector", "ranger", "keeper"]
    private static let people: Set<String> = ["kiosk", "ranger", "keeper"]
    private static let players: Set<String> = ["kiosk", "collector", "ranger", "keeper"]
    private static let id = "0000000000abcdefghijklmnop"
    /// As konzad writes ids of specimens.
    private static let specimen = "0000000000abcdefghjkmnpqrs"
    private static let rows = [
        Row(method: "GET", path: "/", roles: everyone), Row(method: "GET", path: "/pair", roles: everyone),
        Row(method: "GET", path: "/health", roles: everyone),
        Row(method: "GET", path: "/station-authority.crt", roles: everyone),
        Row(method: "GET", path: "/v1/certificate", roles: everyone),
        Row(method: "GET", path: "/v1/session", roles: everyone),
        Row(method: "POST", path: "/v1/session", roles: everyone, body: #"{"token":"0"}"#),
        Row(method: "POST", path: "/v1/pairing-requests/session", roles: everyone, body: #"{"token":"0"}"#),
        Row(method: "GET", path: "/v1/pairing-requests", roles: ["keeper"]),
        Row(method: "POST", path: "/v1/pairing-requests/BCDF-GHJK", roles: ["keeper"], body: #"{"role":"ranger"}"#),
        Row(method: "DELETE", path: "/v1/pairing-requests/BCDF-GHJK", roles: ["keeper"]),
        Row(method: "POST", path: "/v1/invitations", roles: ["keeper"], body: #"{"role":"ranger"}"#),
        Row(method: "GET", path: "/v1/devices", roles: ["keeper"]),
        Row(method: "PATCH", path: "/v1/devices/nobody", roles: ["keeper"], body: #"{"name":"x"}"#),
        Row(method: "DELETE", path: "/v1/devices/nobody", roles: ["keeper"]),
        Row(method: "PUT", path: "/v1/kiosk/door", roles: ["keeper"], body: "{}"),
        Row(method: "POST", path: "/v1/kiosk/door", roles: ["kiosk"], body: #"{"pin":"0000"}"#),
        // Over the portal's socket alone (PairingTests).
        Row(method: "POST", path: "/v1/kiosk/ticket", roles: []),
        Row(
            method: "POST", path: "/v1/kiosk/heartbeat", roles: ["kiosk", "ranger"],
            body: #"{"screen":"home","build":"0","idle":true}"#),
        Row(method: "GET", path: "/v1/kiosk/choices", roles: ["ranger", "keeper"]),
        Row(method: "PUT", path: "/v1/kiosk/choices", roles: ["ranger", "keeper"], body: "{}"),
        // The kiosk may share its own postcards (TakeHomeTests), and this is none.
        Row(method: "POST", path: "/v1/shares", roles: ["ranger", "keeper"], body: #"{"postcard":"\#(id)"}"#),
        Row(method: "GET", path: "/v1/printer", roles: people),
        Row(method: "POST", path: "/v1/printer/resume", roles: ["ranger", "keeper"]),
        Row(method: "POST", path: "/v1/prints", roles: people, body: #"{"postcard":"\#(id)"}"#),
        Row(method: "GET", path: "/v1/gallery", roles: everyone),
        Row(method: "GET", path: "/v1/gallery/\(id)/image.jpg", roles: everyone),
        Row(method: "GET", path: "/v1/gallery/\(id)/thumbnail.jpg", roles: everyone),
        // A kiosk's visitor may show the own postcards (PortalGalleryTests), and this is none.
        Row(method: "PUT", path: "/v1/gallery/\(id)", roles: []),
        Row(method: "DELETE", path: "/v1/gallery/\(id)", roles: []),
        Row(method: "GET", path: "/v1/moderation", roles: ["ranger", "keeper"]),
        Row(method: "PATCH", path: "/v1/moderation/\(id)", roles: ["ranger", "keeper"], body: #"{"state":"shown"}"#),
        Row(method: "GET", path: "/learn", roles: everyone),
        Row(method: "GET", path: "/learn/jigsaw", roles: everyone),
        Row(method: "GET", path: "/learn/postcard", roles: everyone),
        Row(method: "GET", path: "/learn/cards", roles: everyone),
        Row(method: "GET", path: "/learn/quiz/easy", roles: everyone),
        Row(method: "GET", path: "/learn/quiz/medium", roles: everyone),
        Row(method: "GET", path: "/learn/quiz/hard", roles: everyone),
        Row(method: "GET", path: "/learn/quiz/states", roles: everyone),
        Row(method: "GET", path: "/learn/facts", roles: everyone),
        Row(method: "GET", path: "/learn/prairie", roles: everyone),
        Row(method: "GET", path: "/learn/decks/none", roles: everyone),
        Row(method: "GET", path: "/v1/learning/progress", roles: everyone),
        Row(method: "DELETE", path: "/v1/learning/progress", roles: players),
        Row(
            method: "POST", path: "/v1/learning/rounds", roles: players,
            body:
                #"{"round":"00000000000000000000000000000000","activity":"cards","right":1,"of":1,"asked":1,"seconds":1}"#
        ),
        Row(method: "GET", path: "/v1/learning/days", roles: people),
        Row(method: "GET", path: "/learn/class", roles: everyone),
        Row(method: "GET", path: "/learn/young", roles: everyone),
        Row(method: "GET", path: "/learn/join", roles: everyone),
        Row(
            method: "POST", path: "/v1/learning/classes", roles: players,
            body: #"{"quiz":"continents","seconds":60}"#),
        Row(method: "GET", path: "/v1/learning/classes/0000", roles: players),
        Row(
            method: "PATCH", path: "/v1/learning/classes/0000", roles: players,
            body: #"{"key":"x","state":"running"}"#),
        Row(method: "POST", path: "/v1/learning/classes/0000/members", roles: everyone),
        Row(method: "POST", path: "/v1/learning/classes/0000/turns", roles: everyone, body: #"{"ticket":"x"}"#),
        Row(method: "GET", path: "/v1/learning/decks", roles: everyone),
        Row(method: "GET", path: "/v1/learning/decks/none", roles: everyone),
        Row(method: "GET", path: "/v1/learning/decks/none/pictures/none.jpg", roles: everyone),
        Row(method: "GET", path: "/v1/portal/openapi.json", roles: everyone),
        Row(method: "GET", path: "/pages/core", roles: everyone), Row(method: "GET", path: "/v1/map", roles: everyone),
        Row(method: "GET", path: "/v1/map/tiles/0/1/1/1", roles: everyone),
        Row(method: "GET", path: "/v1/trail-link", roles: everyone),
        Row(method: "GET", path: "/v1/calendar", roles: everyone),
        Row(method: "GET", path: "/v1/calendar/none", roles: everyone),
        Row(method: "GET", path: "/v1/calendar/none/event.ics", roles: everyone),
        Row(method: "GET", path: "/v1/personnel", roles: everyone),
        Row(method: "GET", path: "/v1/personnel/none", roles: everyone),
        Row(method: "GET", path: "/v1/personnel/none/card.vcf", roles: everyone),
        Row(method: "GET", path: "/v1/pages", roles: everyone),
        Row(method: "GET", path: "/v1/pages/about?language=es", roles: everyone),
        Row(method: "GET", path: "/v1/pages/en/pictures/none.jpg", roles: everyone),
        Row(method: "POST", path: "/v1/pairing-requests", roles: everyone, body: #"{"name":"x"}"#),
        Row(method: "PUT", path: "/v1/kiosk/cards/none/seen", roles: players),
        Row(method: "DELETE", path: "/v1/kiosk/cards/none", roles: players),
        Row(method: "GET", path: "/v1/prints", roles: ["ranger", "keeper"]),
        Row(method: "GET", path: "/v1/prints/\(id)", roles: people),
        Row(method: "DELETE", path: "/v1/prints/\(id)", roles: people),
        // People: what takes a person who signed in is refused to every device alone (PeopleTests, MusterTests).
        Row(method: "GET", path: "/v1/people", roles: []),
        Row(method: "POST", path: "/v1/people", roles: [], body: #"{"name":"x","role":"crew"}"#),
        Row(method: "POST", path: "/v1/people/import", roles: []),
        Row(method: "GET", path: "/v1/people/audit", roles: []),
        Row(method: "GET", path: "/v1/people/1", roles: []),
        Row(method: "PATCH", path: "/v1/people/1", roles: [], body: "{}"),
        Row(method: "DELETE", path: "/v1/people/1", roles: []),
        Row(method: "POST", path: "/v1/people/1/reset", roles: []),
        Row(method: "GET", path: "/v1/people/session", roles: everyone),
        Row(method: "POST", path: "/v1/people/session", roles: everyone, body: "{}"),
        Row(method: "DELETE", path: "/v1/people/session", roles: everyone),
        Row(method: "PUT", path: "/v1/people/me/passphrase", roles: [], body: "{}"),
        Row(method: "POST", path: "/v1/people/me/pin", roles: []),
        Row(method: "POST", path: "/v1/people/me/badge", roles: []),
        Row(method: "GET", path: "/v1/people/me/sessions", roles: []),
        Row(method: "DELETE", path: "/v1/people/me/sessions/0", roles: []),
        Row(method: "GET", path: "/v1/announcements", roles: everyone),
        Row(method: "GET", path: "/v1/announcements/none", roles: everyone),
        // And officers who signed in, whatever their device (AnnouncementTests).
        Row(method: "POST", path: "/v1/announcements", roles: ["ranger", "keeper"], body: "{}"),
        Row(method: "PATCH", path: "/v1/announcements/none", roles: ["ranger", "keeper"], body: "{}"),
        Row(method: "DELETE", path: "/v1/announcements/none", roles: ["ranger", "keeper"]),
        Row(method: "GET", path: "/v1/trips", roles: crew.union(["kiosk"])),
        Row(method: "POST", path: "/v1/trips", roles: crew.union(["kiosk"]), body: "{}"),
        Row(method: "GET", path: "/v1/trips/none", roles: crew),
        Row(method: "POST", path: "/v1/trips/none/extend", roles: crew.union(["kiosk"]), body: "{}"),
        Row(method: "POST", path: "/v1/trips/none/return", roles: crew.union(["kiosk"]), body: "{}"),
        Row(method: "POST", path: "/v1/trips/none/acknowledge", roles: crew.union(["kiosk"]), body: "{}"),
        Row(method: "GET", path: "/v1/messages", roles: ["ranger", "keeper"]),
        Row(method: "POST", path: "/v1/messages/next", roles: [], body: "{}"),
        Row(method: "POST", path: "/v1/messages/none", roles: [], body: "{}"),
        Row(method: "GET", path: "/v1/announcement-feeds", roles: ["ranger", "keeper"]),
        Row(method: "POST", path: "/v1/announcement-feeds", roles: [], body: "{}"),
        Row(method: "PUT", path: "/v1/announcement-feeds", roles: [], body: "{}"),
        Row(method: "GET", path: "/v1/calendar-feeds", roles: ["ranger", "keeper"]),
        Row(method: "POST", path: "/v1/calendar-feeds", roles: [], body: "{}"),
        Row(method: "PUT", path: "/v1/calendar-feeds", roles: [], body: "{}"),
        Row(method: "GET", path: "/v1/muster", roles: []),
        Row(method: "POST", path: "/v1/muster", roles: [], body: "{}"),
        Row(method: "GET", path: "/v1/muster/challenge", roles: ["kiosk"]),
        Row(method: "POST", path: "/v1/muster/tickets", roles: [], body: #"{"code":"00000000"}"#),
        Row(method: "GET", path: "/v1/muster/records", roles: []),
        Row(method: "GET", path: "/v1/muster/roster", roles: []),
        Row(method: "POST", path: "/v1/muster/corrections", roles: [], body: "{}"),
        Row(method: "GET", path: "/v1/muster/leave", roles: []),
        Row(method: "POST", path: "/v1/muster/leave", roles: [], body: "{}"),
        Row(method: "DELETE", path: "/v1/muster/leave/1", roles: []),
        Row(method: "GET", path: "/v1/muster/export", roles: []),
        Row(method: "POST", path: "/v1/muster/import", roles: []),
        Row(method: "GET", path: "/v1/muster/verify", roles: []),
        Row(method: "GET", path: "/muster", roles: everyone),
        // Endless: with no such event it is refused for what it asks alone. Who hears what: StationEventTests.
        Row(method: "GET", path: "/v1/station/events?types=none", roles: everyone),
        // konzad's.
        Row(method: "GET", path: "/v1", roles: everyone), Row(method: "GET", path: "/v1/position", roles: everyone),
        Row(method: "GET", path: "/v1/status", roles: everyone),
        Row(method: "GET", path: "/v1/sky?latitude=39.1069&longitude=-96.6091", roles: everyone),
        Row(method: "GET", path: "/v1/terrain/height?latitude=39.1069&longitude=-96.6091", roles: everyone),
        Row(method: "GET", path: "/v1/trails", roles: everyone),
        Row(method: "GET", path: "/v1/trails/nearest?latitude=39.1069&longitude=-96.6091", roles: everyone),
        Row(method: "GET", path: "/v1/trails/way?latitude=39.1069&longitude=-96.6091", roles: everyone),
        Row(method: "GET", path: "/v1/trails/profile?trail=x", roles: everyone),
        Row(method: "POST", path: "/v1/trails", roles: ["ranger", "keeper"], body: "{}"),
        Row(method: "GET", path: "/v1/trails/recording", roles: crew),
        Row(method: "POST", path: "/v1/trails/recording", roles: ["ranger", "keeper"], body: "{}"),
        Row(method: "DELETE", path: "/v1/trails/recording", roles: ["ranger", "keeper"]),
        Row(method: "POST", path: "/v1/trails/recording/junction", roles: ["ranger", "keeper"], body: "{}"),
        Row(method: "DELETE", path: "/v1/trails/recording/junction", roles: ["ranger", "keeper"]),
        Row(method: "DELETE", path: "/v1/trails/sources/none", roles: ["ranger", "keeper"]),
        Row(method: "POST", path: "/v1/trails/closures", roles: ["ranger", "keeper"], body: "{}"),
        Row(method: "DELETE", path: "/v1/trails/closures/99", roles: ["ranger", "keeper"]),
        Row(method: "GET", path: "/v1/camera", roles: everyone.subtracting(["visitor"])),
        Row(method: "GET", path: "/v1/camera/frame.jpg", roles: everyone.subtracting(["visitor"])),
        Row(method: "GET", path: "/v1/view", roles: everyone.subtracting(["visitor"])),
        Row(method: "GET", path: "/v1/view/calibration", roles: ["collector", "ranger", "keeper"]),
        Row(method: "GET", path: "/v1/view/landmarks", roles: ["collector", "ranger", "keeper"]),
        Row(method: "PUT", path: "/v1/view/calibration", roles: ["ranger", "keeper"], body: "{}"),
        Row(method: "POST", path: "/v1/view/verification", roles: ["ranger", "keeper"]),
        Row(method: "GET", path: "/v1/postcards", roles: ["collector", "ranger", "keeper"]),
        // Of these, visitors and the kiosk are shown what may be public (PublicReadingTests).
        Row(method: "GET", path: "/v1/specimens", roles: everyone),
        Row(method: "GET", path: "/v1/specimens/summary", roles: everyone),
        Row(method: "GET", path: "/v1/specimens/\(specimen)", roles: everyone),
        Row(method: "GET", path: "/v1/specimens/\(specimen)/photographs", roles: everyone),
        Row(method: "GET", path: "/v1/specimens/\(specimen)/photographs/\(specimen)/file", roles: everyone),
        Row(method: "GET", path: "/v1/specimens/\(specimen)/photographs/\(specimen)/thumbnail.jpg", roles: everyone),
        Row(method: "GET", path: "/v1/specimens?access=private", roles: crew),
        Row(method: "GET", path: "/v1/specimens?text=x", roles: crew),
        Row(method: "GET", path: "/v1/specimens?state=deleted", roles: crew),
        Row(method: "GET", path: "/v1/specimens/\(specimen)/label.png", roles: crew),
        Row(method: "GET", path: "/v1/specimens/\(specimen)/occupation", roles: crew),
        Row(method: "GET", path: "/v1/specimens/export", roles: crew),
        Row(method: "GET", path: "/v1/outbox", roles: crew),
        Row(method: "GET", path: "/v1/samples?wait=0", roles: everyone),
        Row(method: "GET", path: "/v1/samples/summary?wait=0", roles: everyone),
        Row(method: "GET", path: "/v1/samples/1?wait=0", roles: everyone),
        Row(method: "GET", path: "/v1/samples/1/images/2/thumbnail.jpg?wait=0", roles: everyone),
        Row(method: "GET", path: "/v1/samples/1/images/2/file?wait=0", roles: everyone),
        Row(method: "GET", path: "/v1/regions?wait=0", roles: everyone),
        Row(method: "GET", path: "/v1/samples?access=both&wait=0", roles: crew),
        Row(method: "PATCH", path: "/v1/camera/controls", roles: ["ranger", "keeper"], body: "{}"),
        Row(method: "POST", path: "/v1/specimens", roles: ["collector", "keeper"], body: "{"),
        Row(method: "GET", path: "/v1/errands", roles: []),
    ]

    @Test(
        "are those of the table for every role, and a visitor's for a cookie that is revoked, forged or sent by others")
    func table() throws {
        let port = try freeLoopbackPort()
        let station = try Station(
            "\(Station.recorded)\n[Portal]\nListen=127.0.0.1:\(port)\nTakeHome=127.0.0.1:\(try freeLoopbackPort())")
        let portal = try RunningPortal(station)
        let origin = "https://127.0.0.1:\(port)"
        // Some fifteen hundred questions, all of them over one connection: who asks is told by the cookie alone.
        let connection = try HTTPConnection()
        func ask(
            _ row: Row, _ cookie: String?, _ fields: KeyValuePairs<String, String> = [:],
            type: String = "application/json"
        ) -> Int {
            var request = HTTPRequest(row.method, url: "\(origin)\(row.path)")
            request.trustsAnyone = true
            request.headers = fields.map { ($0.key, $0.value) }
            if let cookie { request.headers.append(("Cookie", cookie)) }
            if let body = row.body {
                request.headers.append(("Content-Type", type))
                request.body = Array(body.utf8)
            }
            return (try? connection.send(request).status) ?? 0
        }
        func konza(_ arguments: String...) throws -> String {
            let outcome = try run(
                try Programs.path("konza").path, arguments + ["--socket", "\(station.folder.path)/konza.sock"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.text
        }
        func pair(_ role: String) throws -> String {
            let link = try konza("pair", role)
            let token = try #require(link.firstMatch(of: /#([0-9a-f]{64})/)?.1)
            let row = Row(
                method: "POST", path: "/v1/session", roles: [], body: #"{"token":"\#(token)","name":"\#(role)"}"#)
            let answer = try portal.askOther(
                "\(origin)/v1/session",
                [
                    "-k", "-X", "POST", "-H", "Origin: \(origin)", "-H", "Content-Type: application/json", "-d",
                    row.body ?? "",
                ])
            return String(try #require(answer.field("set-cookie")).prefix { $0 != ";" })
        }
        var cookies: [String: String?] = ["visitor": nil]
        for role in ["kiosk", "collector", "ranger", "keeper"] { cookies[role] = try pair(role) }
        let revoked = try pair("keeper")
        let session = try portal.askOther(
            "\(origin)/v1/session", ["-k", "-X", "DELETE", "-H", "Origin: \(origin)", "-H", "Cookie: \(revoked)"])
        #expect(session.status == 204)

        var wrong: [String] = []
        func expect(_ isAllowed: Bool, _ status: Int, _ row: Row, _ who: String) {
            if (status != 403) != isAllowed || status == 0 {
                wrong.append("\(row.method) \(row.path) by \(who): \(status)")
            }
        }
        for row in Self.rows {
            for (role, cookie) in cookies {
                expect(row.roles.contains(role), ask(row, cookie, ["Origin": origin]), row, role)
            }
            let keeper = cookies["keeper"] ?? nil
            for (who, cookie) in [
                ("revoked", revoked), ("forged", "__Host-konza=\(String(repeating: "0", count: 64))"),
            ] {
                expect(row.roles.contains("visitor"), ask(row, cookie, ["Origin": origin]), row, who)
            }
            expect(false, ask(row, keeper, ["Host": "evil.example", "Origin": origin]), row, "a foreign host")
            guard row.method != "GET" else { continue }
            expect(false, ask(row, keeper, ["Origin": "https://evil.example"]), row, "a foreign origin")
            expect(false, ask(row, keeper, ["Sec-Fetch-Site": "same-site"]), row, "a page beside ours")
            expect(false, ask(row, keeper), row, "nobody who says so")
            if row.body != nil, row.roles.contains("keeper") {
                let status = ask(row, keeper, ["Origin": origin], type: "text/plain")
                if status != 415 { wrong.append("\(row.method) \(row.path) as text/plain: \(status)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        let contract = try portal.ask("/v1/portal/openapi.json").json()
        try compare(with: contract)
        try checkSchemas(of: contract) { path in
            let cookie = try #require(cookies["keeper"] ?? nil)
            return try portal.askOther("\(origin)\(path)", ["-k", "-H", "Cookie: \(cookie)"])
        }
    }

    /// Every body and answer in JSON has a schema that is there, and what the keeper gets fits it.
    private func checkSchemas(of contract: [String: Any], ask: (String) throws -> RunningPortal.Answer) throws {
        let check = SchemaCheck(contract)
        let paths = try #require(contract["paths"] as? [String: [String: [String: Any]]])
        var faults: [String] = []
        for (path, methods) in paths {
            for (method, operation) in methods where path != "/v1/portal/openapi.json" {
                let responses = operation["responses"] as? [String: [String: Any]] ?? [:]
                let bodies =
                    responses.filter { $0.key < "400" }.map { ($0.key, $0.value) }
                    + [("body", operation["requestBody"] as? [String: Any] ?? [:])]
                for (name, part) in bodies {
                    let content = part["content"] as? [String: [String: Any]] ?? [:]
                    guard let schema = content["application/json"]?["schema"] as? [String: Any] else { continue }
                    if schema["$ref"] == nil { faults.append("\(method) \(path) \(name) has no schema") }
                    guard name == "200", method == "get", !path.contains("{") else { continue }
                    let required = (operation["parameters"] as? [[String: Any]] ?? []).contains {
                        $0["required"] as? Bool == true
                    }
                    guard !required else { continue }
                    let reply = try ask(path)
                    guard reply.status == 200 else { continue }
                    faults += check.faults(in: try reply.json(), against: schema).map { "\(path)\($0)" }
                }
            }
        }
        #expect(faults.isEmpty, "\(faults.sorted().joined(separator: "\n"))")
    }

    /// Every route of the portal's contract is in the table, with the roles that the contract names.
    private func compare(with contract: [String: Any]) throws {
        let paths = try #require(contract["paths"] as? [String: [String: [String: Any]]])
        var missing: [String] = []
        for (path, methods) in paths {
            // Whoever leaves is asked nothing more (PairingTests).
            for (method, operation) in methods where method != "delete" || path != "/v1/session" {
                let roles = Set(operation["x-roles"] as? [String] ?? [])
                let pattern = path.split(separator: "/")
                // What only the own postcards are for, or the portal's socket, is refused here: fewer may than are named.
                let isThere = Self.rows.contains { row in
                    let parts = row.path.prefix { $0 != "?" }.split(separator: "/")
                    return row.method.lowercased() == method && parts.count == pattern.count
                        && zip(parts, pattern).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
                        && row.roles.isSubset(of: roles)
                }
                if !isThere { missing.append("\(method) \(path) of \(roles.sorted())") }
                #expect(operation["responses"] != nil && operation["summary"] != nil)
            }
        }
        #expect(missing.isEmpty, "\(missing.sorted().joined(separator: "\n"))")
    }
}
