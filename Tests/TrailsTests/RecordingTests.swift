import KonzaModel
import KonzaTesting
import Testing

@testable import Trails

@Suite("A trail that is recorded by walking")
struct RecordingTests {
    private static let start = UTCInstant(nanoseconds: 1_780_149_600_000_000_000)

    /// Walks along points with a receiver's errors, a fix a second.
    struct Walker {
        var recording: TrailRecording
        var time = RecordingTests.start
        var error: WanderingError?
        var random: SeededGenerator
        var at = PlanePoint(0, 0)

        init(_ name: String, seed: UInt64 = 1, sigma: Double = 0) {
            recording = TrailRecording(
                TrailRecording.Head(
                    trail: name, source: "recorded", startedAt: RecordingTests.start.advanced(bySeconds: Double(seed)),
                    isMadeUp: false))
            random = SeededGenerator(seed: seed)
            if sigma > 0 { error = WanderingError(sigma: sigma, correlationSeconds: 40, using: &random) }
        }

        mutating func fix(speed: Double) -> TrailFix {
            time = time.advanced(bySeconds: 1)
            error?.advance(using: &random)
            let place = Meadow.place(at.east + (error?.east ?? 0), at.north + (error?.north ?? 0))
            return TrailFix(time: time, place: place, accuracy: 5, speed: speed)
        }

        mutating func walk(_ points: [(Double, Double)]) {
            for point in points {
                let end = PlanePoint(point.0, point.1)
                let length = at.distance(to: end)
                let begin = at
                let steps = max(1, Int(length / 1.3))
                for step in 1...steps {
                    let share = Double(step) / Double(steps)
                    at = PlanePoint(
                        begin.east + (end.east - begin.east) * share, begin.north + (end.north - begin.north) * share)
                    let fix = fix(speed: 1.3)
                    recording.take(fix)
                }
            }
        }

        mutating func stand(_ seconds: Int) {
            for _ in 0..<seconds {
                let fix = fix(speed: 0.05)
                recording.take(fix)
            }
        }

        mutating func occupy(_ name: String?, off: (Double, Double) = (0, 0)) {
            time = time.advanced(bySeconds: 60)
            recording.take(
                TrailRecording.Mark(
                    name: name, kind: .junction, at: Meadow.place(at.east + off.0, at.north + off.1), accuracy: 3,
                    fixes: 60))
        }
    }

    @Test("is as long as the way; standing adds nothing to it")
    func straight() throws {
        var walker = Walker("Straight", sigma: 2)
        walker.walk([(300, 0)])
        let count = walker.recording.pointCount
        walker.stand(300)
        #expect(walker.recording.pointCount <= count + 2)
        walker.walk([(300, 200)])
        let made = try RecordedTrail.source(of: walker.recording, in: nil, at: Self.start)
        #expect(made.source.origin == .recorded && made.source.name == "recorded")
        #expect(made.report.format == "recording")
        let length = try #require(made.report.trails.first?.length)
        #expect((490...530).contains(length))
        #expect(made.report.gapCount == 0)
    }

    @Test("poor fixes and leaps do not count, and a long silence is a gap")
    func faults() {
        var walker = Walker("Faults")
        walker.walk([(100, 0)])
        let count = walker.recording.pointCount
        var poor = walker.fix(speed: 1)
        poor.accuracy = 90
        let isTaken = walker.recording.take(poor)
        walker.at = PlanePoint(400, 0)
        let leap = walker.fix(speed: 1)
        let isLeapTaken = walker.recording.take(leap)
        #expect(!isTaken && !isLeapTaken)
        #expect(walker.recording.refused == 2 && walker.recording.pointCount == count)
        walker.time = walker.time.advanced(bySeconds: 200)
        walker.walk([(420, 0)])
        #expect(walker.recording.gapCount == 1)
    }

