public import Foundation

/// The built programs that tests start: those of the folder `PROGRAMS`, such as the ones that are shipped; without it those
/// that were built with the tests.
public enum Programs {
    /// Where they are.
    public static let folder = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["PROGRAMS"]
            ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path)

    /// - Parameter name: of a program.
    /// - Returns: its path.
    /// - Throws: if it was not built.
    public static func path(_ name: String) throws -> URL {
        // `swift test` may run a bundle's program, which is one folder deeper.
        for candidate in [folder, folder.deletingLastPathComponent()] {
            let url = candidate.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        throw Missing(name: name)
    }

    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "cannot find \(name) in \(folder.path): build it first" }
    }
}
