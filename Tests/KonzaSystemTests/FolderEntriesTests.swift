import Foundation
import Glibc
import KonzaSystem
import KonzaTesting
import Testing

@Suite("Listing a folder")
struct FolderEntriesTests {
    @Test("has every name but . and .., hidden and long ones too, and tells folders from links to them")
    func entries() throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "n", count: 255)
        for name in [".hidden", "a", long] {
            try Data().write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
        try FileManager.default.createDirectory(atPath: "\(folder.path)/folder", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/link", withDestinationPath: "\(folder.path)/folder")
        let found = try folderEntries(of: folder.path).sorted { $0.name < $1.name }
        #expect(
            found == [
                FolderEntry(name: ".hidden", isFolder: false), FolderEntry(name: "a", isFolder: false),
                FolderEntry(name: "folder", isFolder: true), FolderEntry(name: "link", isFolder: false),
                FolderEntry(name: long, isFolder: false),
            ])
    }

    @Test("says why it cannot", arguments: [("/nonexistent/folder", ENOENT), ("/dev/null", ENOTDIR)])
    func refused(path: String, code: Int32) {
        #expect(throws: SystemError(code: code, action: "list the folder \(path)")) { try folderEntries(of: path) }
    }
}
