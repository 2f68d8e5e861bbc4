import Foundation
import KonzaAPI
import KonzaModel
import KonzaTesting
import Testing

@testable import FleetMessaging

private let templating = top.appending(path: "build/python/bin/python3").path()
/// Home Assistant's templates are Jinja's, which the packages of the group fleet bring along.
private let hasTemplating =
    FileManager.default.isExecutableFile(atPath: templating)
    && (try? FileManager.default.contentsOfDirectory(
        atPath: top.appending(path: "build/python/lib/python3.11/site-packages/jinja2").path())) != nil

@Suite("What Home Assistant finds a station by")
struct HomeAssistantTests {
    private let discovery = HomeAssistantDiscovery(
        site: "konza", box: "knz07", name: "Trailhead \"A\" 🌾", pictures: "https://store.example.org/konza")

    private func components(_ discovery: HomeAssistantDiscovery) throws -> [String: [String: JSONValue]] {
        guard case .object(let document) = try JSONReader.value(of: discovery.payload),
            case .object(let components)? = document["components"]
        else { throw FleetMessageError("no components") }
        return components.mapValues { if case .object(let members) = $0 { members } else { [:] } }
    }

    @Test("fits what is published about it, with a picture and without")
    func fits() throws {
        var plain = discovery
        plain.pictures = nil
        plain.name = ""
        let name = "homeassistant-device-discovery.json"
        #expect(try Validator.complaints([(name, discovery.payload), (name, plain.payload)]) == ["", ""])
        #expect(try components(discovery)["picture"] != nil && components(plain)["picture"] == nil)
        #expect(discovery.topic == "homeassistant/device/konza_konza_knz07/config")
        #expect(discovery.payload.count < FleetEnvelope.mostBytes)
        // The schema refuses what Home Assistant refuses.
        let text = String(decoding: discovery.payload, as: UTF8.self)
        let damaged = [
            text.replacing("\"origin\":", with: "\"source\":"),
            text.replacing("\"platform\":\"sensor\"", with: "\"platform\":\"x\""),
            text.replacing("konza/1/konza/knz07/health", with: "konza/1/+/knz07/health"),
            text.replacing("unique_id", with: "id"),
            text.replacing("\"url_topic\"", with: "\"content_type\":\"image/jpeg\",\"url_topic\""),
            text.replacing("\"url_topic\"", with: "\"url\""),
            text.replacing("\"identifiers\"", with: "\"identifier\""),
            text.replacing("\"qos\":1", with: "\"qos\":1,\"site\":\"konza\""),
        ]
        #expect(try Validator.complaints(damaged.map { (name, Array($0.utf8)) }).allSatisfy { !$0.isEmpty })
    }

    @Test("every topic is one that the station publishes, and retains where a late comer needs it")
    func topics() throws {
        for component in try components(discovery).values {
            for (name, value) in component where name.hasSuffix("topic") {
                guard case .string(let text) = value, let topic = FleetTopic(text) else {
                    Issue.record("\(name) is no topic")
                    continue
                }
                #expect(topic.site == "konza" && topic.box == "knz07" && topic.kind.isFromBox && topic.kind.isRetained)
            }
        }
    }

    @Test("no two stations, and no two entities, have one identity")
    func identities() throws {
        let other = HomeAssistantDiscovery(site: "konza", box: "knz08", name: "B", pictures: "https://a/b")
        let all = try [discovery, other].flatMap { try components($0).values }.compactMap { $0["unique_id"] }
        #expect(Set(all).count == 12 && all.count == 12)
    }

    @Test(
        "coordinates come out as numbers, what is not known is left out, and a key becomes an address",
        .enabled(if: hasTemplating, "install the packages of the group fleet"))
    func templates() throws {
        var known = PositionReply(state: .fix)
        (known.latitude, known.longitude, known.accuracy) = (39.1057, -96.6091, 2.5)
        var noAccuracy = known
        noAccuracy.accuracy = nil
        let status = #"{"health":{"level":"degraded","kind":"a","reason":"b"},"archive":{"postcards":7}}"#
        let positions = try [known, noAccuracy, PositionReply(state: .acquiring)].map {
            ("position", "json_attributes_template", try JSONEncoder().encode($0))
        }
        let rows =
            positions + [
                ("picture", "url_template", Data(#"{"id":"x","thumbnail":"konza/knz07/2026/11/x.thumb.jpg"}"#.utf8)),
                ("health", "value_template", Data(status.utf8)), ("problem", "value_template", Data(status.utf8)),
                ("waiting", "value_template", Data(status.utf8)), ("postcards", "value_template", Data(status.utf8)),
            ]
        let parts = try components(discovery)
        let input = try rows.map { part, member, body in
            guard case .string(let template)? = parts[part]?[member] else { throw FleetMessageError(member) }
            let kind: FleetKind = part == "position" ? .position : part == "picture" ? .latest : .health
            let envelope = FleetEnvelope(
                kind, id: "a", box: "knz07", at: "2026-11-23T06:00:00Z", timeSource: "gps", body: Array(body))
            return try JSONEncoder().encode([template, String(decoding: envelope.encoded, as: UTF8.self)])
                + Data("\n".utf8)
        }
        // As Home Assistant renders: a sandbox, and value_json made of the payload.
        let script = """
            import json, sys, jinja2.sandbox
            environment = jinja2.sandbox.ImmutableSandboxedEnvironment()
            for line in sys.stdin:
                template, payload = json.loads(line)
                print(environment.from_string(template).render(value=payload, value_json=json.loads(payload)).strip())
            """
        let output = try Validator.run(templating, ["-c", script], input).split(separator: "\n").map(String.init)
        #expect(
            output == [
                #"{"gps_accuracy": 2.5, "latitude": 39.1057, "longitude": -96.6091, "state": "fix"}"#,
                #"{"latitude": 39.1057, "longitude": -96.6091, "state": "fix"}"#, #"{"state": "acquiring"}"#,
                "https://store.example.org/konza/konza/knz07/2026/11/x.thumb.jpg", "degraded", "ON", "0", "7",
            ])
    }
}
