internal import KonzaAPI
internal import KonzaModel

/// The screens about trails.
enum TrailScreens {
    private static let madeUp = Line("Demonstration: these trails are made up, nobody can walk them.", .caution)
    /// Nearer than this one is there, metres.
    private static let arrival = 15.0

    static func distance(_ metres: Double) -> String {
        metres < 1000 ? "\(Figures.fixed(metres, 0)) m" : "\(Figures.fixed(metres / 1000, 2)) km"
    }

    private static func published(_ length: [Double]?) -> String? {
        guard let length, let least = length.first, let most = length.last else { return nil }
        return least == most ? distance(least) : "\(distance(least)) to \(distance(most))"
    }

    // MARK: Lists

    static func list(_ reply: TrailsReply, dates: LocalDates, columns: Int?) -> [Line] {
        var lines = reply.demonstration ? [madeUp, Line()] : []
        let width = min(40, reply.trails.map { $0.name.count }.max() ?? 0)
        for trail in reply.trails {
            var line =
                Line(trail.name, .strong).padded(to: width) + "  " + Line(distance(trail.length)).aligned(right: 9)
            if let ascent = trail.ascent { line += ", \(Figures.fixed(ascent, 0)) m up" }
            if let published = published(trail.publishedLength) { line += " (published \(published))" }
            if let closed = trail.closed {
                let part = trail.closedLength.flatMap { $0 < trail.length ? "\(distance($0)) closed" : nil }
                line += Line("  \(part ?? "CLOSED"): \(closed)", part == nil ? .bad : .caution)
            }
            lines.append(line)
        }
        if !reply.closures.isEmpty {
            lines +=
                [Line(), Line("Closures of the station", .strong)] + reply.closures.map { closure($0, dates: dates) }
        }
        if !reply.places.isEmpty {
            let names = reply.places.map { "\($0.name) [\($0.kind)]" }.joined(separator: ", ")
            lines += [Line()] + Line.hanging(Line("Places: "), names, columns: columns)
        }
        lines.append(Line())
        for source in reply.sources {
            let when = source.importedAt.map { ", \(dates.date($0))" } ?? ""
            let whom = source.attribution.map { ", \($0)" } ?? ""
            lines.append(
                Line(
                    "\(source.name): \(source.origin)\(when), \(Figures.count(source.segments, "segment"))\(whom)",
                    .quiet))
        }
        for source in reply.apart ?? [] {
            let why =
                reply.demonstration
                ? "as it is short; konza trails remove demonstration uses it"
                : "as it is made up and these trails are not; konza trails remove \(source.name) forgets it"
            lines.append(Line("\(source.name): \(source.origin), kept and not in use, \(why)", .caution))
        }
        return lines
    }

    static func closure(_ closure: TrailClosureReply, dates: LocalDates) -> Line {
        let what = closure.trail ?? closure.segment.map { "segment \($0)" } ?? "all trails"
        var line = Line("\(closure.id)  ") + Line(what, .strong) + ": \(closure.reason)"
        if let from = closure.from { line += ", from \(dates.dateAndTime(from))" }
        if let until = closure.until { line += ", until \(dates.dateAndTime(until))" }
        if let also = closure.alsoCloses { line += ", and with it what of \(also.joined(separator: ", ")) lies there" }
        if closure.closesNothing == true {
            return line
                + Line(
                    "  closes nothing: what it is about is not there; close it anew, or konza trails open \(closure.id)",
                    .caution)
        }
        return line + Line(closure.inForce ? "  in force" : "  not in force", closure.inForce ? .bad : .quiet)
    }

