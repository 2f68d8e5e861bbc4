import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("The index and the files are brought together")
struct RecoveryTests {
    private let folder: TemporaryFolder
    private let kept: [PostcardRecord]

    init() throws {
        folder = try TemporaryFolder()
        let archive = try openArchive(folder)
        kept = try (0..<9).map { number in
            try archive.keep(draft("\(number)", createdAt: noon.advanced(bySeconds: Double(number) * 40_000)))
        }.reversed()
    }

    private func path(_ record: PostcardRecord, _ part: PostcardNames.Part) -> String {
        "\(folder.path)/\(PostcardNames.folder(record.id))/\(PostcardNames.name(record.id, part))"
    }

    private func removeIndex() throws {
        for name in folder.files() where name.hasPrefix("konza.db") {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
    }

    @Test("a lost index is made anew from the files, whole, and the health says so until the next start")
    func lostIndex() throws {
        try removeIndex()
        let archive = try openArchive(folder)
        #expect(try archive.all() == kept)
        #expect(archive.usage().health.kind == "archive-index-recovered")
        #expect(try openArchive(folder).usage().health.level == .ok)
        #expect(try folder.sqlite("SELECT count(*) FROM postcards") == ["9"])
    }

    @Test("a FIFO in a file's place is waited for by nobody: it is no picture, and the index is made of the others")
    func foreignFIFO() throws {
        for part in [PostcardNames.Part.postcard, .sidecar] {
            let place = path(kept[0], part)
            try FileManager.default.removeItem(atPath: place)
            #expect(mkfifo(place, 0o600) == 0)
        }
        let archive = try openArchive(folder)
        #expect(throws: PostcardError.self) { _ = try archive.openPicture(.postcard, of: kept[0].id) }
        try removeIndex()
        #expect(try openArchive(folder).all().filter { $0.id != kept[0].id } == Array(kept.dropFirst()))
    }

    @Test("a lost main file beside a left-over log is made anew too")
    func lostMainFile() throws {
        let reader = try openArchive(folder)
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        #expect(try openArchive(folder).all() == kept)
        withExtendedLifetime(reader) {}
    }

    @Test("a damaged index is put aside, kept, and made anew from the files", arguments: 1...8)
    func damagedIndex(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = try #require(folder.contents("konza.db"))
        if seed == 1 {
            bytes = Array("this was never a database, and is long enough to look like one".utf8)
        } else {
            // From the first page on: a damaged schema or header is seen at once, the rest by the check.
            for index in 0..<bytes.count where seed % 2 == 0 || index > 4096 {
                if UInt8.random(in: 0..<8, using: &generator) == 0 {
                    bytes[index] = .random(in: 0...255, using: &generator)
                }
            }
        }
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/konza.db", contents: Data(bytes)))
        let archive = try openArchive(folder)
        #expect(try archive.all() == kept)
        #expect(archive.usage().health.kind == "archive-corrupt-recovered", "seed \(seed)")
        #expect(archive.usage().health.level == .degraded)
        let aside = folder.files(below: "lost+found").filter {
            $0.hasPrefix("konza.db.corrupt-") && !$0.contains("-wal")
        }
        #expect(aside.count == 1)
        #expect(folder.contents("lost+found/\(aside.first ?? "")") == bytes)
        #expect(try folder.sqlite("PRAGMA integrity_check") == ["ok"])
        _ = try archive.keep(draft("n"))
    }

    @Test("an index of a newer program is read by its files, refuses writes, and stays as it is")
    func newerIndex() throws {
        _ = try folder.sqlite(
            "INSERT INTO migrations (name) VALUES ('2031-01 holograms'); PRAGMA wal_checkpoint(TRUNCATE)")
        let before = folder.contents("konza.db")
        let archive = try openArchive(folder)
        #expect(archive.usage().health.kind == "archive-newer")
        #expect(archive.usage().health.reason.contains("2031-01 holograms"))
        #expect(try archive.all() == kept)
        #expect(try archive.bytes(.postcard, of: kept[0].id).count == 300)
        #expect(throws: PostcardError.self) { try archive.keep(draft("n")) }
        #expect(throws: PostcardError.self) { try archive.delete(kept[0].id) }
        #expect(throws: PostcardError.self) { try archive.protect(kept[0].id, true) }
        #expect(folder.contents("konza.db") == before)
        #expect(folder.files(below: "postcards").count == 36)
    }

    @Test("a database of something else is not taken over")
    func foreignDatabase() throws {
        try removeIndex()
        _ = try folder.sqlite("CREATE TABLE recipes (name TEXT)")
        #expect(try openArchive(folder).usage().health.kind == "archive-newer")
        #expect(try folder.sqlite("SELECT name FROM sqlite_schema") == ["recipes"])
    }

    @Test("an index that turns out to be damaged while the daemon runs is made anew at the next postcard")
    func damagedWhileRunning() throws {
        let archive = try openArchive(folder)
        #expect(
            FileManager.default.createFile(
                atPath: "\(folder.path)/konza.db", contents: Data(repeating: 0x5A, count: 40_960)))
        // As SQLite reports it (https://sqlite.org/rescode.html#corrupt); its cache would hide it for a while here.
        archive.store.note(.database(DatabaseError(code: 11, action: "use the index", words: "malformed")))
        #expect(archive.usage().health.kind == "archive-corrupt-recovered")
        let new = try archive.keep(draft("n", createdAt: noon.advanced(bySeconds: 900_000)))
        #expect(try archive.all() == [new] + kept)
        #expect(try folder.sqlite("PRAGMA integrity_check") == ["ok"])
    }

