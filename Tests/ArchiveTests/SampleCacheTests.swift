import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("The cache of samples")
struct SampleCacheTests {
    private let folder: TemporaryFolder
    private let now = UTCInstant(nanoseconds: 1_780_000_000_000_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func open(_ origin: String = "one", _ limits: SampleCache.Limits = .init()) throws -> SampleCache {
        try SampleCache(folder: "\(folder.path)/cache", origin: origin, limits: limits)
    }

    private func sample(_ id: String, _ latitude: Double = 39.1, _ longitude: Double = -96.6) -> FoundSample {
        var sample = FoundSample(id: id, number: "N\(id)", isPublic: true)
        sample.place = Coordinate(latitude: latitude, longitude: longitude)
        sample.rockType = "Gneiss"
        sample.minerals = ["Quartz"]
        return sample
    }

    private func circle(_ radius: Double, _ latitude: Double = 39.1, _ longitude: Double = -96.6) throws -> SampleQuery
    {
        let center = try #require(Coordinate(latitude: latitude, longitude: longitude))
        return SampleQuery(.circle(center: center, radius: radius))
    }

    @Test("gives every answer back with its age, after a restart too, to the same question in other words")
    func answers() throws {
        var query = try circle(1000)
        query.minerals = ["Quartz", "Garnet"]
        let answer = SampleAnswer(samples: [sample("a")], total: 5, wholeWithin: 400)
        let summary = SampleSummary(total: 5, counted: 5)
        var details = SampleDetails(sample("a"))
        details.description = "Road cut"
        let cache = try open()
        #expect(try cache.answer(to: query) == nil)
        try cache.keep(answer, to: query, at: now)
        try cache.keep(summary, of: query, at: now)
        try cache.keep(details, at: now)
        try cache.keep(regions: ["Kansas"], at: now)
        for cache in [cache, try open()] {
            query.minerals.reverse()
            let kept = try #require(try cache.answer(to: query))
            #expect(kept.value == answer)
            #expect(kept.age(at: now.advanced(bySeconds: 90)) == 90)
            #expect(kept.age(at: now.advanced(bySeconds: -90)) == 0)
            #expect(try cache.summary(of: query)?.value == summary)
            #expect(try cache.details("a")?.value == details)
            #expect(try cache.regions()?.value == ["Kansas"])
            #expect(try cache.answer(to: circle(1001)) == nil)
        }
    }

    @Test("answers other circles from what it holds, the nearest first, and says how old that is")
    func local() throws {
        let cache = try open()
        let old = now.advanced(bySeconds: -86_400)
        try cache.keep(
            SampleAnswer(samples: [sample("far", 39.2), sample("off", 50)], total: 2), to: SampleQuery(), at: old)
        try cache.keep(SampleAnswer(samples: [sample("near", 39.11)], total: 1), to: circle(5000), at: now)
        var schist = sample("schist", 39.1)
        schist.rockType = "Schist"
        try cache.keep(SampleDetails(schist), at: now)
        var query = try circle(20_000)
        let found = try cache.search(query)
        #expect(found.samples.map(\.id) == ["schist", "near", "far"])
        #expect(found.total == 3)
        #expect(found.oldest == old)
        #expect(found.newest == now)
        query.rockTypes = ["Gneiss"]
        #expect(try cache.search(query, most: 1).samples.map(\.id) == ["near"])
        #expect(try cache.search(query, most: 1).total == 2)
        let summary = try cache.localSummary(of: circle(20_000))
        #expect(summary.summary.rockTypes == [NameCount("Gneiss", 2), NameCount("Schist", 1)])
        #expect(summary.oldest == old)
        #expect(try cache.search(circle(100, 0, 0)) == LocalSamples(samples: [], total: 0))
        #expect(try cache.details("near")?.value == SampleDetails(sample("near", 39.11)), "from a list")
        #expect(try cache.details("unknown") == nil)
    }

    @Test("finds samples on both sides of the antimeridian")
    func antimeridian() throws {
        let cache = try open()
        let samples = [sample("e", -17, 179.9), sample("w", -17, -179.9), sample("o", -17, 0)]
        try cache.keep(SampleAnswer(samples: samples, total: 3), to: SampleQuery(), at: now)
        #expect(try cache.search(circle(30_000, -17, 180)).samples.map(\.id).sorted() == ["e", "w"])
    }

    @Test("holds the newest samples and answers only, as many as it may")
    func bounded() throws {
        var limits = SampleCache.Limits()
        limits.samples = 10
        limits.answers = 5
        limits.answerBytes = 1000
        let cache = try open("one", limits)
        for number in 0..<30 {
            let found = [sample("\(number)a"), sample("\(number)b")]
            try cache.keep(
                SampleAnswer(samples: found, total: 2), to: circle(Double(number + 1)),
                at: now.advanced(bySeconds: Double(number)))
        }
        #expect(try cache.sampleCount() == 10)
        let kept = try (0..<30).filter { try cache.answer(to: circle(Double($0 + 1))) != nil }
        #expect(kept.last == 29)
        #expect((1...5).contains(kept.count))
        #expect(try cache.search(SampleQuery()).oldest == now.advanced(bySeconds: 25))
        // One that is larger than all together may be leaves its samples only.
        let large = (0..<10).map { sample("\($0)large") }
        try cache.keep(SampleAnswer(samples: large, total: 10), to: circle(900), at: now.advanced(bySeconds: 99))
        #expect(try cache.answer(to: circle(900)) == nil)
        #expect(try cache.search(SampleQuery()).samples.count { $0.id.hasSuffix("large") } == 10)
    }

    private func picture(_ image: String, _ size: SampleDetails.Image.Size = .thumbnail) throws
        -> SampleCache.PictureKey
    {
        try #require(SampleCache.PictureKey(image: image, size: size))
    }

    private var pictureFiles: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/cache/pictures")) ?? []).sorted()
    }