    static func report(_ report: TrailReportReply, columns: Int?) -> [Line] {
        var lines = [
            Line("\(report.source): ", .strong)
                + "\(Figures.count(report.trails.count, "trail")), \(Figures.count(report.segments, "segment")), "
                + "\(Figures.count(report.junctions, "junction")), \(Figures.count(report.places, "place")), "
                + distance(report.length)
                + (report.dryRun ? " (looked at only, nothing is kept)" : "")
        ]
        for trail in report.trails {
            var line = Line("  \(trail.name): \(distance(trail.length))")
            if let published = published(trail.publishedLength), let deviation = trail.deviation {
                line += Line(
                    ", published \(published)" + (deviation == 0 ? "" : ", \(Figures.fixed(deviation * 100, 1)) % off"),
                    deviation == 0 ? .plain : .caution)
            }
            lines.append(line)
        }
        if report.trails.isEmpty {
            lines.append(
                Line("  no line has a name: without one they are paths, which no list, closure or way names", .caution))
        }
        let faults = [
            (
                report.joinedEnds, "end was joined to what it nearly touched",
                "ends were joined to what they nearly touched"
            ),
            (report.gaps, "gap within a trail", "gaps within trails"),
            (
                report.looseEnds, "end near another line that does not join it",
                "ends near another line that do not join it"
            ),
            (report.crossings, "crossing without a node", "crossings without a node"),
            // One is the whole.
            (report.islands > 1 ? report.islands : 0, "part", "parts that no way connects"),
            (
                report.besides, "pair of trails side by side, of which a closure of one leaves the other open",
                "pairs of trails side by side, of which a closure of one leaves the other open"
            ),
            (report.refused, "way that nobody may walk, left out", "ways that nobody may walk, left out"),
            (report.ignored, "element that is no trail, left out", "elements that are no trails, left out"),
            (
                report.bareClosures, "line called closed without dates, closed until it is imported anew",
                "lines called closed without dates, closed until they are imported anew"
            ),
            (
                report.unreadableDates, "closure with a date that cannot be read, taken as without that end",
                "closures with a date that cannot be read, taken as without that end"
            ),
        ]
        for (count, one, several) in faults where count > 0 {
            lines.append(Line("  \(counted(count, one, several))", .caution))
        }
        if let idle = report.idleClosures {
            let ids = idle.map(String.init).joined(separator: ", ")
            lines.append(
                Line(
                    "  \(counted(idle.count, "closure closes", "closures close")) nothing of these trails (\(ids)): konza "
                        + "trails list shows them", .caution))
        }
        for finding in report.findings {
            let metres = finding.metres.map { ", \(distance($0))" } ?? ""
            let place = "\(Figures.fixed(finding.latitude, 6)), \(Figures.fixed(finding.longitude, 6))"
            let trails = finding.trails.isEmpty ? "" : " (\(finding.trails.joined(separator: ", ")))"
            lines.append(Line("    \(finding.kind) at \(place)\(metres)\(trails)", .quiet))
        }
        return lines
    }

    // MARK: The profile

    private static let bars = Array("▁▂▃▄▅▆▇█")

    static func profile(_ profile: TrailProfileReply, columns: Int?) -> [Line] {
        var lines = profile.demonstration ? [madeUp] : []
        var head = Line(profile.trail, .strong) + ", \(distance(profile.length))"
        if let ascent = profile.ascent, let descent = profile.descent {
            head +=
                ", \(Figures.fixed(ascent, 0)) m up, \(Figures.fixed(descent, 0)) m down"
                + " (rises of \(Figures.fixed(profile.ascentThreshold, 0)) m and more)"
        }
        lines.append(head)
        let heights = profile.points.compactMap(\.height)
        guard let low = heights.min(), let high = heights.max(), heights.count == profile.points.count else {
            return lines + [Line("The heights along it are not known.", .caution)]
        }
        let width = max(10, min(columns ?? HelpText.columns, 100) - 2)
        var line = ""
        for column in 0..<width {
            let height = heights[column * (heights.count - 1) / max(1, width - 1)]
            line.append(bars[min(7, Int((height - low) / max(1, high - low) * 8))])
        }
        lines.append(Line(line))
        if let here = profile.here {
            let column = Int(here / max(1, profile.length) * Double(width - 1))
            lines.append(Line(String(repeating: " ", count: min(width - 1, max(0, column))) + "^ here", .strong))
        }
        return lines + [Line("\(Figures.fixed(low, 0)) to \(Figures.fixed(high, 0)) m above the sea", .quiet)]
    }

    // MARK: The way

