import Foundation
import KonzaModel
import KonzaTesting
import Synchronization
import Testing

@testable import Postcards
@testable import Specimens
@testable import Storage

@Suite("An index that is compared with the files while it is in use")
struct ComparisonTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Keeps postcards over so many days, some of them with a request's key.
    private func keep(_ count: Int, days: Int) throws -> [PostcardRecord] {
        let archive = try openArchive(folder)
        return try (0..<count).map { number in
            let day = Double(number % days) * 86_400
            let key = number % 3 == 0 ? IdempotencyKey(key: "key \(number)", requestHash: "hash") : nil
            return try archive.keep(
                draft(createdAt: noon.advanced(bySeconds: Double(number) - day), key: key))
        }
    }

    private func open(_ clock: any StationClock) throws -> PostcardArchive {
        try postcardArchive(
            folder: folder.path, limits: RetentionLimits(spaceReserve: 0), clock: clock, opensAtOnce: false)
    }

    /// Makes postcards of one day like one that was kept, their files alone.
    private func makeFiles(_ count: Int) throws -> PostcardRecord {
        let first = try #require(try keep(1, days: 1).first)
        let day = "\(folder.path)/\(PostcardNames.folder(first.id))"
        let names = try FileManager.default.contentsOfDirectory(atPath: day).filter {
            $0.hasPrefix(first.id.description)
        }
        for number in 1..<count {
            let id = PostcardID(milliseconds: first.id.milliseconds, high: 7, low: UInt64(number))
            for name in names {
                var bytes = try Data(contentsOf: URL(filePath: "\(day)/\(name)"))
                if name.hasSuffix(".json") {
                    bytes = Data(String(decoding: bytes, as: UTF8.self).replacing("\(first.id)", with: "\(id)").utf8)
                }
                try bytes.write(to: URL(filePath: "\(day)/\(name.replacing("\(first.id)", with: "\(id)"))"))
            }
        }
        return first
    }

    /// What this thread has given to write(2) and the like (proc_pid_io(5)), bytes.
    private func writtenBytes() throws -> Int {
        let figures = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8).split(separator: "\n")
        let line = try #require(figures.first { $0.hasPrefix("wchar:") })
        return try #require(Int(line.dropFirst(7)))
    }

    @Test("writes a few times what its rows hold, not pages of them for every row")
    func writing() throws {
        let count = 1500
        let first = try makeFiles(count)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: "\(folder.path)/konza.db\(suffix)")
        }
        let archive = try open(HurriedClock(noon))
        let before = try writtenBytes()
        archive.store.refresh()
        let perRow = try (writtenBytes() - before) / count
        #expect(try archive.record(first.id) == first)
        #expect(archive.usage().count == count)
        // A row has about 1 KiB and as much in indexes; it goes into the log and from there into the file.
        #expect(perRow < 12_000, "\(perRow) bytes a row")
    }

    @Test(
        "is whole only at the end: until then an unknown key is not taken for a new one, and specimens are not changed")
    func lostIndex() throws {
        let kept = try keep(40, days: 12)
        let specimen = try specimenArchive(openArchive(folder)).openNext()
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        let archive = try open(HurriedClock(noon))
        archive.store.open()
        #expect(archive.store.figures.comparison != nil)
        #expect(archive.store.figures.health.level == .ok)
        #expect(archive.store.figures.health.reason.contains("is being compared with the files"))
        #expect(try archive.all().count < kept.count)

        let new = try archive.keep(draft("n", createdAt: noon.advanced(bySeconds: 3600)))
        #expect(try archive.record(new.id) == new)
        #expect(throws: StorageError.self) {
            try archive.reserve(IdempotencyKey(key: "never used", requestHash: "hash"))
        }
        let specimens = specimenArchive(archive)
        #expect(throws: SpecimenError.self) { try specimens.delete(specimen.id, at: noon) }
        #expect(throws: SpecimenError.self) { try specimens.due(targets: [.metpetdb]) }

        archive.store.refresh()
        #expect(archive.store.figures.comparison == nil)
        #expect(archive.store.figures.health.kind == "archive-index-recovered")
        #expect(Set(try archive.all().map(\.id)) == Set(kept.map(\.id) + [new.id]))
        #expect(try archive.reserve(IdempotencyKey(key: "key 0", requestHash: "hash")) == .existing(kept[0].id))
        #expect(try archive.reserve(IdempotencyKey(key: "never used", requestHash: "hash")) == .new)
        #expect(try specimens.specimen(specimen.id) == specimen)
        try specimens.delete(specimen.id, at: noon)
    }

    @Test("that a restart leaves half made has the keys of the rows that it has", arguments: [1, 3, 6])
    func halfMade(portions: Int) throws {
        let kept = try keep(40, days: 12)
        let key = IdempotencyKey(key: "of the specimen", requestHash: "hash")
        let specimen = try specimenArchive(openArchive(folder)).openNext(key: key)
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        do {
            let archive = try open(HurriedClock(noon))
            archive.store.open()
            try archive.store.pending.withLock { pending in
                for _ in 0..<portions { _ = try pending?.advance() }
            }
            let unknown = SpecimenID(milliseconds: 1, high: 2, low: 3)
            let error = try #require(throws: SpecimenError.self) { try specimenArchive(archive).specimen(unknown) }
            #expect("\(error)".contains("are being compared with the index"), "not yet known is not gone")
        }
        let again = try openArchive(folder)
        #expect(again.store.figures.health.kind == "archive-index-recovered")
        #expect(try again.reserve(IdempotencyKey(key: "key 0", requestHash: "hash")) == .existing(kept[0].id))
        #expect(try specimenArchive(again).openNext(key: key).id == specimen.id)
    }

    @Test("that was closed in order knows all keys at once, whatever is still to be compared")
    func knownKeys() throws {
        let kept = try keep(40, days: 12)
        let archive = try open(HurriedClock(noon))
        archive.store.open()
        #expect(archive.store.figures.comparison != nil)
        #expect(try archive.all().count == kept.count)
        #expect(try archive.reserve(IdempotencyKey(key: "never used", requestHash: "hash")) == .new)
        #expect(try archive.reserve(IdempotencyKey(key: "key 39", requestHash: "hash")) == .existing(kept[39].id))
    }

    /// Counts made anew from the rows.
    private func recount() throws -> [String] {
        try folder.sqlite(
            """
            SELECT state, protected, count(*), sum(stored_bytes) FROM postcards GROUP BY state, protected
            ORDER BY state, protected
            """)
    }

    @Test("loses nothing that others do meanwhile, and agrees with the files at the end", arguments: 0..<3)
    func interleaved(round: Int) throws {
        let seed = RandomTest.seed(of: "comparison, round \(round)")
        var generator = SeededGenerator(seed: seed &+ UInt64(round))
        var expected = Dictionary(uniqueKeysWithValues: try keep(60, days: 9).map { ($0.id, $0) })
        try damage(&expected, &generator)
        let archive = try open(HurriedClock(noon))
        archive.store.open()
        let kept = Mutex(expected)
        let isOver = Mutex(false)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            archive.store.refresh()
            isOver.withLock { $0 = true }
            done.signal()
        }
        var steps = 0
        while !isOver.withLock({ $0 }) || steps < 20 {
            steps += 1
            try step(archive, kept, steps, &generator)
            guard steps < 200 else { break }
        }
        done.wait()
        let left = kept.withLock { $0 }
        #expect(Set(try archive.all().map(\.id)) == Set(left.keys), "seed \(seed)")
        for record in left.values {
            #expect(FileContent(try archive.bytes(.postcard, of: record.id)).sha256() == record.sha256, "seed \(seed)")
        }
        #expect(
            folder.files(below: "postcards").filter {
                $0.hasSuffix(".jpg") && !$0.contains(".thumb") && !$0.contains(".orig")
            }.count == left.count)
        #expect(archive.figures.count == left.count)
        #expect(
            try folder.sqlite(
                "SELECT state, protected, count, bytes FROM postcard_totals WHERE count > 0 ORDER BY state, protected")
                == recount(), "seed \(seed)")
        #expect(try folder.sqlite("SELECT count(*) FROM postcard_days WHERE folder = 'every day'") == ["0"])
    }

    /// Takes rows, or the whole index, or pictures away.
    private func damage(_ expected: inout [PostcardID: PostcardRecord], _ generator: inout SeededGenerator) throws {
        if Bool.random(using: &generator) {
            try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        } else {
            // As a crash leaves it: files without rows, in a folder that is known to have been written to.
            for id in expected.keys.shuffled(using: &generator).prefix(15) {
                _ = try folder.sqlite(
                    """
                    DELETE FROM postcards WHERE id = '\(id)';
                    INSERT OR IGNORE INTO postcard_days VALUES ('\(PostcardNames.folder(id))')
                    """)
            }
        }
        for id in expected.keys.sorted().shuffled(using: &generator).prefix(5) {
            try FileManager.default.removeItem(
                atPath: "\(folder.path)/\(PostcardNames.folder(id))/\(PostcardNames.name(id, .postcard))")
            expected[id] = nil
        }
    }

    private func step(
        _ archive: PostcardArchive, _ kept: borrowing Mutex<[PostcardID: PostcardRecord]>, _ number: Int,
        _ generator: inout SeededGenerator
    ) throws {
        let known = kept.withLock { $0.keys.sorted() }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            let age = Double(Int.random(in: 0..<9, using: &generator)) * 86_400
            let record = try archive.keep(draft("s", createdAt: noon.advanced(bySeconds: 100 + Double(number) - age)))
            kept.withLock { $0[record.id] = record }
        case 1:
            guard let id = known.randomElement(using: &generator) else { return }
            // One that the index does not know yet cannot be deleted yet, and is not said to be gone.
            if (try? archive.delete(id)) == true { kept.withLock { $0[id] = nil } }
        case 2:
            guard let id = known.randomElement(using: &generator) else { return }
            guard let record = try? archive.protect(id, Bool.random(using: &generator)) else { return }
            kept.withLock { $0[id] = record }
        default:
            #expect(try archive.all(pageSize: 50).count <= known.count)
        }
    }
}
