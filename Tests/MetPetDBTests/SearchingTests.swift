import Foundation
import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Testing

@testable import MetPetDB

/// A stand-in with samples, seen over either of its interfaces.
struct Collection {
    let server: StandInMetPetDB
    let center: Coordinate

    init() throws {
        server = try StandInMetPetDB()
        server.start()
        center = try #require(Coordinate(latitude: 39.1, longitude: -96.6))
    }

    func add(
        _ number: String, _ latitude: Double?, _ longitude: Double?, rock: String = "Gneiss", isPublic: Bool = true,
        isOthers: Bool = false, _ change: (inout StandInSample) -> Void = { _ in }
    ) {
        var sample = StandInSample(
            id: UUID().uuidString.lowercased(), ownerID: isOthers ? server.otherOwnerID : server.ownerID,
            number: number, isPublic: isPublic, rockType: rock, latitude: latitude, longitude: longitude)
        change(&sample)
        server.change { $0.append(sample) }
    }

    func rest(anonymous: Bool = false) throws -> RESTSampleSource {
        guard !anonymous else {
            return RESTSampleSource(
                client: try MetPetDBClient(address: ServerAddress(server.baseURL), credentials: nil))
        }
        return RESTSampleSource(client: try Field.client(server.baseURL), account: StandInMetPetDB.email)
    }

    func servlet(anonymous: Bool = false) throws -> ServletSampleSource {
        try ServletSampleSource(
            address: ServerAddress(server.baseURL), user: anonymous ? nil : StandInMetPetDB.email)
    }

    func sources() throws -> [any SampleSource] { [try rest(), try servlet()] }

    func near(_ radius: Double) -> SampleQuery { SampleQuery(.circle(center: center, radius: radius)) }
}

@Suite("Looking for samples", .offPool)
struct SearchingTests {
    let collection: Collection

    init() throws { collection = try Collection() }

    private func numbers(_ answer: SampleAnswer) -> [String] { answer.samples.map(\.number) }

    @Test("Within a radius the nearest come first, the corners of the box do not count, and both servers agree")
    func circle() throws {
        collection.add("far", 39.15, -96.6)
        collection.add("near", 39.1001, -96.6)
        // 7.1 km north and 7.1 km east of it: in the box of 10 km, and 10.04 km away.
        collection.add("corner", 39.1638, -96.5178)
        collection.add("nowhere-near", 10, 10)
        for source in try collection.sources() {
            let answer = try source.search(collection.near(10_000))
            #expect(numbers(answer) == ["near", "far"], "\(source.origin)")
            #expect(answer.total == 2)
            #expect(answer.isWhole)
            let sightings = answer.samples.sighted(from: collection.center)
            #expect(abs((sightings[0].distance ?? 0) - 11.1) < 0.1)
            #expect(sightings[0].bearing == 0)
        }
    }

    @Test("A box may cross the antimeridian, and no sample is found twice")
    func antimeridian() throws {
        collection.add("east", -17, 179.9)
        collection.add("west", -17, -179.9)
        collection.add("off", -17, 170)
        let box = try #require(GeographicBox(west: 179, south: -20, east: -179, north: -10))
        let center = try #require(Coordinate(latitude: -17, longitude: 180))
        for source in try collection.sources() {
            #expect(Set(numbers(try source.search(SampleQuery(.box(box))))) == ["east", "west"])
            let circle = SampleQuery(.circle(center: center, radius: 20_000))
            #expect(Set(numbers(try source.search(circle))) == ["east", "west"])
            let extent = try source.summary(SampleQuery(.box(box))).extent
            #expect(extent == GeographicBox(west: 179.9, south: -17, east: -179.9, north: -17))
        }
    }