    static func way(_ way: TrailWayReply, dates: LocalDates, columns: Int?) -> [Line] {
        var lines = way.demonstration ? [madeUp] : []
        lines.append(summary(way))
        for closed in way.closed {
            lines.append(
                Line(
                    "CLOSED for \(distance(closed.length))"
                        + (closed.distance > 0 ? " after \(distance(closed.distance))" : "")
                        + ": \(closed.reason). Leave it by this way.", .bad))
        }
        for closing in way.closing ?? [] {
            lines.append(
                Line(
                    "CLOSES at \(dates.minute(closing.from)), before you have left it: \(distance(closing.length))"
                        + (closing.distance > 0 ? " after \(distance(closing.distance))" : "")
                        + ": \(closing.reason)", .bad))
        }
        if let reason = way.toClosed {
            lines.append(Line("\(way.to.name) is closed, as a whole or in part: \(reason)", .bad))
        }
        if way.avoidsClosed { lines.append(Line("Closed trails are avoided.", .caution)) }
        if way.approach > arrival { lines.append(Line("\(distance(way.approach)) to the trail first", .caution)) }
        for turn in way.turns {
            lines.append(Line("  after ") + Line(distance(turn.distance)).aligned(right: 8) + "  \(turn.words)")
        }
        if way.departure > arrival {
            lines.append(
                Line("  after ") + Line(distance(way.distance - way.departure)).aligned(right: 8)
                    + "  leave the trails: \(distance(way.departure)) to the end")
        }
        lines.append(Line("  after ") + Line(distance(way.distance)).aligned(right: 8) + "  \(way.to.name)")
        return lines + dusk(way, dates: dates)
    }

    private static func summary(_ way: TrailWayReply) -> Line {
        var line =
            Line("To ") + Line(way.to.name, .strong)
            + ": \(distance(way.distance)), \(Figures.span(seconds: Int(way.seconds)))"
        if let ascent = way.ascent, let descent = way.descent {
            line += ", \(Figures.fixed(ascent, 0)) m up, \(Figures.fixed(descent, 0)) m down"
        }
        if way.position.source != "live", way.position.source != "request" {
            line += Line(" (\(way.position.source) position)", .caution)
        }
        return line
    }

    private static func dusk(_ way: TrailWayReply, dates: LocalDates) -> [Line] {
        guard let dusk = way.dusk, let latest = way.turnBackBefore else { return [] }
        let isLate = way.timestamp > latest
        let words = "Dusk at \(dates.minute(dusk)); set out before \(dates.minute(latest))"
        return [Line(isLate ? "\(words): it is too late for that" : words, isLate ? .bad : .quiet)]
    }

    static func walking(_ way: TrailWayReply, _ place: NearestTrailReply, dates: LocalDates, columns: Int) -> [Line] {
        guard !hasArrived(way) else { return [Line("You are there: \(way.to.name)", .strong)] }
        let next = way.turns.first
        var lines = [
            Line("in \(distance(next?.distance ?? way.distance)): \(next?.words ?? way.to.name)", .strong), Line(),
        ]
        lines += Line.hanging(Line("You are "), place.words, columns: columns) + [Line()]
        return lines + Self.way(way, dates: dates, columns: columns) + [Line(), Line("Ctrl-C ends it.", .quiet)]
    }

    /// One line, which changes when something is to be done.
    static func step(_ way: TrailWayReply, _ place: NearestTrailReply) -> Line {
        guard !hasArrived(way) else { return Line("You are there: \(way.to.name)", .strong) }
        let tens = { (metres: Double) in Self.distance((metres / 50).rounded(.up) * 50) }
        let next = way.turns.first
        let what = next?.words ?? way.to.name
        let words = "in \(tens(next?.distance ?? way.distance)): \(what); \(tens(way.distance)) to go"
        guard let closed = way.closed.first else { return Line(words) }
        return Line(words) + Line("; CLOSED for \(tens(way.closedLength)): \(closed.reason)", .bad)
    }

    static func hasArrived(_ way: TrailWayReply) -> Bool { way.distance < arrival }
}
