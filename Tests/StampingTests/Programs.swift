import Foundation
import KonzaModel
import KonzaTesting

/// A folder that goes away with its holder.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "konza-stamping-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
        return path + "/" + name
    }

    /// Runs a program.
    func run(_ program: String, _ arguments: [String]) throws -> ProgramRun {
        try ProgramRun(program, arguments, environment: ["LC_ALL": "C.UTF-8"])
    }
}

/// What exiftool reads, by `Group1:Tag`, numbers as numbers.
func exiftool(_ bytes: [UInt8], _ options: [String] = ["-n"]) throws -> [String: String] {
    let folder = try TemporaryFolder()
    let path = try folder.file("picture.jpg", bytes)
    let result = try folder.run("exiftool", ["-j", "-G1", "-a"] + options + [path])
    let parsed = try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]]
    return (parsed?.first ?? [:]).mapValues { "\($0)" }
}
