internal import Foundation

/// A program that is run to its end.
public struct Program: Sendable {
    /// What it printed, and how it ended.
    public struct Outcome: Sendable {
        /// The exit status; 137 if it was ended at its limit.
        public let status: Int32
        /// Standard output.
        public let output: [UInt8]
        /// Standard error.
        public let errors: String

        /// Standard output as text.
        public var text: String { String(decoding: output, as: UTF8.self) }
    }

    private let words: [String]

    /// - Parameter words: the program, by name or path, and its arguments.
    public init(_ words: String...) { self.words = words }

    /// - Parameter words: the program, by name or path, and its arguments.
    public init(_ words: [String]) { self.words = words }

    /// The path of one of konza's programs: the installed one in the machine, the built one elsewhere.
    ///
    /// - Parameter name: `konzad`, `konza`, `konza-lab`.
    /// - Returns: its path.
    /// - Throws: ``Complaint`` if it is not there.
    public static func built(_ name: String) throws -> String {
        let beside = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let path = LabStation.isGuest && name != "konza-lab" ? "/usr/bin/\(name)" : "\(beside.path)/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Complaint("cannot find \(path); run make build")
        }
        return path
    }

    /// Runs it.
    ///
    /// - Parameters:
    ///   - input: what it reads from standard input.
    ///   - seconds: it is ended after so long.
    /// - Returns: what it printed, and how it ended.
    /// - Throws: if it cannot be started.
    public func run(input: [UInt8] = [], seconds: Double = 60) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["-s", "KILL", "\(seconds)"] + words
        let output = Pipe()
        let errors = Pipe()
        let source = Pipe()
        process.standardInput = source
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let errorText = LockedValue("")
        let errorsRead = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            errorText.set(String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
            errorsRead.signal()
        }
        // It may print before it has read all: neither side waits for the other.
        Thread.detachNewThread {
            try? source.fileHandleForWriting.write(contentsOf: Data(input))
            try? source.fileHandleForWriting.close()
        }
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        errorsRead.wait()
        let status = process.terminationReason == .uncaughtSignal ? 137 : process.terminationStatus
        return Outcome(status: status, output: Array(bytes), errors: errorText.value)
    }

    /// Runs it, and expects exit status 0.
    ///
    /// - Parameters:
    ///   - input: what it reads from standard input.
    ///   - seconds: it is ended after so long.
    /// - Returns: what it printed.
    /// - Throws: ``Complaint`` with what it said on standard error.
    @discardableResult public func succeed(input: [UInt8] = [], seconds: Double = 60) throws -> Outcome {
        let outcome = try run(input: input, seconds: seconds)
        guard outcome.status == 0 else {
            throw Complaint(
                "\(words.joined(separator: " ")) ended with \(outcome.status): \(outcome.errors.prefix(400))")
        }
        return outcome
    }
}
