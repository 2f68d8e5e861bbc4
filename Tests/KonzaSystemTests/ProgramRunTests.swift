import Foundation
import Glibc
import KonzaSystem
import KonzaTesting
import Testing

/// How the tests run other programs.
@Suite struct ProgramRunTests {
    @Test func `what a program reads, writes and complains of, and how it ends`() throws {
        let input = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        #expect(try ProgramRun("/bin/cat", input: input).output == input)
        let script = "echo one; echo two >&2; echo three; pwd; echo $MARK; exit 3"
        let apart = try ProgramRun("/bin/sh", ["-c", script], in: "/usr/share", environment: ["MARK": "here"])
        #expect(apart.status == 3 && apart.text == "one\nthree\n/usr/share\nhere\n" && apart.errors == "two\n")
        let together = try ProgramRun("sh", ["-c", script], errorsInOutput: true, in: "/")
        #expect(together.text == "one\ntwo\nthree\n/\n\n" && together.errors == "")
        #expect(throws: SetUpError.self) { try ProgramRun("/nonexistent/program") }
    }

    @Test func `one that does not end is killed, and signals reach it as from a shell`() throws {
        #expect(try ProgramRun("/bin/sleep", ["600"], seconds: 0.1).status == 137)
        #expect(try ProgramRun("/bin/sh", ["-c", "kill -TERM $$; sleep 600"], seconds: 20).status == 143)
    }

    @Test func `thousands of descriptors are no hindrance, and are not inherited`() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(4000, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        try #require(limit.rlim_cur == 4000)
        let held = (0..<3000).map { _ in open("/dev/null", O_RDONLY) }
        defer { for number in held { close(number) } }
        #expect(held.allSatisfy { $0 >= 0 })
        // The folder that it lists is the fourth.
        let listed = try ProgramRun("/bin/ls", ["/proc/self/fd"])
        #expect(listed.status == 0 && listed.text.split(separator: "\n").count == 4, "\(listed.text.prefix(300))")
    }
}
