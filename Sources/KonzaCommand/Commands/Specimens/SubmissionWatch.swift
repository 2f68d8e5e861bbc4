internal import KonzaAPI
internal import KonzaModel

/// What is shown to somebody who waits for submissions: a line for every step, and how much of a photograph is gone.
struct SubmissionWatch: Sendable {
    private struct Item: Sendable {
        let specimen: Specimen
        var version = 0
        var state: Submission.State?
        var step: Submission.Step?
        var failure: String?
        var arrived: Set<PhotographID> = []
        var isOver = false
    }

    private var items: [SpecimenID: Item] = [:]
    private let columns: Int?

    init(columns: Int?) { self.columns = columns }

    /// Begins to watch one, as it was when it was handed in: what had arrived by then is no news.
    mutating func add(_ specimen: Specimen, _ submission: Submission, now: UTCInstant) -> [Line] {
        var item = Item(specimen: specimen)
        item.arrived = Set(submission.pictures.filter { $0.state == .submitted }.map(\.id))
        items[specimen.id] = item
        return take(submission, now: now)
    }

    /// Those that are still on their way.
    var waiting: [SpecimenID] { items.values.filter { !$0.isOver }.map(\.specimen.id).sorted() }

    /// Whether every one arrived.
    var isSubmitted: Bool { items.values.allSatisfy { $0.state == .submitted } }

    /// Whether an event is about one that is on its way.
    func concerns(_ event: OutboxEvent) -> Bool { items[event.specimen].map { !$0.isOver } ?? false }

    /// How much of a photograph is gone; nil for an event that says nothing of that.
    func progress(_ event: OutboxEvent) -> Line? {
        guard let item = items[event.specimen], let photograph = event.photograph, let sent = event.sentBytes,
            let total = event.totalBytes
        else { return nil }
        let share = total > 0 ? Int(Double(sent) / Double(total) * 100) : 100
        return head(item) + "\(Self.name(photograph, item)): \(Figures.bytes(Int64(sent))) of "
            + "\(Figures.bytes(Int64(total))) (\(min(max(share, 0), 100)) %)"
    }

    /// Takes a step.
    mutating func take(_ event: OutboxEvent) -> [Line] {
        guard var item = items[event.specimen], !item.isOver, event.version > item.version else { return [] }
        item.version = event.version
        // How it ended takes the whole record to tell.
        let isEnd = [.submitted, .refused, .conflict].contains(event.state)
        let lines = isEnd ? [] : stepped(&item, event.state, event.step)
        items[event.specimen] = item
        return lines
    }

    /// Takes a record as it is kept.
    mutating func take(_ submission: Submission, now: UTCInstant) -> [Line] {
        guard var item = items[submission.specimen], !item.isOver, submission.version >= item.version else { return [] }
        item.version = submission.version
        var lines: [Line] = []
        switch submission.state {
        case .ready, .sending:
            lines += stepped(&item, submission.state, submission.step) + arrived(&item, submission)
            if let failure = submission.lastFailure, failure != item.failure {
                item.failure = failure
                lines += Line.hanging(
                    head(item) + Line("waits: ", .caution), failure + OutboxScreen.next(submission, now),
                    columns: columns)
            }
        case .submitted, .refused, .conflict, .draft:
            item.isOver = true
            item.state = submission.state
            lines += arrived(&item, submission) + ended(item, submission)
        }
        items[submission.specimen] = item
        return lines
    }

    // MARK: Lines

    private func head(_ item: Item) -> Line { Line(item.specimen.number, .strong) + "  " }

    private func stepped(
        _ item: inout Item, _ state: Submission.State, _ step: Submission.Step?
    ) -> [Line] {
        guard state != item.state || step != item.step else { return [] }
        // Between two calls there is none, which is no news.
        let isBetween = state == item.state && step == nil
        (item.state, item.step) = (state, step)
        guard !isBetween else { return [] }
        let words =
            switch (state, step) {
            case (.sending, .create): ", a new sample"
            case (.sending, .update): ", a change of the sample"
            case (.sending, .photograph): ", photographs"
            default: ""
            }
        return [head(item) + SpecimenScreens.word(state) + words]
    }

    private func arrived(_ item: inout Item, _ submission: Submission) -> [Line] {
        var lines: [Line] = []
        for picture in submission.pictures where picture.state == .submitted {
            if item.arrived.insert(picture.id).inserted {
                lines.append(head(item) + "\(Self.name(picture.id, item)) " + Line("arrived", .good))
            }
        }
        return lines
    }

    private func ended(_ item: Item, _ submission: Submission) -> [Line] {
        let head = head(item) + SpecimenScreens.word(submission.state)
        switch submission.state {
        case .refused:
            let pictures = submission.pictures.compactMap { picture in
                picture.refusal.map { Submission.Refusal(field: Self.name(picture.id, item), words: $0) }
            }
            return [head + ", in the words of \(submission.target.rawValue):"]
                + (submission.refusals + pictures).flatMap { refusal in
                    Line.hanging(Line("    "), OutboxScreen.text(refusal), columns: columns)
                }
        case .conflict:
            guard let conflict = submission.conflict else { return [head] }
            return OutboxScreen.conflict(conflict, item.specimen.number, columns: columns)
                + [
                    Line(
                        "  End it: konza specimens resolve \(CommandContext.typed(item.specimen)) --keep ours|theirs",
                        .quiet)
                ]
        case .draft: return [head + ", it is not to be sent any more"]
        case .submitted, .ready, .sending:
            var lines = [head + (submission.remoteID.map { " as \($0)" } ?? "")]
            if let url = submission.remoteURL { lines += Line.hanging(Line("    "), url, columns: columns) }
            for remark in submission.remarks ?? [] {
                lines += Line.hanging(Line("    kept otherwise: "), OutboxScreen.text(remark), columns: columns)
            }
            return lines
        }
    }

    private static func name(_ photograph: PhotographID, _ item: Item) -> String {
        let all = item.specimen.photographs
        guard let index = all.firstIndex(where: { $0.id == photograph }) else { return "photograph" }
        return "photograph \(index + 1) of \(all.count)"
    }
}
