internal import Foundation

/// What came of a scenario, as it is kept in a file between the machine and the report.
struct LabResult: Codable {
    let name: String
    var passed: Bool
    var seconds: Double
    /// What was measured, in words.
    var figures: [String]
    var failure: String?
}

/// Runs scenarios, each in a process of its own that is ended at its limit, with all that it started.
struct LabRun {
    let out: String

    func run(_ scenarios: [Scenario]) throws {
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        for scenario in scenarios {
            let folder = "\(out)/\(scenario.name)"
            try? FileManager.default.removeItem(atPath: folder)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let start = ContinuousClock.now
            try runBody(of: scenario, folder)
            leftovers(of: scenario).end()
            var result = readResult(scenario, folder)
            result.seconds = start.duration(to: .now).inSeconds
            try write(result, folder)
            say("\(result.passed ? "pass" : "FAIL") \(scenario.name) \(result.failure ?? "")")
        }
    }

    private func leftovers(of scenario: Scenario) -> Leftovers { Leftovers(mark: "\(getpid())-\(scenario.name)") }

    private func runBody(of scenario: Scenario, _ folder: String) throws {
        let log = try FileHandle.made(at: "\(folder)/log")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["body", "--out", out, scenario.name]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [Leftovers.variable: leftovers(of: scenario).mark], uniquingKeysWith: { $1 })
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
        var time = PacedTime()
        while process.isRunning, time.elapsed < scenario.limitSeconds {
            usleep(50_000)
            time.advance()
        }
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try write(
            LabResult(
                name: scenario.name, passed: false, seconds: 0, figures: [],
                failure: "ended at its limit of \(Int(scenario.limitSeconds)) s: it hung"), folder)
        // The body could neither collect nor put back what it left.
        leftovers(of: scenario).end()
        let station = LabStation(scenario: scenario, folder: folder)
        station.keepEvidence()
        try? station.cleanUp()
    }

    /// The scenario itself, in this process.
    func body(_ scenario: Scenario) async {
        let folder = "\(out)/\(scenario.name)"
        let station = LabStation(scenario: scenario, folder: folder)
        var failure: String?
        do {
            try station.prepare()
            try await scenario.body(station)
        } catch {
            failure = "\(error)"
            say("failed: \(error)")
        }
        if failure != nil { station.keepEvidence() }
        do {
            try station.cleanUp()
        } catch {
            failure = failure ?? "cannot put the station back: \(error)"
        }
        try? write(
            LabResult(
                name: scenario.name, passed: failure == nil, seconds: 0, figures: station.figures, failure: failure),
            folder)
    }

    private func readResult(_ scenario: Scenario, _ folder: String) -> LabResult {
        let bytes = FileManager.default.contents(atPath: "\(folder)/result.json")
        let result = bytes.flatMap { try? JSONDecoder().decode(LabResult.self, from: $0) }
        return result
            ?? LabResult(
                name: scenario.name, passed: false, seconds: 0, figures: [],
                failure: "the scenario's process ended without a result; see its log")
    }

    private func write(_ result: LabResult, _ folder: String) throws {
        try JSONEncoder().encode(result).write(to: URL(fileURLWithPath: "\(folder)/result.json"))
    }
}

extension Duration {
    /// The duration as a number of seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension FileHandle {
    /// A new, empty file, open for writing.
    static func made(at path: String) throws -> FileHandle {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw Complaint("cannot make \(path)") }
        return handle
    }
}
