import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("Room is made before a postcard is written")
struct RetentionTests {
    private let folder: TemporaryFolder
    private let shadows: TemporaryFolder
    private let disk: UnreliableDisk

    init() throws {
        folder = try TemporaryFolder()
        shadows = try TemporaryFolder()
        disk = UnreliableDisk(shadows: shadows.path)
    }

    private func open(_ limits: RetentionLimits, clock: ManualClock = ManualClock(utc: noon)) throws -> PostcardArchive
    {
        try openArchive(folder, limits: limits, clock: clock, operations: disk)
    }

    private func day(_ number: Int) -> UTCInstant { noon.advanced(bySeconds: Double(number) * 86_400) }

    @Test("over the count, the oldest unprotected goes first, whatever the order of keeping")
    func count() throws {
        let archive = try open(RetentionLimits(maximumCount: 3, spaceReserve: 0))
        let middle = try archive.keep(draft("m", createdAt: day(-5))).id
        let oldest = try archive.keep(draft("o", createdAt: day(-9), isProtected: true)).id
        let young = try archive.keep(draft("y", createdAt: day(-1))).id
        let new = try archive.keep(draft("n", createdAt: day(0))).id
        #expect(try archive.all().map(\.id) == [new, young, oldest])
        #expect(throws: PostcardError.notFound(middle)) { try archive.record(middle) }
        #expect(folder.files(below: "postcards").count == 12)
    }

    @Test("says when the oldest was taken, whatever the order of keeping, and of the next one when that is deleted")
    func oldest() throws {
        let archive = try open(RetentionLimits(spaceReserve: 0))
        archive.lookForOldest()
        #expect(archive.figures.oldestAt == nil)
        let middle = try archive.keep(draft("m", createdAt: day(-5))).id
        let oldest = try archive.keep(draft("o", createdAt: day(-9), isProtected: true)).id
        let young = try archive.keep(draft("y", createdAt: day(-1))).id
        archive.lookForOldest()
        #expect(archive.figures.oldestAt == day(-9))
        try archive.delete(oldest)
        archive.lookForOldest()
        #expect(archive.figures.oldestAt == day(-5))
        try archive.delete(middle)
        try archive.delete(young)
        archive.lookForOldest()
        #expect(archive.figures.oldestAt == nil)
    }

    @Test("over the bytes, as many go as it takes, and no more")
    func bytes() throws {
        let archive = try open(RetentionLimits(spaceReserve: 0))
        for number in 0..<10 { _ = try archive.keep(draft("x", bytes: 20_000, createdAt: day(number - 20))) }
        let stored = archive.usage().storedBytes
        // A new one of 50 kB and its allowance of 64 KiB, in a limit that is all but used, take five or six old ones.
        archive.setLimits(RetentionLimits(maximumBytes: stored + 10_000, spaceReserve: 0))
        let new = try archive.keep(draft("n", bytes: 50_000)).id
        let left = try archive.all()
        #expect(left.first?.id == new)
        #expect((5...6).contains(left.count))
        #expect(archive.usage().storedBytes <= stored + 10_000)
    }

    @Test("past the age, unprotected ones go with the next postcard, or when the limits are enforced")
    func age() throws {
        let clock = ManualClock(utc: noon)
        let archive = try open(RetentionLimits(maximumAge: 86_400 * 7, spaceReserve: 0), clock: clock)
        let kept = try archive.keep(draft("a", isProtected: true)).id
        for _ in 0..<3 { _ = try archive.keep(draft("b")) }
        #expect(try archive.enforceLimits() == 0)
        clock.advance(bySeconds: 86_400 * 7 + 1)
        #expect(try archive.enforceLimits() == 3)
        #expect(try archive.all().map(\.id) == [kept])
        // The emptied folder of a day goes too, the other stays.
        #expect(folder.files(below: "postcards").count == 4)
    }

