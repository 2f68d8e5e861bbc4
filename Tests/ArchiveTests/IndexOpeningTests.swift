import Foundation
import Glibc
import KonzaModel
import KonzaTesting
import Synchronization
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("An index that cannot be written")
struct IndexOpeningTests {
    private let folder: TemporaryFolder
    private let disk: UnreliableDisk
    private let shadows: TemporaryFolder
    private let clock = ManualClock(utc: noon)

    init() throws {
        folder = try TemporaryFolder()
        shadows = try TemporaryFolder()
        disk = UnreliableDisk(shadows: shadows.path)
    }

    private func makeReadOnly() {
        disk.plan { $0.failing = [.create: EROFS, .write: EROFS, .makeFolder: EROFS, .rename: EROFS] }
    }

    private func keep(_ count: Int) throws -> [PostcardRecord] {
        let archive = try openArchive(folder)
        return try (0..<count).map { number in
            try archive.keep(draft("a", createdAt: noon.advanced(bySeconds: Double(number))))
        }
    }

    @Test("is read as it is, and not made again at every look", arguments: [false, true])
    func readOnce(withoutFile: Bool) throws {
        let kept = try keep(5)
        if withoutFile { try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db") }
        makeReadOnly()
        let archive = try openArchive(folder, clock: clock, operations: disk)
        #expect(archive.store.figures.health.kind == "disk-read-only")
        #expect(archive.figures.count == 5)
        // Were the index made from the files once more, it would be empty.
        try FileManager.default.removeItem(atPath: "\(folder.path)/postcards")
        for _ in 0..<3 {
            clock.advance(bySeconds: Store.retryInterval + 1)
            #expect(archive.usage().count == 5)
            #expect(try archive.all() == kept.reversed())
            #expect(archive.store.figures.health.kind == "disk-read-only")
        }
    }

    @Test("in memory takes no more than it may: the newest postcards are there, and the health says so")
    func boundedMemory() throws {
        let kept = try keep(200)
        let archive = try openArchive(try TemporaryFolder())
        let opening = IndexOpening(
            folder: folder.path, files: DurableFiles(operations: disk), kinds: archive.store.kinds, now: noon,
            operatingTime: OperatingTime(clock: ManualClock(utc: noon)), memoryLimit: 300_000)
        let made = try opening.makeInMemory()
        #expect(made.isWhole)
        #expect(made.isCut)
        let listed = try made.database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT id FROM postcards ORDER BY id DESC") { $0.text(0) }
        }
        #expect((20..<200).contains(listed.count))
        #expect(listed == kept.suffix(listed.count).reversed().map(\.id.description))
        let pages = try made.database.read { connection throws(DatabaseError) in
            try connection.rows("PRAGMA page_count") { $0.integer(0) }
        }
        #expect(try #require(pages.first) * 4096 <= 300_000)
    }

    @Test("that is not open yet refuses reads and writes and says so; the first look opens it")
    func deferred() throws {
        let kept = try keep(2)
        let archive = try postcardArchive(
            folder: folder.path, limits: RetentionLimits(spaceReserve: 0), clock: clock, believedTime: { nil },
            opensAtOnce: false)
        #expect(archive.store.figures.health.kind == "index-rebuilding")
        let refusal = try #require(throws: PostcardError.self) { try archive.list(PostcardQuery()) }
        guard case .storage(.database(let error)) = refusal else { return #expect(Bool(false), "\(refusal)") }
        #expect(error.isRebuilding)
        #expect(archive.store.figures.health.kind == "index-rebuilding", "a refused read is no failure")
        archive.store.refresh()
        #expect(archive.store.figures.health.level == .ok)
        #expect(try archive.all() == kept.reversed())
    }

    @Test("that is no file at all is put aside and made anew at once", arguments: ["", "-wal", "-shm"], [false, true])
    func irregular(suffix: String, isReadOnly: Bool) throws {
        let kept = try keep(3)
        let path = "\(folder.path)/konza.db\(suffix)"
        try? FileManager.default.removeItem(atPath: path)
        // SQLite would wait for somebody who writes to it.
        #expect(mkfifo(path, 0o640) == 0)
        if isReadOnly { makeReadOnly() }
        let archive = try openArchive(folder, clock: clock, operations: disk)
        #expect(try archive.all() == kept.reversed())
        let health = archive.usage().health
        #expect(health.kind == (isReadOnly ? "disk-read-only" : "archive-corrupt-recovered"))
        if !isReadOnly { #expect(health.reason.contains("konza.db\(suffix) is not a regular file")) }
    }

    @Test("is kept from others, also one that an earlier version made")
    func modes() throws {
        func modes(_ name: String) throws -> [Int] {
            try ["", "-wal", "-shm"].map { "\(name)\($0)" }.filter { FileManager.default.fileExists(atPath: $0) }.map {
                try #require(FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int)
            }
        }
        let path = "\(folder.path)/konza.db"
        do {
            let archive = try openArchive(folder)
            _ = try archive.keep(draft("a"))
            #expect(try modes(path) == [0o640, 0o640, 0o640])
        }
        for name in ["", "-wal", "-shm"] { _ = chmod("\(path)\(name)", 0o644) }
        let archive = try openArchive(folder)
        _ = try archive.keep(draft("b"))
        #expect(try modes(path) == [0o640, 0o640, 0o640])
    }

    @Test("tells how far it is, to others who ask while one thread makes it anew")
    func progress() throws {
        _ = try keep(3)
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        let gate = GatedDisk()
        let archive = try postcardArchive(
            folder: folder.path, limits: RetentionLimits(spaceReserve: 0), clock: clock, operations: gate,
            opensAtOnce: false)
        gate.close(at: .synchronizeFolder, below: "postcards/2026/")
        let opened = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            archive.store.refresh()
            opened.signal()
        }
        gate.waitUntilSomebodyWaits()
        #expect(archive.store.figures.health.kind == "index-rebuilding")
        #expect(archive.store.figures.health.reason.contains("of 1 folders"))
        #expect(throws: PostcardError.self) { try archive.list(PostcardQuery()) }
        #expect(throws: PostcardError.self) { try archive.keep(draft("b")) }
        gate.open()
        opened.wait()
        #expect(archive.figures.count == 3)
        #expect(try archive.all().count == 3)
    }

    @Test("while the disk does not answer, the figures do, and say since when")
    func silentDisk() throws {
        _ = try keep(1)
        let gate = GatedDisk()
        let archive = try openArchive(folder, clock: clock, operations: gate)
        gate.close(at: .measure, below: "")
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            archive.store.refresh()
            done.signal()
        }
        gate.waitUntilSomebodyWaits()
        #expect(archive.store.figures.health.level == .ok)
        clock.advance(bySeconds: 6)
        #expect(archive.store.figures.health.kind == "disk-silent")
        #expect(archive.store.figures.health.reason.contains("6 s"))
        #expect(archive.figures.count == 1)
        gate.open()
        done.wait()
        #expect(archive.store.figures.health.level == .ok)
    }

