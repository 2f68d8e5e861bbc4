import KonzaAPI
import KonzaModel
import KonzaSystem
import Testing

@testable import KonzaCommand

@Suite("The doctor")
struct DoctorTests {
    private static func machine(_ change: (inout MachineFacts) -> Void = { _ in }) -> MachineFacts {
        var facts = MachineFacts(
            socketPath: "/run/konza.sock",
            socket: .init(kind: .socket, isWritable: true, ownerID: 990, group: "konza"), user: "ranger", userID: 1000,
            groups: ["ranger", "konza"],
            cameras: [.init(path: "/dev/video0", isUsable: true, group: "video")],
            gpsd: .answers(version: "3.22", devices: ["/dev/ttyACM0"]), folder: "/var/lib/konza",
            freeBytes: 8_000_000_000, now: UTCInstant(nanoseconds: 1_780_000_000_000_000_000), isSynchronized: true)
        change(&facts)
        return facts
    }

    private static func station(_ change: (inout StatusReply) -> Void = { _ in }) throws -> StationFacts {
        var status: StatusReply = try decoded(Replies.status)
        status.archive.health = .ok("12 GB free")
        status.archive.freeBytes = 12_000_000_000
        status.camera.source = .live
        status.camera.health = .ok("frames arrive")
        change(&status)
        var sky: SatellitesReply = try decoded(Replies.satellites)
        sky.state = .fix
        return StationFacts(status: .success(status), position: try decoded(Replies.position), sky: sky)
    }

    private static func finding(_ subject: String, _ machine: MachineFacts, _ station: StationFacts) throws -> Finding {
        try #require(Diagnosis(machine: machine, station: station).findings.first { $0.subject == subject })
    }