    @Test("a clock that was never set deletes nothing by age")
    func unsetClock() throws {
        let clock = ManualClock(utc: UTCInstant(nanoseconds: 0))
        let archive = try open(RetentionLimits(maximumAge: 3600, spaceReserve: 0), clock: clock)
        _ = try archive.keep(draft("a", createdAt: UTCInstant(nanoseconds: -86_400_000_000_000)))
        #expect(try archive.enforceLimits() == 0)
    }

    @Test("short of free space, old ones go until the reserve is whole again")
    func reserve() throws {
        let archive = try open(RetentionLimits(spaceReserve: 0))
        for number in 0..<5 { _ = try archive.keep(draft("x", bytes: 100_000, createdAt: day(number - 9))) }
        archive.setLimits(RetentionLimits(spaceReserve: 1_000_000))
        disk.plan { $0.free = 1_000_000 }
        // The disk claims to stay as full as it was, so three rounds delete what they can and then give up.
        let error = try #require(throws: PostcardError.self) { try archive.keep(draft("n")) }
        guard case .storage(.insufficientStorage(let shortage)) = error else { return #expect(Bool(false), "\(error)") }
        #expect(shortage.free == 1_000_000)
        #expect(shortage.reserve == 1_000_000)
        #expect(try archive.all().count < 5)
        disk.plan { $0.free = 2_000_000 }
        _ = try archive.keep(draft("n"))
    }

    @Test("when deleting everything would not be enough, nothing is deleted and the numbers are told")
    func shortage() throws {
        let archive = try open(RetentionLimits(spaceReserve: 5_000_000))
        _ = try archive.keep(draft("a"))
        disk.plan { $0.free = 1_000_000 }
        let error = try #require(throws: PostcardError.self) { try archive.keep(draft("n")) }
        guard case .storage(.insufficientStorage(let shortage)) = error else { return #expect(Bool(false), "\(error)") }
        #expect(shortage.needed > 300 && shortage.needed < 100_000)
        #expect((shortage.free, shortage.reserve) == (1_000_000, 5_000_000))
        #expect(shortage.prunable == archive.usage().storedBytes)
        #expect(try archive.all().count == 1)
        let health = archive.usage().health
        #expect(health.kind == "disk-full")
        #expect(health.level == .failed)
        #expect("\(error)".hasPrefix("cannot keep the postcard: it takes"))

        // Space comes back, and so does the service, by itself.
        disk.plan { $0.free = 50_000_000 }
        #expect(archive.usage().health.level == .ok)
        _ = try archive.keep(draft("n"))
    }

    @Test("a disk without room for what was refused is full, though nothing is kept in reserve")
    func fullWithoutReserve() throws {
        let archive = try open(RetentionLimits(spaceReserve: 0))
        disk.plan { $0.free = 1000 }
        #expect(throws: PostcardError.self) { try archive.keep(draft("n")) }
        #expect(archive.store.figures.health.kind == "disk-full", "after the refusal, before the next look at the disk")
        #expect(archive.usage().health.kind == "disk-full")
        disk.plan { $0.free = 1_000_000 }
        #expect(archive.usage().health.level == .ok)
        _ = try archive.keep(draft("n"))
        // Old postcards make room for new ones, and nothing else fits.
        disk.plan { $0.free = 1000 }
        #expect(archive.usage().health.kind == "disk-full")
    }

    @Test("a disk that fills up while it is asked for its space is full: the later answer is believed")
    func fullWhileAsked() throws {
        let archive = try open(RetentionLimits(spaceReserve: 0))
        let draft = draft("n")
        disk.plan { [disk] plan in
            plan.free = 50_000_000
            plan.afterNextMeasure = {
                disk.plan { $0.free = 1000 }
                _ = try? archive.keep(draft)
            }
        }
        archive.store.refresh()
        #expect(archive.store.figures.freeBytes == 1000)
        #expect(archive.store.figures.health.kind == "disk-full")
    }

    @Test("a disk that takes no more files is full, whatever its bytes; old postcards make room, protected ones do not")
    func filesRunOut() throws {
        let archive = try open(RetentionLimits(spaceReserve: 0))
        _ = try archive.keep(draft("p", isProtected: true))
        disk.plan { $0.freeFiles = 2 }
        let error = try #require(throws: PostcardError.self) { try archive.keep(draft("n")) }
        guard case .storage(.insufficientStorage(let shortage)) = error else { return #expect(Bool(false), "\(error)") }
        #expect(shortage.freeFiles == 2)
        #expect("\(error)".contains("room for 2 more files"))
        #expect(archive.usage().health.kind == "disk-full")
        #expect(archive.usage().health.reason.contains("df -i"))

        disk.plan { $0.freeFiles = nil }
        for number in 0..<5 { _ = try archive.keep(draft("x", createdAt: day(number - 9))) }
        disk.plan { $0.freeFiles = 2 }
        // The disk claims to stay as full as it was: three rounds delete what they can and then give up.
        #expect(throws: PostcardError.self) { try archive.keep(draft("n")) }
        #expect(try archive.all().count < 6)
        disk.plan { $0.freeFiles = 8 }
        _ = try archive.keep(draft("n"))
        #expect(archive.usage().health.level == .ok)
    }

    @Test("a clock that nobody vouches for deletes nothing by age")
    func doubtedClock() throws {
        let clock = ManualClock(utc: noon)
        let archive = try postcardArchive(
            folder: folder.path, limits: RetentionLimits(maximumAge: 3600, spaceReserve: 0), clock: clock,
            operations: disk, believedTime: { nil })
        _ = try archive.keep(draft("a"))
        clock.advance(bySeconds: 366 * 86_400)
        #expect(try archive.enforceLimits() == 0)
        _ = try archive.keep(draft("b"))
        #expect(try archive.all().count == 2)
    }

    @Test("protected postcards that fill the limits are a shortage, and the health says what to do")
    func allProtected() throws {
        let archive = try open(RetentionLimits(maximumCount: 2, spaceReserve: 0))
        let first = try archive.keep(draft("a", isProtected: true)).id
        _ = try archive.keep(draft("b", isProtected: true))
        #expect(throws: PostcardError.self) { try archive.keep(draft("c")) }
        #expect(archive.usage().health.kind == "archive-full")
        try archive.protect(first, false)
        _ = try archive.keep(draft("c"))
        #expect(throws: PostcardError.notFound(first)) { try archive.record(first) }
    }

    @Test("many keepers at once end at the limit, and none of them is refused", arguments: [1, 10, 39])
    func concurrency(limit: Int) async throws {
        let archive = try open(RetentionLimits(maximumCount: limit, spaceReserve: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { _ = try archive.keep(draft("x")) } }
            try await group.waitForAll()
        }
        #expect(try archive.all().count == limit)
        #expect(archive.usage().count == limit)
        #expect(folder.files(below: "postcards").count == limit * 4)
        #expect(try folder.sqlite("PRAGMA integrity_check") == ["ok"])
    }

    @Test("an index that has no room left for a row is a full disk too, and leaves no file behind")
    func fullIndex() throws {
        let archive = try open(RetentionLimits(spaceReserve: 0))
        _ = try archive.keep(draft("a"))
        let before = folder.files(below: "postcards")
        try archive.store.readable.write({ connection throws(DatabaseError) in
            _ = try connection.rows("PRAGMA max_page_count = 1") { $0.integer(0) }
        }) { $0 }
        var error: PostcardError?
        // The pages that exist take some rows yet.
        for _ in 0..<200 where error == nil {
            do { _ = try archive.keep(draft("n")) } catch let failure { error = failure }
        }
        guard case .storage(.insufficientStorage) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        let count = try archive.all().count
        #expect(folder.files(below: "postcards").count == count * 4)
        #expect(before.count == 4)
    }
}