    @Test("the figures of the specimens are those that the index counts, whatever happens to them")
    func specimenFigures() throws {
        let seed = RandomTest.seed(of: "figures of specimens")
        var generator = SeededGenerator(seed: seed)
        let rounds = RandomTest.cases(60)
        let archive = try specimenArchive(openArchive(folder))
        var known: [SpecimenID] = []
        for _ in 0..<rounds {
            let id = known.randomElement(using: &generator)
            switch (Int.random(in: 0..<7, using: &generator), id) {
            case (0, _), (_, nil): known.append(try archive.openNext().id)
            case (1, let id?): try? archive.delete(id, at: noon)
            case (2, let id?): _ = try? archive.restore(id, at: noon)
            case (3, let id?): _ = try? archive.addPicture("p", to: id)
            case (4, let id?): _ = try? archive.submit(id, to: .metpetdb)
            case (5, let id?): _ = try? archive.change(id, at: noon) { $0.rockType = "Schist \(known.count)" }
            case (_, let id?):
                guard var submission = try? archive.submission(id, to: .metpetdb) else { continue }
                submission.state = .sending
                _ = try? archive.write(submission)
            }
            #expect(archive.figures == (try archive.usage()), "seed \(seed)")
        }
        try archive.purge(at: noon.advanced(bySeconds: SpecimenArchive.tombstoneSeconds + 1))
        #expect(archive.figures == (try archive.usage()), "seed \(seed)")
        #expect(try specimenArchive(openArchive(folder)).figures == (try archive.usage()), "seed \(seed)")
    }
}

/// A file system that stands still at one kind of step until it is opened again.
final class GatedDisk: FileOperations {
    private struct State {
        var step: FileStep?
        var part = ""
        var waiting = 0
    }

    private let system = SystemFileOperations()
    private let state = Mutex(State())

    func close(at step: FileStep, below part: String) {
        state.withLock { state in
            state.step = step
            state.part = part
        }
    }

    func open() { state.withLock { $0.step = nil } }

    func waitUntilSomebodyWaits() { while state.withLock({ $0.waiting == 0 }) { usleep(1000) } }

    private func pass(_ step: FileStep, _ path: String) {
        func isClosed(_ state: State) -> Bool {
            state.step == step && (state.part.isEmpty || path.contains(state.part))
        }
        guard state.withLock({ isClosed($0) }) else { return }
        state.withLock { $0.waiting += 1 }
        while state.withLock({ isClosed($0) }) { usleep(1000) }
        state.withLock { $0.waiting -= 1 }
    }

    func makeFolder(_ path: String) throws(FileError) {
        pass(.makeFolder, path)
        try system.makeFolder(path)
    }

    func create(_ path: String) throws(FileError) -> Int32 {
        pass(.create, path)
        return try system.create(path)
    }

    func write(_ pieces: FileContent, to descriptor: Int32, path: String) throws(FileError) {
        pass(.write, path)
        try system.write(pieces, to: descriptor, path: path)
    }

    func synchronize(_ descriptor: Int32, path: String) throws(FileError) { pass(.synchronize, path) }

    func close(_ descriptor: Int32) { system.close(descriptor) }

    func renameNew(_ source: String, to target: String) throws(FileError) {
        pass(.rename, target)
        try system.renameNew(source, to: target)
    }

    func renameReplacing(_ source: String, to target: String) throws(FileError) {
        pass(.rename, target)
        try system.renameReplacing(source, to: target)
    }

    func synchronizeFolder(_ path: String) throws(FileError) { pass(.synchronizeFolder, path) }

    func remove(_ path: String) throws(FileError) {
        pass(.remove, path)
        try system.remove(path)
    }

    func removeEmptyFolder(_ path: String) { system.removeEmptyFolder(path) }

    func space(ofFolder path: String) throws(FileError) -> DiskSpace {
        pass(.measure, path)
        return try system.space(ofFolder: path)
    }

    func willCommit(in folder: String) throws(FileError) { pass(.commit, folder) }

    func didCommit(in folder: String) throws(FileError) {}
}