    @Test("Filters narrow by rock type, mineral, grade, owner, region and visibility")
    func filters() throws {
        let quartz = StandInSample.Mineral(name: "Quartz", amount: "x")
        let garnet = StandInSample.Mineral(name: "Garnet", amount: "12")
        collection.add("a", 1, 1) { $0.minerals = [quartz, garnet] }
        collection.add("b", 1, 1, rock: "Schist", isPublic: false) { $0.minerals = [quartz] }
        collection.add("c", 1, 1, isOthers: true) { $0.metamorphicGrades = ["Garnet zone"] }
        collection.add("d", 1, 1, isPublic: false, isOthers: true)
        collection.add("e", 1, 1) { $0.regions = ["Kansas"] }
        func query(_ change: (inout SampleQuery) -> Void) -> SampleQuery {
            var query = SampleQuery()
            change(&query)
            return query
        }
        let rows: [(SampleQuery, Set<String>)] = [
            (SampleQuery(), ["a", "b", "c", "e"]), (query { $0.rockTypes = ["Schist"] }, ["b"]),
            (query { $0.rockTypes = ["Schist", "Gneiss"] }, ["a", "b", "c", "e"]),
            (query { $0.minerals = ["Quartz", "Garnet"] }, ["a", "b"]),
            (
                query {
                    $0.minerals = ["Quartz", "Garnet"]
                    $0.needsAllMinerals = true
                }, ["a"]
            ),
            (query { $0.metamorphicGrades = ["Garnet zone"] }, ["c"]), (query { $0.owners = ["B. Colleague"] }, ["c"]),
            (query { $0.visibility = .public }, ["a", "c", "e"]), (query { $0.visibility = .private }, ["b"]),
            (SampleQuery(.region("Kansas")), ["e"]),
        ]
        for source in try collection.sources() {
            for (query, expected) in rows {
                #expect(Set(numbers(try source.search(query))) == expected, "\(source.origin): \(query)")
                let answered = try source.search(query).samples
                #expect(answered.allSatisfy(query.matches), "what a server finds matches here too")
            }
        }
        for source in [try collection.rest(anonymous: true), try collection.servlet(anonymous: true)]
            as [any SampleSource]
        {
            #expect(Set(numbers(try source.search(SampleQuery()))) == ["a", "c", "e"])
        }
    }

    @Test("A collector's name with a comma is found, one that only looks alike is not; both ends of the days count")
    func people() throws {
        collection.add("a", 1, 1) { $0.collectorName = "Doe, J. (x)" }
        collection.add("b", 1, 1) { $0.collectorName = "Doe; J. (x)" }
        collection.add("c", 1, 1) { $0.collectionDate = "2026-03-01" }
        collection.add("d", 1, 1) { $0.collectionDate = "2026-02-28" }
        var query = SampleQuery()
        query.collectors = ["Doe, J. (x)"]
        let source = try collection.rest()
        #expect(numbers(try source.search(query)) == ["a"])
        query = SampleQuery()
        query.collectedFrom = CalendarDate("2026-03-01")
        query.collectedTo = CalendarDate("2026-03-01")
        #expect(numbers(try source.search(query)) == ["c"])
        query = SampleQuery(.region("Kansas, north"))
        let error = #expect(throws: MetPetDBError.self) { try source.search(query) }
        #expect(error?.reason == .question)
    }

    @Test("More samples than an answer holds are counted, and around a place the nearest are whole")
    func many() throws {
        // A thousand and two hundred, a metre from one another along a parallel.
        for number in 0..<1200 { collection.add("n\(number)", 39.1, -96.6 + Double(number) / 86_000) }
        for source in try collection.sources() {
            let box = try source.search(SampleQuery())
            #expect(box.samples.count == SampleAnswer.mostSamples)
            #expect(box.total == 1200)
            #expect(!box.isWhole)
            let circle = try source.search(collection.near(5000))
            let within = try #require(circle.wholeWithin, "\(source.origin)")
            #expect(circle.total == 1200)
            #expect(circle.samples.count > 700)
            let wanted = collection.server.samples.count { sample in
                let place = Coordinate(latitude: sample.latitude ?? 0, longitude: sample.longitude ?? 0)
                return place.map { collection.center.distance(to: $0) < within - 2 } ?? false
            }
            let held = circle.samples.sighted(from: collection.center).count { ($0.distance ?? 0) < within - 2 }
            #expect(held == wanted)
        }
    }

    @Test("The summary counts without the samples, and says what it looked at")
    func summary() throws {
        for number in 0..<30 {
            collection.add("n\(number)", 39.1, -96.6 + Double(number) / 1000, rock: number < 20 ? "Gneiss" : "Schist") {
                $0.minerals = [.init(name: "Quartz", amount: "x")]
                $0.description = String(repeating: "long ", count: 1000)
            }
        }
        let summary = try collection.rest().summary(collection.near(50_000))
        #expect(summary.total == 30)
        #expect(summary.counted == 30)
        #expect(summary.rockTypes == [NameCount("Gneiss", 20), NameCount("Schist", 10)])
        #expect(summary.minerals == [NameCount("Quartz", 30)])
        #expect(summary.owners == [NameCount("A. Collector", 30)])
        #expect(summary.extent == GeographicBox(west: -96.6, south: 39.1, east: -96.571, north: 39.1))
        let asked = collection.server.requests.filter { $0.path == "/api/samples/" }
        #expect(asked.count == 1)
        #expect(asked.first?.query["fields"]?.contains("description") == false)
        let names = try collection.servlet().summary(collection.near(50_000))
        #expect(names.total == 30)
        #expect(names.rockTypes == [NameCount("Gneiss", nil), NameCount("Schist", nil)])
    }

