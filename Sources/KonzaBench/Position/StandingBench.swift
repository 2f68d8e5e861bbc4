internal import KonzaModel
internal import KonzaTesting
internal import Positioning

/// How an occupation's claim holds once the station has stood still for three days, and how soon it notices that the
/// receiver is not as it was.
enum StandingBench {
    static let days = 3
    /// Receivers of each condition that stand and learn, and the occupations of each and of each duration.
    static let receivers = 24
    static let occupations = 100
    /// Receivers of each pair of conditions that change.
    static let changing = 8
    private static let firstSeed: UInt64 = 20_270_501

    struct Result {
        var claims: Table
        var changes: Table
        var goals: [Goal] = []
    }

    /// A receiver that has stood.
    private struct Taught {
        var learner: StandingLearner
        var wordFactor: Double
        var falseAlarms: Int
    }

    static func run(_ truth: Coordinate) -> Result {
        var result = Result(claims: claimsTable, changes: changesTable)
        let conditions = StandingReceiver.Conditions.field + [.boastful]
        var coverages: [Double] = []
        var ratios: [Double] = []
        var taught: [[Taught]] = []
        for (number, conditions) in conditions.enumerated() {
            let receiver = StandingReceiver(conditions, at: truth)
            taught.append((0..<receivers).map { teach(receiver, number, $0) })
            for duration in PositionPart.durations {
                let trials = occupy(receiver, taught[number], duration, number)
                guard let errors = Summary(trials.map(\.error)), let claims = Summary(trials.map(\.claim)) else {
                    continue
                }
                coverages.append(coverage(trials))
                ratios.append(claims.median / errors.percentile(95))
                result.claims.rows.append(row(conditions.name, "\(duration) s", trials, errors, claims))
            }
        }
        addHours(truth, number: conditions.count, &result)
        let alarms = taught.joined().reduce(0) { $0 + $1.falseAlarms }
        let noticed = change(conditions, taught, truth, &result)
        result.goals = [
            Goal(
                "after \(days) days of standing: least coverage of the claimed 95 %", coverages.min(), .atLeast(94), "%"
            ),
            Goal("after \(days) days of standing: most coverage", coverages.max(), .atMost(97), "%"),
            Goal(
                "after \(days) days of standing: claimed over true 95 % radius, median of the conditions",
                Summary(ratios)?.median, .atMost(1.15), "times"),
            Goal("after \(days) days of standing: the same, largest", ratios.max(), .atMost(1.3), "times"),
            Goal("change of the receiver's character noticed within an hour", noticed, .atLeast(95), "%"),
            Goal(
                "change noticed where there was none, for each receiver and day",
                Double(alarms) / Double(receivers * days * conditions.count), .atMost(0.01), ""),
        ]
        return result
    }

    private static func coverage(_ trials: [(error: Double, claim: Double)]) -> Double {
        100 * Double(trials.count { $0.error <= $0.claim }) / Double(trials.count)
    }

    private static func row(
        _ name: String, _ duration: String, _ trials: [(error: Double, claim: Double)], _ errors: Summary,
        _ claims: Summary
    ) -> Row {
        Row(
            group: name,
            [
                "duration": .text(duration), "coverage": .number(coverage(trials), decimals: 1),
                "errorMedian": .figure(errors.median), "error95": .figure(errors.percentile(95)),
                "claimMedian": .figure(claims.median),
                "ratio": .number(claims.median / errors.percentile(95), decimals: 2),
            ])
    }

    /// A receiver whose errors are four times as large in the worst hours of the day as in the best ones.
    private static func addHours(_ truth: Coordinate, number: Int, _ result: inout Result) {
        guard var conditions = StandingReceiver.Conditions.field.first else { return }
        conditions.name = "open sky, errors by the hour"
        conditions.daily = 0.6
        let receiver = StandingReceiver(conditions, at: truth)
        let taught = (0..<receivers).map { teach(receiver, number, $0) }
        // The errors' sine is largest after a quarter of a day.
        for (name, hour) in [("60 s, worst hours", 3), ("60 s, best hours", 15)] {
            let trials = occupy(receiver, taught, 60, number, hours: hour..<hour + 6)
            guard let errors = Summary(trials.map(\.error)), let claims = Summary(trials.map(\.claim)) else { continue }
            result.claims.rows.append(row(conditions.name, name, trials, errors, claims))
        }
    }

    private static func seed(_ number: Int, _ receiver: Int, _ use: Int) -> UInt64 {
        firstSeed + UInt64(number * 10_000_000 + receiver * 100_000 + use)
    }

