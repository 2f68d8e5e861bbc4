internal import KonzaAPI
internal import KonzaModel

/// The screens about samples of MetPetDB.
enum SampleScreens {
    private static let points = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]

    /// The nearest of the sixteen points of the compass, and degrees from true north: `NNE 23°`.
    static func direction(_ bearing: Double) -> String {
        let degrees = Int(bearing.rounded()) % 360
        return "\(points[Int((bearing / 22.5).rounded()) % 16]) \(degrees)°"
    }

    // MARK: How old

    /// Where the answer comes from: a line that no screen about samples is without.
    static func origin(_ origin: AnswerOrigin, dates: LocalDates, columns: Int?) -> [Line] {
        guard origin.source == .cache else { return [Line("From MetPetDB, asked just now.", .quiet)] }
        let age = origin.ageSeconds.map { "\(Figures.span(seconds: $0)) old" } ?? "of unknown age"
        let time = origin.fetchedAt.map { ", of \(dates.date($0)) \(dates.minute($0))" } ?? ""
        var text =
            origin.coverage == .answer
            ? "Kept on the station, \(age)\(time)."
            : "Put together from other answers kept on the station, the oldest \(age): MetPetDB may have more."
        if let reason = origin.reason { text += " Not asked anew: \(reason)." }
        let isCurrent = origin.coverage == .answer && origin.reason == nil
        return Line.hanging(Line(), text, style: isCurrent ? .quiet : .caution, columns: columns)
    }

    // MARK: Lists

    /// A line each, for `konza samples`.
    static func list(
        _ pages: [Dated<SamplePageReply>], hasMore: Bool, dates: LocalDates, columns: Int?
    ) -> [Line] {
        guard let first = pages.first else { return [] }
        let samples = pages.flatMap { $0.answer.samples ?? [] }
        let places = pages.flatMap { $0.answer.places ?? [] }
        var lines: [Line] = []
        if samples.isEmpty, places.isEmpty {
            lines = [Line("No samples.")]
        } else if places.isEmpty {
            lines = table(samples.map { Row($0.sample, $0.way) }, columns: columns)
        } else {
            for place in places {
                let count = Line("\(Figures.count(place.samples.count, "sample"))", .strong)
                lines.append(count + " at \(CoordinateFormat.decimal.text(place.place))\(way(place.way))")
                lines += table(place.samples.map { Row($0, nil) }, columns: columns).dropFirst().map { Line("  ") + $0 }
            }
        }
        lines += shown(first.answer, samples.count + places.reduce(0) { $0 + $1.samples.count }, hasMore)
        return lines + origin(first.origin, dates: dates, columns: columns)
    }

    private static func way(_ way: WayThere) -> String {
        guard let distance = way.distance, let bearing = way.bearing else { return "" }
        return ", \(Figures.metres(distance)) \(direction(bearing)) of the station"
    }

    private static func shown(_ page: SamplePageReply, _ count: Int, _ hasMore: Bool) -> [Line] {
        var lines: [Line] = []
        if hasMore || count < page.total {
            lines.append(Line("Shown \(count) of \(page.total).\(hasMore ? " More with --limit." : "")", .quiet))
        }
        if let radius = page.wholeWithin {
            lines.append(Line("Complete only within \(Figures.metres(radius)); narrow the search.", .caution))
        }
        if let position = page.position, position.source != .live {
            lines.append(Line("Distances are from a \(position.source.rawValue) position.", .caution))
        }
        return lines
    }

    /// What a line of the table says.
    private struct Row {
        let cells: [String]

        init(_ sample: FoundSample, _ way: WayThere?) {
            let distance = way.flatMap { $0.distance ?? $0.distanceFromCenter }.map(Figures.metres)
            cells = [
                sample.number, sample.rockType ?? "", distance ?? "", way?.bearing.map(direction) ?? "",
                sample.owner ?? "", sample.collectionDate?.description ?? "", sample.id,
            ]
        }
    }

    private static func table(_ rows: [Row], columns: Int?) -> [Line] {
        let names = ["Number", "Rock type", "Distance", "Direction", "Owner", "Date", "Id"]
        let limits = [24, 20, 10, 10, 24, 10, 36]
        // Columns without anything are left out.
        let used = names.indices.filter { index in rows.contains { !$0.cells[index].isEmpty } }
        let widths = used.map { index in
            min(limits[index], ([names[index]] + rows.map { $0.cells[index] }).map(TextSafety.width).max() ?? 0)
        }
        func line(_ cells: [String], _ style: Style) -> Line {
            var line = Line()
            for (place, index) in used.enumerated() {
                let text = TextSafety.shortened(TextSafety.cleaned(cells[index]), to: widths[place])
                let cell = Line(text, index == 0 && style == .plain ? .strong : style)
                let isRight = index == 2
                line += isRight ? cell.aligned(right: widths[place]) : cell
                if place + 1 < used.count {
                    let end = used.prefix(place + 1).indices.reduce(0) { $0 + widths[$1] + 2 }
                    line = line.padded(to: end)
                }
            }
            return columns.map { line.cut(to: $0) } ?? line
        }
        return [line(names, .quiet)] + rows.map { line($0.cells, .plain) }
    }

    // MARK: Sums

    /// For `konza samples --summary`.
    static func summary(_ reply: Dated<SampleSummary>, dates: LocalDates, columns: Int?) -> [Line] {
        let sums = reply.answer
        var lines = [Line(Figures.count(sums.total, "sample"), .strong)]
        if sums.counted < sums.total { lines[0] += Line(", \(sums.counted) of them counted below", .caution) }
        let lists = [
            ("Rock types", sums.rockTypes), ("Minerals", sums.minerals), ("Grades", sums.metamorphicGrades),
            ("Owners", sums.owners),
        ]
        for (name, counts) in lists where !counts.isEmpty {
            let text = counts.map { entry in entry.count.map { "\(entry.name) \($0)" } ?? entry.name }
            lines += Line.hanging(Line("  \(name)").padded(to: 14), text.joined(separator: ", "), columns: columns)
        }
        if let box = sums.extent {
            let corners = [(box.south, box.west), (box.north, box.east)].compactMap {
                Coordinate(latitude: $0, longitude: $1).map { CoordinateFormat.decimal.text($0) }
            }
            lines += Line.hanging(
                Line("  Extent").padded(to: 14), corners.joined(separator: " to "), columns: columns)
        }
        return lines + origin(reply.origin, dates: dates, columns: columns)
    }

    // MARK: Regions

    /// For `konza regions`: names, with their letter before the first of each.
    static func regions(_ reply: Dated<RegionsReply>, start: String, dates: LocalDates, columns: Int?) -> [Line] {
        let names = reply.answer.regions.filter { $0.lowercased().hasPrefix(start.lowercased()) }
        var lines: [Line] = []
        var letter = ""
        for name in names {
            let own = name.first.map { String($0).uppercased() } ?? ""
            lines.append(Line(own == letter ? "" : own, .strong).padded(to: 3) + name)
            letter = own
        }
        if names.isEmpty { lines = [Line("No regions\(start.isEmpty ? "" : " that begin with \(start)").")] }
        return lines + origin(reply.origin, dates: dates, columns: columns)
    }
}
