/// A number to reach, and what was measured.
public struct Goal: Sendable, Equatable {
    public enum Bound: Sendable, Equatable {
        case atMost(Double)
        case below(Double)
        case atLeast(Double)
        /// At most 1/n, of a ratio.
        case atMostOneIn(Double)
    }

    public let name: String
    public let unit: String
    public let bound: Bound
    /// Nil if it could not be measured.
    public let measured: Double?

    public init(_ name: String, _ measured: Double?, _ bound: Bound, _ unit: String) {
        self.name = name
        self.measured = measured
        self.bound = bound
        self.unit = unit
    }

    /// Whether the measured value is within the bound; nil without a value.
    public var isMet: Bool? {
        guard let measured else { return nil }
        return switch bound {
        case .atMost(let limit): measured <= limit
        case .below(let limit): measured < limit
        case .atLeast(let limit): measured >= limit
        case .atMostOneIn(let parts): measured * parts <= 1
        }
    }

    private var boundText: String {
        switch bound {
        case .atMost(let limit): "at most \(limit.short) \(unit)"
        case .below(let limit): "below \(limit.short) \(unit)"
        case .atLeast(let limit): "at least \(limit.short) \(unit)"
        case .atMostOneIn(let parts): "at most 1/\(parts.short)"
        }
    }

    private func value(_ measured: Double) -> Value {
        if case .atMostOneIn = bound { .ratio(measured) } else { .figure(measured) }
    }

    /// The goals as a table, with the verdicts worked out.
    public static func table(_ goals: [Goal]) -> Table {
        Table(
            name: "goals", title: "Numbers to reach",
            columns: [
                Column("goal", "what"), Column("measured", "measured"), Column("unit", "unit"),
                Column("target", "target"), Column("verdict", "verdict"),
            ],
            rows: goals.map { goal in
                var values: [String: Value] = [
                    "goal": .text(goal.name), "unit": .text(goal.unit), "target": .text(goal.boundText),
                    "verdict": .text(goal.isMet.map { $0 ? "met" : "NOT MET" } ?? "not measured"),
                ]
                if let measured = goal.measured { values["measured"] = goal.value(measured) }
                return Row(values)
            })
    }
}

extension Double {
    /// Without decimals where there are none.
    fileprivate var short: String { Int(exactly: self).map(String.init) ?? String(self) }
}
