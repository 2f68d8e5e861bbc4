import FleetMessaging
import Foundation
import KonzaAPI
import KonzaTesting
import Testing

@Suite("A station's counts as a message")
struct FleetMetricsTests {
    @Test("what has no labels is a number, what has some an object, and what is 0 is left out")
    func body() throws {
        let text = #"""
            # HELP konza_info The running version.
            # TYPE konza_info gauge
            konza_info{version="0.1.0"} 1
            # HELP konza_uptime_seconds Since the start.
            # TYPE konza_uptime_seconds gauge
            konza_uptime_seconds 5.25
            # TYPE konza_fleet_connected gauge
            konza_fleet_connected 0
            # TYPE konza_clock_steps_total counter
            konza_clock_steps_total 0
            # TYPE konza_http_answers_total counter
            konza_http_answers_total{class="2xx"} 118
            konza_http_answers_total{class="5xx"} 0
            # TYPE konza_faults_total counter
            konza_faults_total{part="camera",kind="a \"b\" \\ c, d}"} 2
            # TYPE konza_health gauge
            konza_health{part="camera",kind="idle"} 1
            konza_odd NaN
            konza_odder +Inf
            none
            {} x
            """#
        let body = FleetMetrics.body(of: text)
        let wanted: JSONValue = .object([
            "konza_uptime_seconds": .number(5.25),
            "konza_http_answers_total": .object(["2xx": .number(118)]),
            "konza_faults_total": .object([#"camera a "b" \ c, d}"#: .number(2)]),
        ])
        #expect(body == wanted)
        #expect(try JSONReader.value(of: FleetMetrics.encodedBody(of: text)) == wanted)
        // What only grows, and since when.
        let counters = FleetMetrics.body(of: text + "\nkonza_camera_streaming 1", .counters)
        #expect(counters == wanted)
    }

    @Test("however much a station counts, a message has a bound")
    func bounded() {
        let text = (0..<5000).map { "konza_some{of=\"\($0)\"} 1" }.joined(separator: "\n")
        guard case .object(let members) = FleetMetrics.body(of: text),
            case .object(let some)? = members["konza_some"]
        else {
            Issue.record("no samples")
            return
        }
        #expect(some.count == FleetMetrics.mostSamples)
        #expect(FleetMetrics.encodedBody(of: text).count < FleetEnvelope.mostBytes / 4)
    }

    @Test("no text makes it fail")
    func hostile() throws {
        let seed = RandomTest.seed(of: "FleetMetricsTests")
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "konza_a", "{", "}", "\"", "\\", "=", ",", " ", "\n", "1", "-2e9", "# TYPE a counter", "é", "\u{0}",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }
            .joined()
            #expect(throws: Never.self) { try JSONReader.value(of: FleetMetrics.encodedBody(of: text)) }
        }
    }
}
