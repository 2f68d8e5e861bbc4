internal import Foundation

/// One screenful for people, and the verdict.
struct LabReport {
    let out: String

    /// The seconds of a scenario are the clock's. Those in its words, "recovery 2.1 s", count less while the machine is
    /// slowed down (``PacedTime``).
    ///
    /// - Returns: whether every one of the scenarios has passed. One without a result has failed.
    func show(_ scenarios: [Scenario]) throws -> Bool {
        let width = scenarios.map(\.name.count).max() ?? 0
        var passed = 0
        for scenario in scenarios {
            let bytes = FileManager.default.contents(atPath: "\(out)/\(scenario.name)/result.json")
            let result = try bytes.map { try JSONDecoder().decode(LabResult.self, from: $0) }
            if result?.passed == true { passed += 1 }
            let name = scenario.name.padding(toLength: width, withPad: " ", startingAt: 0)
            let verdict = result?.passed == true ? "pass" : "FAIL"
            let seconds = result.map { String(format: "%6.1f s", $0.seconds) } ?? "       -"
            let words = result.map { $0.failure ?? $0.figures.joined(separator: ", ") } ?? "it never ran"
            say("\(verdict)  \(name)  \(seconds)  \(words)")
        }
        say("recoveries are in seconds of an undisturbed machine: on a busier one they took longer by the clock")
        say("\(passed) passed, \(scenarios.count - passed) failed")
        return passed == scenarios.count
    }
}
