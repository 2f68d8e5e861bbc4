internal import KonzaAPI
internal import KonzaModel

/// The screens about postcards and templates.
enum PostcardScreens {
    /// What was taken, for `konza postcard`.
    static func taken(_ card: PostcardReply, dates: LocalDates, columns: Int?) -> [Line] {
        var lines = [Line("Postcard ", .strong) + Line("kept", .good) + " as \(card.id)"]
        lines += facts(card, dates).flatMap { Line.hanging(Line("  \($0.0)").padded(to: 12), $0.1, columns: columns) }
        return lines
    }

    /// Everything, for `konza postcards show`.
    static func page(_ card: PostcardReply, dates: LocalDates, columns: Int?) -> [Line] {
        var facts = facts(card, dates)
        facts.append(("Kept at", "\(dates.dateAndTime(card.createdAt)) \(dates.zone(card.createdAt))"))
        facts.append(("Original", card.links.original == nil ? "not kept" : "kept (konza postcards get --original)"))
        if let sum = card.sha256 { facts.append(("SHA-256", sum)) }
        return [Line("Postcard ", .strong) + card.id]
            + facts.flatMap { Line.hanging(Line("  \($0.0)").padded(to: 12), $0.1, columns: columns) }
    }

    private static func facts(_ card: PostcardReply, _ dates: LocalDates) -> [(String, String)] {
        let clock = card.timeSource == "gps" ? " by the receiver's clock" : ""
        var facts = [
            ("Exposed", "\(dates.dateAndTime(card.exposedAt)) \(dates.zone(card.exposedAt))\(clock)"),
            ("Where", position(card)),
            ("Caption", card.place),
        ]
        if let time = card.receiverTime {
            facts.insert(
                ("", "\(dates.dateAndTime(time)) \(dates.zone(time)) by the receiver's clock, which disagreed"), at: 1)
        }
        if let message = card.message { facts.append(("Message", message)) }
        facts.append(("Picture", "\(card.width) x \(card.height), \(Figures.bytes(Int64(card.bytes)))\(source(card))"))
        facts.append(("Template", card.template))
        if let path = card.path { facts.append(("File", path)) }
        return facts
    }

    private static func source(_ card: PostcardReply) -> String {
        StatusScreen.source(card.source).map { ", from a \($0) picture" } ?? ""
    }

    private static func position(_ card: PostcardReply) -> String {
        guard let position = card.position, let place = WhereScreen.place(of: position) else {
            return "not known when it was taken; the picture carries no position"
        }
        var text = StatusScreen.source(position.source).map { "(\($0)) " } ?? ""
        text += CoordinateFormat.decimal.text(place, accuracy: position.accuracy)
        if let accuracy = position.accuracy { text += ", ±\(Figures.metres(accuracy))" }
        if let height = position.altitudeMSL { text += ", \(Figures.height(height)) above sea level" }
        return text
    }

    /// A line each, for `konza postcards`.
    static func list(_ cards: [PostcardReply], hasMore: Bool, dates: LocalDates, columns: Int?) -> [Line] {
        guard !cards.isEmpty else { return [Line("No postcards yet. Take one: konza postcard")] }
        let ids = cards.map { TextSafety.width($0.id) }.max() ?? 0
        var lines = [
            Line("Id", .quiet).padded(to: ids + 2) + Line("Taken", .quiet).padded(to: 18)
                + Line("On the card", .quiet)
        ]
        for card in cards {
            let line =
                Line(card.id, .strong).padded(to: ids + 2)
                + "\(dates.date(card.exposedAt)) \(dates.minute(card.exposedAt))  "
            var words = card.message ?? card.place
            if let mark = StatusScreen.source(card.source) { words = "(\(mark)) \(words)" }
            lines.append(line + (columns.map { TextSafety.shortened(words, to: max($0 - line.width, 8)) } ?? words))
        }
        if hasMore {
            lines.append(Line("There are more: konza postcards --limit \(min(cards.count * 5, 10_000))", .quiet))
        }
        return lines
    }

    static func templates(_ templates: [TemplatesReply.Entry]) -> [Line] {
        guard !templates.isEmpty else { return [Line("The station has no templates; konza status says why.")] }
        let width = templates.map { TextSafety.width($0.name) }.max() ?? 0
        return templates.map { entry in
            Line("  ") + Line(entry.name, .strong).padded(to: width + 2) + entry.title
                + Line(entry.isDefault ? "  (used when none is named)" : "", .quiet)
        }
    }
}
