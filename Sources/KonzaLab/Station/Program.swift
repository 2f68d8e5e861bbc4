internal import Foundation
public import KonzaTesting

/// A program that is run to its end.
public struct Program: Sendable {
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
    public func run(input: [UInt8] = [], seconds: Double = 60) throws -> ProgramRun {
        try ProgramRun(words[0], Array(words.dropFirst()), input: Data(input), seconds: seconds)
    }

    /// Runs it, and expects exit status 0.
    ///
    /// - Parameters:
    ///   - input: what it reads from standard input.
    ///   - seconds: it is ended after so long.
    /// - Returns: what it printed.
    /// - Throws: ``Complaint`` with what it said on standard error.
    @discardableResult public func succeed(input: [UInt8] = [], seconds: Double = 60) throws -> ProgramRun {
        let outcome = try run(input: input, seconds: seconds)
        guard outcome.status == 0 else {
            throw Complaint(
                "\(words.joined(separator: " ")) ended with \(outcome.status): \(outcome.errors.prefix(400))")
        }
        return outcome
    }
}
