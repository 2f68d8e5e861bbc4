internal import KonzaModel
internal import KonzaTesting
internal import Trails

/// How long it takes to say where one is on the trails, and the way.
enum TrailPart {
    private static let seed: UInt64 = 20_261_122
    private static let start = UTCInstant(nanoseconds: 1_780_149_600_000_000_000)

    static func run() -> PartReport {
        var report = PartReport(table: table)
        var nearest: [Int: Double] = [:]
        for side in [51, 71] {
            guard let lattice = TrailLattice(side: side, seed: seed) else { continue }
            let network = TrailNetwork([lattice.source])
            var matcher = TrailMatcher(network)
            var times: [Double] = []
            for (second, place) in lattice.walk.prefix(3000).enumerated() {
                let fix = TrailFix(
                    time: start.advanced(bySeconds: Double(second)), place: place, accuracy: 5, speed: 1.3, course: 90)
                times.append(1000 * milliseconds { matcher.take(fix) })
            }
            add("nearest with matching", network.edgeCount, times, "us", to: &report)
            nearest[side] = Summary(times)?.median
        }
        var way: Double?
        if let lattice = TrailLattice(side: 224, seed: seed) {
            let network = TrailNetwork([lattice.source])
            let open = ClosedEdges(network, [], at: start)
            var times: [Double] = []
            for _ in 0..<10 {
                times.append(
                    milliseconds { _ = try? network.way(from: lattice.corners.0, to: lattice.corners.1, closed: open) })
            }
            add("way from corner to corner", network.edgeCount, times, "ms", to: &report)
            way = Summary(times)?.median
        }
        report.goals = [
            Goal("trails: nearest with matching, 5 000 segments", nearest[51], .atMost(50), "us"),
            Goal("trails: nearest with matching, 10 000 segments", nearest[71], .atMost(100), "us"),
            Goal("trails: way on 100 000 segments", way, .atMost(20), "ms"),
        ]
        return report
    }

    private static func add(
        _ what: String, _ segments: Int, _ times: [Double], _ unit: String, to report: inout PartReport
    ) {
        guard let summary = Summary(times) else { return }
        report.table.rows.append(
            Row(
                group: what,
                [
                    "segments": .number(Double(segments), decimals: 0), "median": .figure(summary.median),
                    "worst": .figure(summary.percentile(99)), "unit": .text(unit),
                ]))
    }

    private static var table: Table {
        Table(
            name: "trails", title: "Trails",
            columns: [
                Column("segments", "segments"), Column("median", "median"), Column("worst", "99 %"),
                Column("unit", "unit"),
            ],
            notes: ["a made-up lattice of bent trails about 100 m apart; a walk of up to 3000 fixes, seed \(seed)"])
    }
}
