internal import JPEGCoding
internal import KonzaModel
internal import KonzaSystem
internal import Stamping

/// The instructions that one stamp takes, counted by valgrind's callgrind: they repeat where times do not. What a process
/// takes that stamps once is taken from what one takes that stamps twice, so that start and reading fall out, and what is
/// left is the second stamp.
struct InstructionCounter {
    private let valgrind: String
    private let program: String
    private let folder: String
    private static let patienceSeconds = 120.0

    /// - Returns: nil if valgrind is not installed.
    init?(folder: String) {
        guard let valgrind = Files.program(["valgrind"]) else { return nil }
        self.valgrind = valgrind
        self.folder = folder
        program = Files.ownPath()
    }

    /// Instructions of one stamp by each of some contestants.
    ///
    /// - Parameters:
    ///   - task: What is stamped.
    ///   - names: Of contestants.
    /// - Returns: The numbers by name.
    /// - Throws: if a process fails.
    func count(_ task: StampingTask, _ names: [String]) throws -> [String: Int64] {
        try Files.write(task.frame.array, to: "\(folder)/counted.jpg")
        try Files.write(task.overlay.fileBytes, to: "\(folder)/counted.overlay")
        var counts: [String: Int64] = [:]
        for name in names {
            // Side by side: counts do not care who else works.
            var once = try start(task, name, times: 1)
            var twice = try start(task, name, times: 2)
            let first = try ended(&once, name, times: 1)
            counts[name] = try ended(&twice, name, times: 2) - first
        }
        return counts
    }

    private func log(_ times: Int) -> String { "\(folder)/counted-\(times).log" }

    private func start(_ task: StampingTask, _ name: String, times: Int) throws -> ChildProcess {
        try Files.write([], to: log(times))
        return try ChildProcess(
            "/usr/bin/env",
            [
                // The same order of every set in each process.
                "SWIFT_DETERMINISTIC_HASHING=1", valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null",
                program,
                CountedWork.command, "\(folder)/counted.jpg", "\(folder)/counted.overlay",
                task.kind.isHalfHeight ? "2" : "1", name, String(times),
            ], log: log(times))
    }

    private func ended(_ child: inout ChildProcess, _ name: String, times: Int) throws -> Int64 {
        let ending = child.wait(seconds: Self.patienceSeconds)
        let said = try Files.text(log(times))
        guard ending?.status == 0, let count = Self.collected(said) else {
            throw BenchError("cannot count the instructions of \(name): \(said.suffix(300))")
        }
        return count
    }

    /// The number in callgrind's last words, as in `==12== Collected : 126467`.
    static func collected(_ text: String) -> Int64? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 4, words[1] == "Collected", words[2] == ":" { return Int64(words[3]) }
        }
        return nil
    }
}

/// The process whose instructions are counted: it stamps a number of times and ends.
enum CountedWork {
    static let command: String = "counted-work"

    /// - Parameter arguments: The frame's file, the overlay's, the height of the luma sampling, the contestant's name and
    ///   how often it stamps.
    /// - Returns: the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            guard arguments.count == 5, let times = Int(arguments[4]) else { return 64 }
            let overlay = try Overlay(fileBytes: try Files.read(arguments[1]))
            let frame = FrameData(try Files.read(arguments[0]))
            let structure = try JPEGStructure(parsing: frame)
            let kind = FrameKind(
                size: PixelSize(width: overlay.width, height: overlay.height), isHalfHeight: arguments[2] == "2",
                hasRestarts: structure.scans.first.map { $0.restartInterval > 0 } ?? false)
            let task = StampingTask(frame: frame, overlay: overlay, kind: kind)
            let contestants = Contestants.inProcess(task)
            guard let contestant = contestants.first(where: { $0.name == arguments[3] }) else { return 64 }
            for _ in 0..<times { _ = try contestant.measure(task) }
            return 0
        } catch {
            try? writeAll(Array("\(error)\n".utf8), to: 2)
            return 1
        }
    }
}
