internal import KonzaModel

/// What `konza muster` shows.
enum MusterScreens {
    struct Person: Decodable {
        let number: Int
        let name: String
        let state: String
        let isOverdue: Bool
        let at: String?
        let evidence: String?
        let flags: [String]
        let reason: String?
        let correctedBy: Int?
    }

    struct Roster: Decodable {
        let day: String
        let madeAt: String
        let offsetSeconds: Int
        let clock: String
        let dayOff: String?
        let people: [Person]
        let boxes: [Box]?
        let head: String
    }

    struct Box: Decodable {
        let box: String
        let heardAt: String
    }

    struct Union: Decodable {
        let box: String
        let added: Int
    }

    struct Record: Decodable { let sequence: Int }

    struct Made: Decodable {
        let record: Record
        let state: String
    }

    struct Number: Decodable { let number: Int }

    struct Verdict: Decodable {
        let isWhole: Bool
        let records: Int
        let head: String
        let brokenAt: Int?
        let hasKnownHead: Bool?
        let accountsBrokenAt: Int?
    }

    private static func local(_ text: String, _ offset: Int) -> String {
        guard let at = UTCInstant(nearestRFC3339: text) else { return text }
        let civil = CivilTime(at, offsetSeconds: offset)
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(civil.hour)):\(two(civil.minute))"
    }

    static func roster(_ roster: Roster) -> [Line] {
        var lines: [Line] = []
        if roster.clock == "unbelieved" {
            lines.append(
                Line(
                    "The station does not know the time: its clock says what cannot be. Musters are kept and get their day when it is "
                        + "set; nobody is missed by it.", .caution))
        }
        lines.append(
            Line(roster.day, .strong)
                + Line("  as of \(local(roster.madeAt, roster.offsetSeconds)), local time", .quiet)
                + Line(roster.dayOff.map { "  nobody is expected: \(TextSafety.cleaned($0))" } ?? ""))
        for box in roster.boxes ?? [] {
            lines.append(
                Line(
                    "The box \(TextSafety.cleaned(box.box)) was last heard \(box.heardAt.prefix(16).replacing("T", with: " ")) UTC.",
                    .quiet))
        }
        guard !roster.people.isEmpty else { return lines + [Line("Nobody has an account: konza people add NAME")] }
        let width = min(max(roster.people.map { TextSafety.width($0.name) }.max() ?? 0, 4), 40)
        for person in roster.people {
            let style: Style =
                switch person.state {
                case "mustered": .good
                case "missed": .bad
                case "late", "unheard": .caution
                case "expected" where person.isOverdue: .caution
                default: .quiet
                }
            let state = person.state == "expected" && person.isOverdue ? "expected, overdue" : person.state
            var line =
                Line(TextSafety.shortened(TextSafety.cleaned(person.name), to: width), .strong).padded(to: width + 2)
                + Line(state, style).padded(to: 19)
                + Line(person.at.map { local($0, roster.offsetSeconds) } ?? "").padded(to: 7)
                + Line(person.evidence ?? "", .quiet).padded(to: 9)
            for flag in person.flags { line = line + Line("\(TextSafety.cleaned(flag)) ", .caution) }
            if let reason = person.reason { line = line + Line(TextSafety.cleaned(reason), .quiet) }
            lines.append(line)
        }
        return lines + [Line("head  \(roster.head)", .quiet)]
    }

    static func verdict(_ verdict: Verdict) -> [Line] {
        var lines: [Line] = []
        if let broken = verdict.brokenAt {
            lines.append(Line("Record \(broken) was changed, or one before it was left out.", .bad))
        }
        if verdict.hasKnownHead == false {
            lines.append(Line("The head that was given is not in the chain: records were changed or cut off.", .bad))
        }
        if let broken = verdict.accountsBrokenAt {
            lines.append(
                Line("Entry \(broken) of the audit of accounts was changed, or one before it was left out.", .bad))
        }
        if verdict.isWhole {
            lines.append(
                Line(
                    "\(Figures.count(verdict.records, "record")) and the audit of accounts are as they were written.",
                    .good))
        }
        return lines + [Line("head  \(verdict.head)", .quiet)]
    }
}