    @Test("A sample shows its images, subsamples, analyses and comments, as far as the server has them")
    func details() throws {
        collection.add("a", 39.1, -96.6) { sample in
            sample.description = "Road cut & \"garnet\" <5 mm"
            sample.comments = ["first", "second"]
            sample.subsamples = [.init(id: UUID().uuidString, name: "TS-1", analyses: ["Garnet", "Garnet", nil])]
            var image = StandInImage(
                id: UUID().uuidString.lowercased(), fileName: "a.jpg", ownerID: "", imageType: 3, scale: 120,
                isPublic: true, bytes: [1])
            image.comments = ["nice"]
            sample.images = [image]
        }
        let rest = try collection.rest()
        let found = try #require(try rest.search(SampleQuery()).samples.first)
        #expect(found.imageCount == 1)
        #expect(found.subsampleCount == 1)
        #expect(found.analysisCount == 3)
        let sample = try rest.details(found.id)
        #expect(sample.description == "Road cut & \"garnet\" <5 mm")
        #expect(sample.subsamples.map(\.name) == ["TS-1"])
        #expect(sample.subsamples.first?.type == "Thin Section")
        #expect(sample.analyses == .init(total: 3, minerals: [NameCount("Garnet", 2)], hasBulkRock: true))
        #expect(sample.images.first?.comments == ["nice"])
        #expect(sample.images.first?.scale == 120)
        #expect(sample.images.first?.fullSizeURL?.hasSuffix("/a.jpg") == true)

        let servlet = try collection.servlet()
        let old = try servlet.details("1")
        #expect(old.description == sample.description)
        #expect(old.comments == ["first", "second"])
        #expect(old.analyses == .init(total: 3, minerals: [NameCount("Garnet", nil)], hasBulkRock: true))
        #expect(old.images.first?.fullSizeURL?.contains("/image/?checksum=") == true)
        #expect(old.images.first?.imageType == "Field Photo")
        #expect(throws: MetPetDBError.self) { try rest.details("../auth/me") }
        #expect(throws: MetPetDBError.self) { try servlet.details("1\nuser= x") }
    }

    @Test("Regions come as an alphabetical index, each once, without regard to letter case")
    func regions() throws {
        collection.add("a", 1, 1) { $0.regions = ["vermont", "Kansas", "Adirondacks"] }
        collection.add("b", 1, 1) { $0.regions = ["Kansas", "New York"] }
        for source in try collection.sources() {
            #expect(try source.regions() == ["Adirondacks", "Kansas", "New York", "vermont"])
        }
    }

    @Test("A server that one empty point broke says so, and places off the Earth are no places")
    func poisoned() throws {
        collection.add("off", 91.5, -273.6)
        let source = try collection.rest()
        #expect(try source.search(SampleQuery()).samples.first?.place == nil)
        collection.add("empty", nil, nil)
        let error = #expect(throws: MetPetDBError.self) { try source.search(SampleQuery()) }
        #expect(error?.reason == .failed)
        #expect(error?.description.hasPrefix("cannot look for samples: ") == true)
    }

    @Test("A question that cannot be put is refused before anybody is asked")
    func unanswerable() throws {
        var tooMany = SampleQuery()
        tooMany.minerals = (0..<51).map { "M\($0)" }
        var backwards = SampleQuery()
        backwards.collectedFrom = CalendarDate("2026-03-02")
        backwards.collectedTo = CalendarDate("2026-03-01")
        for query in [collection.near(0), collection.near(.nan), collection.near(3e7), tooMany, backwards] {
            for source in try collection.sources() {
                let error = #expect(throws: MetPetDBError.self) { try source.search(query) }
                #expect(error?.reason == .question)
            }
        }
        #expect(collection.server.requests.isEmpty)
    }
}
