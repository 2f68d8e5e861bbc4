import FleetMessaging
import Foundation
import KonzaAPI
import KonzaTesting
import Testing

/// A station of a fleet with the real programs: konzad, konza-fleet, and mosquitto; what keeps the records is a reader that
/// sends receipts when it is told to.
@Suite("A station of a fleet")
struct FleetTests {
    @Test("tells the fleet of its records as its own API gives them, and lets go when they are confirmed")
    func tells() throws {
        let broker = try RealBroker()
        let reader = try FleetReader(broker)
        defer { reader.end() }
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)", "HomeAssistant=yes"))
        let before = try station.takePostcard()
        let program = RunningFleet(station)
        try program.start()
        let specimen = try station.openSpecimen()
        try waitUntil("the fleet has both", seconds: 30) { reader.records.count == 2 }
        for (id, path) in [(before, "postcards"), (specimen, "specimens")] {
            let own = try JSONReader.value(of: Array(try station.get("/v1/\(path)/\(id)").body))
            #expect(reader.records[id]?.body == own)
        }
        try waitUntil("the receipts are there", seconds: 20) { try station.fleet().waiting == 0 }
        let status = try #require(reader.heads(.status).last)
        guard case .object(let members) = status.body else {
            Issue.record("no status")
            return
        }
        #expect(members["state"] == .string("online") && members["session"] == .string(status.id))
        try waitUntil("health and position are told", seconds: 20) {
            !reader.heads(.health).isEmpty && !reader.heads(.position).isEmpty
        }
        let found = try run(
            "mosquitto_sub",
            ["-h", "127.0.0.1", "-p", "\(broker.port)", "-t", "homeassistant/#", "-C", "1", "-W", "10"])
        let discovery = try JSONReader.value(of: Array(found.output))
        guard case .object(let parts) = discovery, case .object(let components)? = parts["components"] else {
            Issue.record("Home Assistant is told nothing: \(found.text)")
            return
        }
        #expect(components["position"] != nil && parts["origin"] != nil)
        // What is deleted here by a person is told as deleted.
        #expect(try station.request("DELETE", "/v1/postcards/\(before)").status == 204)
        try waitUntil("the fleet knows that it is deleted", seconds: 20) { reader.records[before]?.isDeleted == true }
        program.stop()
        try waitUntil("it said goodbye", seconds: 10) {
            reader.isLast("offline")
        }
    }

    @Test("tells its counts, and where it was in an hour, which a stop ends")
    func counts() throws {
        let broker = try RealBroker()
        let reader = try FleetReader(broker)
        defer { reader.end() }
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)"))
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("counts are told", seconds: 20) { !reader.heads(.metrics).isEmpty }
        guard case .object(let counts)? = reader.heads(.metrics).first?.body else {
            Issue.record("no counts")
            return
        }
        #expect((counts["konza_uptime_seconds"]?.double ?? 0) > 0 && counts["konza_health"] == nil)
        try waitUntil("there is a position", seconds: 20) { !reader.heads(.position).isEmpty }
        #expect(station.stop() == 0)
        try station.start()
        try waitUntil("the hour is told, and confirmed", seconds: 30) {
            try !reader.heads(.track).isEmpty && station.fleet().waiting == 0
        }
        let hour = try #require(reader.heads(.track).first)
        guard case .object(let members) = hour.body, case .array(let points)? = members["points"],
            case .object(let counters)? = members["counters"]
        else {
            Issue.record("no hour")
            return
        }
        #expect(hour.seq == 1 && members["id"] == .string(hour.id) && !points.isEmpty)
        #expect((counters["konza_uptime_seconds"]?.double ?? 0) > 0)
    }

    @Test("loses nothing and leaves no number out, whatever is killed")
    func killed() throws {
        let broker = try RealBroker()
        let reader = try FleetReader(broker)
        defer { reader.end() }
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)"))
        let program = RunningFleet(station)
        try program.start()
        var ids: Set<String> = []
        for round in 0..<6 {
            ids.insert(try station.takePostcard())
            ids.insert(try station.openSpecimen())
            switch round {
            case 0: program.cutOff()
            case 1: broker.kill()
            case 2:
                station.cutOff()
                try station.start()
            case 3: reader.confirm(false)
            case 4: broker.freeze(true)
            default: break
            }
            ids.insert(try station.takePostcard())
            switch round {
            case 0: try program.start()
            case 1: try broker.start()
            case 4: broker.freeze(false)
            default: break
            }
        }
        reader.confirm(true)
        // What the reader heard while it confirmed nothing is sent again after a while; a new connection does so at once.
        program.cutOff()
        try program.start()
        try waitUntil("everything is confirmed", seconds: 60) { try station.fleet().waiting == 0 }
        #expect(Set(reader.records.keys) == ids)
        let last = try station.fleet().lastSeq
        let numbers = Set((reader.heads(.postcard) + reader.heads(.specimen)).compactMap(\.seq))
        #expect(numbers == Set(1...last))
        #expect(Set((reader.heads(.postcard) + reader.heads(.specimen)).compactMap(\.log)).count == 1)
    }

    @Test("says what is in the way of the broker, and konza says what to do")
    func unreachable() throws {
        let broker = try RealBroker(["allow_anonymous false"])
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)"))
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("konzad knows why", seconds: 20) { try station.fleet().connection?.kind == "refused" }
        let konza = try Programs.path("konza").path
        let shown = try run(konza, ["fleet", "--socket", station.socket])
        #expect(
            shown.status == 69 && shown.text.contains("not reached") && shown.text.contains("password"), "\(shown.text)"
        )
        let doctor = try run(konza, ["doctor", "--socket", station.socket])
        #expect(doctor.text.contains("Fleet"), "\(doctor.text)")
        let status = try station.get("/v1/status").json()
        #expect((status["fleet"] as? [String: Any]) != nil)
    }

    @Test("a station of no fleet has nothing to do with one")
    func alone() throws {
        let station = try Station()
        #expect(try station.fleet().enabled == false)
        #expect(try station.get("/v1/fleet/outbox").status == 409)
        #expect(try station.get("/v1/status").json()["fleet"] == nil)
    }
}
