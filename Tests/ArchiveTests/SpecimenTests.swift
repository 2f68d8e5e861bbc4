import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("A specimen")
struct SpecimenTests {
    private let folder: TemporaryFolder
    private let base: PostcardArchive
    private let archive: SpecimenArchive

    init() throws {
        folder = try TemporaryFolder()
        base = try openArchive(folder)
        archive = specimenArchive(base)
    }

    @Test("is a folder with one whole file, and a row that sqlite3 finds")
    func storage() throws {
        let specimen = try archive.openNext()
        let path = "specimens/2026/\(specimen.id)/specimen.json"
        let text = try #require(folder.contents(path))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
        #expect(object["number"] as? String == "KNZ-2026-0001")
        #expect(object["collector"] as? String == "Müller, Jörg")
        #expect(
            try folder.sqlite("SELECT id, number_key, round(latitude, 4) FROM specimens")
                == ["\(specimen.id)|knz-2026-0001|39.1069"])
        #expect(try archive.specimen(specimen.id) == specimen)
    }

    @Test("opened twice with one key is one; with another request it is refused")
    func idempotency() throws {
        let key = IdempotencyKey(key: "k", body: Array("a".utf8))
        let first = try archive.open(specimenDraft(archive), number: .next(.standard, day), key: key)
        let again = try archive.open(specimenDraft(archive), number: .next(.standard, day), key: key)
        #expect(again == .known(first.specimen))
        #expect(throws: SpecimenError.keyConflict) {
            try archive.openNext(key: IdempotencyKey(key: "k", body: Array("b".utf8)))
        }
        #expect(try archive.all().count == 1)
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        let rebuilt = try specimenArchive(openArchive(folder))
        #expect(
            try rebuilt.open(specimenDraft(rebuilt), number: .next(.standard, day), key: key)
                == .known(first.specimen))
    }

    @Test("counts its changes, and a change that names an old revision changes nothing")
    func revisions() throws {
        let specimen = try archive.openNext()
        let later = noon.advanced(bySeconds: 60)
        let changed = try archive.change(specimen.id, expecting: 1, at: later) { $0.country = "USA" }
        #expect(changed.revision == 2 && changed.country == "USA")
        #expect(changed.changedAt.rfc3339 == later.rfc3339 && changed.createdAt == specimen.createdAt)
        #expect(throws: SpecimenError.revisionConflict(2)) {
            try archive.change(specimen.id, expecting: 1, at: later) { $0.country = "Chile" }
        }
        #expect(try archive.change(specimen.id, at: later) { $0.country = "USA" }.revision == 2, "no change")
        #expect(try archive.specimen(specimen.id) == changed)
    }

    @Test("that would not fit its file is refused and stays as it was")
    func tooLarge() throws {
        let specimen = try archive.openNext()
        #expect(throws: SpecimenError.self) {
            try archive.change(specimen.id, at: noon) { $0.description = String(repeating: "x", count: 1 << 20) }
        }
        #expect(try archive.specimen(specimen.id) == specimen)
    }

    @Test("deleted is a tombstone that keeps its number, can be restored, and is gone after 30 days")
    func tombstone() throws {
        let specimen = try archive.openNext()
        let photograph = try archive.addPicture("a", to: specimen.id)
        try archive.delete(specimen.id, at: noon)
        #expect(try archive.all().isEmpty)
        var query = SpecimenQuery()
        query.isDeleted = true
        #expect(try archive.all(query).map(\.id) == [specimen.id])
        #expect(throws: SpecimenError.numberTaken("KNZ-2026-0001", by: specimen.id, isDeleted: true)) {
            try archive.open(specimenDraft(archive), number: .given("KNZ-2026-0001"))
        }
        #expect(throws: SpecimenError.notFound(specimen.id)) { try archive.change(specimen.id, at: noon) { _ in } }

        let almost = noon.advanced(bySeconds: 30 * 86_400 - 1)
        #expect(try archive.purge(at: almost) == 0)
        #expect(try archive.restore(specimen.id, at: almost).deletedAt == nil)
        #expect(try archive.bytes(of: photograph, specimen.id).count == 400)

        try archive.delete(specimen.id, at: noon)
        let over = noon.advanced(bySeconds: 30 * 86_400 + 1)
        #expect(throws: SpecimenError.notFound(specimen.id)) { try archive.restore(specimen.id, at: over) }
        #expect(try archive.purge(at: over) == 1)
        #expect(folder.files(below: "specimens") == ["sequence.json"])
        #expect(try folder.sqlite("SELECT count(*) FROM specimens") == ["0"])
        #expect(try archive.open(specimenDraft(archive), number: .given("KNZ-2026-0001")).specimen.revision == 1)
    }

    @Test("is not removed by a clock that was never set")
    func unsetClock() throws {
        let specimen = try archive.openNext()
        try archive.delete(specimen.id, at: UTCInstant(nanoseconds: 0))
        #expect(try archive.purge(at: UTCInstant(nanoseconds: 90 * 86_400 * 1_000_000_000)) == 0)
        #expect(try archive.specimen(specimen.id).deletedAt != nil)
    }

    @Test("is never deleted to make room for postcards, which make room for specimens")
    func retention() throws {
        for mark in ["a", "b", "c"] { _ = try base.keep(draft(mark, bytes: 100_000)) }
        let specimen = try archive.openNext()
        base.setLimits(RetentionLimits(maximumBytes: 1, maximumAge: 1, maximumCount: 1, spaceReserve: 0))
        try base.enforceLimits()
        #expect(try archive.all().map(\.id) == [specimen.id])

        let (other, shadows) = (try TemporaryFolder(), try TemporaryFolder())
        let disk = UnreliableDisk(shadows: shadows.path)
        let small = try openArchive(other, limits: RetentionLimits(spaceReserve: 1000), operations: disk)
        let specimens = specimenArchive(small)
        _ = try small.keep(draft("a", bytes: 200_000))
        disk.plan { $0.free = 40_000 }
        // A shortage of 27 kB, and the oldest postcard gives back 200: the disk's word stays what it was, so in the end
        // there is none, but the postcard is gone and the specimen's refusal tells the numbers.
        let error = #expect(throws: SpecimenError.self) { try specimens.openNext() }
        guard case .storage(.insufficientStorage(let shortage)) = error else { throw error ?? .keyConflict }
        #expect(shortage.free == 40_000 && shortage.reserve == 1000 && shortage.needed >= 65_536)
        #expect(try small.all().isEmpty)
        disk.plan { $0.free = nil }
        #expect(try specimens.openNext().number == "KNZ-2026-0001")
    }
}

