import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("Listing postcards")
struct ListingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("pages hold every postcard once, newest first, while others come and go")
    func cursorStability() throws {
        let archive = try openArchive(folder)
        // Several of one instant, so that the id decides.
        let kept = try (0..<20).map { number in
            try archive.keep(draft("x", createdAt: noon.advanced(bySeconds: Double(number / 4)))).id
        }
        let first = try archive.list(PostcardQuery(limit: 6))
        let cursor = try #require(first.next)
        #expect(first.postcards.map(\.id) == kept.sorted().reversed().prefix(6).map(\.self))
        // The postcard that the cursor stands on goes, a newer and an older one come, one ahead goes.
        try archive.delete(first.postcards[5].id)
        try archive.delete(kept[8])
        _ = try archive.keep(draft("n", createdAt: noon.advanced(bySeconds: 100)))
        let old = try archive.keep(draft("o", createdAt: noon.advanced(bySeconds: -100))).id
        let parsed = try #require(PostcardCursor(cursor.description))
        #expect(parsed == cursor)
        let rest = try archive.list(PostcardQuery(limit: 200, cursor: parsed))
        #expect(rest.next == nil)
        #expect(rest.postcards.map(\.id) == kept[..<14].filter { $0 != kept[8] }.sorted().reversed() + [old])
    }

    @Test("times are those of the exposure: from is included, to is not, whatever clock the postcard was kept by")
    func times() throws {
        let archive = try openArchive(folder)
        // The clock was set back by a day between two postcards, so that the order of keeping is not that of exposure.
        let kept = try (0..<5).map { number in
            let day = number % 2 == 0 ? 0.0 : -86_400.0
            return try archive.keep(
                draft(
                    "x", createdAt: noon.advanced(bySeconds: day + Double(number)),
                    exposedAt: noon.advanced(bySeconds: Double(number) * 0.001)
                )
            ).id
        }
        func found(_ from: Double?, _ to: Double?, limit: Int = 50) throws -> [PostcardID] {
            var query = PostcardQuery(
                limit: limit, from: from.map { noon.advanced(bySeconds: $0) },
                to: to.map { noon.advanced(bySeconds: $0) })
            var ids: [PostcardID] = []
            repeat {
                let page = try archive.list(query)
                ids += page.postcards.map(\.id)
                query.cursor = page.next
            } while query.cursor != nil
            return ids
        }
        #expect(try found(0.001, 0.003) == [kept[2], kept[1]])
        #expect(try found(0.001, nil) == [kept[4], kept[2], kept[3], kept[1]])
        #expect(try found(0.001, nil, limit: 1) == [kept[4], kept[2], kept[3], kept[1]])
        #expect(try found(nil, 0.001) == [kept[0]])
        #expect(try found(0.002_000_001, 0.003).isEmpty)
    }

    @Test("boxes, also across the antimeridian; a postcard without a position is in none")
    func boxes() throws {
        let archive = try openArchive(folder)
        func keep(_ latitude: Double, _ longitude: Double) throws -> PostcardID {
            try archive.keep(draft("x", at: Coordinate(latitude: latitude, longitude: longitude))).id
        }
        let konza = try keep(39.1, -96.6)
        let fiji = try keep(-17.8, 178.0)
        let taveuni = try keep(-16.8, -179.99)
        _ = try archive.keep(draft("x", at: nil))
        func found(_ west: Double, _ south: Double, _ east: Double, _ north: Double) throws -> [PostcardID] {
            let box = try #require(GeographicBox(west: west, south: south, east: east, north: north))
            return try archive.list(PostcardQuery(box: box)).postcards.map(\.id).sorted()
        }
        #expect(try found(-97, 39, -96, 40) == [konza])
        #expect(try found(170, -20, -170, -10) == [fiji, taveuni].sorted())
        #expect(try found(-180, -90, 180, 90).count == 3)
        #expect(try found(-96.6, 39.1, -96.6, 39.1) == [konza])
        #expect(GeographicBox(west: 0, south: 10, east: 1, north: 9) == nil)
        #expect(GeographicBox(west: 0, south: .nan, east: 1, north: 9) == nil)
    }

    @Test("the page of a box is the same however many of the newest are looked through for it", arguments: 1...4)
    func boxesInOrder(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let archive = try openArchive(folder)
        var kept: [(id: PostcardID, at: UTCInstant, place: Coordinate?)] = []
        for _ in 0..<80 {
            let east = Double.random(in: -2...2, using: &generator)
            let place = Coordinate(
                latitude: .random(in: -2...2, using: &generator), longitude: east > 0 ? east - 180 : east + 180)
            let at = noon.advanced(bySeconds: Double(Int.random(in: 0...60, using: &generator)))
            let stands = Int.random(in: 0..<8, using: &generator) > 0
            let id = try archive.keep(draft("x", createdAt: at, at: stands ? place : nil)).id
            kept.append((id, at, stands ? place : nil))
        }
        for _ in 0..<60 {
            let half = Double.random(in: 0.1...2, using: &generator)
            let west = 180 - half
            let east = Bool.random(using: &generator) ? 180 : -180 + half
            let box = try #require(GeographicBox(west: west, south: -half, east: east, north: half))
            let query = PostcardQuery(limit: .random(in: 1...12, using: &generator), box: box)
            let rows = try archive.store.read { connection throws(DatabaseError) in
                try PostcardListing(query: query, orderedRows: [5, 20]).rows(in: &connection)
            }
            let expected = kept.filter { _, _, place in
                guard let place, abs(place.latitude) <= half else { return false }
                return east == 180 ? place.longitude >= west : place.longitude >= west || place.longitude <= east
            }.sorted { ($0.at, $0.id) > ($1.at, $1.id) }.prefix(query.limit + 1).map(\.id.description)
            #expect(rows.map(\.id) == expected, "seed \(seed): \(query)")
        }
    }

    @Test("limits out of range are refused", arguments: [0, -1, 201, .max])
    func limits(limit: Int) throws {
        let archive = try openArchive(folder)
        #expect(throws: PostcardError.storage(.invalid("a page holds 1 to 200 postcards"))) {
            try archive.list(PostcardQuery(limit: limit))
        }
    }

    @Test(
        "what is no cursor is refused",
        arguments: [
            "", ".", "1", "x.y", "1.01arz3ndektsv4rrffq69g5fa", "-1.\(String(repeating: "0", count: 26))x",
            "99999999999999999.\(String(repeating: "0", count: 26))",
        ])
    func badCursors(text: String) { #expect(PostcardCursor(text) == nil) }

    @Test("a picture's entity tag is its own, and its descriptor outlives the postcard")
    func pictures() throws {
        let archive = try openArchive(folder)
        let id = try archive.keep(draft("x")).id
        let picture = try archive.openPicture(.postcard, of: id)
        #expect(picture.entityTag == "\"\(id)-postcard\"")
        #expect(picture.modified.seconds > 0)
        try archive.delete(id)
        #expect(picture.byteCount == 300)
        #expect(throws: PostcardError.notFound(id)) { try archive.bytes(.postcard, of: id) }
    }
}
