internal import Foundation
internal import KonzaTesting

/// The plug is pulled: the machine ends between two instructions, and what it had not put on its disk is lost.
extension Scenario {
    static let power: [Scenario] = [
        Scenario(
            "power-cut", .boots, .short, limitSeconds: 600,
            promise: """
                The machine is cut off in a storm of postcards, specimens and their photographs: after the next boot every \
                one that was acknowledged before the cut is there, complete and opens, and no half file of a postcard is there.
                """
        ) { try PowerBox($0).cutOff(times: 1) },
        Scenario(
            "power-cuts", .boots, limitSeconds: 7200,
            promise: """
                25 cuts at random instants of a storm of two clients that take postcards and one that opens specimens and \
                photographs each (the seed is printed), every fifth while konzad starts; after each next boot every postcard \
                that was ever acknowledged is listed, complete, opens and is byte for byte what it was, every acknowledged \
                specimen is there with its number, its photograph has its size and opens, and no half file of a postcard is there.
                """
        ) { try PowerBox($0).cutOff(times: 25) },
        Scenario(
            "power-storm", .guest, .part, limitSeconds: 900,
            promise: "In the machine that is cut off: checks all that was acknowledged before, then takes postcards."
        ) { try PowerRound($0).run() },
    ]
}

/// The machine that is cut off, seen from outside: its disks, and what it told before each cut.
private final class PowerBox {
    private let station: LabStation
    private let folder = "\(LabMachine.tree)/.build/lab/power"
    private var generator: SeededGenerator

    init(_ station: LabStation) throws {
        self.station = station
        let seed = UInt64.random(in: 0...UInt64.max)
        generator = SeededGenerator(seed: seed)
        station.note("seed \(seed)")
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: "\(folder)/lab", withIntermediateDirectories: true)
        for (name, megabytes) in [("root", 512), ("pictures", 512)] {
            try Program("truncate", "-s", "\(megabytes)M", "\(folder)/\(name).img").succeed()
            try Program("mkfs.ext4", "-q", "\(folder)/\(name).img").succeed()
        }
    }

    /// Cuts the machine off again and again, and looks after the last cut too. The disks stay if something is amiss.
    func cutOff(times: Int) throws {
        for cut in 1...times {
            let isEarly = cut % 5 == 0
            let machine = try switchOn(isLast: false)
            let before = acknowledged
            if isEarly {
                try wait(machine) { FileManager.default.fileExists(atPath: "\(folder)/lab/\(PowerRound.starting)") }
            } else {
                // How long a postcard takes depends on what else the build machine does.
                let more = Int.random(in: 1...6, using: &generator)
                try wait(machine) { acknowledged >= before + more }
            }
            usleep(UInt32.random(in: 0...(isEarly ? 3_000_000 : 1_500_000), using: &generator))
            machine.cut()
            say("cut \(cut): \(acknowledged) acknowledged so far, \(specimens)")
        }
        let start = ContinuousClock.now
        let machine = try switchOn(isLast: true)
        let status = machine.waitUntilOff()
        guard status == 0, failure == nil, FileManager.default.fileExists(atPath: "\(folder)/lab/checked") else {
            throw Complaint("after the last cut: \(failure ?? "the machine ended with \(status)")")
        }
        station.note("\(times) cuts, \(acknowledged) acknowledged, \(specimens), all there")
        station.note("last boot and check \(start.duration(to: .now).inSeconds.inTenths) s")
        try FileManager.default.removeItem(atPath: folder)
    }

    private func switchOn(isLast: Bool) throws -> LabMachine {
        for name in [PowerRound.starting, PowerRound.checked, "results"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/lab/\(name)")
        }
        try (isLast ? "check" : "storm").write(toFile: "\(folder)/lab/round", atomically: true, encoding: .utf8)
        return try LabMachine(
            folder: "\(folder)/lab", root: "\(folder)/root.img", disks: ["\(folder)/pictures.img"],
            command: try LabMachine.running("power-storm"), isPlain: true, seconds: 900)
    }

    private func wait(_ machine: LabMachine, until holds: () -> Bool) throws {
        while !holds() {
            guard machine.isOn else {
                throw Complaint(failure ?? "the machine ended with \(machine.waitUntilOff()); see \(folder)/lab")
            }
            usleep(20_000)
        }
    }

    /// Postcards that the machine acknowledged.
    private var acknowledged: Int { PowerRound.lines(in: "\(folder)/lab").count }

    /// Specimens and photographs that it acknowledged, in words.
    private var specimens: String {
        let (opened, taken) = (PowerRound.specimens, PowerRound.photographs)
        return "\(PowerRound.lines(in: "\(folder)/lab", opened).count) specimens, "
            + "\(PowerRound.lines(in: "\(folder)/lab", taken).count) photographs"
    }

    /// What the scenario in the machine complains of.
    private var failure: String? {
        let bytes = FileManager.default.contents(atPath: "\(folder)/lab/results/power-storm/result.json")
        return bytes.flatMap { try? JSONDecoder().decode(LabResult.self, from: $0) }?.failure
    }
}

/// One life of the machine that is cut off, seen from inside.
private struct PowerRound {
    static let starting = "starting"
    static let checked = "checked"
    /// An acknowledged postcard on each line: its id and the bytes that were claimed.
    private static let acknowledged = "acknowledged"
    /// A postcard that has been seen to open on each line: its id and the sum of its bytes.
    private static let opened = "opened"
    /// An acknowledged specimen on each line: its id and the figure in its number.
    static let specimens = "specimens"
    /// An acknowledged photograph on each line: its path and the bytes that were claimed.
    static let photographs = "photographs"
    private let station: LabStation
    private let folder = "/lab"

