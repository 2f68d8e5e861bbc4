/// What the doctor says about one thing.
struct Finding: Sendable, Equatable, Codable {
    enum Level: String, Sendable, Codable {
        case ok
        case warn
        case fail
    }

    var level: Level
    var subject: String
    /// What was seen.
    var observation: String
    /// What to do about it.
    var remedy: String?

    init(_ level: Level, _ subject: String, _ observation: String, remedy: String? = nil) {
        self.level = level
        self.subject = subject
        self.observation = observation
        self.remedy = remedy
    }
}

/// `konza doctor`.
enum DoctorScreen {
    static func lines(_ findings: [Finding], columns: Int?) -> [Line] {
        var lines: [Line] = []
        for finding in findings {
            let head = Line(" ") + word(finding.level).padded(to: 6) + Line(finding.subject, .strong).padded(to: 11)
            lines += Line.hanging(head, finding.observation, columns: columns)
            if let remedy = finding.remedy {
                lines += Line.hanging(Line("                  ") + Line("do: ", .strong), remedy, columns: columns)
            }
        }
        return lines + [Line(), summary(findings)]
    }

    private static func word(_ level: Finding.Level) -> Line {
        switch level {
        case .ok: Line("ok", .good)
        case .warn: Line("warn", .caution)
        case .fail: Line("FAIL", .bad)
        }
    }

    private static func summary(_ findings: [Finding]) -> Line {
        let failed = findings.count { $0.level == .fail }
        let warned = findings.count { $0.level == .warn }
        if failed == 0, warned == 0 { return Line("Everything is well.", .good) }
        var parts: [String] = []
        if failed > 0 { parts.append("\(Figures.count(failed, "thing")) \(failed == 1 ? "fails" : "fail")") }
        if warned > 0 {
            parts.append("\(Figures.count(warned, "thing")) \(warned == 1 ? "wants" : "want") attention")
        }
        return Line(parts.joined(separator: ", ") + ".", failed > 0 ? .bad : .caution)
    }
}
