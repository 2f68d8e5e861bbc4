import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("What is known of an occupation")
struct OccupationNoteTests {
    private let old = Array(#"{"state":"running"}"#.utf8)
    private let new = Array(#"{"state":"ended"}"#.utf8)

    @Test("outlives the index, is bounded, and goes with its specimen")
    func life() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var archive = try specimenArchive(openArchive(folder))
        let id = try archive.openNext().id
        #expect(try archive.occupation(of: id) == nil)
        try archive.keepOccupation(old, of: id)
        try archive.keepOccupation(new, of: id)
        let large = [UInt8](repeating: 0x20, count: SpecimenArchive.maximumOccupation + 1)
        #expect(throws: SpecimenError.tooLarge(bytes: large.count, limit: large.count - 1)) {
            try archive.keepOccupation(large, of: id)
        }
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        archive = try specimenArchive(openArchive(folder))
        #expect(try archive.occupation(of: id) == new)
        try archive.delete(id, at: noon)
        #expect(throws: SpecimenError.notFound(id)) { try archive.keepOccupation(old, of: id) }
        #expect(try archive.purge(at: noon.advanced(bySeconds: 31 * 86_400)) == 1)
        #expect(throws: SpecimenError.notFound(id)) { try archive.occupation(of: id) }
        #expect(folder.files(below: "specimens/2026") == [])
    }

    @Test("is the old or the new one after a crash at any step, and the new one if it was acknowledged")
    func crashes() throws {
        for step in 1...12 {
            for seed in UInt64(0)..<3 {
                let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
                let disk = UnreliableDisk(shadows: shadows.path)
                let archive = try specimenArchive(openArchive(folder, operations: disk))
                let id = try archive.openNext().id
                try archive.keepOccupation(old, of: id)
                disk.restartCount()
                disk.plan { $0.crashAfter = step }
                let isDone = (try? archive.keepOccupation(new, of: id)) != nil
                if seed > 0 {
                    var generator = SeededGenerator(seed: seed)
                    disk.cutPower(using: &generator)
                }
                let again = try specimenArchive(openArchive(folder))
                let kept = try again.occupation(of: id)
                #expect(kept == new || (!isDone && kept == old), "step \(step), seed \(seed)")
                #expect(folder.files(below: "specimens").filter { $0.contains(".konza-") } == [])
                if step == 1 { #expect(!isDone) }
                if step == 12 { #expect(isDone) }
            }
        }
    }
}

@Suite("A scratch file")
struct ScratchFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func contents(_ file: ScratchFile) throws -> [UInt8] {
        let reader = try file.reader()
        return try Folder.read(reader.number, at: 0, count: 1 << 16, path: "scratch")
    }

    @Test("has no name, takes what is written and no more than its limit")
    func limit() throws {
        let archive = try specimenArchive(openArchive(folder))
        let file = try archive.makeScratch(limit: 10)
        try file.write([1, 2, 3, 4])
        try file.write([5, 6, 7, 8, 9, 10])
        #expect(throws: StorageError.tooLarge(bytes: 11, limit: 10)) { try file.write([11]) }
        #expect(try contents(file) == Array(1...10))
        #expect(folder.files(below: "specimens") == [])
    }

    @Test("does not touch what is to stay free")
    func reserve() throws {
        let base = try openArchive(folder)
        base.setLimits(RetentionLimits(maximumBytes: nil, spaceReserve: .max))
        let file = try specimenArchive(base).makeScratch(limit: 10)
        #expect {
            try file.write([1])
        } throws: { error in
            if case .insufficientStorage = error as? StorageError { true } else { false }
        }
        #expect(try contents(file) == [])
    }

    @Test("that a crash left with a name is swept at the next start")
    func swept() throws {
        _ = try openArchive(folder)
        let name = DurableFiles.temporaryPath(for: "scratch", in: "\(folder.path)/specimens")
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/specimens", withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: name, contents: Data(count: 100)))
        _ = try openArchive(folder)
        #expect(folder.files(below: "specimens") == [])
    }
}