@Suite("The photographs of a specimen")
struct PhotographTests {
    private let folder: TemporaryFolder
    private let archive: SpecimenArchive
    private let specimen: Specimen

    init() throws {
        folder = try TemporaryFolder()
        archive = try specimenArchive(openArchive(folder))
        specimen = try archive.open(specimenDraft(archive), number: .given("KZ/7 b")).specimen
    }

    @Test("are whole files beside it, with their SHA-256 and names that are never used again")
    func files() throws {
        let first = try archive.addPicture("a", to: specimen.id)
        let second = try archive.addPicture("b", to: specimen.id)
        #expect([first, second].map(\.fileName) == ["KZ_7_b-01.jpg", "KZ_7_b-02.jpg"])
        #expect(FileContent(try archive.bytes(of: first, specimen.id)).sha256() == first.sha256)
        #expect(try archive.specimen(specimen.id).revision == 3)
        try archive.delete(photograph: second.id, of: specimen.id, at: noon)
        #expect(try archive.addPicture("c", to: specimen.id).fileName == "KZ_7_b-03.jpg")
        let names = folder.files(below: "specimens/2026/\(specimen.id)")
        #expect(names.count == 5 && !names.contains("\(second.id).jpg"))
        #expect(throws: SpecimenError.photographNotFound(second.id)) {
            _ = try archive.openPhotograph(second.id, of: specimen.id).mediaType
        }
    }

    @Test("are at most a hundred")
    func bound() throws {
        for _ in 0..<SpecimenArchive.maximumPhotographs { try archive.addPicture("a", to: specimen.id) }
        #expect(throws: SpecimenError.tooManyPhotographs(limit: 100)) { try archive.addPicture("b", to: specimen.id) }
    }

    @Test("whose file somebody took away are told as missing")
    func missing() throws {
        let photograph = try archive.addPicture("a", to: specimen.id)
        try FileManager.default.removeItem(atPath: archive.path(of: photograph, specimen.id))
        #expect(throws: SpecimenError.photographMissing(photograph.id)) {
            _ = try archive.openPhotograph(photograph.id, of: specimen.id).mediaType
        }
        #expect(try openArchive(folder).usage().health.kind == "specimens-photographs-missing")
    }
}

