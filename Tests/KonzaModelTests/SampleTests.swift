import Foundation
import KonzaModel
import Testing

@Suite("Samples of a database")
struct SampleTests {
    private func sample(_ id: String, _ latitude: Double, _ longitude: Double) -> FoundSample {
        var sample = FoundSample(id: id, number: id, isPublic: true)
        sample.place = Coordinate(latitude: latitude, longitude: longitude)
        return sample
    }

    @Test("The box around a circle holds every place of it, over the poles and the antimeridian too")
    func boxes() throws {
        for latitude in [-90, -89.99, -60, -0.5, 0, 39.1, 80, 89.9, 90.0] {
            for longitude in [-180, -179.99, 0, 96.6, 180.0] {
                let center = try #require(Coordinate(latitude: latitude, longitude: longitude))
                for radius in [1, 10_000, 3_000_000, 9_000_000, 20_000_000.0] {
                    let box = try #require(GeographicBox(around: center, radius: radius))
                    // Places on a grid are in the box if they are in the circle.
                    for step in 0..<400 {
                        let place = try #require(
                            Coordinate(
                                latitude: max(-90, min(90, latitude + Double(step % 20 - 10) * radius / 1.2e6)),
                                longitude: Double(step / 20 - 10) * 18))
                        if center.distance(to: place) <= radius { #expect(box.contains(place)) }
                    }
                }
            }
        }
        let center = try #require(Coordinate(latitude: 39.1, longitude: -96.6))
        let box = try #require(GeographicBox(around: center, radius: 10_000))
        // A degree of the mean sphere is 111195 m; across, it is shorter by the cosine of the latitude.
        #expect(abs(box.north - 39.1 - 0.089932) < 1e-5)
        #expect(abs(box.east + 96.6 - 0.115886) < 2e-5)
        #expect(GeographicBox(around: center, radius: 0) == nil)
        #expect(GeographicBox(around: center, radius: .nan) == nil)
    }

    @Test("Samples at one place are one pin, whatever the meridian is called, and those without a place are none")
    func pins() {
        var nowhere = sample("n", 0, 0)
        nowhere.place = nil
        let samples = [
            sample("a", 1, 2), sample("b", 1.000001, 2), sample("c", 1.0001, 2), nowhere, sample("d", 5, 180),
            sample("e", 5, -180),
        ]
        #expect(samples.pinned().map(\.samples) == [["a", "b"], ["c"], ["d", "e"]])
    }

    @Test("The extent of samples is the smallest box, across the antimeridian if that is smaller")
    func extents() {
        func extent(_ places: [(Double, Double)]) -> GeographicBox? {
            var census = SampleCensus()
            for (latitude, longitude) in places { census.add(sample("x", latitude, longitude)) }
            return census.summary(total: 0).extent
        }
        #expect(extent([]) == nil)
        #expect(extent([(1, 2)]) == GeographicBox(west: 2, south: 1, east: 2, north: 1))
        #expect(extent([(1, -10), (3, 20)]) == GeographicBox(west: -10, south: 1, east: 20, north: 3))
        #expect(extent([(1, 179), (3, -170)]) == GeographicBox(west: 179, south: 1, east: -170, north: 3))
        #expect(extent([(0, -170), (0, 0), (0, 170)]) == GeographicBox(west: 0, south: 0, east: -170, north: 0))
    }

    @Test("A census counts a mineral once a sample, and orders by frequency and name")
    func census() {
        var census = SampleCensus()
        for minerals in [["Quartz", "Quartz"], ["Garnet", "Biotite"], ["Biotite"]] {
            var sample = sample("x", 0, 0)
            sample.minerals = minerals
            sample.rockType = "Gneiss"
            census.add(sample)
        }
        let summary = census.summary(total: 9)
        #expect(summary.total == 9)
        #expect(summary.counted == 3)
        #expect(summary.minerals == [NameCount("Biotite", 2), NameCount("Garnet", 1), NameCount("Quartz", 1)])
        #expect(summary.rockTypes == [NameCount("Gneiss", 3)])
    }

    @Test("Equal questions are equal whatever the order of their words, and are read back as they were written")
    func questions() throws {
        let center = try #require(Coordinate(latitude: 39.1, longitude: -96.6))
        let box = try #require(GeographicBox(west: 179, south: -1, east: -179, north: 1))
        for area in [
            SampleQuery.Area.everywhere, .circle(center: center, radius: 10_000), .box(box), .region("Kansas"),
        ] {
            var query = SampleQuery(area)
            query.minerals = ["Quartz", "Garnet", "Quartz"]
            query.needsAllMinerals = true
            query.collectedFrom = CalendarDate("2026-01-01")
            query.visibility = .public
            var other = query
            other.minerals = ["Garnet", "Quartz"]
            #expect(query.canonical == other.canonical)
            #expect(try JSONDecoder().decode(SampleQuery.self, from: JSONEncoder().encode(query)) == query)
        }
    }

    @Test(
        "A day moves over months, leap years and centuries as the calendar does",
        arguments: [1, 1599, 1899, 1999, 2023, 9995])
    func days(_ firstYear: Int) throws {
        var day = try #require(CalendarDate(year: firstYear, month: 1, day: 1))
        let start = day
        // Every day that exists in three years, in order, by trying them all.
        var count = 0
        for year in firstYear..<(firstYear + 3) {
            for month in 1...12 {
                for number in 1...31 {
                    guard let expected = CalendarDate(year: year, month: month, day: number) else { continue }
                    #expect(day == expected)
                    #expect(start.advanced(byDays: count) == expected)
                    #expect(expected.advanced(byDays: -count) == start)
                    count += 1
                    day = try #require(day.advanced(byDays: 1))
                }
            }
        }
        #expect(CalendarDate("0001-01-01")?.advanced(byDays: -1) == nil)
        #expect(CalendarDate("9999-12-31")?.advanced(byDays: 1) == nil)
        #expect(CalendarDate("2026-01-01")?.advanced(byDays: .max) == nil)
    }
}
