import Cryptography
import Foundation
import KonzaAPI
import KonzaTesting
import Settings
import Testing

@testable import FleetCommanding

@Suite("Settings that are wanted from afar")
struct DesiredSettingsTests {
    private let operators: Operators

    init() throws {
        operators = try Operators()
        try operators.add("alice", [.desired])
        try operators.add("bob", [.postcard, .original, .whoami])
    }

    private func message(
        _ settings: [String: [String: String]], version: Int64 = 3, by name: String = "alice", box: String = "knz07"
    ) throws -> [UInt8] {
        try DesiredSettings.signed(
            box: box, version: version, settings: settings, by: try SigningKey(file: "\(operators.folder.path)/\(name)")
        )
    }

    private func judge(_ payload: [UInt8], applied: Int64 = 0) throws -> DesiredSettings.Decision {
        DesiredSettings.judge(payload, box: "knz07", operators: try operators.keys(), applied: applied)
    }

    @Test("what is harmless is taken over as konzad reads it, and the rest is refused with its reason")
    func applied() throws {
        let payload = try message([
            "Postcards": ["Template": "prairie", "MaxCountdown": "90h", "MaxBytes": "1M", "MessageLimit": ""],
            "Camera": ["Mirror": "no"], "API": ["Group": "nobody"], "Portal": ["Listen": "0.0.0.0"],
            "Fleet": ["Broker": "mqtts://elsewhere:8883"], "General": ["State": "/tmp", "Place": "Konza é"],
        ])
        guard case .apply(let outcome) = try judge(payload) else {
            Issue.record("it is not applied")
            return
        }
        #expect(
            outcome.applied.map { "\($0.section).\($0.key)=\($0.value)" } == [
                "Camera.Mirror=no", "General.Place=Konza é", "Postcards.MessageLimit=", "Postcards.Template=prairie",
            ])
        var own = try StationSettings.parse(
            Array("[Postcards]\nMessageLimit=7\n[Fleet]\nBroker=mqtt://hub\n".utf8), file: "own")
        let settings = outcome.over(own)
        #expect(settings.postcards.template == "prairie" && settings.general.place == "Konza é")
        #expect(settings.postcards.messageLimit == StationSettings().postcards.messageLimit)
        #expect(settings.fleet == own.fleet && settings.general.state == own.general.state)
        own.fleet.remoteSettings = false
        #expect(outcome.over(own) == own)
        own.fleet.remoteSettings = true
        own.fleet.broker = nil
        #expect(outcome.over(own) == own)
        #expect(
            outcome.refused.map { "\($0.section).\($0.key)" } == [
                "API.Group", "Fleet.Broker", "General.State", "Portal.Listen", "Postcards.MaxBytes",
                "Postcards.MaxCountdown",
            ])
        #expect(outcome.refused.allSatisfy { !$0.reason.isEmpty })
    }

    @Test("nothing of the network, of files, of people and of deletion can be set from afar")
    func harmless() {
        let known = Dictionary(grouping: SettingsTable.keys, by: \.section)
        for (section, keys) in RemoteSettings.allowed {
            #expect(["General", "Camera", "Postcards"].contains(section))
            for key in keys {
                guard let description = known[section]?.first(where: { $0.name == key }) else {
                    Issue.record("\(section).\(key) is no setting")
                    continue
                }
                #expect(!description.type.contains("path") && !description.isSecret && !description.needsRestart)
                #expect(!key.hasPrefix("Max") || key == "MaxCountdown")
            }
        }
    }

    @Test("no value becomes another line", arguments: ["a\nState=/x", "a\r", "a\\", " a", "\u{85}", "a\u{0}"])
    func lines(_ value: String) throws {
        guard case .apply(let outcome) = try judge(try message(["General": ["Place": value]])) else {
            Issue.record("it is not judged")
            return
        }
        #expect(outcome.applied.isEmpty && outcome.refused.count == 1)
    }

    @Test("a version that is older than what was applied is passed over")
    func versions() throws {
        let payload = try message(["Camera": ["Mirror": "no"]])
        #expect(try judge(payload, applied: 4) == .known)
        guard case .apply = try judge(payload, applied: 3) else {
            Issue.record("a station that has lost it cannot have it back")
            return
        }
        let ledger = try operators.ledger()
        #expect(try ledger.desiredVersion() == 0)
        try ledger.noteDesired(version: 3)
        try ledger.noteDesired(version: 2)
        #expect(try ledger.desiredVersion() == 3)
    }

    @Test("without a signature by somebody with the right nothing is set")
    func rejected() throws {
        let good = String(decoding: try message(["Camera": ["Mirror": "no"]]), as: UTF8.self)
        let rows: [([UInt8], Int64, String)] = [
            (Array(good.replacing("\"no\"", with: "\"yes\"").utf8), 3, "signature"),
            (Array(good.replacing("\"version\":3", with: "\"version\":4").utf8), 4, "signature"),
            (Array(good.replacing("\"version\":3", with: "\"version\":0").utf8), 0, "version"),
            (try message(["Camera": ["Mirror": "no"]], by: "bob"), 3, "bob may not"),
            (try message([:], box: "knz08"), 3, "knz08"), ([0x7B], 0, "JSON"),
        ]
        for (payload, version, words) in rows {
            guard case .rejected(let said, let reason) = try judge(payload) else {
                Issue.record("it is taken")
                continue
            }
            #expect(said == version && reason.contains(words), "\(said): \(reason)")
        }
    }
}
