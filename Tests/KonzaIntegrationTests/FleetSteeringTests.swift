import Foundation
import KonzaAPI
import KonzaTesting
import Testing

/// An operator at home with `konza hub`: the real programs between the command line and the station, and back.
@Suite("A box steered from home", .enabled(if: RealGPSD.isInstalled))
struct FleetSteeringTests {
    private let broker: RealBroker
    private let database: RealDatabase
    private let folder: TemporaryFolder

    init() throws {
        broker = try RealBroker()
        database = try RealDatabase()
        try database.make("konza")
        folder = try TemporaryFolder()
    }

    @Test("does what is signed and says so, takes settings and reports them, and who is unknown or away is named")
    func steered() async throws {
        let away = try run(
            try Programs.path("konza").path, ["--socket", "\(folder.path)/nobody.sock", "hub", "boxes"])
        #expect(away.status == 69 && away.errors.contains("systemctl status konza-hub"), "\(away.errors)")
        let hub = try RunningHub(port: broker.port, database: database.address("konza"))
        let gpsd = try RealGPSD()
        try await gpsd.start()
        let station = try Station(
            """
            [Position]
            Source=gpsd
            GPSD=127.0.0.1:\(gpsd.port)
            [Camera]
            Source=recorded
            Width=640
            Height=480
            [Fleet]
            Broker=mqtt://127.0.0.1:\(broker.port)
            Box=knz07
            ReconnectSpread=0
            """)
        let key = "\(folder.path)/ranger"
        let line = try run(
            try Programs.path("konza").path,
            ["fleet", "key", "make", key, "--rights", "postcard,whoami,desired", "--name", "ranger"])
        let guest = "\(folder.path)/guest"
        let other = try run(
            try Programs.path("konza").path, ["fleet", "key", "make", guest, "--rights", "whoami", "--name", "guest"])
        try Data((line.text + other.text).utf8)
            .write(to: URL(fileURLWithPath: "\(station.folder.path)/fleet-operators"))

        // Nobody knows the box yet.
        try waitUntil("the hub answers", seconds: 30) { try hub.konza(["boxes"]).status == 0 }
        let unknown = try hub.konza(["command", "knz07", "whoami", "--key", key])
        #expect(unknown.status == 66 && unknown.errors.contains("nothing of it has come"), "\(unknown.errors)")

        let program = RunningFleet(station)
        try program.start()
        try waitUntil("the box is there", seconds: 30) { try hub.konza(["show", "knz07"]).text.contains("online") }
        try station.vouch(gpsd)
        let done = try hub.konza([
            "command", "knz07", "postcard", "message=From home", "--key", key, "--wait", "60",
        ])
        #expect(done.status == 0 && done.text.contains("knz07: postcard done"), "\(done.text)\(done.errors)")
        let cards = try station.get("/v1/postcards").json()["postcards"] as? [[String: Any]] ?? []
        #expect(cards.map { $0["message"] as? String } == ["From home"])
        let refused = try hub.konza([
            "command", "knz07", "original", "record=01j0000000000000000000000a", "--key", key, "--wait", "60",
        ])
        #expect(refused.status == 65 && refused.text.contains("refused"), "\(refused.text)\(refused.errors)")

        let settings = try hub.konza([
            "desired", "knz07", "General.Place=Hulbert", "General.State=/tmp", "--key", key, "--revision", "4",
        ])
        #expect(settings.status == 0 && settings.errors.contains("General.State will be refused"))
        try waitUntil("the box says so", seconds: 30) {
            try hub.konza(["desired", "knz07"]).text.contains("knz07: version 4; 1 refused")
        }
        let shown = try hub.konza(["desired", "knz07"]).text
        #expect(shown.contains("General.Place=Hulbert\n"), "\(shown)")
        #expect(shown.contains("General.State refused: it cannot be set from afar"), "\(shown)")
        #expect(try hub.konza(["show", "knz07"]).text.contains("Settings   version 4; 1 refused"))
        let older = try hub.konza(["desired", "knz07", "General.Place=Old", "--key", key, "--revision", "3"])
        #expect(older.status != 0 && older.errors.contains("has the version 4 already"), "\(older.errors)")
        let without = try hub.konza(["desired", "knz07", "General.Place=Guest", "--key", guest, "--revision", "5"])
        #expect(without.status == 0, "\(without.errors)")
        try waitUntil("the box says that it did not take them", seconds: 30) {
            try hub.konza(["desired", "knz07"]).text
                .contains("Version 5 was not taken: the operator guest may not set anything")
        }
        #expect(try hub.konza(["show", "knz07"]).text.contains("wanted is 5; the last message was not taken"))

        // A box that is off: what it gets is published, and nobody claims that it acts.
        program.cutOff()
        let silent = try hub.konza(["command", "knz07", "whoami", "--key", key, "--wait", "2"])
        #expect(silent.status == 75 && silent.errors.contains("no answer of knz07"), "\(silent.text)\(silent.errors)")

        // The broker is away: that is said, and nothing is claimed.
        broker.kill()
        try waitUntil("the hub knows", seconds: 30) { try hub.konza([]).status == 69 }
        let lost = try hub.konza(["command", "knz07", "whoami", "--key", key])
        #expect(lost.status == 69 && lost.errors.contains("no connection to the broker"), "\(lost.errors)")
    }

    @Test("the hub passes on nothing that is not signed for the box that is named")
    func unsigned() throws {
        let hub = try RunningHub(port: broker.port, database: database.address("konza"))
        try waitUntil("the hub answers", seconds: 30) { try hub.konza(["boxes"]).status == 0 }
        func send(_ method: String, _ path: String, _ body: String) throws -> Int {
            let outcome = try run(
                "curl",
                [
                    "-sS", "-m", "20", "-o", "/dev/null", "-w", "%{http_code}", "-X", method, "--unix-socket",
                    hub.socket, "-H", "Content-Type: application/json", "--data-binary", body,
                    "http://localhost\(path)",
                ])
            return Int(outcome.text) ?? 0
        }
        func message(_ kind: String, box: String = "knz07", _ more: String = "") -> String {
            #"{"schema":"konza.\#(kind)/1","box":"\#(box)","signature":"x","id":"01j0000000000000000000000a"\#(more)}"#
        }
        let commands = "/v1/boxes/knz07/commands?site="
        let rows = [
            ("POST", "\(commands)konza", "{}", 400),
            ("POST", "\(commands)konza", message("command", box: "knz08"), 400),
            ("POST", "\(commands)konza", message("desired"), 400),
            ("POST", "/v1/boxes/a%2Fb/commands", message("command"), 404),
            ("POST", "\(commands)%23", message("command"), 404),
            ("POST", "\(commands)konza", message("command", #","notAfter":"2020-01-01T00:00:00Z""#), 409),
            ("PUT", "/v1/boxes/knz07/desired?site=konza", message("desired"), 400),
        ]
        for (method, path, body, status) in rows { #expect(try send(method, path, body) == status, "\(path) \(body)") }
        #expect(try send("PUT", "/v1/boxes/knz07/desired?site=konza", String(repeating: "x", count: 70_000)) == 413)
    }
}
