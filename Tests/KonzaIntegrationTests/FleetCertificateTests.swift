import FleetMessaging
import Foundation
import KonzaAPI
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import Testing

/// A broker that knows its clients by their certificates, with the list of rights that comes with Konza.
@Suite("A fleet with certificates")
struct FleetCertificateTests {
    private let folder: TemporaryFolder
    private let certificates: FleetCertificates
    private let broker: RealBroker

    init() throws {
        folder = try TemporaryFolder()
        certificates = try FleetCertificates(in: folder.path)
        try certificates.make("broker", file: "broker")
        try certificates.make("hub", file: "hub")
        try certificates.make("knz07", file: "fleet-certificate")
        try certificates.make("knz08", file: "other")
        let rights = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("config/fleet/mosquitto.acl").path
        broker = try RealBroker([
            "cafile \(folder.path)/fleet-ca.pem", "certfile \(folder.path)/broker.pem",
            "keyfile \(folder.path)/broker-key.pem", "require_certificate true", "use_identity_as_username true",
            "use_username_as_clientid true", "tls_version tlsv1.2", "acl_file \(rights)",
        ])
    }

    private var address: String { "mqtts://localhost:\(broker.port)" }

    /// Gives a station its credentials, by the names of the files in the folder.
    private func equip(_ station: Station, authority: String, certificate: String) throws {
        for (from, to) in [
            (authority, "fleet-ca.pem"), ("\(certificate).pem", "fleet-certificate.pem"),
            ("\(certificate)-key.pem", "fleet-key.pem"),
        ] {
            let target = "\(station.folder.path)/\(to)"
            try? FileManager.default.removeItem(atPath: target)
            try FileManager.default.copyItem(atPath: "\(folder.path)/\(from)", toPath: target)
        }
    }

    private func tls(_ settings: inout MQTTSettings, _ name: String) {
        settings.host = "localhost"
        settings.tls = MQTTSettings.TLS(
            authorities: "\(folder.path)/fleet-ca.pem", certificate: "\(folder.path)/\(name).pem",
            key: "\(folder.path)/\(name)-key.pem")
    }

    @Test("a station is who its certificate says, and its records arrive over TLS")
    func arrives() throws {
        let reader = try FleetReader(broker) { tls(&$0, "hub") }
        defer { reader.end() }
        let station = try Station(Station.recorded(inFleetOf: address))
        try equip(station, authority: "fleet-ca.pem", certificate: "fleet-certificate")
        let program = RunningFleet(station)
        try program.start()
        let id = try station.takePostcard()
        try waitUntil("the fleet has it and says so", seconds: 30) {
            try station.fleet().waiting == 0 && reader.records[id] != nil
        }
    }

    @Test("nobody can write in another station's name, nor read what is for it")
    func foreign() throws {
        let reader = try FleetReader(broker) { tls(&$0, "hub") }
        defer { reader.end() }
        var settings = MQTTSettings(host: "localhost", port: broker.port, clientID: "knz08")
        tls(&settings, "other")
        let stranger = try MQTTConnection(settings, wakeup: try Wakeup())
        var events: [MQTTEvent] = []
        func wait(_ what: String, _ condition: () -> Bool) throws {
            try waitUntil(what, seconds: 20) {
                events += stranger.turn(seconds: 0.1)
                return condition()
            }
        }
        try wait("it is let in") { events.contains(.connected) }
        // It asks for everything.
        try stranger.subscribe("konza/1/#", .atLeastOnce)
        func publish(_ box: String, _ id: String) throws -> Int32 {
            let envelope = FleetEnvelope(
                .postcard, id: id, box: box, rev: 1, at: "2026-11-23T06:00:00Z", timeSource: "gps",
                body: Array("{}".utf8))
            return try stranger.publish(
                MQTTPublication(
                    topic: "konza/1/konza/\(box)/postcard", payload: envelope.encoded, quality: .atLeastOnce))
        }
        let forged = try publish("knz07", "01j0000000000000000000000a")
        try wait("the broker refuses it") { events.contains(.acknowledged(forged, reason: 0x87)) }
        _ = try publish("knz08", "01j0000000000000000000000b")
        // It gets what is for it: the receipt of its own record, and nothing else that went by.
        func topics() -> Set<String> {
            Set(events.compactMap { if case .message(let message) = $0 { message.topic } else { nil } })
        }
        try wait("its receipt is there") { !topics().isEmpty }
        #expect(topics() == ["konza/1/konza/knz08/receipt"])
        #expect(Set(reader.records.keys) == ["01j0000000000000000000000b"])
    }

    @Test("a broker that it does not trust, and one that does not trust it, are said with what to look at")
    func untrusted() throws {
        let strange = try TemporaryFolder()
        let others = try FleetCertificates(in: strange.path)
        try FileManager.default.copyItem(
            atPath: "\(others.folder)/fleet-ca.pem", toPath: "\(folder.path)/strange-ca.pem")
        let station = try Station(Station.recorded(inFleetOf: address))
        try equip(station, authority: "strange-ca.pem", certificate: "fleet-certificate")
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("konzad knows why", seconds: 20) { try station.fleet().connection?.kind == "untrusted" }
        #expect(try station.fleet().connection?.reason?.contains("clock") == true)
        program.stop()
        // It takes up credentials that were put right when it starts again.
        try certificates.make("knz07", file: "over", days: -1)
        try equip(station, authority: "fleet-ca.pem", certificate: "over")
        try program.start()
        try waitUntil("konzad knows that the broker ends it", seconds: 20) {
            try station.fleet().connection?.state == .failed
        }
    }
}