    init(_ station: LabStation) { self.station = station }

    func run() throws {
        try Program("mount", "-t", "ext4", "/dev/vdb", station.state).succeed()
        try Program("chown", "konza:konza", station.state).succeed()
        // What the station puts back behind a scenario must not reach the pictures.
        defer {
            try? station.stop()
            _ = try? Program("umount", station.state).run()
        }
        try station.configure(Scenario.recordedStation)
        try tell(Self.starting)
        try station.start()
        try check()
        try tell(Self.checked)
        guard try String(contentsOfFile: "\(folder)/round", encoding: .utf8) == "storm" else { return }
        let ledger = try PowerLedger("\(folder)/\(Self.acknowledged)")
        let storm = PostcardStorm(station.socket, clients: 2) { ledger.add("\($0.id) \($0.bytes)") }
        try gather()
        // The end comes from outside.
        usleep(600_000_000)
        throw Complaint("nobody cut the machine off; \(storm.end().acknowledged.count) postcards were taken")
    }

    /// Opens one specimen after another and photographs each, until the machine ends.
    private func gather() throws {
        let specimens = try PowerLedger("\(folder)/\(Self.specimens)")
        let photographs = try PowerLedger("\(folder)/\(Self.photographs)")
        Thread.detachNewThread { [socket = station.socket] in
            while true {
                let number = Int.random(in: 0..<1_000_000_000)
                // Nobody asks a konzad that does not run a thousand times a second.
                usleep(20_000)
                guard let reply = try? KeyedStorm.open(socket, "specimen-\(number)", number: "LAB-\(number)"),
                    reply.status == 201, let id = reply["id"]?.text
                else { continue }
                specimens.add("\(id) \(number)")
                guard
                    let taken = try? KeyedStorm.ask(
                        socket, "photograph-\(number)", "/v1/specimens/\(id)/photographs", "{}"),
                    taken.status == 201, let path = taken["links", "file"]?.text, let bytes = taken["byteCount"]?.number
                else { continue }
                photographs.add("\(path) \(Int(bytes))")
            }
        }
    }

    /// Everything that was acknowledged in an earlier life.
    private func check() throws {
        try checkPostcards()
        for (id, number) in Self.lines(in: folder, Self.specimens) {
            let reply = try station.get("/v1/specimens/\(id)")
            try station.expect(
                reply.status == 200 && reply["number"]?.text == "LAB-\(number)",
                "the specimen \(id) was acknowledged and answers \(reply.status) \(reply["number"]?.text ?? "")")
        }
        for (path, bytes) in Self.lines(in: folder, Self.photographs) {
            let file = try station.get(path)
            try station.expect(
                file.status == 200 && file.body.count == bytes,
                "\(path) was acknowledged and answers \(file.status) with \(file.body.count) bytes of \(bytes)")
            try station.decode(file.body, path)
        }
    }

    private func checkPostcards() throws {
        let claimed = Self.lines(in: folder)
        let listed = try station.allListed()
        let missing = claimed.filter { !listed.contains($0.id) }
        try station.expect(
            missing.isEmpty, "\(missing.count) of \(claimed.count) acknowledged are gone: \(missing.prefix(3))")
        try station.expectWholeFiles(of: listed)
        let sums = Dictionary(
            Self.lines(in: folder, Self.opened).map { ($0.id, $0.number) }, uniquingKeysWith: { $1 })
        let ledger = try PowerLedger("\(folder)/\(Self.opened)")
        let sizes = Dictionary(claimed.map { ($0.id, $0.number) }, uniquingKeysWith: { $1 })
        for id in listed.sorted() {
            let picture = try station.get("/v1/postcards/\(id)/image.jpg").body
            let sum = picture.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            if let size = sizes[id] {
                try station.expect(picture.count == size, "\(id) has \(picture.count) bytes of \(size)")
            }
            if let before = sums[id] {
                try station.expect(Int(truncatingIfNeeded: sum) == before, "\(id) is not what it was")
            } else {
                try station.decode(picture, id)
                try station.decode(try station.get("/v1/postcards/\(id)/original.jpg").body, "\(id)'s original")
                ledger.add("\(id) \(Int(truncatingIfNeeded: sum))")
            }
        }
    }

    private func tell(_ milestone: String) throws {
        try "\(milestone)\n".write(toFile: "\(folder)/\(milestone)", atomically: false, encoding: .utf8)
    }

    /// The whole lines of a ledger; a cut may leave a piece of one.
    static func lines(in folder: String, _ name: String = acknowledged) -> [(id: String, number: Int)] {
        let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { return nil }
            return (String(words[0]), number)
        }
    }
}

/// Lines that have left the machine when they are added: the folder is the build machine's, written through.
private final class PowerLedger: Sendable {
    private let handle: LockedValue<FileHandle>

    init(_ path: String) throws {
        if !FileManager.default.fileExists(atPath: path) { try FileHandle.made(at: path).close() }
        guard let handle = FileHandle(forWritingAtPath: path) else { throw Complaint("cannot open \(path)") }
        try handle.seekToEnd()
        self.handle = LockedValue(handle)
    }

    func add(_ line: String) { handle.change { $0.write(Data((line + "\n").utf8)) } }
}