    @Test("finds nothing on a healthy station")
    func healthy() throws {
        let findings = Diagnosis(machine: Self.machine(), station: try Self.station()).findings
        #expect(
            findings.map(\.subject) == [
                "Socket", "Daemon", "Access", "gpsd", "Receiver", "Sky", "Camera", "Templates", "Disk", "Clock",
            ])
        #expect(findings.allSatisfy { $0.level == .ok && $0.remedy == nil }, "\(findings)")
        #expect(DoctorScreen.lines(findings, columns: 80).last?.text == "Everything is well.")
    }

    @Test("has a remedy for whatever fails or wants attention")
    func remedies() throws {
        let down = StationFacts(status: .failure(CommandFailure("cannot reach the station: refused", .unavailable)))
        let empty = Self.machine {
            $0.socket = .init(kind: .absent)
            $0.cameras = []
            $0.gpsd = .refused
            $0.freeBytes = 1000
            $0.now = UTCInstant(nanoseconds: 0)
        }
        let findings = Diagnosis(machine: empty, station: down).findings
        #expect(findings.map(\.subject) == ["Socket", "gpsd", "Camera", "Disk", "Clock"])
        #expect(findings.allSatisfy { $0.level != .ok && $0.remedy != nil })
    }

    @Test("judges the outbox by what is stuck, what waits, and who sends it")
    func outbox() throws {
        func finding(_ submissions: [String: Int], _ courier: CourierReply?, specimens: Int = 9) throws -> Finding {
            let waiting = (submissions["ready"] ?? 0) + (submissions["sending"] ?? 0)
            var station = try Self.station {
                $0.outbox = .init(
                    health: .ok("ok"), specimens: specimens, waiting: waiting, submissions: submissions)
            }
            station.courier = courier
            return try Self.finding("Outbox", Self.machine(), station)
        }
        let atWork = CourierReply(seenSecondsAgo: 5, hasNetwork: true)
        #expect(try finding([:], nil, specimens: 0) == Finding(.ok, "Outbox", "no specimens yet"))
        #expect(try finding(["submitted": 4], nil).level == .ok)
        #expect(try finding(["ready": 2], atWork).level == .ok)
        for (courier, words) in [
            (nil, "2 waiting; the courier was not seen since the daemon started"),
            (CourierReply(seenSecondsAgo: 3600, hasNetwork: true), "2 waiting; the courier was not seen for 1 h"),
            (.init(seenSecondsAgo: 5, hasNetwork: false), "2 waiting; there is no network that the courier may use"),
        ] as [(CourierReply?, String)] {
            let seen = try finding(["ready": 2], courier)
            #expect(seen.level == .warn && seen.observation == words && seen.remedy != nil)
        }
        let stuck = try finding(["refused": 1, "conflict": 2, "ready": 3], atWork)
        #expect(stuck.level == .warn && stuck.observation == "1 refused, 2 in conflict, 3 waiting")
    }

    @Test("tells the ways in which a socket can be of no use apart")
    func socket() throws {
        let down = StationFacts(status: .failure(CommandFailure("cannot reach", .unavailable)))
        for (file, words) in [
            (MachineFacts.SocketFile(kind: .absent), "there is no /run/konza.sock"),
            (.init(kind: .hidden), "/run/konza.sock lies in a folder that ranger may not enter"),
            (.init(kind: .other), "/run/konza.sock is not a socket"),
            (.init(kind: .socket, isWritable: false, ownerID: 0, group: "konza"), "ranger may not use /run/konza.sock"),
        ] {
            let finding = try Self.finding("Socket", Self.machine { $0.socket = file }, down)
            #expect(finding.level == .fail)
            #expect(finding.observation == words)
        }
        let dead = try Self.finding("Daemon", Self.machine(), down)
        #expect(dead.level == .fail)
    }

    @Test("tells how the portal does, and nothing where there is none")
    func portal() throws {
        func health(
            _ silent: Int, _ screen: String?, state: String? = nil, faults: [PortalScreens.Health.Fault]? = nil,
            version: String = ProgramVersion.number
        ) -> PortalScreens.Health {
            PortalScreens.Health(
                status: "ok", portal: "ok", konzad: "ok", state: state, faults: faults, version: version,
                kiosk: .init(silentSeconds: silent, screen: screen))
        }
        var station = try Self.station()
        #expect(!Diagnosis(machine: Self.machine(), station: station).findings.contains { $0.subject == "Portal" })
        for (answer, level, words) in [
            (.success(health(5, "attract")), Finding.Level.ok, "serves the pages; the kiosk shows them"),
            (.success(health(900, nil)), .ok, "serves the pages; no kiosk has shown them yet"),
            (.success(health(120, "card")), .warn, "serves the pages; the kiosk's screen fell silent 2 min ago"),
            (.success(health(5, "home", state: "the disk is full")), .warn, "the disk is full"),
            (
                .success(health(5, "home", version: "0.0.1")), .warn,
                "konza-portal is 0.0.1; konza is \(ProgramVersion.number)"
            ),
            (.failure(CommandFailure("cannot reach it", .unavailable)), .warn, "cannot reach it"),
        ] as [(Result<PortalScreens.Health, CommandFailure>, Finding.Level, String)] {
            station.portal = answer
            let finding = try Self.finding("Portal", Self.machine(), station)
            #expect(finding.level == level && finding.observation == words)
            #expect((finding.remedy == nil) == (level == .ok))
        }
        // Each of its faults with its own remedy.
        station.portal = .success(
            health(
                5, "home", state: "the printer is halted; the clock",
                faults: [
                    .init(code: "printer", what: "the printer is halted", remedy: "put paper in"),
                    .init(code: "clock", what: "the clock", remedy: "set it"),
                ]))
        let found = Diagnosis(machine: Self.machine(), station: station).findings.filter { $0.subject == "Portal" }
        #expect(
            found == [
                Finding(.warn, "Portal", "the printer is halted", remedy: "put paper in"),
                Finding(.warn, "Portal", "the clock", remedy: "set it"),
            ])
    }

    @Test("lets root, the socket's owner and its group write, and warns everybody else")
    func access() throws {
        for (id, groups, level) in [
            (1000 as UInt32, ["konza"], Finding.Level.ok), (1000, ["ranger"], .warn), (0, [], .ok), (990, [], .ok),
        ] {
            let machine = Self.machine {
                $0.userID = id
                $0.groups = groups
            }
            #expect(try Self.finding("Access", machine, Self.station()).level == level)
        }
    }

    @Test("does not miss gpsd on this machine when the daemon has a live receiver elsewhere")
    func gpsd() throws {
        let machine = Self.machine { $0.gpsd = .refused }
        #expect(try Self.finding("gpsd", machine, Self.station()).level == .ok)
        let lost = try Self.station { $0.position.health = PartHealth(level: .failed, kind: "gpsd", reason: "gone") }
        #expect(try Self.finding("gpsd", machine, lost).level == .fail)
        let recorded = try Self.station { $0.position.source = .recorded }
        #expect(try Self.finding("gpsd", machine, recorded).level == .warn)
        let none = Self.machine { $0.gpsd = .answers(version: "3.22", devices: []) }
        #expect(try Self.finding("gpsd", none, Self.station()).level == .fail)
    }

    @Test("judges the sky by the satellites in use and their signal")
    func sky() throws {
        var station = try Self.station()
        station.sky?.used = 3
        #expect(try Self.finding("Sky", Self.machine(), station).level == .fail)
        station = try Self.station()
        for index in 0..<6 { station.sky?.satellites[index].signal = 22 }
        #expect(try Self.finding("Sky", Self.machine(), station).level == .warn)
        station.sky?.satellites = []
        #expect(try Self.finding("Sky", Self.machine(), station).level == .fail)
    }

    @Test("names what is recorded")
    func recorded() throws {
        let station = try Self.station {
            $0.position.source = .recorded
            $0.camera.source = .simulated
        }
        for subject in ["Receiver", "Camera"] {
            let finding = try Self.finding(subject, Self.machine(), station)
            #expect(finding.level == .warn)
            #expect(finding.remedy?.contains("konzad.conf") == true)
        }
    }

    @Test("shows findings with their remedies within 80 columns and sums up")
    func screen() {
        let findings = [
            Finding(.ok, "Socket", "/run/konza.sock"),
            Finding(
                .fail, "Camera", "there is no /dev/video device",
                remedy: "plug the camera in; lsusb and dmesg show whether the machine sees it at all"),
            Finding(.warn, "Clock", "not synchronised"),
        ]
        #expect(
            plain(DoctorScreen.lines(findings, columns: 80)) == """
                 ok    Socket     /run/konza.sock
                 FAIL  Camera     there is no /dev/video device
                                  do: plug the camera in; lsusb and dmesg show whether the
                                      machine sees it at all
                 warn  Clock      not synchronised

                1 thing fails, 1 thing wants attention.
                """)
    }

    @Test("looks at this machine without failing, whatever it finds")
    func thisMachine() {
        let facts = MachineProbe.facts(socketPath: "/nonexistent/konza.sock", environment: [:])
        #expect(facts.socket.kind == .absent)
        #expect(!facts.user.isEmpty)
        #expect(facts.now.nanoseconds > 0)
    }
}
