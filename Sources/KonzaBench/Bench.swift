internal import Glibc
internal import KonzaSystem

/// What the bench was asked to measure.
struct BenchOptions: Sendable, Equatable {
    enum Part: String, CaseIterable, Sendable {
        case stamping, turning, service, archive, position, terrain, trails, binaries, portal, fleet
    }

    /// All but the fleet, which takes an hour and engines that others do not need.
    var parts = Part.allCases.filter { $0 != .fleet }
    /// Where the figures go as JSON.
    var document = "build/bench.json"
    /// Only these templates and sizes; empty for all.
    var templates: [String] = []
    var sizes: [String] = []
    /// Whether other programs are measured beside.
    var runsPrograms = true
    /// Whether instructions are counted by valgrind.
    var countsInstructions = true
    /// Only what is looked at most.
    var isQuick = false
    /// The picture that frames are made of; nil for the one from Debian.
    var photograph: String?
    /// How many postcards the archive has; nil for what is usual.
    var records: Int?
    /// How many boxes the fleet has, and how often each of its engines is killed; nil for what is usual.
    var boxes: Int?
    var kills: Int?
    /// How many whole stations it has beside; nil for what is usual.
    var stations: Int?
    /// For how many minutes it is killed at most; nil for as long as it takes.
    var minutes: Int?
    var showsHelp = false

    static let help = """
        konza-bench: measures konzad beside what one would otherwise use

        usage: konza-bench [PART...] [options]

          PART             stamping, turning, service, archive, position, terrain, trails, binaries, portal, fleet; all but
                           fleet by default
          --json FILE      where the figures go as JSON (default build/bench.json)
          --template NAME  stamping: only this template (may be given again)
          --size WxH       stamping, turning: only this size (may be given again)
          --quick          stamping: only 1920x1080 at 4:2:2; turning: only 1920x1080; fleet: a short run
          --photograph F   stamping: make the frames of this JPEG, not of the one that Debian has
          --records N      archive: so many postcards (100000; 20000 with --quick)
          --boxes N        fleet: so many boxes (2000; 200 with --quick)
          --kills N        fleet: so many kills of each engine and program (100; 5 with --quick)
          --minutes N      fleet: kills for so many minutes at most (as long as they take)
          --stations N     fleet: so many whole stations beside the boxes (20; 3 with --quick)
          --no-programs    stamping: leave out other programs
          --no-counting    stamping: do not count instructions
          --help           print this and end

        konzad is taken from the folder of konza-bench, or KONZAD names it. Numbers that are missed do not make the
        bench fail; what could not be measured does.

        """

