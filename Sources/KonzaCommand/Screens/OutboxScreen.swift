internal import FoundationEssentials
internal import KonzaAPI
internal import KonzaModel

/// `konza specimens outbox` and `konza specimens resolve`.
enum OutboxScreen {
    static func lines(
        _ entries: [OutboxEntry], counts: [String: Int], courier: CourierReply?, now: UTCInstant, columns: Int?
    ) -> [Line] {
        guard !entries.isEmpty else {
            return [Line("The outbox is empty. Fill it: konza specimens submit"), courierLine(courier)]
        }
        let width = min(max(entries.map { TextSafety.width(name($0)) }.max() ?? 0, 6), 24)
        var lines = [
            Line("Number", .quiet).padded(to: width + 2) + Line("Target", .quiet).padded(to: 10)
                + Line("State", .quiet).padded(to: 11) + Line("How it stands", .quiet)
        ]
        for entry in entries {
            let submission = entry.submission
            let number = TextSafety.shortened(TextSafety.cleaned(name(entry)), to: width)
            let head =
                Line(number, .strong).padded(to: width + 2) + Line(submission.target.rawValue).padded(to: 10)
                + SpecimenScreens.word(submission.state).padded(to: 11)
            lines += Line.hanging(head, standing(submission, now), columns: columns)
        }
        let sums = Submission.State.allCases.compactMap { state in
            counts[state.rawValue].flatMap { $0 > 0 ? "\($0) \(state.rawValue)" : nil }
        }
        return lines + [Line(sums.joined(separator: ", "), .quiet), courierLine(courier)]
    }

    private static func name(_ entry: OutboxEntry) -> String {
        entry.number ?? entry.submission.specimen.description
    }

    /// One sentence about a submission.
    static func standing(_ submission: Submission, _ now: UTCInstant) -> String {
        let photographs = submission.pictures.count { $0.state == .submitted }
        let pictures =
            submission.pictures.isEmpty
            ? "" : ", \(photographs) of \(Figures.count(submission.pictures.count, "photograph"))"
        switch submission.state {
        case .submitted: return "there\(submission.remoteID.map { " as \($0)" } ?? "")\(pictures)"
        case .refused: return submission.refusals.map(text).joined(separator: "; ")
        case .conflict:
            return "\(submission.conflict?.reason ?? "changed there"); konza specimens resolve shows both sides"
        case .draft, .ready, .sending:
            guard let failure = submission.lastFailure else { return "waits for its turn\(pictures)" }
            return failure + next(submission, now)
        }
    }

    /// When it is tried again.
    static func next(_ submission: Submission, _ now: UTCInstant) -> String {
        guard let at = submission.nextAttemptAt else { return "" }
        let seconds = Int(at.seconds(since: now).rounded(.up))
        return seconds > 0 ? "; tried again in \(Figures.span(seconds: seconds))" : "; due now"
    }

    static func text(_ refusal: Submission.Refusal) -> String {
        refusal.field.map { "\($0): \(refusal.words)" } ?? refusal.words
    }

    static func courierLine(_ courier: CourierReply?) -> Line {
        courierTrouble(courier).map { Line($0, .caution) } ?? Line("The courier is at work and has a network.", .quiet)
    }

    /// A courier that asked for nothing for so long is not at work, seconds: it asks at least every minute.
    static let courierPatience = 180

    /// Why nothing is sent, if that is so.
    static func courierTrouble(_ courier: CourierReply?) -> String? {
        guard let courier else { return "The courier was not seen: systemctl start konza-courier" }
        if courier.seenSecondsAgo > courierPatience {
            return "The courier was not seen for \(Figures.span(seconds: courier.seenSecondsAgo)): "
                + "systemctl status konza-courier"
        }
        return courier.hasNetwork ? nil : "The courier has no network that it may use; what is ready waits."
    }

    // MARK: Conflicts

    /// Both sides of a conflict, where they differ.
    static func conflict(_ conflict: Submission.Conflict, _ number: String, columns: Int?) -> [Line] {
        var lines = Line.hanging(
            Line(number, .strong) + " " + Line("CONFLICT", .bad) + ": ", conflict.reason, columns: columns)
        guard let ours = object(conflict.ours) else { return lines }
        guard let theirs = object(conflict.theirs) else {
            lines.append(Line("  theirs  ") + Line("nothing is there any more", .caution))
            return lines + side("ours", conflict.ours, columns)
        }
        let names = Set(ours.keys).union(theirs.keys).sorted()
        var same = 0
        for name in names {
            let (our, their) = (ours[name] ?? .null, theirs[name] ?? .null)
            guard our != their else {
                same += 1
                continue
            }
            lines.append(Line("  ") + Line(name, .strong))
            lines += side("ours", words(our), columns) + side("theirs", words(their), columns)
        }
        if same > 0 { lines.append(Line("  \(Figures.count(same, "field")) alike", .quiet)) }
        return lines
    }

    private static func side(_ name: String, _ text: String, _ columns: Int?) -> [Line] {
        Line.hanging(Line("    ") + Line(name, .quiet).padded(to: 8), text, columns: columns)
    }

    private static func object(_ text: String) -> [String: JSONValue]? {
        guard case .object(let members)? = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else {
            return nil
        }
        return members
    }

    private static func words(_ value: JSONValue) -> String {
        switch value {
        case .null: "(nothing)"
        case .bool(let value): value ? "yes" : "no"
        case .number(let number), .decimal(let number, _): Figures.shortest(number)
        case .string(let text): text.isEmpty ? "(empty)" : text
        case .array(let values): values.isEmpty ? "(nothing)" : values.map(words).joined(separator: ", ")
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { "\($0.key) \(words($0.value))" }.joined(separator: ", ")
        }
    }
}
