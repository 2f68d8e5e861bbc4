import Foundation
import Glibc
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

/// A small file system of its own, where the machine lets us mount one.
private final class SmallDisk {
    let folder: TemporaryFolder

    /// - Returns: nil where mounting is not allowed.
    init?(megabytes: Int) throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(megabytes)m") == 0 else { return nil }
    }

    deinit { _ = umount(folder.path) }

    func remount(readOnly: Bool) -> Bool {
        mount("tmpfs", folder.path, "tmpfs", UInt(MS_REMOUNT | (readOnly ? MS_RDONLY : 0)), nil) == 0
    }
}

@Suite("A disk that is really read-only")
struct ReadOnlyDiskTests {
    @Test("at the start is written again as soon as it can be")
    func writableLater() throws {
        guard let disk = try SmallDisk(megabytes: 8) else { return }
        let first = try openArchive(disk.folder).keep(draft("a"))
        try #require(disk.remount(readOnly: true))
        let clock = ManualClock(utc: noon)
        do {
            let archive = try openArchive(disk.folder, clock: clock)
            #expect(archive.store.figures.health.kind == "disk-read-only")
            #expect(try archive.all().map(\.id) == [first.id])
            #expect(throws: PostcardError.self) { try archive.keep(draft("b")) }
            try #require(disk.remount(readOnly: false))
            clock.advance(bySeconds: Store.retryInterval + 1)
            #expect(archive.usage().health.level == .ok)
            let second = try archive.keep(draft("b", createdAt: noon.advanced(bySeconds: 1)))
            #expect(try archive.all().map(\.id) == [second.id, first.id])
        }
    }
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
            var refusal: PostcardError?
            for number in 0..<100 where refusal == nil {
                do {
                    kept.append(
                        try archive.keep(draft("\(number % 10)", bytes: 300_000, isProtected: true)))
                } catch {
                    refusal = error
                }
            }
            guard case .storage(.insufficientStorage(let shortage)) = refusal else {
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
            #expect(throws: PostcardError.self) { try archive.keep(draft("n", bytes: 10)) }
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
        let new = try again.keep(draft("z", bytes: 1_500_000))
        #expect(try again.record(new.id) == new)
        #expect(try again.all().count < kept.count)
        #expect(try folder.sqlite("PRAGMA integrity_check") == ["ok"])
    }

    /// Takes every byte that is left.
    private func fill(_ folder: TemporaryFolder, _ name: String = "filler") {
        let descriptor = open("\(folder.path)/\(name)", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let block = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        close(descriptor)
    }

    @Test("says so with nothing in reserve, refuses changes for want of space, and deletes every kind of record")
    func deletionsWithoutReserve() throws {
        guard let disk = try SmallDisk(megabytes: 8) else { return }
        let folder = disk.folder
        let archive = try openArchive(folder)
        let specimens = specimenArchive(archive)
        let postcards = try (0..<4).map { _ in try archive.keep(draft("a", bytes: 20_000, isProtected: true)) }
        let opened = try (0..<6).map { _ in try specimens.openNext() }
        let photograph = try specimens.addPicture("p", to: opened[0].id)
        fill(folder)
        #expect(archive.usage().freeBytes == 0)
        #expect(archive.store.figures.health.kind == "disk-full")
        #expect(archive.store.figures.health.level != .ok)

        let refusal = try #require(throws: SpecimenError.self) {
            try specimens.change(opened[1].id, at: noon) { $0.rockType = "Schist" }
        }
        #expect(refusal.isDiskFull)
        let open = try #require(throws: SpecimenError.self) { try specimens.openNext() }
        #expect("\(open)".hasPrefix("cannot keep the specimen: it takes"))

        // What each gives back is taken by others at once.
        for (number, specimen) in opened.dropFirst().enumerated() {
            try specimens.delete(specimen.id, at: noon)
            fill(folder, "filler-\(number)")
        }
        try specimens.delete(photograph: photograph.id, of: opened[0].id, at: noon)
        fill(folder)
        for postcard in postcards {
            #expect(try archive.delete(postcard.id))
            fill(folder)
        }
        #expect(try archive.all() == [])
        #expect(specimens.figures.deletedCount == opened.count - 1)
        #expect(specimens.figures == (try specimens.usage()))
    }

    @Test("that is full when konzad starts is opened, and a postcard can be deleted", arguments: [false, true])
    func fullAtStart(withoutReserveFile: Bool) throws {
        guard let disk = try SmallDisk(megabytes: 8) else { return }
        let folder = disk.folder
        var kept: [PostcardRecord] = []
        do {
            let archive = try openArchive(folder)
            for _ in 0..<3 { kept.append(try archive.keep(draft("a", bytes: 100_000))) }
        }
        fill(folder)
        if withoutReserveFile {
            #expect(unlink("\(folder.path)/\(SpaceReserveFile.name)") == 0)
            // The last page of the index is there; its log has no room.
            fill(folder)
        }
        let archive = try openArchive(folder)
        #expect(archive.store.figures.health.kind == "disk-full", "\(archive.store.figures.health)")
        #expect(try archive.all().count == 3)
        if withoutReserveFile {
            let refusal = try #require(throws: PostcardError.self) { try archive.delete(kept[0].id) }
            #expect(refusal.isDiskFull)
            return
        }
        #expect(try archive.delete(kept[0].id))
        #expect(try archive.all().count == 2)
    }
}
