import FleetMessaging
import Foundation
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import Testing

@testable import KonzaHub

@Suite("What the hub serves", .serialized)
struct HubAPITests {
    /// A hub without a broker, whose database has these messages.
    private func hub(_ messages: [MQTTMessage]) throws -> (RunningHub, HubStore) {
        let name = try TestDatabases.make()
        let store = try HubStore(TestDatabases.address(name))
        for message in messages { try store.keep([message]) }
        // Nobody listens on the port of tcpmux.
        return (try RunningHub(port: 1, database: TestDatabases.server.get().address(name)), store)
    }

    private func json(_ hub: RunningHub, _ target: String) async throws -> [String: Any] {
        _ = await eventually { (try? hub.get("/v1")) != nil }
        let text = try hub.get(target).body
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    private static func card(_ number: Int, _ longitude: Double, _ latitude: Double, box: String = "knz07")
        -> MQTTMessage
    {
        Said.record(
            box: box, id: Said.id(number), seq: Int64(number), at: "2026-11-20T12:00:\(10 + number).000Z",
            body:
                "{\"id\":\"\(Said.id(number))\",\"message\":\"card \(number)\",\"position\":{\"latitude\":\(latitude),\"longitude\":\(longitude)}}"
        )
    }

    @Test("postcards come as GeoJSON by box, place and time, a page at a time")
    func maps() async throws {
        let (hub, _) = try hub([
            Self.card(1, -96.5, 39.1), Self.card(2, -96.6, 39.2), Self.card(3, 179.9, -17), Self.card(4, -179.9, -17.5),
            Self.card(5, -96.55, 39.15, box: "other"), Said.record(id: Said.id(6), seq: 6, body: "{}"),
            Said.record(id: Said.id(2), seq: 7, rev: 2, isDeleted: true),
        ])
        func ids(_ query: String) async throws -> [String] {
            let reply = try await json(hub, "/v1/postcards\(query)")
            let features = try #require(reply["features"] as? [[String: Any]])
            return features.compactMap { ($0["id"] as? String)?.suffix(1).description }
        }
        #expect(try await ids("") == ["6", "5", "4", "3", "1"])
        #expect(try await ids("?box=other") == ["5"])
        #expect(try await ids("?bbox=-97,39,-96,40") == ["5", "1"])
        #expect(try await ids("?bbox=179,-20,-179,-10") == ["4", "3"])
        #expect(try await ids("?from=2026-11-20T12:00:13Z&to=2026-11-20T12:00:15Z") == ["4", "3"])
        let page = try await json(hub, "/v1/postcards?limit=2")
        let next = try #require(page["next"] as? String)
        #expect(try await ids("?limit=2&after=\(next)") == ["4", "3"])
        let feature = try #require((page["features"] as? [[String: Any]])?.last)
        let point = try #require(feature["geometry"] as? [String: Any])
        #expect(point["coordinates"] as? [Double] == [-96.55, 39.15] && feature["type"] as? String == "Feature")
        #expect((feature["properties"] as? [String: Any])?["message"] as? String == "card 5")
        for query in ["bbox=1,2,3", "bbox=0,50,1,40", "after=x", "from=yesterday", "limit=0", "limit=100000", "what=1"]
        {
            #expect(throws: (any Error).self, "\(query)") { try hub.get("/v1/postcards?\(query)") }
        }
    }

    @Test("boxes come with their state, and one with what is missing and what did not fit")
    func boxes() async throws {
        let (hub, _) = try hub([
            Said.status("s1", "online"), Said.record(id: Said.id(1), seq: 1), Said.record(id: Said.id(3), seq: 3),
            Said.record(.specimen, id: Said.id(4), seq: 4, body: "[]"),
            Said.state(.position, "{\"latitude\":39.1,\"longitude\":-96.5}"),
            Said.state(
                .health,
                "{\"health\":{\"level\":\"failed\",\"kind\":\"camera\",\"reason\":\"no camera\"},\"camera\":{\"health\":{\"level\":\"failed\",\"kind\":\"camera\"}}}"
            ),
        ])
        let list = try await json(hub, "/v1/boxes?state=online")
        let first = try #require((list["boxes"] as? [[String: Any]])?.first)
        #expect(first["box"] as? String == "knz07" && first["latitude"] as? Double == 39.1)
        #expect((first["health"] as? [String: Any])?["reason"] as? String == "no camera")
        #expect((try await json(hub, "/v1/boxes?state=silent")["boxes"] as? [Any])?.isEmpty == true)
        let box = try await json(hub, "/v1/boxes/knz07")
        #expect(box["postcards"] as? Int == 2 && box["specimens"] as? Int == 0 && box["quarantined"] as? Int == 1)
        #expect((box["logs"] as? [[String: Any]])?.first?["missing"] as? Int == 1)
        for name in ["nobody", "a%00b", "%27%3B--"] {
            #expect(throws: (any Error).self) { try hub.get("/v1/boxes/\(name)") }
        }
    }

    @Test("a box of which nothing fits is shown with how much came and why, and an id that none can be is said")
    func unfit() async throws {
        let (hub, _) = try hub([
            Said.message(.postcard, "badbox", Array("{bad".utf8)),
            Said.message(.postcard, "badbox", Array("{bad".utf8)),
            Said.message(.specimen, "badbox", Array("[]".utf8)),
        ])
        let box = try await json(hub, "/v1/boxes/badbox")
        #expect(box["site"] as? String == "konza" && box["state"] as? String == "unknown")
        #expect(box["quarantined"] as? Int == 2)
        let refusals = try #require(box["refusals"] as? [[String: Any]])
        #expect(Set(refusals.compactMap { $0["times"] as? Int }) == [1, 2])
        #expect(refusals.contains { ($0["reason"] as? String)?.contains("JSON") == true })
        for (path, words) in [
            ("badbox/answers/nonsense", "26 letters and digits"), ("Bad-Box/answers/\(Said.id(1))", "a-z"),
            ("badbox/answers/\(Said.id(1))", "none has come yet"),
        ] {
            let error = #expect(throws: (any Error).self) { try hub.get("/v1/boxes/\(path)") }
            #expect("\(error.map { "\($0)" } ?? "")".contains(words), "\(path)")
        }
    }

    @Test("every route is listed, and figures are there without a broker")
    func listed() async throws {
        let (hub, _) = try hub([])
        let routes = try #require(try await json(hub, "/v1")["routes"] as? [[String: Any]])
        #expect(
            routes.compactMap { $0["path"] as? String } == [
                "/metrics", "/v1", "/v1/boxes", "/v1/boxes/{box}", "/v1/boxes/{box}/answers/{id}",
                "/v1/boxes/{box}/commands", "/v1/boxes/{box}/desired", "/v1/boxes/{box}/enrolment",
                "/v1/boxes/{box}/revocation", "/v1/postcards", "/v1/sensorthings", "/v1/specimens", "/v1/status",
            ])
        #expect(try hub.get("/metrics").body.contains("konza_hub_broker_up{worker=\"1\"} 0"))
        #expect(await eventually { (try? hub.get("/v1/status").body.contains("cannot connect")) ?? false })
    }

