import FleetMessaging
import Foundation
import KonzaAPI
import KonzaTesting
import Testing

/// Settings from afar with the real programs: konza signs, mosquitto keeps the message, konza-fleet judges it, konzad takes it.
@Suite("Settings from afar")
struct FleetDesiredTests {
    private let broker: RealBroker
    private let reader: FleetReader
    private let keys: TemporaryFolder

    init() throws {
        broker = try RealBroker()
        reader = try FleetReader(broker)
        keys = try TemporaryFolder()
    }

    /// - Returns: a station that listens to ranger, who may set things, and to guest, who may not.
    private func station(_ more: String = "") throws -> Station {
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)", more))
        var lines = ""
        for (name, rights) in [("ranger", "desired"), ("guest", "postcard")] {
            let outcome = try run(
                try Programs.path("konza").path,
                ["fleet", "key", "make", "\(keys.path)/\(name)", "--rights", rights, "--name", name])
            guard outcome.status == 0 else { throw Complaint("konza fleet key: \(outcome.errors)") }
            lines += outcome.text
        }
        try Data(lines.utf8).write(to: URL(fileURLWithPath: "\(station.folder.path)/fleet-operators"))
        return station
    }

    private func sign(
        _ settings: [String], version: Int, by name: String = "ranger", box: String = "knz07"
    ) throws -> String {
        let outcome = try run(
            try Programs.path("konza").path,
            ["fleet", "desired", "--key", "\(keys.path)/\(name)", "--box", box, "--revision", "\(version)"] + settings)
        guard outcome.status == 0 else { throw Complaint("konza fleet desired: \(outcome.errors)") }
        return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func publish(_ message: String) throws {
        let outcome = try run(
            "mosquitto_pub",
            [
                "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-r", "-t", "konza/1/konza/knz07/desired", "-m",
                message,
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// What the station has told last.
    private var reported: [String: JSONValue] {
        guard case .object(let members)? = reader.heads(.reported).last?.body else { return [:] }
        return members
    }

    private func isReported(_ version: Int, _ state: String) -> Bool {
        reported["version"] == .number(Double(version)) && reported["state"] == .string(state)
    }

    private func desired(_ station: Station) throws -> FleetDesiredReply {
        try JSONDecoder().decode(FleetDesiredReply.self, from: try station.get("/v1/fleet/desired").body)
    }

    /// The place in the caption of a postcard that is taken now.
    private func place(_ station: Station) throws -> String? {
        try station.get("/v1/postcards/\(try station.takePostcard())").json()["place"] as? String
    }

    @Test("what is harmless is in force at once and after a restart, the rest is refused, and both are reported")
    func applied() throws {
        defer { reader.end() }
        let station = try station()
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("it says that nothing is set", seconds: 30) { isReported(0, "none") }
        #expect(try place(station) != "Kings Creek")
        try publish(
            try sign(
                [
                    "General.Place=Kings Creek", "Camera.Quality=900", "General.State=/tmp",
                    "Postcards.Template=nowhere",
                    "Fleet.RemoteSettings=no",
                ], version: 5))
        try waitUntil("it is reported", seconds: 30) { isReported(5, "applied") }
        #expect(reported["applied"] == .object(["General": .object(["Place": .string("Kings Creek")])]))
        guard case .array(let refused)? = reported["refused"] else {
            Issue.record("nothing is refused: \(reported)")
            return
        }
        let reasons = Dictionary(
            uniqueKeysWithValues: refused.compactMap { entry -> (String, String)? in
                guard case .object(let members) = entry, case .string(let section)? = members["section"],
                    case .string(let key)? = members["key"], case .string(let reason)? = members["reason"]
                else { return nil }
                return ("\(section).\(key)", reason)
            })
        #expect(
            Set(reasons.keys) == ["Camera.Quality", "General.State", "Postcards.Template", "Fleet.RemoteSettings"])
        #expect(reasons["Postcards.Template"]?.contains("no such template") == true)
        #expect(reasons["General.State"]?.contains("afar") == true)
        guard case .object(let packages)? = reported["packages"] else { return }
        #expect(Set(packages.keys) == ["konzad", "konza-fleet"])
        #expect(try place(station) == "Kings Creek")
        let reply = try desired(station)
        #expect(reply.settings.map(\.key) == ["Place"] && reply.settings.first?.own != "Kings Creek")

        // After the power was cut at both, and after the station's own configuration is read again.
        station.cutOff()
        program.cutOff()
        try station.start()
        #expect(try place(station) == "Kings Creek")
        try program.start()
        let count = reader.heads(.reported).count
        try waitUntil("it reports again", seconds: 30) { reader.heads(.reported).count > count }
        #expect(isReported(5, "applied"))
        try station.reload(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)", "[Postcards]\nArtist=X"))
        try waitUntil("the configuration is read again", seconds: 20) { station.log.contains("took the config") }
        #expect(try place(station) == "Kings Creek")

        // Somebody at the station drops it, and what the broker keeps does not bring it back.
        let dropped = try run(
            try Programs.path("konza").path, ["--socket", station.socket, "fleet", "desired", "--clear"])
        #expect(dropped.status == 0 && dropped.text.contains("Dropped"), "\(dropped.text)\(dropped.errors)")
        try waitUntil("that is reported", seconds: 30) { isReported(5, "dropped") }
        #expect(try place(station) != "Kings Creek")
        program.cutOff()
        try program.start()
        try publish(try sign(["General.Place=Nowhere"], version: 4))
        let next = try sign(["General.Place=Hulbert"], version: 6)
        try publish(next)
        try waitUntil("a higher version counts again", seconds: 30) { isReported(6, "applied") }
        #expect(try place(station) == "Hulbert")

        // An older one that somebody kept, and a lost ledger of konza-fleet: konzad knows.
        program.cutOff()
        try FileManager.default.removeItem(atPath: "\(station.folder.path)/fleet")
        try publish(try sign(["General.Place=Older"], version: 5))
        try program.start()
        let after = reader.heads(.reported).count
        try waitUntil("it reports after the connection", seconds: 30) { reader.heads(.reported).count > after }
        #expect(isReported(6, "applied"))
        #expect(try desired(station).settings.first?.value == "Hulbert")
    }

    @Test("whoever has no right, another's message, a changed one and a switched off station change nothing")
    func refused() throws {
        defer { reader.end() }
        let station = try station()
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("it is online", seconds: 30) { isReported(0, "none") }
        let good = try sign(["General.Place=Kings Creek"], version: 9)
        for message in [
            try sign(["General.Place=Guest"], version: 20, by: "guest"),
            try sign(["General.Place=Other"], version: 21, box: "knz08"), good.replacing("Kings", with: "Queens"),
            good.replacing(#""version":9"#, with: #""version":90"#), "{}", String(repeating: "x", count: 100_000),
        ] { try publish(message) }
        func rejected(_ words: String) -> Bool {
            guard case .object(let members)? = reported["rejected"], case .string(let reason)? = members["reason"]
            else {
                return false
            }
            return reason.contains(words)
        }
        try waitUntil("what it cannot read is reported", seconds: 30) { reported["rejected"] != nil }
        try publish(try sign(["General.Place=Guest"], version: 22, by: "guest"))
        try waitUntil("that guest may not is reported", seconds: 30) { rejected("guest may not set anything") }
        #expect(reported["version"] == .number(0))
        try publish(good)
        try waitUntil("the one that is signed counts", seconds: 30) { isReported(9, "applied") }
        #expect(reported["rejected"] == nil)
        #expect(try desired(station).settings.map(\.value) == ["Kings Creek"])

        try station.reload(
            Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)", "RemoteSettings=no"))
        try waitUntil("the station takes none any more", seconds: 30) { isReported(9, "off") }
        #expect(try place(station) != "Kings Creek")
        let answer = try station.request(
            "PUT", "/v1/fleet/desired",
            body: #"{"version":99,"settings":[{"section":"General","key":"Place","value":"X"}],"refused":[]}"#)
        #expect(answer.status == 409, "\(answer.status)")
        #expect(try desired(station).version == 9)
    }

    @Test("konzad itself sets nothing that may not be set from afar, whoever asks")
    func guarded() throws {
        defer { reader.end() }
        let station = try station()
        let answer = try station.request(
            "PUT", "/v1/fleet/desired",
            body: """
                {"version":3,"refused":[],"settings":[{"section":"General","key":"State","value":"/tmp/x"},
                {"section":"Fleet","key":"Broker","value":"mqtt://elsewhere"},{"section":"API","key":"Group","value":"x"},
                {"section":"Camera","key":"Mirror","value":"maybe"},{"section":"General","key":"Place","value":"Here"},
                {"section":"General","key":"Place","value":"There"}]}
                """)
        #expect(answer.status == 200)
        let reply = try desired(station)
        #expect(reply.settings.map { "\($0.key)=\($0.value)" } == ["Place=Here"])
        #expect(reply.refused.map(\.key).sorted() == ["Broker", "Group", "Mirror", "Place", "State"])
        #expect(try station.fleet().broker == "mqtt://127.0.0.1:\(broker.port)")
    }

    @Test("a kiosk's page asks for no longer message than konzad takes")
    func portal() throws {
        defer { reader.end() }
        let station = try station()
        let portal = try RunningPortal(station)
        #expect(try portal.ask("/v1/session").json()["messageLimit"] as? Int != 12)
        let answer = try station.request(
            "PUT", "/v1/fleet/desired",
            body:
                #"{"version":1,"settings":[{"section":"Postcards","key":"MessageLimit","value":"12"}],"refused":[]}"#)
        #expect(answer.status == 200)
        try waitUntil("the page knows", seconds: 60) {
            try portal.ask("/v1/session").json()["messageLimit"] as? Int == 12
        }
    }

    @Test("a damaged file is ignored and said, the station runs, and konza-fleet brings the same version again")
    func damaged() throws {
        defer { reader.end() }
        let station = try station()
        let program = RunningFleet(station)
        try program.start()
        try publish(try sign(["General.Place=Kings Creek"], version: 7))
        try waitUntil("it is in force", seconds: 30) { isReported(7, "applied") }
        program.stop()
        let path = "\(station.folder.path)/state/fleet-settings"
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for content in [
            whole.prefix(whole.count / 2), Data(),
            Data(
                String(decoding: whole, as: UTF8.self)
                    .replacing("Kings", with: "Queen").utf8), Data(repeating: 0x61, count: 300_000),
        ] {
            station.cutOff()
            try content.write(to: URL(fileURLWithPath: path))
            try station.start()
            #expect(try desired(station).state == .damaged)
            #expect(try place(station) != "Kings Creek")
        }
        #expect(station.log.contains("cannot use what was set from afar"))
        try program.start()
        try waitUntil("the broker's copy mends it", seconds: 30) { try desired(station).state == .applied }
        #expect(try place(station) == "Kings Creek")

        // As a power cut leaves it that comes after the file is written and before the settings are taken.
        program.stop()
        #expect(try station.request("DELETE", "/v1/fleet/desired").status == 200)
        #expect(try place(station) != "Kings Creek")
        station.cutOff()
        try whole.write(to: URL(fileURLWithPath: path))
        try station.start()
        #expect(try desired(station).state == .applied)
        #expect(try place(station) == "Kings Creek")
    }
}
