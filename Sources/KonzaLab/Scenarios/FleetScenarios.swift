internal import Foundation
internal import KonzaTesting

/// konza-fleet over a link that the kernel makes bad (sch_netem), with the real engines at the other end.
extension Scenario {
    static let fleet: [Scenario] = [fleetNetem]

    private static let fleetNetem = Scenario(
        "fleet-netem", .guest, limitSeconds: 1500,
        promise: """
            konza-fleet, as systemd runs it, reaches mosquitto over a link with 300 kbit/s, 2 % loss and 100 ms of delay \
            each way (tc-netem); it is killed, and nothing at all gets through for 20 s. Within 300 s everything that \
            konzad acknowledged is receipted; PostgreSQL with PostGIS has each record once with the station's own picture, \
            no number is missing, and the kernel did drop packets.
            """
    ) { station in
        let home = try FleetHome()
        defer { home.end() }
        let link = try BadLink(toPort: home.port)
        defer { link.end() }
        try station.configure(
            "[Camera]\nSource=recorded\nWidth=160\nHeight=120\nFrameRate=5\n[Position]\nSource=recorded\n"
                + "[Postcards]\nSpaceReserve=0\n"
                + "[Fleet]\nBroker=mqtt://127.0.0.1:\(home.port)\nSite=lab\nBox=knz07\nReconnectSpread=1s\n")
        try station.start()
        try Program("systemctl", "restart", unit).succeed(seconds: 100)
        defer { stopFleet() }
        func untilFleet(_ what: String, within seconds: Double, _ condition: (LabReply) -> Bool) throws -> Double {
            try station.until(what, within: seconds, every: 0.5) {
                let fleet = try station.get("/v1/fleet")
                guard condition(fleet) else {
                    throw Complaint(
                        "\(fleet["waiting"]?.number ?? -1) records wait; \(fleet["connection", "state"]?.text ?? "no state"): "
                            + "\(fleet["connection", "reason"]?.text ?? "no reason")")
                }
                return true
            }
        }
        let connected = try untilFleet("konza-fleet is connected", within: 120) {
            $0["connection", "state"]?.text == "connected"
        }
        var pictures: [String: String] = [:]
        var specimens: Set<String> = []
        func visit(_ count: Int) throws {
            for _ in 0..<count {
                // A small machine that has a database too may paint no frame in time.
                try station.until("a postcard is taken", within: 60, every: 0.5) {
                    let postcard = try station.expectPostcard()
                    pictures[postcard.id] = postcard.reply["sha256"]?.text ?? ""
                    return true
                }
                for _ in 0..<2 { specimens.insert(try station.openSpecimen()) }
            }
        }
        try visit(5)
        try Program("systemctl", "kill", "--signal=SIGKILL", unit).succeed()
        try visit(3)
        _ = try untilFleet("what came meanwhile is receipted", within: 300) { $0["waiting"]?.number == 0 }
        // Not by chance: the link has lost packets while records went over it.
        for _ in 0..<40 where try link.figures().dropped < 5 { specimens.insert(try station.openSpecimen()) }
        let figures = try link.figures()
        try station.expect(figures.dropped > 0, "the link has lost nothing of \(figures.packets) packets")
        try link.set(loss: 100)
        try visit(2)
        usleep(20_000_000)
        let behind = try station.get("/v1/fleet")["waiting"]?.number ?? 0
        try station.expect(behind >= 6, "only \(behind) records wait over a link that brings nothing")
        try link.set(loss: 2)
        let caughtUp = try untilFleet("everything is receipted", within: 300) { $0["waiting"]?.number == 0 }
        let cards = try home.rows("SELECT id || ' ' || (body->>'sha256') FROM postcards ORDER BY id")
        try station.expect(
            cards == pictures.map { "\($0.key) \($0.value)" }.sorted(),
            "\(cards.count) rows for \(pictures.count) postcards, or other pictures")
        let stones = try home.rows("SELECT id FROM specimens ORDER BY id")
        try station.expect(stones == specimens.sorted(), "\(stones.count) rows for \(specimens.count) specimens")
        let gaps = try home.rows("SELECT box, missing FROM sequence_gaps")
        try station.expect(gaps == ["knz07|0"], "numbers are missing: \(gaps)")
        let refused = try home.rows("SELECT count(*) FROM quarantine")
        try station.expect(refused == ["0"], "\(refused) messages are in the quarantine")
        let all = try link.figures()
        station.note(
            "connected after \(connected.inTenths) s; \(pictures.count) postcards and \(specimens.count) specimens, each once; "
                + "\(figures.dropped) of \(figures.packets) packets lost, \(all.dropped) of \(all.packets) with the outage, after "
                + "which it caught up in \(caughtUp.inTenths) s")
    }

    private static let unit = "konza-fleet.service"

    private static func stopFleet() {
        _ = try? Program("systemctl", "stop", unit).run()
        _ = try? Program("systemctl", "reset-failed", unit).run()
        try? FileManager.default.removeItem(atPath: "/var/lib/konza-fleet")
    }
}

