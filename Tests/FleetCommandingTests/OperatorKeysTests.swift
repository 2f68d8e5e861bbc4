import Cryptography
import Foundation
import KonzaTesting
import Testing

@testable import FleetCommanding

@Suite("The operators that a box listens to")
struct OperatorKeysTests {
    private static let key = "/FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU="

    @Test("each has the rights of its line, and no others")
    func lines() throws {
        let other = try Operators()
        try other.add("bob", [.whoami, .postcard])
        let keys = try OperatorKeys("# people\n\n ed25519 \(Self.key)\t-  alice\r\n" + other.lines[0])
        #expect(keys.operators.count == 2)
        let id = try #require(VerifyingKey(base64: Self.key)).id
        #expect(keys.operators[id]?.rights == [] && keys.operators[id]?.name == "alice")
        #expect(keys.operators.values.first { $0.name == "bob" }?.rights == [.postcard, .whoami])
    }

    @Test(
        "a line that is not understood lets nobody in",
        arguments: [
            "ed25519", "ed25519 \(key)", "rsa \(key) -", "ed25519 \(key) all", "ed25519 \(key) postcard,", "x",
            "ed25519 \(key.dropLast()) -", "ed25519 \(key) - a b", "ed25519 \(key) -\ned25519 \(key) whoami",
        ])
    func refused(_ text: String) {
        #expect(throws: FleetCommandError.self) { try OperatorKeys(text) }
    }

    @Test("without a file nobody may do anything, and a file that cannot be used says so")
    func files() throws {
        let folder = try TemporaryFolder()
        #expect(try OperatorKeys.load("\(folder.path)/none") == .none)
        try Data("nonsense\n".utf8).write(to: URL(filePath: "\(folder.path)/keys"))
        let error = #expect(throws: FleetCommandError.self) { try OperatorKeys.load("\(folder.path)/keys") }
        #expect(error?.description.contains("line 1") == true)
    }
}
