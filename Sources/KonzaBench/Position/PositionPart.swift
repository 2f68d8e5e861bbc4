internal import KonzaModel
internal import KonzaTesting

/// How far off an averaged position is, and how often what is claimed for it is true.
enum PositionPart {
    /// Seconds that someone stands at an outcrop.
    static let durations = [10, 60, 300, 1800]
    /// Occupations of each condition and duration; a coverage of 95 % is then known to 1.5 %, one standard deviation.
    static let trials = 200
    static let firstSeed: UInt64 = 20_260_501

    static func run() -> PartReport {
        var report = PartReport(table: table)
        guard let truth = Coordinate(latitude: 39.1069, longitude: -96.6091) else { return report }
        var worst: Double?
        var ratios: [Double] = []
        for (number, conditions) in (StandingReceiver.Conditions.field + [.boastful]).enumerated() {
            let isHonest = number < StandingReceiver.Conditions.field.count
            let receiver = StandingReceiver(conditions, at: truth)
            for duration in durations {
                for (contestant, trials) in measured(receiver, duration, number: number) {
                    guard let errors = Summary(trials.map(\.error)), let claims = Summary(trials.map(\.claim)) else {
                        continue
                    }
                    let coverage = 100 * Double(trials.count { $0.error <= $0.claim }) / Double(trials.count)
                    if contestant == .konza, isHonest {
                        worst = min(worst ?? 100, coverage)
                        ratios.append(claims.median / errors.percentile(95))
                    }
                    report.table.rows.append(
                        Row(
                            group: "\(conditions.name), \(duration) s",
                            [
                                "way": .text(contestant.title), "coverage": .number(coverage, decimals: 1),
                                "errorMedian": .figure(errors.median), "error95": .figure(errors.percentile(95)),
                                "claimMedian": .figure(claims.median),
                                "ratio": .number(claims.median / errors.percentile(95), decimals: 2),
                            ]))
                }
            }
        }
        report.goals = [
            Goal("occupation: least coverage of the claimed 95 %, honest receivers", worst, .atLeast(95), "%"),
            Goal(
                "occupation: claimed over true 95 % radius, median of the conditions", Summary(ratios)?.median,
                .atMost(2), "times"),
        ]
        report.add(StandingBench.run(truth))
        return report
    }

    private static var table: Table {
        Table(
            name: "position", title: "Position of an occupation",
            columns: [
                Column("way", "way"), Column("coverage", "covers %"), Column("errorMedian", "error median m"),
                Column("error95", "error 95 % m"), Column("claimMedian", "claim median m"),
                Column("ratio", "claim/error 95 %"),
            ],
            notes: [
                "simulated receivers (KonzaTesting.StandingReceiver), \(trials) occupations each at 1 Hz, seeds from "
                    + "\(firstSeed) up, the same for all ways; covers: how often the claimed 95 % radius held the truth",
                "claim/error 95 %: 1 is a claim as large as need be; below, too small",
                "\(StandingReceiver.Conditions.boastful.name): no way can know it in a short time; no goal counts it",
            ])
    }

    private static func measured(
        _ receiver: StandingReceiver, _ duration: Int, number: Int
    ) -> [(PositionContestant, [(error: Double, claim: Double)])] {
        var results = [[(error: Double, claim: Double)]](repeating: [], count: PositionContestant.allCases.count)
        for trial in 0..<trials {
            let seed = firstSeed + UInt64(number * 1_000_000 + duration * 500 + trial)
            let fixes = receiver.fixes(seconds: duration, seed: seed)
            for (index, contestant) in PositionContestant.allCases.enumerated() {
                guard let claim = contestant.claim(fixes) else { continue }
                results[index].append((Ground.metres(receiver.truth, claim.coordinate), claim.radius))
            }
        }
        return Array(zip(PositionContestant.allCases, results))
    }
}
