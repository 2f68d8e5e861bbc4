import Foundation
import KonzaTesting
import Settings
import Testing

@Suite("The hub's configuration")
struct HubSettingsTests {
    private func read(_ text: String) throws(SettingsErrors) -> HubSettings {
        try HubSettings.parse(Array(text.utf8), file: "konza-hub.conf")
    }

    @Test("an empty file means that there is nothing to do")
    func empty() throws {
        let settings = try read("# nothing\n[Hub]\n")
        #expect(settings.broker == nil && settings.workers == 1 && settings.database == "postgresql:///konza")
    }

    @Test("everything can be set")
    func all() throws {
        let settings = try read(
            """
            [Hub]
            Broker=mqtts://broker.example:8884
            Database=postgresql://hub@db.example/fleet
            Workers=3
            Socket=/tmp/hub.sock
            Authorities=/etc/konza/ca.pem
            Certificate=/etc/konza/hub.pem
            Key=/etc/konza/hub.key
            Enrolment=[::]:8443
            EnrolmentNames=hub.example 192.0.2.7 ::1
            RevocationList=/var/lib/konza-hub/fleet.crl
            """)
        #expect(settings.enrolment?.port == 8443 && settings.enrolmentNames == ["hub.example", "192.0.2.7", "::1"])
        #expect(settings.revocationList == "/var/lib/konza-hub/fleet.crl")
        #expect(settings.broker?.host == "broker.example" && settings.broker?.port == 8884)
        #expect(settings.broker?.isEncrypted == true && settings.workers == 3 && settings.key == "/etc/konza/hub.key")
    }

    @Test(
        "a broker's address has a usual port, and may be in numbers",
        arguments: [
            ("mqtt://broker", "broker", 1883), ("mqtts://broker/", "broker", 8883), ("mqtt://[::1]:5", "::1", 5),
            ("mqtts://10.0.0.1:443", "10.0.0.1", 443), ("amqp://broker", "broker", 5672),
            ("amqps://broker/fleet", "broker", 5671), ("amqp://[::1]:5673/", "::1", 5673),
        ])
    func brokers(_ text: String, _ host: String, _ port: Int) {
        let broker = HubSettings.Broker(text)
        #expect(broker?.host == host && broker?.port == port)
    }

    @Test("an encrypted broker's password goes nowhere in the clear")
    func clear() {
        let errors = #expect(throws: SettingsErrors.self) {
            try read("[Hub]\nBroker=amqps://broker\nMQTT=mqtt://broker\n")
        }
        #expect(errors.map { "\($0.problems)" }?.contains("in the clear") == true)
    }

    @Test("--check-config names every file that is not there")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/hub.conf"
        try Data("[Hub]\nBroker=mqtts://broker\nAuthorities=\(folder.path)/ca\nCertificate=\(path)\nKey=\(path)\n".utf8)
            .write(to: URL(filePath: path))
        let run = try ProgramRun(Programs.path("konza-hub").path, ["--check-config", "--config", path])
        let text = run.errors
        #expect(run.status == 78)
        #expect(text.contains("[Hub] Authorities=: cannot read \(folder.path)/ca"), "\(text)")
        #expect(!text.contains("Key=") && !text.contains("Certificate="), "\(text)")
    }

    @Test(
        "an address of AMQP may name a virtual host",
        arguments: [
            ("amqp://broker", "/"), ("amqp://broker/", "/"), ("amqps://broker:5671/fleet.v1", "fleet.v1"),
            ("mqtt://broker", nil),
        ] as [(String, String?)])
    func virtualHosts(_ text: String, _ name: String?) {
        let broker = HubSettings.Broker(text)
        #expect(broker != nil && broker?.virtualHost == name)
    }

    @Test(
        "a broker that is named by AMQP is reached by MQTT at its usual port, or at the one that is named",
        arguments: [
            ("amqp://broker:5673/fleet", "broker", 1883, false), ("amqps://broker", "broker", 8883, true),
            ("amqps://[::1]:9", "::1", 8883, true),
        ])
    func byMQTT(_ text: String, _ host: String, _ port: Int, _ isEncrypted: Bool) throws {
        let place = try #require(HubSettings.Broker(text)?.byMQTT)
        #expect(place.host == host && place.port == port && place.isEncrypted == isEncrypted)
        #expect(place.virtualHost == nil)
        let settings = try read("[Hub]\nBroker=amqp://broker\nMQTT=mqtts://other:8884\n")
        #expect(settings.mqtt?.host == "other" && settings.mqtt?.port == 8884)
    }

    @Test(
        "what cannot be says where, and what would be right",
        arguments: [
            ("Broker=http://broker", "mqtts://"), ("Broker=mqtt://user:secret@broker", "mqtts://"),
            ("Broker=mqtt://broker:70000", "mqtts://"), ("Broker=mqtt://::1", "mqtts://"),
            ("Broker=amqp://broker/a/b", "mqtts://"),
            ("Workers=0", "1 to 64"),
            ("Workers=many", "1 to 64"), ("Socket=hub.sock", "absolute"), ("Socke=/a", "Socket="),
            ("Key=/a", "go together"), ("Enrolment=8443", "ADDRESS:PORT"), ("EnrolmentNames=a/b", "host names"),
            ("RevocationList=fleet.crl", "absolute"), ("MQTT=amqp://broker", "mqtts://"), ("MQTT=broker", "mqtts://"),
            ("Broker=mqtt://broker\nMQTT=mqtt://broker", "named by AMQP"), ("MQTT=mqtt://broker", "named by AMQP"),
        ])
    func refused(_ line: String, _ words: String) {
        let errors = #expect(throws: SettingsErrors.self) { try read("[Hub]\n\(line)\n") }
        #expect(errors?.description.contains(words) == true, "\(errors?.description ?? "")")
        #expect(errors?.description.contains("secret") == false)
    }

    @Test("another program's section is not taken")
    func foreign() {
        #expect(throws: SettingsErrors.self) { try read("[Portal]\nPort=80\n") }
    }
}