    @Test("holds pictures within their bytes: those that were not used for the longest time go, with their files")
    func pictures() throws {
        var limits = SampleCache.Limits()
        limits.pictureBytes = 1000
        let cache = try open("one", limits)
        for number in 0..<10 {
            try cache.keep(
                picture: FileContent([UInt8](repeating: UInt8(number), count: 100)), type: "image/png",
                as: picture("\(number)"))
        }
        #expect(try cache.pictureBytes() == 1000 && pictureFiles.count == 10)
        // The first is looked at after forty others were, so that its use is written down.
        for number in 0..<50 {
            try cache.keep(picture: FileContent([1]), type: "image/png", as: picture("9\(number % 9)"))
        }
        let path = try #require(try cache.picture(picture("5"))).path
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(repeating: 5, count: 100))
        try cache.keep(
            picture: FileContent([UInt8](repeating: 7, count: 880)), type: "image/jpeg", as: picture("a0", .full))
        #expect(try cache.picture(picture("a0", .full))?.type == "image/jpeg")
        #expect(try cache.picture(picture("5")) != nil && cache.picture(picture("6")) == nil)
        #expect(try cache.pictureBytes() <= 1000)
        #expect(try cache.keptPictures(of: ["A0", "5", "6", "x"]) == [.thumbnail: ["5"], .full: ["A0"]])
        // The same again takes its own place, and one larger than all together is not kept.
        try cache.keep(picture: FileContent([8]), type: "image/jpeg", as: picture("a0", .full))
        #expect(try cache.pictureBytes() == 101 + pictureFiles.count { $0.hasPrefix("9") })
        try cache.keep(
            picture: FileContent([UInt8](repeating: 7, count: 1001)), type: "image/jpeg", as: picture("b", .full))
        #expect(try cache.picture(picture("b", .full)) == nil)
        // Nothing that could be another file is a name.
        for name in ["", "..", "../samples.db", "a/b", "x", String(repeating: "1", count: 37)] {
            #expect(SampleCache.PictureKey(image: name, size: .full) == nil, "\(name)")
        }
    }

    @Test("a picture's file without a row, and a row without its whole file, are gone after a restart")
    func sweep() throws {
        let content = FileContent([UInt8](repeating: 1, count: 100))
        for name in ["1", "2", "3"] { try open().keep(picture: content, type: "image/png", as: picture(name)) }
        let files = "\(folder.path)/cache/pictures"
        try FileManager.default.removeItem(atPath: "\(files)/1.thumbnail")
        try Data([1]).write(to: URL(filePath: "\(files)/2.thumbnail"))
        try Data([1]).write(to: URL(filePath: "\(files)/4.thumbnail"))
        try Data([1]).write(to: URL(filePath: "\(files)/.konza-3.thumbnail-x.tmp"))
        let cache = try open()
        #expect(try cache.keptPictures(of: ["1", "2", "3", "4"])[.thumbnail] == ["3"])
        #expect(pictureFiles == ["3.thumbnail"])
        // Those of another server are not this one's.
        #expect(try open("two").keptPictures(of: ["3"])[.thumbnail] == [] && pictureFiles.isEmpty)
    }

    @Test("knows the regions of what it keeps, of public samples alone where that is wanted")
    func regions() throws {
        let cache = try open()
        #expect(try cache.knownRegions(publicOnly: false) == nil)
        var (one, other) = (sample("1"), sample("2"))
        one.regions = ["kansas", "Flint Hills"]
        other.metamorphicRegions = ["Acadian"]
        other.isPublic = false
        try cache.keep(SampleAnswer(samples: [one], total: 1), to: circle(1), at: now)
        try cache.keep(SampleAnswer(samples: [other], total: 1), to: circle(2), at: now.advanced(bySeconds: 9))
        let all = try #require(try cache.knownRegions(publicOnly: false))
        #expect(all.value == ["Acadian", "Flint Hills", "kansas"] && all.at == now)
        #expect(try cache.knownRegions(publicOnly: true)?.value == ["Flint Hills", "kansas"])
    }

    @Test("of another server or account is emptied, and a damaged one is made anew")
    func anew() throws {
        try open().keep(SampleAnswer(samples: [sample("a")], total: 1), to: SampleQuery(), at: now)
        #expect(try open().sampleCount() == 1)
        let other = try open("two")
        #expect(try other.sampleCount() == 0)
        #expect(try other.answer(to: SampleQuery()) == nil)
        try Data(repeating: 0x41, count: 9000).write(to: URL(filePath: "\(folder.path)/cache/samples.db"))
        #expect(try open("two").sampleCount() == 0)
        try Data("x".utf8).write(to: URL(filePath: "\(folder.path)/file"))
        #expect(throws: DatabaseError.self) { try SampleCache(folder: "\(folder.path)/file", origin: "") }
    }
}