    @Test("passes the occupied places exactly, and the way back over the same stretch is the same segment")
    func outAndBack() throws {
        for seed in UInt64(1)...8 {
            var walker = Walker("Stem and loop", seed: seed, sigma: 3)
            walker.occupy("Trailhead")
            walker.walk([(150, 20), (300, 0)])
            walker.occupy("Fork")
            walker.walk([(400, 150), (550, 0), (400, -150), (300, 0)])
            walker.walk([(150, 20), (0, 0)])
            walker.occupy(nil, off: (2, 1))
            let made = try RecordedTrail.source(of: walker.recording, in: nil, at: Self.start)
            // The stem, and the loop.
            #expect(made.report.segments == 2, "seed \(seed): \(made.report)")
            #expect(made.report.junctions == 1)
            #expect(made.source.places.map(\.name) == ["Trailhead", "Fork"])
            let trail = try #require(made.source.trails.first)
            #expect(trail.parts.map(\.segment) == [0, 1, 0] && trail.parts.last?.isReversed == true)
            let fork = try #require(made.source.places.last).coordinate
            #expect(
                VertexKey(made.source.segments[0].points[made.source.segments[0].points.count - 1]) == VertexKey(fork))
        }
    }

    @Test("a second trail that leaves the first one at a new junction meets it there; its own name replaces it")
    func second() throws {
        var first = Walker("Long", sigma: 2)
        first.walk([(600, 0)])
        let known = try RecordedTrail.source(of: first.recording, in: nil, at: Self.start).source
        #expect(known.segments.count == 1)
        for replaced in 0..<2 {
            var second = Walker("Branch", seed: 7 + UInt64(replaced), sigma: 2)
            second.at = PlanePoint(300, 3)
            second.occupy("Branching")
            second.walk([(300, 250 + 50 * Double(replaced))])
            let source = replaced == 0 ? known : try both(first: known)
            let made = try RecordedTrail.source(of: second.recording, in: source, at: Self.start)
            #expect(made.report.segments == 3, "\(made.report)")
            #expect(made.report.junctions == 1 && made.report.gapCount == 0 && made.report.islands == 1)
            #expect(made.source.trails.map(\.name) == ["Long", "Branch"])
            #expect(made.source.trails[0].parts.count == 2)
        }
    }

    private func both(first known: TrailSource) throws -> TrailSource {
        var second = Walker("Branch", seed: 5, sigma: 2)
        second.at = PlanePoint(300, 3)
        second.occupy("Branching")
        second.walk([(300, 100)])
        return try RecordedTrail.source(of: second.recording, in: known, at: Self.start).source
    }

    @Test("nothing walked is refused; a replay's trail says that it is made up")
    func refused() throws {
        var walker = Walker("Nothing")
        walker.stand(60)
        #expect(throws: TrailError.self) {
            try RecordedTrail.source(of: walker.recording, in: nil, at: Self.start)
        }
        var replay = TrailRecording(
            TrailRecording.Head(trail: "Replay", source: "r", startedAt: Self.start, isMadeUp: true))
        walker.walk([(100, 0)])
        for item in walker.recording.items {
            if case .point(let place) = item {
                replay.take(
                    TrailRecording.Mark(name: nil, kind: .other, at: place, accuracy: 1, fixes: 1))
            }
        }
        #expect(try RecordedTrail.source(of: replay, in: nil, at: Self.start).source.origin == .demonstration)
    }

    @Test(
        "a short one is kept apart; one that is long enough takes the demonstration's place, and so does one when asked"
    )
    func besideDemonstration() throws {
        let folder = try TemporaryFolder()
        let archive = TrailArchive(folder: folder.path)
        archive.load()
        func names() -> [String] {
            let again = TrailArchive(folder: folder.path)
            again.load()
            #expect(again.current.map(\.name) == archive.current.map(\.name))
            #expect(again.isDemonstrationUsed == archive.isDemonstrationUsed)
            return archive.current.map(\.name)
        }
        func keep(_ metres: Double) throws {
            var walker = Walker("Try")
            walker.walk([(metres, 0)])
            try archive.keep(try RecordedTrail.source(of: walker.recording, in: nil, at: Self.start).source)
        }
        #expect(throws: TrailError.self) { try archive.remove(source: DemonstrationTrails.sourceName) }
        try keep(25)
        #expect(names() == [DemonstrationTrails.sourceName] && archive.apart.map(\.name) == ["recorded"])
        // Asked for, it is used, until nothing else is there.
        try archive.remove(source: DemonstrationTrails.sourceName)
        #expect(names() == ["recorded"] && archive.apart.isEmpty)
        try archive.remove(source: "recorded")
        #expect(names() == [DemonstrationTrails.sourceName])
        try keep(25)
        #expect(names() == [DemonstrationTrails.sourceName])
        // Long enough.
        try keep(TrailLimits.leastRecorded + 10)
        #expect(names() == ["recorded"] && archive.apart.isEmpty)
        // The demonstration does not come back when it is replaced by a shorter one.
        try keep(25)
        #expect(names() == ["recorded"])
        try archive.remove(source: "recorded")
        // What is imported is used in any length, and short recordings beside it.
        try keep(25)
        #expect(names() == [DemonstrationTrails.sourceName])
        try archive.keep(try Meadow.source([Meadow.line([(0, 0), (20, 0)], trails: ["Short"])]).source)
        #expect(names() == ["recorded", "test"])
    }

    @Test("what was saved comes back behind a gap, over more than one file, and is gone when it is cleared")
    func kept() throws {
        let folder = try TemporaryFolder()
        let archive = RecordingArchive(folder: folder.path)
        #expect(try archive.load() == nil)
        var walker = Walker("Kept")
        walker.walk([(1000, 0)])
        try archive.save(walker.recording)
        walker.occupy("Fork")
        walker.walk([(1000, 3000)])
        try archive.save(walker.recording)
        let count = walker.recording.items.count
        #expect(count > 600)
        walker.walk([(1100, 3000)])

        let again = RecordingArchive(folder: folder.path)
        var resumed = try #require(try again.load())
        #expect(resumed.head == walker.recording.head && resumed.marks.map(\.name) == ["Fork"])
        #expect(resumed.items.count == count + 1 && resumed.items.last == .gap)
        var fix = walker.fix(speed: 1)
        fix.time = fix.time.advanced(bySeconds: 500)
        let goesOn = resumed.take(fix)
        #expect(goesOn)
        try again.save(resumed)
        let third = RecordingArchive(folder: folder.path)
        #expect(try #require(try third.load()).items.count == count + 3)
        try third.clear()
        // Not even by a writer that comes late.
        try third.save(resumed)
        #expect(try RecordingArchive(folder: folder.path).load() == nil)
    }
}