    private static func teach(_ receiver: StandingReceiver, _ number: Int, _ index: Int) -> Taught {
        var learner = StandingLearner()
        var alarms = 0
        let factor = StandingReceiver.wordFactor(seed: seed(number, index, 0))
        receiver.stand(seconds: days * 86_400, seed: seed(number, index, 1), wordFactor: factor) { fix in
            switch learner.take(fix) {
            case .changed, .beganAnew: alarms += 1
            case .known, nil: break
            }
        }
        return Taught(learner: learner, wordFactor: factor, falseAlarms: alarms)
    }

    private static func occupy(
        _ receiver: StandingReceiver, _ taught: [Taught], _ duration: Int, _ number: Int,
        hours: Range<Int> = 0..<24
    ) -> [(error: Double, claim: Double)] {
        var trials: [(error: Double, claim: Double)] = []
        for (index, one) in taught.enumerated() {
            for trial in 0..<occupations {
                let start = days * 86_400 + hours.lowerBound * 3600 + trial * hours.count * 3600 / occupations
                let fixes = receiver.fixes(
                    seconds: duration, seed: seed(number, index, 10 + duration * 10 + trial),
                    wordFactor: one.wordFactor, start: start)
                guard let first = fixes.first else { continue }
                var occupation = Occupation(
                    settings: OccupationSettings(timeLimit: .infinity), knowledge: one.learner.knowledge,
                    now: first.arrival)
                for fix in fixes { occupation.add(fix) }
                guard let result = occupation.estimate else { continue }
                trials.append((Ground.metres(receiver.truth, result.coordinate), result.horizontalError))
            }
        }
        return trials
    }

    private static var claimsTable: Table {
        Table(
            name: "standing", title: "Position of an occupation after \(days) days of standing",
            columns: [
                Column("duration", "occupation"), Column("coverage", "covers %"),
                Column("errorMedian", "error median m"), Column("error95", "error 95 % m"),
                Column("claimMedian", "claim median m"), Column("ratio", "claim/error 95 %"),
            ],
            notes: [
                "\(receivers) simulated receivers of each condition stand for \(days) days, then \(occupations) occupations of "
                    + "each and of each duration, at other times; seeds from \(firstSeed) up",
                "errors by the hour: four times as large in the worst hours as in the best ones; no goal counts it",
            ])
    }

    // MARK: Changes

    private static var changesTable: Table {
        Table(
            name: "change", title: "A receiver that is suddenly another",
            columns: [Column("to", "then"), Column("noticed", "noticed within an hour %")],
            notes: [
                "\(changing) receivers of each pair, after \(days) days; noticed: an occupation of 60 s after that hour claims as without the standing"
            ])
    }

    /// - Returns: how many of the changes were noticed, in percent.
    private static func change(
        _ conditions: [StandingReceiver.Conditions], _ taught: [[Taught]], _ truth: Coordinate, _ result: inout Result
    ) -> Double {
        // One of each error; how they are told makes no difference here.
        let chosen = conditions.indices.filter { conditions[$0].word == .own(confidence: 0.68) }
        var (all, total) = (0, 0)
        for from in chosen {
            for to in chosen where to != from {
                let receiver = StandingReceiver(conditions[to], at: truth)
                var noticed = 0
                for (index, one) in taught[from].prefix(changing).enumerated() {
                    var learner = one.learner
                    // At any moment of a half hour.
                    let before = 1800 * index / changing
                    let start = days * 86_400
                    StandingReceiver(conditions[from], at: truth).stand(
                        seconds: before, seed: seed(from, index, 90_000 + to), wordFactor: one.wordFactor, start: start
                    ) { learner.take($0) }
                    receiver.stand(
                        seconds: 3600, seed: seed(from, index, 91_000 + to), wordFactor: one.wordFactor,
                        start: start + before
                    ) { learner.take($0) }
                    // What counts is that an occupation does not claim by what was.
                    let fixes = receiver.fixes(
                        seconds: 60, seed: seed(from, index, 92_000 + to), wordFactor: one.wordFactor)
                    guard let first = fixes.first else { continue }
                    var occupation = Occupation(knowledge: learner.knowledge, now: first.arrival)
                    for fix in fixes { occupation.add(fix) }
                    if occupation.estimate?.errorBasis == .general { noticed += 1 }
                }
                all += changing
                total += noticed
                result.changes.rows.append(
                    Row(
                        group: conditions[from].name,
                        [
                            "to": .text(conditions[to].name),
                            "noticed": .number(100 * Double(noticed) / Double(changing), decimals: 0),
                        ]))
            }
        }
        return 100 * Double(total) / Double(max(1, all))
    }
}

extension PartReport {
    mutating func add(_ standing: StandingBench.Result) {
        more += [standing.claims, standing.changes]
        goals += standing.goals
    }
}
