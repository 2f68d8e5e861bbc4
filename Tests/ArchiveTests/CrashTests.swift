import Foundation
import Glibc
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

/// Everything that must hold after any crash.
private func expectSound(
    _ folder: TemporaryFolder, has acknowledged: [PostcardRecord], _ comment: Comment,
    location: SourceLocation = #_sourceLocation
) throws -> PostcardArchive {
    let archive = try openArchive(folder)
    let all = try archive.all()
    for record in acknowledged {
        #expect(all.contains(record), comment, sourceLocation: location)
        #expect(
            FileContent(try archive.bytes(.postcard, of: record.id)).sha256() == record.sha256, comment,
            sourceLocation: location)
    }
    for record in all {
        let bytes = try archive.bytes(.postcard, of: record.id)
        #expect(FileContent(bytes).sha256() == record.sha256, comment, sourceLocation: location)
        if let count = record.originalByteCount {
            #expect(try archive.bytes(.original, of: record.id).count == count, comment, sourceLocation: location)
        }
        if let count = record.thumbnailByteCount {
            #expect(try archive.bytes(.thumbnail, of: record.id).count == count, comment, sourceLocation: location)
        }
    }
    // No file without a row, no row without a file, nothing half written.
    let names = folder.files(below: "postcards")
    #expect(names.filter { $0.contains(".konza-") } == [], comment, sourceLocation: location)
    #expect(
        Set(
            names.compactMap { PostcardNames.parse(String($0.suffix(from: $0.index($0.startIndex, offsetBy: 11))))?.id }
        )
            == Set(all.map(\.id)), comment, sourceLocation: location)
    #expect(archive.usage().missingCount == 0, comment, sourceLocation: location)
    #expect(archive.usage().count == all.count, comment, sourceLocation: location)
    #expect(try folder.sqlite("PRAGMA integrity_check") == ["ok"], comment, sourceLocation: location)
    #expect(
        try folder.sqlite("SELECT count(*), coalesce(sum(stored_bytes), 0) FROM postcards")
            == ["\(all.count)|\(archive.usage().storedBytes)"], comment, sourceLocation: location)
    return archive
}

@Suite("A crash at any step")
struct CrashTests {
    private static let key = IdempotencyKey(key: "shutter", requestHash: "1")

    enum Action: String, CaseIterable {
        case keep, delete, protect, prune

        func run(_ archive: PostcardArchive, _ first: PostcardID) throws {
            switch self {
            case .keep: _ = try archive.keep(draft("b", key: CrashTests.key))
            case .delete: try archive.delete(first)
            case .protect: try archive.protect(first, true)
            case .prune:
                archive.setLimits(RetentionLimits(maximumCount: 1, spaceReserve: 0))
                _ = try archive.keep(draft("b", key: CrashTests.key))
            }
        }
    }

    /// How many steps the action takes when nothing goes wrong.
    private func steps(of action: Action) throws -> Int {
        let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
        let disk = UnreliableDisk(shadows: shadows.path)
        let archive = try openArchive(folder, operations: disk)
        let first = try archive.keep(draft("a")).id
        disk.restartCount()
        try action.run(archive, first)
        return disk.stepCount
    }

    @Test("leaves what was acknowledged and nothing half, with the power on or cut", arguments: Action.allCases)
    func everyStep(action: Action) throws {
        let count = try steps(of: action)
        #expect(count > 4)
        for step in 1...count {
            for seed in UInt64(0)..<4 {
                let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
                let disk = UnreliableDisk(shadows: shadows.path)
                let archive = try openArchive(folder, operations: disk)
                let first = try archive.keep(draft("a"))
                disk.restartCount()
                disk.plan { $0.crashAfter = step }
                var isDone = false
                do {
                    try action.run(archive, first.id)
                    isDone = true
                } catch is PostcardError {}
                #expect(disk.hasCrashed)
                if seed > 0 {
                    var generator = SeededGenerator(seed: seed)
                    disk.cutPower(using: &generator)
                }
                let comment: Comment = "\(action.rawValue), step \(step) of \(count), seed \(seed)"
                let again = try expectSound(folder, has: action == .keep ? [first] : [], comment)
                try check(action, first, isDone, again, comment)
            }
        }
    }

    private func check(
        _ action: Action, _ first: PostcardRecord, _ isDone: Bool, _ archive: PostcardArchive, _ comment: Comment
    ) throws {
        let all = try archive.all()
        switch action {
        case .keep, .prune:
            // The repeated request finds its postcard, or is free to try again: never a second one.
            let kept = all.filter { $0.id != first.id }
            #expect(kept.count <= 1, comment)
            #expect(!isDone || kept.count == 1, comment)
            #expect(try archive.reserve(Self.key) == kept.first.map { .existing($0.id) } ?? .new, comment)
        case .delete:
            #expect(!isDone || all.isEmpty, comment)
        case .protect:
            #expect(all.map(\.id) == [first.id], comment)
            #expect(!isDone || all[0].isProtected, comment)
        }
    }