    @Test("a row without its picture is reported, not listed, and comes back with the picture")
    func missingPicture() throws {
        let victim = kept[4]
        let aside = "\(folder.path)/aside.jpg"
        try FileManager.default.moveItem(atPath: path(victim, .postcard), toPath: aside)
        let archive = try openArchive(folder)
        #expect(archive.usage().missingCount == 1)
        #expect(archive.usage().health.kind == "archive-files-missing")
        #expect(try archive.all() == kept.filter { $0 != victim })
        #expect(throws: PostcardError.pictureMissing(victim.id, .postcard)) { try archive.record(victim.id) }
        try FileManager.default.moveItem(atPath: aside, toPath: path(victim, .postcard))
        #expect(try openArchive(folder).all() == kept)
        #expect(try openArchive(folder).usage().health.level == .ok)
    }

    @Test("a picture taken away while the daemon runs is seen when it is asked for, and can be deleted")
    func takenAway() throws {
        let archive = try openArchive(folder)
        try FileManager.default.removeItem(atPath: path(kept[2], .postcard))
        #expect(throws: PostcardError.pictureMissing(kept[2].id, .postcard)) {
            try archive.bytes(.postcard, of: kept[2].id)
        }
        #expect(archive.usage().missingCount == 1)
        #expect(archive.usage().count == 8)
        #expect(try archive.delete(kept[2].id))
        #expect(archive.usage().missingCount == 0)
        #expect(try openArchive(folder).usage().health.level == .ok)
    }

    @Test("files that make no whole postcard are moved to lost+found, never deleted")
    func orphans() throws {
        try removeIndex()
        // One without a sidecar, one cut short, one whose sidecar is nonsense, one whose sidecar is another's.
        try FileManager.default.removeItem(atPath: path(kept[0], .sidecar))
        #expect(truncate(path(kept[1], .postcard), 100) == 0)
        #expect(FileManager.default.createFile(atPath: path(kept[2], .sidecar), contents: Data("{".utf8)))
        try FileManager.default.removeItem(atPath: path(kept[3], .sidecar))
        try FileManager.default.copyItem(atPath: path(kept[4], .sidecar), toPath: path(kept[3], .sidecar))
        let archive = try openArchive(folder)
        #expect(try archive.all() == Array(kept[4...]))
        #expect(folder.files(below: "lost+found").count == 15)
        #expect(folder.contents("lost+found/\(kept[1].id).jpg")?.count == 100)
        #expect(archive.usage().health.kind == "archive-files-lost")
        // The same names again find others there already.
        try FileManager.default.copyItem(
            atPath: "\(folder.path)/lost+found/\(kept[1].id).jpg", toPath: path(kept[1], .postcard))
        _ = try openArchive(folder)
        #expect(folder.contents("lost+found/\(kept[1].id).jpg.1")?.count == 100)
    }

    @Test("a companion that is gone does not cost the postcard; a sidecar that is gone is written anew")
    func companions() throws {
        try FileManager.default.removeItem(atPath: path(kept[0], .sidecar))
        #expect(try openArchive(folder).all() == kept)
        #expect(FileManager.default.fileExists(atPath: path(kept[0], .sidecar)))
        try FileManager.default.removeItem(atPath: path(kept[1], .original))
        try removeIndex()
        let archive = try openArchive(folder)
        #expect(try archive.all().count == 9)
        #expect(try !archive.record(kept[1].id).hasOriginal)
    }

    @Test("left-over temporary files are swept, files of others are left alone")
    func sweeping() throws {
        let day = "\(folder.path)/\(PostcardNames.folder(kept[0].id))"
        for name in ["\(day)/.konza-x.jpg-1.tmp", "\(folder.path)/.konza-probe.tmp", "\(day)/notes.txt"] {
            #expect(FileManager.default.createFile(atPath: name, contents: Data("x".utf8)))
        }
        #expect(try openArchive(folder).usage().health.level == .ok)
        #expect(folder.files().filter { $0.hasSuffix(".tmp") } == [])
        #expect(folder.files().filter { $0.hasSuffix("notes.txt") }.count == 1)
    }
}
