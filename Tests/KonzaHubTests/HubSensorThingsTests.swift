import FleetMessaging
import Foundation
import KonzaTesting
import MQTTTransfer
import Testing

@testable import KonzaHub

@Suite("The fleet for a SensorThings server", .serialized)
struct HubSensorThingsTests {
    /// A hub without a broker, whose database has these messages.
    private func hub(_ messages: [MQTTMessage]) async throws -> (RunningHub, HubStore) {
        let name = try TestDatabases.make()
        let store = try HubStore(TestDatabases.address(name))
        for start in stride(from: 0, to: messages.count, by: 500) {
            try store.keep(Array(messages[start..<min(start + 500, messages.count)]))
        }
        let hub = try RunningHub(port: 1, database: TestDatabases.server.get().address(name))
        _ = await eventually { (try? hub.get("/v1")) != nil }
        return (hub, store)
    }

    /// Every page of an export, and how many there were.
    private func export(_ hub: RunningHub, _ query: String = "") throws -> (lines: [String], pages: [Int]) {
        var lines: [String] = []
        var pages: [Int] = []
        var after: String?
        repeat {
            let more = (query.isEmpty ? [] : [query]) + (after.map { ["after=\($0)"] } ?? [])
            let body = try hub.get("/v1/sensorthings" + (more.isEmpty ? "" : "?\(more.joined(separator: "&"))")).body
            var page = body.split(separator: "\n").map(String.init)
            after = nil
            if let last = page.last, last.hasPrefix(#"{"next":""#) {
                after = String(last.dropFirst(9).dropLast(2))
                page.removeLast()
            }
            lines += page
            pages.append(body.utf8.count)
        } while after != nil
        return (lines, pages)
    }

    private func server(_ lines: [String]) throws -> SensorThingsServer {
        var server = SensorThingsServer()
        for line in lines { try server.take(line) }
        return server
    }

    private static func time(_ second: Int) -> String {
        "2026-11-20T\(two(12 + second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)).000Z"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func position(
        _ number: Int, box: String = "knz07", latitude: Double = 39.1,
        _ more: String = #""accuracy":4.5,"altitude":301.5"#
    ) -> MQTTMessage {
        Said.state(
            .position, box: box, at: time(number), id: Said.id(number),
            #"{"latitude":\#(latitude),"longitude":-96.6,\#(more)}"#)
    }

    private static func health(_ number: Int, _ level: String, box: String = "knz07") -> MQTTMessage {
        Said.state(
            .health, box: box, at: time(number), id: Said.id(number),
            #"{"health":{"level":"\#(level)","kind":"x","reason":"y"},"#
                + #""camera":{"health":{"level":"\#(level)","kind":"x"}}}"#)
    }

    @Test("boxes are Things, and what they said is linked with them as the standard wants it")
    func entities() async throws {
        let (hub, _) = try await hub([
            Said.status("s1", "online"), Self.position(1), Self.position(2),
            // Three metres are within its accuracy, a kilometre is not.
            Self.position(3, latitude: 39.10003), Self.position(4, latitude: 39.11), Self.health(5, "ok"),
            Self.health(6, "degraded"), Said.status("t1", "online", box: "unplaced"),
            Self.health(7, "ok", box: "unplaced"),
        ])
        let (lines, pages) = try export(hub)
        let server = try server(lines)
        #expect(pages.count == 1)
        #expect(server.count("Things") == 2 && server.count("Datastreams") == 6 && server.count("Sensors") >= 2)
        #expect(server.count("ObservedProperties") == 3)
        #expect(server.count("HistoricalLocations") == 2)
        // Its last place, and the two that it was at.
        #expect(server.count("Locations") == 3)
        let results = (server.entities["Observations"] ?? [:]).mapValues { $0["result"] ?? "" }
        // Two of each of four positions, and its health twice.
        #expect(results.count == 10)
        #expect(results["knz07:altitude:\(Said.id(1))"] as? Double == 301.5)
        #expect(results["knz07:health:\(Said.id(6))"] as? String == "degraded")
        let place = try #require(server.entities["Locations"]?["knz07:place"]?["location"] as? [String: Any])
        #expect(place["coordinates"] as? [Double] == [-96.6, 39.11])
        // It never said where it is: there is no place for what it observed.
        #expect(!results.keys.contains { $0.hasPrefix("unplaced") })
    }

    @Test("what a box sends that is no figure is left out, and what it says stays text")
    func hostile() async throws {
        let quote = #"\"},{\"id\":\"\n"#
        let (hub, _) = try await hub([
            Said.state(
                .status, #"{"session":"s","state":"online","software":"\#(quote)"}"#),
            Self.position(1, #""accuracy":"near","altitude":[1]"#),
            Self.position(2, #""accuracy":1e300,"altitude":-1e300"#),
            Self.position(3, #""accuracy":-1,"altitude":null"#), Self.health(4, quote),
        ])
        let server = try server(try export(hub).lines)
        #expect(server.count("Observations") == 1 && server.count("FeaturesOfInterest") == 4)
    }

    @Test("a box and a time can be chosen, and what cannot be is said")
    func chosen() async throws {
        let (hub, _) = try await hub((1...9).flatMap { [Self.position($0), Self.position($0, box: "knz08")] })
        let lines = try export(hub, "box=knz08&from=\(Self.time(3))&to=\(Self.time(6))").lines
        let server = try server(lines)
        #expect(Array((server.entities["Things"] ?? [:]).keys) == ["knz08"])
        #expect(server.count("Observations") == 3 * 2)
        for (query, words) in [
            ("box=nobody", "nothing of it has come"), ("box=A", "a-z"), ("from=yesterday", "from"),
            ("after=zz", "next"), ("after=6b", "next"), ("what=1", "what"),
        ] {
            let error = #expect(throws: (any Error).self) { try hub.get("/v1/sensorthings?\(query)") }
            #expect("\(error.map { "\($0)" } ?? "")".contains(words), "\(query)")
        }
    }

    @Test("much comes in pages of bounded size, each thing once, also where many are of one instant")
    func pages() async throws {
        let count = 1000
        var messages: [MQTTMessage] = []
        for number in 1...count {
            // Two at a time have one instant.
            messages.append(
                Said.state(
                    .position, at: Self.time(number / 2), id: Said.id(number),
                    #"{"latitude":\#(39 + Double(number) / 1000),"longitude":-96.6,"accuracy":4,"altitude":300}"#))
        }
        let (hub, store) = try await hub(messages)
        let (lines, pages) = try export(hub)
        let server = try server(lines)
        #expect(try store.ask("SELECT count(*) FROM positions") == ["\(count)"])
        #expect(server.count("Observations") == 2 * count && server.count("FeaturesOfInterest") == count + 1)
        #expect(pages.count > count / 200)
        // 200 rows of at most four lines of 600 bytes.
        #expect(pages.allSatisfy { $0 < 480_000 }, "\(pages)")
    }
}