    @Test("random work, random crashes, random power cuts: nothing acknowledged is lost", arguments: 1...12)
    func randomCrashes(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
        var expected: [PostcardID: PostcardRecord] = [:]
        for round in 0..<6 {
            let disk = UnreliableDisk(shadows: shadows.path)
            disk.plan { $0.crashAfter = Int.random(in: 1...150, using: &generator) }
            let archive = try openArchive(folder, operations: disk)
            var doubtful: PostcardID?
            while !disk.hasCrashed {
                let target = expected.keys.sorted().randomElement(using: &generator)
                do {
                    switch (Int.random(in: 0..<6, using: &generator), target) {
                    case (0, let id?):
                        doubtful = id
                        try archive.delete(id)
                        expected[id] = nil
                    case (1, let id?):
                        doubtful = id
                        expected[id] = try archive.protect(id, Bool.random(using: &generator))
                    default:
                        doubtful = nil
                        let size = Int.random(in: 5...5000, using: &generator)
                        let record = try archive.keep(draft("r", bytes: size))
                        expected[record.id] = record
                    }
                } catch {
                    break
                }
            }
            disk.cutPower(using: &generator)
            // Whether the change that the crash cut short took place is open; everything else is not.
            var certain = expected
            if let doubtful { certain[doubtful] = nil }
            let again = try expectSound(folder, has: Array(certain.values), "seed \(seed), round \(round)")
            expected = Dictionary(uniqueKeysWithValues: try again.all().map { ($0.id, $0) })
        }
    }
}

@Suite("A disk that fails")
struct FaultTests {
    static let codes = [ENOSPC, EROFS, EIO, EDQUOT]

    @Test("each step's failure throws, leaves nothing behind, and the next postcard is kept", arguments: codes)
    func everyStep(code: Int32) throws {
        var step = 0
        while true {
            step += 1
            let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
            let disk = UnreliableDisk(shadows: shadows.path)
            let archive = try openArchive(folder, operations: disk)
            let first = try archive.keep(draft("a", createdAt: noon.advanced(bySeconds: -86_400)))
            let before = archive.usage()
            disk.restartCount()
            disk.plan { $0.failAt = (step, code) }
            let key = IdempotencyKey(key: "k", requestHash: "h")
            #expect(try archive.reserve(key) == .new)
            do {
                _ = try archive.keep(draft("b", key: key))
                // Past the last step, or at one whose failure costs nothing.
                if disk.stepCount < step { break }
            } catch {
                let taken = disk.stepsTaken[step - 1]
                // The second commit hook runs after the commit: only a crash, never a failure, is real there.
                if taken == .commit, try archive.all().count == 2 { continue }
                try expectNothingOf(error, code, archive, folder, before.postcards, first)
                #expect(try archive.reserve(key) == .new, "\(taken)")
            }
            disk.plan { $0.failAt = nil }
            _ = try archive.keep(draft("c"))
            #expect(archive.usage().health.level == .ok)
        }
        // Four files of create, write, flush and rename each, and what is around them.
        #expect(step > 20)
    }

    private func expectNothingOf(
        _ error: PostcardError, _ code: Int32, _ archive: PostcardArchive, _ folder: TemporaryFolder,
        _ before: PostcardFigures, _ first: PostcardRecord
    ) throws {
        switch error {
        case .storage(.insufficientStorage(let shortage)):
            #expect(code == ENOSPC || code == EDQUOT)
            #expect(shortage.needed > 300)
        case .storage(.file(let failure)):
            #expect(failure.code == code)
            #expect(code != ENOSPC)
            let kind = archive.usage().health.kind
            #expect(kind == (code == EROFS ? "disk-read-only" : "disk-failed"))
        default: Issue.record("\(error)")
        }
        #expect(try archive.all() == [first])
        #expect(archive.usage().storedBytes == before.storedBytes)
        #expect(folder.files(below: "postcards").count == 4)
    }

    @Test("a folder that cannot be written is read, says why, and is written again when it can be")
    func readOnly() throws {
        let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
        let kept = try openArchive(folder).keep(draft("a"))
        let disk = UnreliableDisk(shadows: shadows.path)
        disk.plan { $0.failing = [.create: EROFS, .write: EROFS, .makeFolder: EROFS, .rename: EROFS] }
        let clock = ManualClock(utc: noon)
        let archive = try openArchive(folder, clock: clock, operations: disk)
        #expect(archive.usage().health.kind == "disk-read-only")
        #expect(try archive.all() == [kept])
        #expect(try archive.bytes(.postcard, of: kept.id).count == 300)
        let refusal = try #require(throws: PostcardError.self) { try archive.keep(draft("b")) }
        guard case .storage(.unavailable(let health)) = refusal else { return #expect(Bool(false), "\(refusal)") }
        #expect(health.kind == "disk-read-only")
        #expect(throws: PostcardError.self) { try archive.delete(kept.id) }

        disk.plan { $0.failing = [:] }
        #expect(throws: PostcardError.self, "not tried again so soon") { try archive.keep(draft("b")) }
        clock.advance(bySeconds: Store.retryInterval)
        _ = try archive.keep(draft("b"))
        #expect(archive.usage().health.level == .ok)
        #expect(try archive.all().count == 2)
    }

    @Test("a folder that is no folder gives a degraded archive, not a crash")
    func noFolder() throws {
        let folder = try TemporaryFolder()
        _ = FileManager.default.createFile(atPath: "\(folder.path)/file", contents: nil)
        let archive = try postcardArchive(
            folder: "\(folder.path)/file/archive", limits: RetentionLimits(), clock: ManualClock(),
            believedTime: { nil })
        #expect(archive.usage().health.level == .failed)
        #expect(try archive.all() == [])
        #expect(throws: PostcardError.self) { try archive.keep(draft()) }
        #expect(throws: StorageError.self) {
            try postcardArchive(
                folder: "relative", limits: RetentionLimits(), clock: ManualClock(), believedTime: { nil })
        }
    }
}