@Suite("The numbers of specimens")
struct SpecimenNumberTests {
    @Test(
        "follow a template",
        arguments: [
            ("KNZ-{yyyy}-{seq:04}", 7, "KNZ-2026-0007"), ("{yy}{mm}{dd}/{seq}", 12, "260530/12"),
            ("K{seq:02}", 12345, "K12345"),
        ])
    func template(text: String, count: Int, number: String) throws {
        let template = try #require(NumberTemplate(text))
        #expect(template.number(CivilTime(year: 2026, month: 5, day: 30), count: count) == number)
        #expect(template.description == text)
    }

    @Test(
        "have no other templates",
        arguments: [
            "", "KNZ", "{seq}{seq}", "{sec}", "{seq:4}", "{seq:010}", "{seq", "seq}", "a,{seq}",
            "123456789012345678901234567{seq}",
        ])
    func noTemplate(text: String) {
        #expect(NumberTemplate(text) == nil)
    }

    @Test("are unique, letter case apart")
    func unique() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let archive = try specimenArchive(openArchive(folder))
        let first = try archive.open(specimenDraft(archive), number: .given("Öl-1")).specimen
        #expect(throws: SpecimenError.numberTaken("öL-1", by: first.id, isDeleted: false)) {
            try archive.open(specimenDraft(archive), number: .given("öL-1"))
        }
        let second = try archive.openNext()
        #expect(throws: SpecimenError.numberTaken("ÖL-1", by: first.id, isDeleted: false)) {
            try archive.change(second.id, at: noon) { $0.number = "ÖL-1" }
        }
        #expect(try archive.change(first.id, at: noon) { $0.number = "ÖL-1" }.number == "ÖL-1", "its own")
        for bad in ["", " a", "a,b", "a\u{301}", "a\nb", String(repeating: "x", count: 36)] {
            #expect(throws: SpecimenError.self) { try archive.open(specimenDraft(archive), number: .given(bad)) }
        }
    }

    @Test("are not given again: not after a purge, not with the index gone, not past one that was given by hand")
    func neverAgain() throws {
        let folder = try TemporaryFolder()
        var archive = try specimenArchive(openArchive(folder))
        let first = try archive.openNext()
        try archive.delete(first.id, at: noon)
        try archive.purge(at: noon.advanced(bySeconds: 31 * 86_400))
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        archive = try specimenArchive(openArchive(folder))
        _ = try archive.open(specimenDraft(archive), number: .given("knz-2026-0003"))
        #expect(try archive.openNext().number == "KNZ-2026-0002")
        #expect(try archive.openNext().number == "KNZ-2026-0004")
        let nextYear = try archive.open(
            specimenDraft(archive), number: .next(.standard, CivilTime(year: 2027, month: 1, day: 1)))
        #expect(nextYear.specimen.number == "KNZ-2027-0001")
        // Even with the counts gone no number is used twice.
        try FileManager.default.removeItem(atPath: "\(folder.path)/specimens/sequence.json")
        #expect(try archive.openNext().number == "KNZ-2026-0001")
        #expect(try archive.openNext().number == "KNZ-2026-0005")
    }
}

