import FleetMessaging
import KonzaTesting
import MQTTTransfer
import Testing

@testable import KonzaHub

@Suite("What boxes say of themselves", .serialized)
struct HubStateTests {
    private static func health(_ camera: String, _ age: Int) -> String {
        """
        {"health":{"level":"\(camera == "ok" ? "ok" : "degraded")","kind":"\(camera)","reason":"so it is"},
         "uptimeSeconds":\(age),"camera":{"health":{"level":"\(camera == "ok" ? "ok" : "failed")","kind":"\(camera)",
         "reason":"it has been \(age) s"}},"archive":{"health":{"level":"ok","kind":"ok","reason":""},"postcards":\(age)}}
        """
    }

    @Test("the will of an earlier session says nothing of a later one")
    func wills() throws {
        let store = try TestDatabases.store()
        let state = "SELECT state, id, software FROM boxes"
        try store.keep([Said.status("s1", "online")])
        #expect(try store.ask(state) == ["online|s1|konza 1"])
        try store.keep([Said.status("s2", "online"), Said.status("s1", "offline")])
        #expect(try store.ask(state) == ["online|s2|konza 1"])
        try store.keep([Said.status("s2", "offline")])
        #expect(try store.ask(state) == ["offline|s2|konza 1"])
        // What the broker kept is older.
        try store.keep([Said.status("s0", "online", at: "2026-11-19T00:00:00Z", isRetained: true)])
        #expect(try store.ask(state) == ["offline|s2|konza 1"])
        try store.keep([Said.status("s3", "online", at: "2026-11-21T00:00:00Z", isRetained: true)])
        #expect(try store.ask(state) == ["online|s3|konza 1"])
    }

    @Test("a box whose coming nobody heard is online with its health, and offline with the will of that session")
    func unheardComing() throws {
        let store = try TestDatabases.store()
        let state = "SELECT state FROM box_states"
        func health(isRetained: Bool) -> MQTTMessage {
            let message = Said.state(.health, at: "2026-11-20T12:00:00Z", Self.health("ok", 1))
            return MQTTMessage(topic: message.topic, payload: message.payload, isRetained: isRetained)
        }
        try store.keep([Said.record(id: Said.id(1), seq: 1, body: "{}"), health(isRetained: true)])
        #expect(try store.ask(state) == ["unknown"])
        try store.keep([health(isRetained: false)])
        #expect(try store.ask(state) == ["online"])
        try store.keep([Said.status("s1", "offline")])
        #expect(try store.ask(state) == ["offline"])
        // A word that it is there comes before its health.
        try store.keep([health(isRetained: false)])
        #expect(try store.ask(state) == ["offline"])
    }

    @Test("what the broker kept makes no box heard, and a box that is not heard is silent")
    func silent() throws {
        let store = try TestDatabases.store()
        try store.keep([
            Said.status("s1", "online", box: "old", isRetained: true), Said.status("s2", "online", box: "live"),
        ])
        #expect(try store.ask("SELECT box, state FROM box_states ORDER BY box") == ["live|online", "old|silent"])
        #expect(try store.ask("SELECT box FROM silent_boxes") == ["old"])
        _ = try store.ask("UPDATE boxes SET received_at = now() - interval '36 minutes' WHERE box = 'live'")
        #expect(try store.ask("SELECT box FROM silent_boxes ORDER BY box") == ["live", "old"])
    }

    @Test("a box is at the site that it says it is at now, not where the broker kept it or what is refused came from")
    func site() throws {
        let store = try TestDatabases.store()
        func elsewhere(_ message: MQTTMessage) -> MQTTMessage {
            MQTTMessage(
                topic: message.topic.replacing("/konza/", with: "/cedar/"), payload: message.payload,
                isRetained: message.isRetained)
        }
        let refused = elsewhere(Said.record(id: Said.id(1), seq: 1, body: "{\"m\":\"\\u0000\"}"))
        let kept = elsewhere(Said.status("s0", "online", at: "2026-11-19T00:00:00Z", isRetained: true))
        let site = "SELECT site FROM boxes"
        try store.keep([Said.status("s1", "online")])
        try store.keep([refused])
        try store.keep([kept])
        #expect(try store.ask(site) == ["konza"])
        try store.keep([refused, kept, Said.status("s2", "online"), refused, kept])
        #expect(try store.ask(site) == ["konza"])
        try store.keep([elsewhere(Said.status("s3", "online", at: "2026-11-22T00:00:00Z"))])
        #expect(try store.ask(site) == ["cedar"])
        #expect(try store.ask("SELECT count(*) FROM quarantine") == ["1"])
    }

    @Test("health is kept where it changes, not where only ages and counters do")
    func changes() throws {
        let store = try TestDatabases.store()
        for (minute, kind) in ["ok", "ok", "camera-disconnected", "camera-disconnected", "ok"].enumerated() {
            try store.keep([
                Said.state(.health, at: "2026-11-20T12:0\(minute):00Z", Self.health(kind, 60 * minute))
            ])
        }
        #expect(
            try store.ask("SELECT extract(minute FROM at)::int, level FROM health ORDER BY at") == [
                "0|ok", "2|degraded", "4|ok",
            ])
        #expect(
            try store.ask("SELECT extract(minute FROM health_at)::int, health->>'uptimeSeconds' FROM boxes") == [
                "4|240"
            ])
        #expect(
            try store.ask(
                "SELECT kind, until - at FROM part_health_over_time WHERE part = 'camera' ORDER BY at") == [
                    "ok|00:02:00", "camera-disconnected|00:02:00", "ok|-",
                ])
        #expect(try store.ask("SELECT level, kind, reason FROM box_states") == ["ok|ok|so it is"])
    }

    @Test("positions are a history, and the box is where it was last")
    func positions() throws {
        let store = try TestDatabases.store()
        for second in 1...3 {
            let message = Said.state(
                .position, at: "2026-11-20T12:00:0\(second)Z", id: Said.id(second),
                "{\"state\":\"fix\",\"latitude\":39.\(second),\"longitude\":-96.5}")
            try store.keep([message, message])
        }
        try store.keep([Said.state(.position, at: "2026-11-20T12:00:09Z", id: Said.id(9), "{\"state\":\"acquiring\"}")])
        #expect(try store.ask("SELECT count(*), count(place) FROM positions") == ["4|3"])
        #expect(try store.ask("SELECT latitude, longitude FROM box_states") == ["39.3|-96.5"])
    }

    @Test("the last of the others is in the box's row")
    func others() throws {
        let store = try TestDatabases.store()
        try store.keep([
            Said.state(.reported, "{\"version\":1}"), Said.state(.latest, "{\"key\":\"a/b.jpg\"}"),
            Said.state(.metrics, "{\"konza_fixes_total\":7}"), Said.state(.reported, "{\"version\":2}"),
            Said.state(.reported, at: "2026-11-01T00:00:00Z", isRetained: true, "{\"version\":0}"),
        ])
        #expect(
            try store.ask("SELECT reported->>'version', latest->>'key', metrics->>'konza_fixes_total' FROM boxes") == [
                "2|a/b.jpg|7"
            ])
    }
}
