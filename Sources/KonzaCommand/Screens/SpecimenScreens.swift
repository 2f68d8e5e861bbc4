internal import KonzaAPI
internal import KonzaModel

/// The screens about specimens.
enum SpecimenScreens {
    private static let indent = 14

    // MARK: The list

    /// A line each.
    static func list(_ specimens: [SpecimenReply], isFiltered: Bool, hasMore: Bool, columns: Int?) -> [Line] {
        guard !specimens.isEmpty else {
            return [Line(isFiltered ? "No specimen is like that." : "No specimens yet. Open one: konza specimens new")]
        }
        let width = min(max(specimens.map { TextSafety.width($0.specimen.number) }.max() ?? 0, 6), 24)
        var lines = [
            Line("Number", .quiet).padded(to: width + 2) + Line("State", .quiet).padded(to: 11)
                + Line("Taken", .quiet).padded(to: 12) + Line("What and where", .quiet)
        ]
        for reply in specimens {
            let specimen = reply.specimen
            let number = TextSafety.shortened(TextSafety.cleaned(specimen.number), to: width)
            let line =
                Line(number, .strong).padded(to: width + 2) + stateWord(reply).padded(to: 11)
                + Line(specimen.collectionDate?.description ?? "-").padded(to: 12)
            let words = TextSafety.cleaned(summary(reply))
            lines.append(line + (columns.map { TextSafety.shortened(words, to: max($0 - line.width, 8)) } ?? words))
        }
        if hasMore {
            lines.append(Line("There are more: konza specimens --limit \(min(specimens.count * 5, 10_000))", .quiet))
        }
        return lines
    }

    private static func summary(_ reply: SpecimenReply) -> String {
        let specimen = reply.specimen
        var parts = [specimen.rockType]
        if let distance = reply.distance {
            let way = reply.bearing.map { " \(compass($0))" } ?? ""
            parts.append("\(Figures.metres(distance))\(way)")
        }
        if let position = specimen.position {
            parts.append(mark(position.kind) + (position.accuracy.map { "±\(Figures.metres($0))" } ?? "± not known"))
        } else {
            parts.append("no position")
        }
        if !specimen.photographs.isEmpty { parts.append(Figures.count(specimen.photographs.count, "photograph")) }
        return parts.joined(separator: ", ")
    }

    static func stateWord(_ reply: SpecimenReply) -> Line {
        reply.specimen.deletedAt == nil ? word(reply.state) : Line("deleted", .quiet)
    }

    /// A state in its colour.
    static func word(_ state: Submission.State) -> Line {
        switch state {
        case .draft: Line("draft", .quiet)
        case .ready, .sending: Line(state.rawValue)
        case .submitted: Line("submitted", .good)
        case .refused: Line("REFUSED", .bad)
        case .conflict: Line("CONFLICT", .bad)
        }
    }

    // MARK: One specimen

    static func opened(_ reply: SpecimenReply, dates: LocalDates, columns: Int?) -> [Line] {
        let next = reply.specimen.position == nil ? "occupy" : "photograph"
        return page(reply, dates: dates, columns: columns)
            + [Line("Next: konza specimens \(next) \(CommandContext.typed(reply.specimen))", .quiet)]
    }

    /// Everything.
    static func page(_ reply: SpecimenReply, dates: LocalDates, columns: Int?) -> [Line] {
        let specimen = reply.specimen
        let title = Line("Specimen ", .strong) + "\(specimen.number)  " + stateWord(reply)
        let facts = names(specimen) + whereabouts(specimen, dates) + records(specimen, dates)
        var lines = [title]
        for (name, text) in facts { lines += row(name, text, columns) }
        for (index, photograph) in specimen.photographs.enumerated() {
            lines += row(index == 0 ? "Photographs" : "", photographText(photograph), columns)
        }
        for one in reply.submissions { lines += submission(one, dates, columns) }
        return lines
    }

    private static func row(_ name: String, _ text: String, _ columns: Int?) -> [Line] {
        Line.hanging(Line("  \(name)").padded(to: indent), text, columns: columns)
    }

    private static func names(_ specimen: Specimen) -> [(String, String)] {
        var facts = [("Rock", specimen.rockType)]
        func add(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { facts.append((name, text)) }
        }
        add("Minerals", specimen.minerals.map(mineral).joined(separator: ", "))
        add("Grades", specimen.metamorphicGrades.joined(separator: ", "))
        add("Meta. regions", specimen.metamorphicRegions.joined(separator: ", "))
        add("Description", specimen.description)
        add("Notes", specimen.fieldNotes)
        for reading in specimen.measurements { add(reading.kind == .plane ? "Plane" : "Line", measurement(reading)) }
        add("Collector", specimen.collector)
        add("IGSN", specimen.igsn)
        add("References", specimen.references.joined(separator: ", "))
        add("Held by", specimen.presentLocation)
        return facts
    }

