internal import KonzaAPI
internal import KonzaModel

/// `konza trails record` and `konza trails junction`.
enum TrailRecordingScreen {
    /// How far it is, on one line.
    static func running(_ reply: TrailRecordingReply) -> Line {
        var line = Line(reply.trail ?? "", .strong) + "  \(TrailScreens.distance(reply.length))"
        line += ", \(Figures.count(reply.points, "point"))"
        if !reply.junctions.isEmpty { line += ", \(Figures.count(reply.junctions.count, "place"))" }
        if reply.gaps > 0 { line += Line(", \(Figures.count(reply.gaps, "gap"))", .caution) }
        if let accuracy = reply.accuracy { line += ", ±\(Figures.metres(accuracy))" }
        if let occupation = reply.occupation { line += Line("; ") + occupying(occupation) }
        if reply.full { line += Line("  no more is taken: press Ctrl-C", .bad) }
        if let problem = reply.problem { line += Line("  \(problem.detail)", .bad) }
        return line
    }

    /// How an occupation settles, on one line.
    static func occupying(_ junction: TrailRecordingReply.Junction) -> Line {
        var line = Line(junction.name ?? junction.kind, .strong) + "  "
        line += junction.accuracy.map { Line("±\(Figures.metres($0)) (95 %)") } ?? Line("no usable fix yet", .bad)
        line += ", n = \(junction.fixes)"
        if let elapsed = junction.elapsedSeconds, let limit = junction.timeLimitSeconds {
            line += ", \(Figures.fixed(elapsed, 0)) of \(Figures.fixed(limit, 0)) s"
        }
        return line
    }

    /// A place that was occupied.
    static func junction(_ junction: TrailRecordingReply.Junction) -> Line {
        var line = Line(junction.name ?? junction.kind, .strong) + ": "
        if let latitude = junction.latitude, let longitude = junction.longitude {
            line += "\(Figures.fixed(latitude, 6)), \(Figures.fixed(longitude, 6))"
        }
        if let accuracy = junction.accuracy { line += ", ±\(Figures.metres(accuracy)) (95 %)" }
        return line + " by \(Figures.fixes(junction.fixes))"
    }

    /// What came of it.
    static func ended(_ reply: TrailRecordingReply, columns: Int?) -> [Line] {
        guard let report = reply.report else {
            return [Line("The recording of \(reply.trail ?? "a trail") was discarded")]
        }
        var lines = [Line(reply.trail ?? "", .strong) + ": recorded, \(TrailScreens.distance(reply.length))"]
        if reply.demonstration {
            lines.append(Line("The receiver is a replay or a simulation: the trail is marked as made up.", .caution))
        }
        if reply.gaps > 0 {
            lines.append(Line("  \(Figures.count(reply.gaps, "gap")) of which nothing is known", .caution))
        }
        lines += reply.junctions.map { Line("  ") + junction($0) }
        lines += TrailScreens.report(report, columns: columns)
        return lines + (reply.notice.map { [Line($0, .caution)] } ?? [])
    }
}