    // MARK: - What others read

    private static let config = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "config")

    /// The values of a member, wherever it is.
    private static func values(of name: String, in value: Any) -> [String] {
        switch value {
        case let members as [String: Any]:
            members.sorted { $0.key < $1.key }.flatMap { key, value in
                key == name ? [value as? String].compactMap { $0 } : values(of: name, in: value)
            }
        case let list as [Any]: list.flatMap { values(of: name, in: $0) }
        default: []
        }
    }

    @Test(
        "the dashboard's and the alerts' questions are answered by these tables",
        arguments: [
            ("grafana-dashboard.json", 13), ("grafana-alerts.json", 5),
        ])
    func grafana(_ file: String, _ count: Int) throws {
        let store = try TestDatabases.store()
        try store.keep([Said.record(id: Said.id(1), seq: 1), Said.status("s1", "online")])
        let data = try Data(contentsOf: Self.config.appending(path: "fleet/\(file)"))
        let questions = Self.values(of: "rawSql", in: try JSONSerialization.jsonObject(with: data))
        #expect(questions.count == count)
        for question in questions {
            // Grafana's macro (PostgreSQL data source, section Macros).
            let parts = question.split(separator: "$__timeFilter(", omittingEmptySubsequences: false)
            let sql = parts.dropFirst().reduce(String(parts[0])) { text, part in
                let column = part.prefix { $0 != ")" }
                return "\(text)\(column) BETWEEN '2026-01-01T00:00:00Z' AND '2027-01-01T00:00:00Z'"
                    + part.dropFirst(column.count + 1)
            }
            #expect(throws: Never.self, "\(sql)") { try store.ask(sql) }
        }
    }

    @Test("the ways of boxes are lines, and a box that sends nonsense breaks nobody's map")
    func ways() throws {
        let store = try TestDatabases.store()
        func hour(_ points: String) -> String {
            #"{"from":"2026-11-20T11:00:00Z","to":"2026-11-20T12:00:00Z","points":\#(points)}"#
        }
        try store.keep([
            Said.record(
                .track, id: Said.id(1), seq: 1,
                body: hour(#"[{"latitude":39.1,"longitude":-96.6},{"latitude":39.2,"longitude":-96.5}]"#)),
            Said.record(.track, id: Said.id(2), seq: 2, body: hour(#"[{"latitude":39.1,"longitude":-96.6}]"#)),
            Said.record(
                .track, id: Said.id(3), seq: 3,
                body: hour(
                    #"[1,null,{"latitude":"x","longitude":[]},{"latitude":1e300,"longitude":true},"#
                        + #"{"latitude":39,"longitude":1e300}]"#)),
            Said.record(.track, id: Said.id(4), seq: 4, body: hour("7")),
        ])
        #expect(
            try store.ask("SELECT id || ' ' || ST_AsText(way) FROM track_map")
                == ["\(Said.id(1)) LINESTRING(-96.6 39.1,-96.5 39.2)"])
        let hostile = #"{"bytes":"x","picture":[],"position":{"latitude":39.1,"longitude":-96.6,"accuracy":"good"}}"#
        try store.keep([Said.record(id: Said.id(5), seq: 5, body: hostile)])
        #expect(try store.ask("SELECT accuracy FROM postcard_map") == ["-"])
        #expect(try store.ask("SELECT bytes FROM pictures") == ["-"])
    }

    @Test("a map program opens the views of postcards and specimens", arguments: ["postcard_map", "specimen_map"])
    func mapPrograms(_ view: String) throws {
        let name = try TestDatabases.make()
        let store = try HubStore(TestDatabases.address(name))
        try store.keep([Said.record(id: Said.id(1), seq: 1), Said.record(.specimen, id: Said.id(2), seq: 2)])
        let text = try ProgramRun(
            "/usr/bin/ogrinfo", ["-ro", "-al", "PG:\(try TestDatabases.server.get().address(name))", view]
        ).text
        #expect(text.contains("Geometry: Point") && text.contains("POINT (-96.6 39.1)"), "\(text)")
    }
}
