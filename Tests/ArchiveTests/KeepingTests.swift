import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("Keeping postcards")
struct KeepingTests {
    @Test("a postcard comes back with every member, its pictures byte for byte, also after a restart")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let kept = try openArchive(folder).keep(draft("k"))
        #expect(kept.createdAt == noon)
        #expect(kept.position == position(try #require(Coordinate(latitude: 39.1069, longitude: -96.6091))))
        #expect(kept.position?.time.nanoseconds == noon.nanoseconds + 33_333_333)
        let archive = try openArchive(folder)
        #expect(try archive.record(kept.id) == kept)
        #expect(try archive.all() == [kept])
        #expect(try archive.bytes(.postcard, of: kept.id).count == 300)
        #expect(try archive.bytes(.original, of: kept.id) == Array("original k".utf8))
        #expect(try archive.bytes(.thumbnail, of: kept.id) == Array("thumbnail k".utf8))
        #expect(archive.usage().health.level == .ok)
        #expect(try folder.sqlite("PRAGMA integrity_check") == ["ok"])
        #expect(try folder.sqlite("SELECT count(*) FROM postcards") == ["1"])
    }

    @Test("the hash is that of sha256sum")
    func hash() throws {
        // FIPS 180-4's examples as NIST publishes them, and a million times "a".
        #expect(
            FileContent(Array("abc".utf8)).sha256()
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(FileContent().sha256() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        var pieces = FileContent()
        for count in [1, 62, 1, 64, 65, 127, 128, 999_552] { pieces.append(Array(repeating: 0x61, count: count)) }
        #expect(pieces.count == 1_000_000)
        #expect(pieces.sha256() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("files are where the id says, and nothing else is left")
    func names() throws {
        let folder = try TemporaryFolder()
        let id = try openArchive(folder).keep(draft()).id
        #expect(
            folder.files(below: "postcards")
                == [".jpg", ".json", ".original.jpg", ".thumb.jpg"].map { "2026/05/30/\(id)\($0)" })
        #expect(folder.files().filter { $0.contains(".tmp") } == [])
    }

    @Test("a postcard without original, thumbnail, position or message has none")
    func bare() throws {
        let folder = try TemporaryFolder()
        var bare = draft(at: nil)
        bare.original = nil
        bare.thumbnail = nil
        bare.message = nil
        let archive = try openArchive(folder)
        let kept = try archive.keep(bare)
        #expect(try archive.record(kept.id) == kept)
        #expect(!kept.hasOriginal && !kept.hasThumbnail && kept.position == nil && kept.message == nil)
        #expect(throws: PostcardError.notFound(kept.id)) { try archive.bytes(.original, of: kept.id) }
    }

    @Test("numbers that are none do not cost the postcard")
    func notANumber() throws {
        let folder = try TemporaryFolder()
        var odd = draft()
        odd.position?.speed = .nan
        odd.position?.track = .infinity
        let archive = try openArchive(folder)
        let id = try archive.keep(odd).id
        #expect(try archive.record(id).position?.speed?.isNaN == true)
        #expect(try archive.record(id).position?.track == .infinity)
    }

    @Test("a draft without bytes or size is refused, and leaves nothing")
    func refusal() throws {
        let folder = try TemporaryFolder()
        let archive = try openArchive(folder)
        var empty = draft()
        empty.postcard = FileContent()
        #expect(throws: PostcardError.storage(.invalid("the postcard has no bytes"))) { try archive.keep(empty) }
        var long = draft()
        long.message = String(repeating: "x", count: 70_000)
        #expect(throws: PostcardError.storage(.invalid("the postcard's texts are too long"))) { try archive.keep(long) }
        let early = draft(createdAt: UTCInstant(nanoseconds: .min))
        #expect(throws: PostcardError.storage(.invalid("a time is out of range"))) { try archive.keep(early) }
        #expect(folder.files(below: "postcards") == [])
    }

    @Test("ids sort as they were made, also within one millisecond and when the clock stands still")
    func ids() throws {
        var source = RecordIDSource<PostcardRecord>()
        let ids = (0..<1000).map { source.next(at: noon.advanced(bySeconds: Double($0 / 100) / 1000)) }
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == 1000)
        for id in ids {
            #expect(PostcardID(id.description) == id)
            #expect(id.description.utf8.count == 26)
        }
        #expect(ids[0].milliseconds == UInt64(noon.nanoseconds / 1_000_000))
    }

    @Test(
        "what is no id is refused",
        arguments: [
            "", "../../etc/passwd", "01hz", "81arz3ndektsv4rrffq69g5fav", "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "01arz3ndektsv4rrffq69g5fai", "01arz3ndektsv4rrffq69g5fa/",
        ])
    func badIDs(text: String) { #expect(PostcardID(text) == nil) }

    @Test("many keepers at once lose nothing and double nothing")
    func concurrency() async throws {
        let folder = try TemporaryFolder()
        let archive = try openArchive(folder)
        let records = try await withThrowingTaskGroup(of: PostcardRecord.self) { group in
            for number in 0..<48 {
                group.addTask { try archive.keep(draft(String(UnicodeScalar(UInt8(65 + number % 26))))) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(records.map(\.id)).count == 48)
        #expect(Set(try archive.all().map(\.id)) == Set(records.map(\.id)))
        #expect(archive.usage().count == 48)
        #expect(
            try folder.sqlite("SELECT count(*), sum(stored_bytes) FROM postcards")
                == ["48|\(archive.usage().storedBytes)"])
    }

    @Test("deleting is for good, and twice is no error")
    func deletion() throws {
        let folder = try TemporaryFolder()
        let archive = try openArchive(folder)
        let (first, second) = (try archive.keep(draft("a")).id, try archive.keep(draft("b", isProtected: true)).id)
        #expect(try archive.delete(second))
        #expect(try !archive.delete(second))
        #expect(throws: PostcardError.notFound(second)) { try archive.record(second) }
        #expect(try openArchive(folder).all().map(\.id) == [first])
        #expect(folder.files(below: "postcards").count == 4)
        #expect(archive.usage().count == 1)
        #expect(archive.usage().protectedCount == 0)
    }

    @Test("a protected postcard says so after a restart, and after the index was lost")
    func protection() throws {
        let folder = try TemporaryFolder()
        let id = try openArchive(folder).keep(draft()).id
        #expect(try openArchive(folder).protect(id, true).isProtected)
        #expect(try openArchive(folder).record(id).isProtected)
        for name in folder.files() where name.hasPrefix("konza.db") {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        #expect(try openArchive(folder).record(id).isProtected)
        #expect(try !openArchive(folder).protect(id, false).isProtected)
        #expect(try openArchive(folder).usage().protectedCount == 0)
    }
}
