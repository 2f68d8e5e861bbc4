import Glibc
import KonzaSystem
import Testing

@Suite("Writing all bytes")
struct WholeWritingTests {
    @Test("goes on until a pipe that is read slowly has all of them")
    func pipe() throws {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        // A pipe holds 64 KiB (pipe(7)): the writer has to wait for the reader.
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try startThread(named: "writer") {
            try? writeAll(bytes, to: writing)
            close(writing)
        }
        var got: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 10_000)
        while case let count = read(reading, &chunk, chunk.count), count > 0 { got += chunk.prefix(count) }
        #expect(got == bytes)
    }

    @Test("says why it cannot")
    func refused() throws {
        #expect(throws: SystemError(code: EBADF, action: "write to descriptor -1")) { try writeAll([1], to: -1) }
        let full = FileDescriptor(owning: open("/dev/full", O_WRONLY | O_CLOEXEC))
        let number = full.number
        #expect(throws: SystemError(code: ENOSPC, action: "write to descriptor \(number)")) {
            try writeAll([1], to: number)
        }
        try writeAll([], to: number)
    }
}

@Suite("A path")
struct PathTests {
    @Test(
        "a path is a folder and a name in it",
        arguments: [
            ("a", ".", "a"), ("/a", "/", "a"), ("/a/b", "/a", "b"), ("a/b/c", "a/b", "c"), ("a/", "a", ""),
            ("", ".", ""),
        ])
    func parts(path: String, folder: String, name: String) {
        #expect(folderAndName(of: path) == (folder, name))
    }
}
