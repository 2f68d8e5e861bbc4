import Foundation
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
    private static let people: Set<String> = ["kiosk", "ranger", "keeper"]
    private static let id = "0000000000abcdefghijklmnop"
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
        Row(
            method: "POST", path: "/v1/kiosk/heartbeat", roles: ["kiosk", "ranger"],
            body: #"{"screen":"home","build":"0","idle":true}"#),
        // The kiosk may share its own postcards (TakeHomeTests), and this is none.
        Row(method: "POST", path: "/v1/shares", roles: ["ranger", "keeper"], body: #"{"postcard":"\#(id)"}"#),
        Row(method: "GET", path: "/v1/printer", roles: people),
        Row(method: "POST", path: "/v1/printer/resume", roles: ["ranger", "keeper"]),
        Row(method: "POST", path: "/v1/prints", roles: people, body: #"{"postcard":"\#(id)"}"#),
        // konzad's.
        Row(method: "GET", path: "/v1", roles: everyone), Row(method: "GET", path: "/v1/position", roles: everyone),
        Row(method: "GET", path: "/v1/status", roles: everyone),
        Row(method: "GET", path: "/v1/camera", roles: everyone.subtracting(["visitor"])),
        Row(method: "GET", path: "/v1/camera/frame.jpg", roles: everyone.subtracting(["visitor"])),
        Row(method: "GET", path: "/v1/postcards", roles: ["collector", "ranger", "keeper"]),
        Row(method: "GET", path: "/v1/specimens", roles: ["collector", "ranger", "keeper"]),
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
        func ask(_ row: Row, _ cookie: String?, _ fields: [String] = [], type: String = "application/json") throws
            -> Int
        {
            var arguments = ["-k", "-X", row.method] + fields.flatMap { ["-H", $0] }
            if let cookie { arguments += ["-H", "Cookie: \(cookie)"] }
            if let body = row.body { arguments += ["-H", "Content-Type: \(type)", "-d", body] }
            return try portal.askOther("\(origin)\(row.path)", arguments).status
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
                expect(row.roles.contains(role), try ask(row, cookie, ["Origin: \(origin)"]), row, role)
            }
            let keeper = cookies["keeper"] ?? nil
            for (who, cookie) in [
                ("revoked", revoked), ("forged", "__Host-konza=\(String(repeating: "0", count: 64))"),
            ] {
                expect(row.roles.contains("visitor"), try ask(row, cookie, ["Origin: \(origin)"]), row, who)
            }
            expect(false, try ask(row, keeper, ["Host: evil.example", "Origin: \(origin)"]), row, "a foreign host")
            guard row.method != "GET" else { continue }
            expect(false, try ask(row, keeper, ["Origin: https://evil.example"]), row, "a foreign origin")
            expect(false, try ask(row, keeper, ["Sec-Fetch-Site: same-site"]), row, "a page beside ours")
            expect(false, try ask(row, keeper), row, "nobody who says so")
            if row.body != nil, row.roles.contains("keeper") {
                let status = try ask(row, keeper, ["Origin: \(origin)"], type: "text/plain")
                if status != 415 { wrong.append("\(row.method) \(row.path) as text/plain: \(status)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }
}
