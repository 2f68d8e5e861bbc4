import Foundation
import KonzaSystem
import Testing

@Suite("Pages of the program") struct ProgramPagesTests {
    /// Bytes of files that are resident in this process (proc(5), RssFile).
    private var residentFileBytes: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssFile:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }

    @Test("code and constants are let go, and the program goes on") func release() throws {
        // Constants, relocated pointers to them, and code that nothing has run since the start.
        let before = try #require(residentFileBytes)
        let sum = (0..<1000).reduce(0) { $0 + String($1).utf8.count }
        ProgramPages.release()
        let after = try #require(residentFileBytes)
        #expect(after < before / 2, "of \(before) bytes \(after) are resident")
        #expect((0..<1000).reduce(0) { $0 + String($1).utf8.count } == sum)
        #expect(try JSONSerialization.jsonObject(with: Data(#"[1, 2]"#.utf8)) as? [Int] == [1, 2])
    }
}
