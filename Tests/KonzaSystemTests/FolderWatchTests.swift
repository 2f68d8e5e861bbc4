import Foundation
import KonzaSystem
import KonzaTesting
import Testing

@Suite("Watched folders") struct FolderWatchTests {
    private let folder: TemporaryFolder
    private let watch: FolderWatch

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/a/b", withIntermediateDirectories: true)
        try Data("one".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/a/b/file"))
        watch = try #require(FolderWatch([folder.path]))
    }

    private func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(path)"))
    }

    @Test("what is made, written to, moved, removed or gets other rights is heard, at any depth")
    func changes() throws {
        let manager = FileManager.default
        let path = folder.path
        let steps: [(String, () throws -> Void)] = [
            ("made", { try write("two", "new") }), ("written to", { try write("three", "a/b/file") }),
            ("moved", { try manager.moveItem(atPath: "\(path)/new", toPath: "\(path)/a/new") }),
            ("removed", { try manager.removeItem(atPath: "\(path)/a/new") }),
            ("rights", { try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(path)/a/b/file") }),
            ("folder removed", { try manager.removeItem(atPath: "\(path)/a/b") }),
        ]
        for (name, step) in steps {
            #expect(watch.renew(), "\(name)")
            #expect(!watch.hasChange, "before \(name)")
            try step()
            #expect(watch.hasChange, "\(name)")
        }
    }

    @Test("a folder that is made later is watched from the next renewal on") func newFolder() throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/c", withIntermediateDirectories: false)
        #expect(watch.hasChange)
        #expect(watch.renew())
        try write("one", "c/file")
        #expect(watch.hasChange)
    }

    @Test("a folder that is not there is heard when it appears, as is what it would appear in") func missing() throws {
        let watch = try #require(FolderWatch(["\(folder.path)/later/deeper"]))
        #expect(watch.renew())
        // Nothing that matters: files beside it.
        try write("one", "beside")
        try write("two", "beside")
        #expect(watch.renew())
        try write("three", "beside")
        #expect(!watch.hasChange)
        for name in ["later", "later/deeper"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
            #expect(watch.hasChange, "\(name)")
            #expect(watch.renew())
        }
        try write("one", "later/deeper/file")
        #expect(watch.hasChange)
        // Gone, and there once more.
        try FileManager.default.removeItem(atPath: "\(folder.path)/later")
        #expect(watch.renew() && !watch.hasChange)
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/later/deeper", withIntermediateDirectories: true)
        #expect(watch.hasChange)
    }

    @Test("what one folder would appear in may be watched for itself, too") func both() throws {
        let watch = try #require(FolderWatch([folder.path, "\(folder.path)/later"]))
        #expect(watch.renew())
        try write("two", "a/b/file")
        #expect(watch.hasChange)
        #expect(watch.renew())
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder.path)/a")
        #expect(watch.hasChange)
    }
}
