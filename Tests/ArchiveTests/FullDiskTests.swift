import Foundation
import Glibc
import KonzaModel
import KonzaTesting
import Testing

@testable import Archive

/// A small file system of its own, where the machine lets us mount one.
private final class SmallDisk {
    let folder: TemporaryFolder

    /// - Returns: nil where mounting is not allowed.
    init?(megabytes: Int) throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(megabytes)m") == 0 else { return nil }
    }

    deinit { _ = umount(folder.path) }
}

@Suite("A disk that is really full")
struct FullDiskTests {
    @Test("refuses with the numbers, keeps what was acknowledged, prunes where it may, and takes postcards again")
    func realFullDisk() throws {
        // Elsewhere the injected errors of `FaultTests` stand in for this.
        guard let disk = try SmallDisk(megabytes: 8) else { return }
        let folder = disk.folder
        var kept: [PostcardRecord] = []
        do {
            let archive = try openArchive(folder)
            var refusal: ArchiveError?
            for number in 0..<100 where refusal == nil {
                do {
                    kept.append(
                        try archive.keep(draft("\(number % 10)", bytes: 300_000, isProtected: true)))
                } catch {
                    refusal = error
                }
            }
            guard case .insufficientStorage(let shortage) = refusal else {
                return #expect(Bool(false), "\(String(describing: refusal))")
            }
            #expect(shortage.needed > 300_000)
            #expect(kept.count > 5)

            // Somebody else takes the rest: even the index cannot grow now.
            let filler = "\(folder.path)/filler"
            let descriptor = open(filler, O_WRONLY | O_CREAT, 0o600)
            let block = [UInt8](repeating: 1, count: 4096)
            while write(descriptor, block, block.count) > 0 {}
            close(descriptor)
            #expect(throws: ArchiveError.self) { try archive.keep(draft("n", bytes: 10)) }
            #expect(try archive.all().map(\.id).sorted() == kept.map(\.id).sorted())

            // Deleting gives space back also when none is left.
            #expect(try archive.delete(kept.removeFirst().id))
            #expect(unlink(filler) == 0)
            kept.append(try archive.keep(draft("n", bytes: 10)))
            #expect(archive.usage().health.level == .ok)
            #expect(folder.files(below: "postcards").count == kept.count * 4)
        }
        let again = try openArchive(folder)
        #expect(try again.all().map(\.id).sorted() == kept.map(\.id).sorted())
        for record in kept {
            #expect(FileContent(try again.bytes(.postcard, of: record.id)).sha256() == record.sha256)
        }
        // Unprotected, the oldest make room.
        for record in kept { try again.protect(record.id, false) }
        let new = try again.keep(draft("z", bytes: 900_000))
        #expect(try again.record(new.id) == new)
        #expect(try again.all().count < kept.count)
        #expect(try folder.sqlite("PRAGMA integrity_check") == ["ok"])
    }
}