extension LabStation {
    /// Opens a specimen.
    ///
    /// - Returns: its id.
    fileprivate func openSpecimen() throws -> String {
        let reply = try post(
            "/v1/specimens",
            #"{"rockType":"gneiss","position":{"latitude":39.1069,"longitude":-96.6091,"accuracy":4.2}}"#)
        guard reply.status == 201, let id = reply["id"]?.text else {
            throw Complaint("a specimen is answered with \(reply.status): \(reply["detail"]?.text ?? "")")
        }
        return id
    }
}

/// What stands at a fleet's home: mosquitto, PostgreSQL with PostGIS, and the hub out of the tree's package konza-hub, which
/// the machine has not installed.
private final class FleetHome {
    private let folder: KonzaTesting.TemporaryFolder
    private let database: RealDatabase
    private let broker: RealBroker
    private let hub = Process()

    init() throws {
        folder = try TemporaryFolder()
        database = try RealDatabase()
        try database.make("fleet")
        let own = try freeLoopbackPort()
        broker = try RealBroker(["allow_anonymous true", "listener \(own) 127.0.0.1"])
        guard let tree = ProcessInfo.processInfo.environment["KONZA_LAB_TREE"] else {
            throw Complaint("cannot find the tree: KONZA_LAB_TREE is not set; run Tests/Lab/run")
        }
        let packages = try FileManager.default.contentsOfDirectory(atPath: "\(tree)/build")
            .filter { $0.hasPrefix("konza-hub_") && $0.hasSuffix(".deb") }.sorted()
        guard let package = packages.last else { throw Complaint("cannot find konza-hub's package; run make deb") }
        try Program("dpkg-deb", "-x", "\(tree)/build/\(package)", folder.path).succeed(seconds: 300)
        let settings = """
            [Hub]
            Broker=mqtt://127.0.0.1:\(own)
            Database=\(database.address("fleet"))
            Socket=\(folder.path)/hub.sock

            """
        try settings.write(toFile: "\(folder.path)/hub.conf", atomically: true, encoding: .utf8)
        hub.executableURL = URL(fileURLWithPath: "\(folder.path)/usr/bin/konza-hub")
        hub.arguments = ["--config", "\(folder.path)/hub.conf"]
        hub.standardInput = FileHandle.nullDevice
        try hub.run()
    }

    /// Where the broker listens for stations; the hub has a port of its own.
    var port: Int { broker.port }

    /// - Parameter query: SQL.
    /// - Returns: a line for each row.
    /// - Throws: ``Complaint`` if the database refuses it.
    func rows(_ query: String) throws -> [String] {
        try Program("psql", "-AtX", "-d", database.address("fleet"), "-c", query).succeed(seconds: 120).text
            .split(separator: "\n").map(String.init)
    }

    func end() {
        hub.terminate()
        hub.waitUntilExit()
    }
}

/// All that goes to and from one port of the loopback, over a link that the kernel's own queueing discipline makes bad.
private final class BadLink {
    struct Figures {
        let packets: Int
        let dropped: Int
    }

    /// Segments are as long as on an Ethernet, and each is lost or delayed by itself.
    ///
    /// - Parameter port: of the server; packets of both directions pass the device.
    /// - Throws: ``Complaint`` if the kernel does not take it.
    init(toPort port: Int) throws {
        try Program("modprobe", "-a", "sch_prio", "sch_netem", "cls_u32").succeed(seconds: 100)
        try Program("ip", "link", "set", "dev", "lo", "mtu", "1500", "gso_max_segs", "1").succeed()
        // What no filter takes goes to the first class, whatever its priority.
        let priorities = Array(repeating: "0", count: 16)
        let classes = ["tc", "qdisc", "add", "dev", "lo", "root", "handle", "1:", "prio", "bands", "2", "priomap"]
        try Program(classes + priorities).succeed()
        try Self.change("add", loss: 2)
        for side in ["sport", "dport"] {
            try Program(
                "tc", "filter", "add", "dev", "lo", "parent", "1:", "protocol", "ip", "u32", "match", "ip", side,
                "\(port)", "0xffff", "flowid", "1:2"
            ).succeed()
        }
    }

    /// - Parameter loss: percent of the packets.
    /// - Throws: ``Complaint`` if the kernel does not take it.
    func set(loss: Int) throws { try Self.change("change", loss: loss) }

    private static func change(_ verb: String, loss: Int) throws {
        try Program(
            "tc", "qdisc", verb, "dev", "lo", "parent", "1:2", "handle", "20:", "netem", "rate", "300kbit",
            "loss", "\(loss)%", "delay", "100ms"
        ).succeed()
    }

    /// What has gone over it so far.
    func figures() throws -> Figures {
        let text = try Program("tc", "-s", "-j", "qdisc", "show", "dev", "lo").succeed().output
        guard let queue = JSON(parsing: Array(text))?.elements.first(where: { $0["kind"]?.text == "netem" }),
            let packets = queue["packets"]?.number, let drops = queue["drops"]?.number
        else {
            throw Complaint("tc does not say what the link did: \(String(decoding: text.prefix(300), as: UTF8.self))")
        }
        return Figures(packets: Int(packets), dropped: Int(drops))
    }

    func end() {
        _ = try? Program("tc", "qdisc", "del", "dev", "lo", "root").run()
        _ = try? Program("ip", "link", "set", "dev", "lo", "mtu", "65536").run()
    }
}