@Suite("The list of specimens")
struct SpecimenListTests {
    private let folder: TemporaryFolder
    private let archive: SpecimenArchive

    init() throws {
        folder = try TemporaryFolder()
        archive = try specimenArchive(openArchive(folder))
    }

    @Test("comes newest first, in pages that lose and repeat nothing")
    func pages() throws {
        let opened = try (0..<10).map { index in
            try archive.open(
                specimenDraft(archive, at: noon.advanced(bySeconds: Double(index))), number: .next(.standard, day)
            ).specimen
        }
        #expect(try archive.all().map(\.number) == opened.reversed().map(\.number))
        #expect(try archive.all(pageSize: 10).count == 10)
        #expect(throws: SpecimenError.self) { try archive.all(pageSize: 201) }
    }

    @Test("by place: a box, and a circle whose box crosses the antimeridian or a pole")
    func places() throws {
        let places = [(0.0, 179.999), (0.0, -179.999), (0.0, 179.0), (89.999, 10.0), (89.999, -170.0), (39.1, -96.6)]
        for place in places {
            _ = try archive.open(
                specimenDraft(archive, place: Coordinate(latitude: place.0, longitude: place.1)),
                number: .next(.standard, day))
        }
        func found(_ latitude: Double, _ longitude: Double, _ radius: Double) throws -> [String] {
            var query = SpecimenQuery()
            let centre = try #require(Coordinate(latitude: latitude, longitude: longitude))
            query.circle = .init(centre: centre, radius: radius)
            return try archive.all(query).map(\.number).sorted()
        }
        // 0.002 degrees on the equator are 222 m.
        #expect(try found(0, 180, 120) == ["KNZ-2026-0001", "KNZ-2026-0002"])
        #expect(try found(0, 179.999, 110) == ["KNZ-2026-0001"])
        #expect(try found(90, 0, 200) == ["KNZ-2026-0004", "KNZ-2026-0005"])
        #expect(try found(39.1, -96.6, 1) == ["KNZ-2026-0006"])
        #expect(try found(39.1, -96.6, 2.1e7).count == 6)
        var query = SpecimenQuery()
        query.box = GeographicBox(west: 179.5, south: -1, east: -179.5, north: 1)
        #expect(try archive.all(query).count == 2)
    }

    @Test("a circle holds what is in its radius and nothing else, wherever it lies", arguments: 1...20)
    func circles(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            let centre = try #require(
                Coordinate(
                    latitude: .random(in: -90...90, using: &generator),
                    longitude: .random(in: -180...180, using: &generator)))
            let radius = Double.random(in: 1...3e6, using: &generator)
            let other = try #require(
                Coordinate(
                    latitude: max(-90, min(90, centre.latitude + .random(in: -25...25, using: &generator))),
                    longitude: .random(in: -180...180, using: &generator)))
            let circle = SpecimenQuery.Circle(centre: centre, radius: radius)
            if centre.distance(to: other) <= radius {
                #expect(circle.box.contains(other), "seed \(seed): \(circle) \(other)")
            }
        }
    }

    @Test("by words, and by how far the submission is")
    func words() throws {
        let first = try archive.openNext("Gneiss")
        let second = try archive.openNext("Schist")
        try archive.change(second.id, at: noon) { $0.fieldNotes = "50% Garnet_, under the OLD bridge" }
        try archive.submit(first.id, to: .metpetdb)
        func found(_ words: [String], _ state: Submission.State? = nil) throws -> [String] {
            var query = SpecimenQuery()
            query.words = words
            query.state = state.map { (.metpetdb, $0) }
            return try archive.all(query).map(\.rockType)
        }
        #expect(try found(["MÜLLER"]).count == 2)
        #expect(try found(["old", "schist"]) == ["Schist"])
        #expect(try found(["50%", "garnet_"]) == ["Schist"])
        #expect(try found(["%"]) == ["Schist"], "no wildcard")
        #expect(try found([], .ready) == ["Gneiss"])
        #expect(try found([], .draft) == ["Schist"])
    }
}
