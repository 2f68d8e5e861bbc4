internal import Astronomy
internal import Geodesy
internal import KonzaModel
internal import Terrain
internal import Views

/// How long the ground, the sky and the named view take.
enum TerrainPart {
    private static let rounds = RoundLimits(seconds: 4, fewest: 7, most: 200)

    static func run() throws -> PartReport {
        var report = PartReport(table: table)
        let folder = "\(try Files.dataFolder())/terrain"
        guard let place = Coordinate(latitude: 39.1069, longitude: -96.6091),
            let instant = UTCInstant(rfc3339: "2026-11-24T04:00:00Z")
        else { return report }
        let model = TerrainModel.load(folder: folder).model
        let labeller = try calibrated(model, place)
        let landmarks = try Landmark.read("\(folder)/landmarks.geojson")
        // What is not looked at might be left out by the compiler.
        var looked = 0.0
        var eye = 2.0
        let ways: [(name: String, limit: Double, work: () -> Void)] = [
            (
                "skyline of 720 directions, not kept", 300_000,
                {
                    // Another height each time: none is found kept.
                    eye += 0.2
                    looked += model.skyline(from: place, eye: eye)?.elevation(azimuth: 0) ?? 0
                }
            ),
            ("skyline, kept", 1000, { looked += model.skyline(from: place)?.elevation(azimuth: 0) ?? 0 }),
            (
                "1000 heights of the ground", 1000,
                {
                    for index in 0..<1000 {
                        looked += model.height(latitude: 39.08 + Double(index) * 2e-5, longitude: -96.6) ?? 0
                    }
                }
            ),
            (
                "sun and moon: place, rise, set, phase", 20_000,
                {
                    let events = SkyEvents(at: place, height: 330)
                    looked += events.sun(dayOf: instant).set?.seconds ?? 0
                    looked += events.moon(passageAt: instant).set?.seconds ?? 0
                    looked += MoonPhase(at: instant).illumination
                }
            ),
            ("labels of all landmarks", 1000, { looked += Double(labeller.labels(landmarks).count) }),
        ]
        let measured = interleavedRounds(rounds, count: ways.count) { index in
            let start = steadySeconds()
            ways[index].work()
            return (steadySeconds() - start) * 1e6
        }
        for (way, times) in zip(ways, measured) {
            guard let summary = Summary(times) else { continue }
            report.table.rows.append(
                Row(
                    group: way.name,
                    ["median": .figure(summary.median), "p95": .figure(summary.percentile(95))]))
            report.goals.append(Goal("terrain: \(way.name), median", summary.median, .atMost(way.limit), "us"))
        }
        guard looked.isFinite else { throw BenchError("cannot measure the terrain: a figure is none") }
        return report
    }

    /// A camera at the trailhead that looks to the south-east.
    private static func calibrated(_ model: TerrainModel, _ place: Coordinate) throws -> Labeller {
        let pose = CameraPose(
            width: 1920, height: 1080, azimuth: 118, pitch: 2, roll: 0, focal: 1371, k1: 0)
        let points = [(200.0, 500.0), (700, 430), (1200, 560), (1700, 470)]
        let clicks = points.compactMap { x, y -> Click? in
            let point = PicturePoint(x: x, y: y)
            return pose.direction(of: point).map {
                Click(name: "\(x)", point: point, target: $0 * 3000, placeError: 2)
            }
        }
        let priors = PosePriors(focal: 1371, horizontalError: 1, verticalError: 1)
        let solved = try PoseSolver.solve(clicks, width: 1920, height: 1080, priors: priors)
        let viewpoint = Viewpoint(place: place, height: 330.5, horizontalError: 1, verticalError: 1)
        return Labeller(
            Calibration(
                createdAt: "2026-01-01T00:00:00Z", viewpoint: viewpoint, solved: solved, clicks: clicks,
                judgement: ([], nil)), terrain: model)
    }

    private static var table: Table {
        Table(
            name: "terrain", title: "Ground, sky and named view",
            columns: [Column("median", "median us"), Column("p95", "95 % us")],
            notes: ["at the trailhead, on the elevations that konzad carries, in one thread"])
    }
}
