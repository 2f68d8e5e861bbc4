import Foundation
import KonzaModel
import KonzaTesting
import Synchronization
import Testing

@testable import Postcards
@testable import Specimens
@testable import Storage

@Suite("Specimens whose index is compared with their files while it is in use")
struct SpecimenComparisonTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Opens specimens over so many years, and some of them are submitted.
    private func fill(_ count: Int, years: Int) throws -> [SpecimenID] {
        let archive = try specimenArchive(openArchive(folder))
        return try (0..<count).map { number in
            let instant = noon.advanced(bySeconds: Double(number) - Double(number % years) * 366 * 86_400)
            let draft = specimenDraft(archive, at: instant)
            let id = try archive.open(draft, number: .next(.standard, day)).specimen.id
            if number % 3 == 0 { try archive.submit(id, to: .metpetdb) }
            if number % 4 == 0 { try archive.addPicture("p", to: id) }
            return id
        }
    }

    /// An archive whose comparison with the files has begun, and is not over.
    private func begun() throws -> SpecimenArchive {
        let archive = try postcardArchive(
            folder: folder.path, limits: RetentionLimits(spaceReserve: 0), clock: HurriedClock(noon),
            opensAtOnce: false)
        archive.store.open()
        #expect(archive.store.figures.comparison != nil)
        return specimenArchive(archive)
    }

    private func marks() throws -> [String] { try folder.sqlite("SELECT id FROM specimen_marks") }

    @Test("are written at once after an end in order, and after one in the middle of a write")
    func atOnce() throws {
        let ids = try fill(12, years: 6)
        #expect(try marks() == [])
        for isCut in [false, true] {
            if isCut { _ = try folder.sqlite("INSERT INTO specimen_marks VALUES ('\(ids[4])')") }
            let archive = try begun()
            #expect(try marks() == [])
            let key = IdempotencyKey(key: "bag \(isCut)", requestHash: "1")
            let opened = try archive.openNext("Schist", key: key)
            #expect(try archive.openNext("Schist", key: key) == opened)
            #expect(try archive.due(targets: [.metpetdb]) != nil)
            try archive.change(ids[7], at: noon) { $0.country = "USA" }
            #expect(archive.store.figures.comparison != nil)
            archive.store.refresh()
            #expect(archive.store.figures.comparison == nil)
            #expect(archive.store.figures.health.level == .ok)
            #expect(try archive.specimen(ids[7]).country == "USA")
        }
    }

    @Test("have their newer files' word before the first write, where konzad ended between the files and the row")
    func older() throws {
        let ids = try fill(12, years: 6)
        let disk = UnreliableDisk(shadows: try TemporaryFolder().path)
        do {
            let archive = try specimenArchive(openArchive(folder, operations: disk))
            var record = try archive.submission(ids[3], to: .metpetdb)
            record.state = .submitted
            record.submittedRevision = try archive.specimen(ids[3]).revision
            record = try archive.write(record)
            // Its last steps are a write's row and what comes after it; the same once more ends before these.
            disk.restartCount()
            _ = try archive.write(record)
            let last = try #require(disk.stepsTaken.lastIndex(of: .commit))
            record = try archive.submission(ids[3], to: .metpetdb)
            record.lastKnown = "{}"
            disk.restartCount()
            disk.plan { $0.crashAfter = last - 1 }
            #expect(throws: SpecimenError.self) { try archive.write(record) }
            #expect(disk.hasCrashed)
        }
        #expect(try marks() == ["\(ids[3])"])
        let rows = try folder.sqlite("SELECT record FROM submissions WHERE specimen = '\(ids[3])'")
        #expect(!rows.isEmpty && !rows.contains { $0.contains("lastKnown") })
        let archive = try begun()
        #expect(try archive.submission(ids[3], to: .metpetdb).lastKnown == "{}")
        #expect(try marks() == [])
    }

    @Test("of which a write failed are looked at by the next opening, whatever is written to them until then")
    func failed() throws {
        let ids = try fill(2, years: 1)
        let disk = UnreliableDisk(shadows: try TemporaryFolder().path)
        let archive = try specimenArchive(openArchive(folder, operations: disk))
        // The first write of a run makes its folders sure, too.
        try archive.change(ids[0], at: noon) { $0.country = "Cuba" }
        disk.restartCount()
        try archive.change(ids[0], at: noon) { $0.country = "USA" }
        #expect(try marks() == [])
        let replaced = try #require(disk.stepsTaken.firstIndex(of: .rename))
        disk.restartCount()
        disk.plan { $0.failAt = (replaced + 1, EIO) }
        #expect(throws: SpecimenError.self) { try archive.change(ids[0], at: noon) { $0.country = "Canada" } }
        disk.plan { $0.failAt = nil }
        #expect(try archive.specimen(ids[0]).country == "USA")
        try archive.change(ids[0], at: noon) { $0.country = "Mexico" }
        #expect(try marks() == ["\(ids[0])"])
        #expect(try begun().specimen(ids[0]).country == "Mexico")
        #expect(try marks() == [])
    }

    @Test("lose nothing that is written meanwhile, and agree with their files at the end", arguments: 0..<3)
    func interleaved(round: Int) throws {
        let seed = RandomTest.seed(of: "comparison of specimens, round \(round)")
        var generator = SeededGenerator(seed: seed &+ UInt64(round))
        let ids = try fill(60, years: 20)
        // Rows that the comparison has to put in order, or everything: in the last round the index is gone.
        let changed = ids.shuffled(using: &generator).prefix(10)
        for id in changed {
            _ = try folder.sqlite(
                "UPDATE specimens SET record = replace(record, 'Gneiss', 'Marble') WHERE id = '\(id)'")
        }
        if round == 2 { try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db") }
        let archive = try begun()
        let isOver = Mutex(false)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            archive.store.refresh()
            isOver.withLock { $0 = true }
            done.signal()
        }
        var written: [SpecimenID: String] = [:]
        var touched: Set<SpecimenID> = []
        var steps = 0
        while !isOver.withLock({ $0 }) || steps < 40, steps < 400 {
            steps += 1
            let id = try #require(ids.randomElement(using: &generator))
            touched.insert(id)
            do {
                try step(archive, id, "country \(steps)", Int.random(in: 0..<8, using: &generator), &written)
            } catch SpecimenError.storage(.database(let failure)) where failure.isRebuilding {
                // Told of an index that is made anew, and of no other.
                #expect(round == 2, "seed \(seed)")
            } catch SpecimenError.notFound, SpecimenError.submissionNotFound {}
        }
        done.wait()
        for (id, country) in written { #expect(try archive.stored(id).specimen.country == country, "seed \(seed)") }
        // Rows that no konzad has written, of specimens that were written to meanwhile, are left to the next opening.
        let left = round == 2 ? [] : touched.intersection(changed)
        try expectAgreement(archive, ids.filter { !left.contains($0) }, "seed \(seed)")
        try expectAgreement(specimenArchive(openArchive(folder)), ids, "seed \(seed), opened again")
    }

    private func step(
        _ archive: SpecimenArchive, _ id: SpecimenID, _ country: String, _ choice: Int,
        _ written: inout [SpecimenID: String]
    ) throws {
        switch choice {
        case 0: try archive.delete(id, at: noon)
        case 1: _ = try archive.restore(id, at: noon)
        case 2: try archive.addPicture("q", to: id)
        case 3:
            if let one = try archive.specimen(id).photographs.first {
                try archive.delete(photograph: one.id, of: id, at: noon)
            }
        case 4: try archive.submit(id, to: .sesar)
        case 5:
            var record = try archive.submission(id, to: .metpetdb)
            record.lastKnown = country
            _ = try archive.write(record)
        default:
            try archive.change(id, at: noon) { $0.country = country }
            written[id] = country
        }
    }

    /// Rows and files say the same, and nothing lies about.
    private func expectAgreement(_ archive: SpecimenArchive, _ ids: [SpecimenID], _ comment: Comment) throws {
        #expect(archive.store.figures.comparison == nil, comment)
        #expect(archive.figures == (try archive.usage()), comment)
        for id in ids {
            try expectFiles(of: try archive.stored(id).specimen, archive, in: folder, comment)
        }
        #expect(folder.files(below: Store.lostAndFound).isEmpty, comment)
        #expect(archive.store.figures.health.kind != "specimens-photographs-missing", comment)
        #expect(try marks() == [], comment)
    }
}
