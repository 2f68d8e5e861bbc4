import Foundation
import Glibc
import KonzaSystem
import KonzaTesting
import Testing

@Suite("A file delivered into a folder")
struct DeliveredFileTests {
    private func names(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func deliver(_ text: String, _ name: String, _ folder: String, replacing: Bool = false)
        throws(DeliveryError)
    {
        let file = try DeliveredFile(name, in: folder, replacing: replacing)
        try file.write(Array(text.utf8))
        try file.finish()
    }

    @Test("is there under its name once it is finished, and alone")
    func whole() throws {
        let folder = try TemporaryFolder()
        try deliver("rocks", "a.csv", folder.path)
        #expect(try names(folder) == ["a.csv"])
        #expect(try String(contentsOfFile: "\(folder.path)/a.csv", encoding: .utf8) == "rocks")
    }

    @Test("has any name that a file may have, the longest too (NAME_MAX)")
    func longName() throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "n", count: 255)
        try deliver("rocks", name, folder.path)
        #expect(try names(folder) == [name])
    }

    @Test("is whole under its name also if the disk is not waited for")
    func unflushed() throws {
        let folder = try TemporaryFolder()
        try deliver("old", "a.csv", folder.path)
        let file = try DeliveredFile("a.csv", in: folder.path, replacing: true)
        try file.write(Array("new".utf8))
        #expect(try String(contentsOfFile: "\(folder.path)/a.csv", encoding: .utf8) == "old")
        try file.finishWithoutFlush()
        #expect(try String(contentsOfFile: "\(folder.path)/a.csv", encoding: .utf8) == "new")
        #expect(try names(folder) == ["a.csv"])
    }

    @Test("leaves nothing behind if it is not finished")
    func abandoned() throws {
        let folder = try TemporaryFolder()
        do {
            let file = try DeliveredFile("a.csv", in: folder.path)
            try file.write([1, 2, 3])
            #expect(try names(folder).count == 1)
        }
        #expect(try names(folder) == [])
    }

    @Test("refuses to replace another, before it writes and when it gets its name, unless it was told to")
    func existing() throws {
        let folder = try TemporaryFolder()
        let late = try DeliveredFile("a.csv", in: folder.path)
        try deliver("first", "a.csv", folder.path)
        let early = #expect(throws: DeliveryError.self) { try deliver("second", "a.csv", folder.path) }
        #expect(early?.reason == .exists)
        var reason: DeliveryError.Reason?
        do { try late.finish() } catch { reason = error.reason }
        #expect(reason == .exists)
        #expect(try String(contentsOfFile: "\(folder.path)/a.csv", encoding: .utf8) == "first")
        try deliver("third", "a.csv", folder.path, replacing: true)
        #expect(try String(contentsOfFile: "\(folder.path)/a.csv", encoding: .utf8) == "third")
        #expect(try names(folder) == ["a.csv"])
    }

    @Test("says that the folder is not there, or was pulled out while it wrote")
    func vanished() throws {
        let gone = #expect(throws: DeliveryError.self) { try deliver("x", "a.csv", "/nonexistent/stick") }
        #expect(gone?.reason == .vanished)
        let folder = try TemporaryFolder()
        let file = try DeliveredFile("a.csv", in: folder.path)
        try file.write([1])
        try FileManager.default.removeItem(atPath: folder.path)
        var failure: DeliveryError?
        do { try file.finish() } catch { failure = error }
        #expect(failure?.reason == .vanished)
        #expect(failure?.description.contains("pulled out") == true)
    }

    @Test("says that a full stick is full, and gives back what it took")
    func full() throws {
        let folder = try TemporaryFolder()
        // Where mounting is not allowed, the kernel's own full device stands in for a stick.
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=1m") == 0 else { return try fullDevice() }
        defer { umount(folder.path) }
        let failure = #expect(throws: DeliveryError.self) {
            let file = try DeliveredFile("a.bin", in: folder.path)
            for _ in 0..<40 { try file.write([UInt8](repeating: 1, count: 64 * 1024)) }
            try file.finish()
        }
        #expect(failure?.reason == .full)
        #expect(try names(folder) == [])
    }

    private func fullDevice() throws {
        let folder = try TemporaryFolder()
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old)
        signal(SIGXFSZ, SIG_IGN)
        var small = rlimit(rlim_cur: 100_000, rlim_max: old.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old) }
        let failure = #expect(throws: DeliveryError.self) {
            let file = try DeliveredFile("a.bin", in: folder.path)
            try file.write([UInt8](repeating: 1, count: 200_000))
            try file.finish()
        }
        #expect(failure?.reason == .full)
    }

    @Test("refuses names that leave the folder", arguments: ["", ".", "..", "../a", "a/b"])
    func names(name: String) throws {
        let folder = try TemporaryFolder()
        #expect(throws: DeliveryError.self) { try deliver("x", name, folder.path) }
        #expect(try names(folder) == [])
    }
}