    private static func whereabouts(_ specimen: Specimen, _ dates: LocalDates) -> [(String, String)] {
        var facts: [(String, String)] = []
        if let position = specimen.position, let place = position.coordinate {
            facts.append(("Where", Self.place(position, place)))
            facts.append(("Known by", source(position)))
            if let override = position.override { facts.append(("Overridden", override.reason)) }
        } else {
            facts.append(("Where", "not known yet: konza specimens occupy \(CommandContext.typed(specimen))"))
        }
        let areas = specimen.regions + [specimen.country].compactMap { $0 }
        if !areas.isEmpty { facts.append(("Area", areas.joined(separator: ", "))) }
        return facts
    }

    private static func records(_ specimen: Specimen, _ dates: LocalDates) -> [(String, String)] {
        var facts: [(String, String)] = []
        if let date = specimen.collectionDate { facts.append(("Taken", date.description)) }
        facts.append(("For", specimen.isPublic ? "everyone" : "its owner only"))
        let changed = dates.dateAndTime(specimen.changedAt)
        facts.append(("Kept", "as \(specimen.id), revision \(specimen.revision) of \(changed)"))
        if let deleted = specimen.deletedAt { facts.append(("Deleted", dates.dateAndTime(deleted))) }
        return facts
    }

    private static func mineral(_ mineral: Specimen.Mineral) -> String {
        mineral.amount == "x" ? mineral.name : "\(mineral.name) \(mineral.amount)"
    }

    private static func measurement(_ reading: StructuralMeasurement) -> String {
        let angles = "\(Figures.fixed(reading.azimuth, 0))/\(Figures.fixed(reading.inclination, 0))"
        let turn = reading.declinationApplied
        let north =
            turn == 0 ? "true north" : "true north, declination \(Figures.shortest(turn))° applied"
        return "\(angles), \(north)" + (reading.feature.map { ", \($0)" } ?? "")
            + (reading.note.map { ": \($0)" } ?? "")
    }

    // MARK: Positions and photographs

    /// What is not live says so first.
    static func mark(_ kind: SourceKind?) -> String { StatusScreen.source(kind).map { "(\($0)) " } ?? "" }

    static func place(_ position: SpecimenPosition, _ place: Coordinate) -> String {
        var text = mark(position.kind) + CoordinateFormat.decimal.text(place, accuracy: position.accuracy)
        text += position.accuracy.map { ", ±\(Figures.metres($0)) (95 %)" } ?? ", accuracy not known"
        if let height = position.altitudeMSL { text += ", \(Figures.height(height)) above sea level" }
        return text
    }

    private static func source(_ position: SpecimenPosition) -> String {
        switch position.source {
        case .given: "the collector's word"
        case .fix: "one fix"
        case .occupation:
            position.averaging.map { "an occupation, \(Figures.fixes($0.fixesUsed)) averaged" }
                ?? "an occupation"
        }
    }

    static func taken(_ photograph: Photograph, of specimen: Specimen, columns: Int?) -> [Line] {
        Line.hanging(
            Line("Photograph ", .strong) + Line("kept", .good) + " as ", photographText(photograph), columns: columns)
    }

    private static func photographText(_ photograph: Photograph) -> String {
        var parts = [
            "\(mark(photograph.cameraSource))\(photograph.fileName)",
            "\(photograph.width) x \(photograph.height)", Figures.bytes(Int64(photograph.byteCount)),
            photograph.imageType.rawValue,
        ]
        if let scale = photograph.scale { parts.append("\(scale) mm wide") }
        if let direction = photograph.direction { parts.append("towards \(Figures.fixed(direction, 0))°") }
        return parts.joined(separator: ", ") + (photograph.description.map { ": \($0)" } ?? "")
    }

    // MARK: Submissions

    private static func submission(
        _ progress: SpecimenReply.Progress, _ dates: LocalDates, _ columns: Int?
    ) -> [Line] {
        let head = Line("  \(progress.target.rawValue)").padded(to: indent) + word(progress.state)
        var words: [String] = []
        if let id = progress.remoteID { words.append("as \(id)") }
        if let revision = progress.submittedRevision { words.append("revision \(revision)") }
        if let at = progress.submittedAt { words.append(dates.dateAndTime(at)) }
        var lines = [head + (words.isEmpty ? "" : ", \(words.joined(separator: ", "))")]
        if let url = progress.remoteURL { lines += row("", url, columns) }
        if let failure = progress.lastFailure { lines += row("", failure, columns) }
        for refusal in progress.refusals ?? [] { lines += row("", OutboxScreen.text(refusal), columns) }
        return lines
    }

    private static func compass(_ bearing: Double) -> String {
        let names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        return names[Int((bearing / 45).rounded()) % 8]
    }
}
