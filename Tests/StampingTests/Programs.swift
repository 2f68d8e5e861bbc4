import Foundation
import KonzaModel

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

    /// Runs a program and gives its status and what it wrote.
    func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: Data, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["LC_ALL=C.UTF-8", program] + arguments
        let output = path + "/output-" + UUID().uuidString
        let errors = path + "/errors-" + UUID().uuidString
        for file in [output, errors] { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: errors)), as: UTF8.self)
        return (process.terminationStatus, try Data(contentsOf: URL(fileURLWithPath: output)), text)
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