    /// Reads the arguments, without the program's name.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var named: [Part] = []
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw BenchError("cannot take \(option) without a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": document = try value(of: argument)
            case "--template": templates.append(try value(of: argument))
            case "--size": sizes.append(try value(of: argument))
            case "--no-programs": runsPrograms = false
            case "--no-counting": countsInstructions = false
            case "--quick": isQuick = true
            case "--records":
                guard let number = Int(try value(of: argument)), (100...10_000_000).contains(number) else {
                    throw BenchError("cannot take --records: expected 100 to 10000000")
                }
                records = number
            case "--boxes": boxes = try Self.count(argument, try value(of: argument), 1...20_000)
            case "--kills": kills = try Self.count(argument, try value(of: argument), 0...10_000)
            case "--stations": stations = try Self.count(argument, try value(of: argument), 0...200)
            case "--minutes": minutes = try Self.count(argument, try value(of: argument), 1...10_000)
            case "--photograph": photograph = try value(of: argument)
            case "--help", "-h": showsHelp = true
            default:
                guard let part = Part(rawValue: argument) else {
                    throw BenchError("cannot take the argument \(argument); see konza-bench --help")
                }
                named.append(part)
            }
        }
        if !named.isEmpty { parts = named }
    }

    private static func count(_ option: String, _ text: String, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw BenchError("cannot take \(option): expected \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func wants(template: String) -> Bool { templates.isEmpty || templates.contains(template) }
    func wants(size: String) -> Bool {
        sizes.isEmpty ? !isQuick || size == "1920x1080" : sizes.contains(size)
    }
}

/// `konza-bench` from its arguments to its exit status.
public enum Bench {
    /// Measures, prints and writes what was asked for, and ends the process: 0 if all could be measured. The calling
    /// thread is the main one, and no other runs yet.
    ///
    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - memory: What counts the allocations of a piece of work.
    public static func main(arguments: [String], memory: MemoryMeter = .none) -> Never {
        // A process of the bench's own, whose instructions are counted.
        if arguments.first == CountedWork.command { exit(CountedWork.run(Array(arguments.dropFirst()))) }
        if arguments.first == FirstStamp.command { exit(FirstStamp.run(Array(arguments.dropFirst()))) }
        let signals = Signals()
        do {
            let options = try BenchOptions(arguments)
            if options.showsHelp {
                tell(BenchOptions.help)
                exit(0)
            }
            Task { exit(await measure(options, memory)) }
        } catch {
            say("\(error)")
            exit(64)
        }
        Task {
            for await signal in signals.values {
                Leftovers.clear()
                exit(128 + signal.rawValue)
            }
        }
        signals.deliverForever()
    }

    private static func measure(_ options: BenchOptions, _ memory: MemoryMeter) async -> Int32 {
        var tables: [Table] = []
        var goals: [Goal] = []
        var failures: [String] = []
        for part in options.parts {
            do {
                let report = try await run(part, options, memory)
                for table in [report.table] + report.more {
                    tell(table.text + "\n")
                    tables.append(table)
                }
                goals += report.goals
                failures += report.failures
            } catch {
                failures.append("cannot measure the part \(part.rawValue): \(error)")
            }
        }
        if !goals.isEmpty {
            let table = Goal.table(goals)
            tell(table.text + "\n")
            tables.append(table)
        }
        do {
            try Files.makeParent(of: options.document)
            try Files.write(Array(try jsonDocument(tables, about: Machine.facts).utf8), to: options.document)
            tell("The figures are in \(options.document).\n")
        } catch {
            failures.append("\(error)")
        }
        for failure in failures { say(failure) }
        return failures.isEmpty ? 0 : 1
    }

    private static func run(
        _ part: BenchOptions.Part, _ options: BenchOptions, _ memory: MemoryMeter
    ) async throws -> PartReport {
        switch part {
        case .stamping:
            // Not on one of Swift's own few threads, which the signals need.
            try await onDedicatedThread(named: "stamping", stackBytes: 8 << 20) {
                try StampingPart.run(options, memory)
            }
        case .turning:
            try await onDedicatedThread(named: "turning", stackBytes: 8 << 20) { try TurningPart.run(options, memory) }
        case .service: try await ServicePart.run()
        case .archive:
            try await onDedicatedThread(named: "archive", stackBytes: 8 << 20) { try ArchivePart.run(options) }
        case .position:
            try await onDedicatedThread(named: "position", stackBytes: 8 << 20) { PositionPart.run() }
        case .terrain:
            try await onDedicatedThread(named: "terrain", stackBytes: 8 << 20) { try TerrainPart.run() }
        case .trails:
            try await onDedicatedThread(named: "trails", stackBytes: 8 << 20) { TrailPart.run() }
        case .binaries: try BinariesPart.run()
        case .portal:
            try await onDedicatedThread(named: "portal", stackBytes: 8 << 20) { try PortalPart.run() }
        case .fleet:
            try await onDedicatedThread(named: "fleet", stackBytes: 8 << 20) { try FleetPart.run(options) }
        }
    }

    /// Unbuffered, so that each table is seen when it is there.
    private static func tell(_ text: String) {
        try? writeAll(Array(text.utf8), to: 1)
    }

    private static func say(_ text: String) {
        try? writeAll(Array("konza-bench: \(text)\n".utf8), to: 2)
    }
}
