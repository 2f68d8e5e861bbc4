internal import KonzaAPI
internal import KonzaModel

/// `konza specimens occupy`.
enum OccupationScreen {
    /// How it settles, on one line.
    static func running(_ reply: OccupationReply, _ specimen: Specimen) -> Line {
        var line = Line(specimen.number, .strong) + "  "
        line += Line(SpecimenScreens.mark(reply.position?.kind), .caution)
        if let accuracy = reply.accuracy {
            let isReached = accuracy <= reply.wantedAccuracy
            line += Line("±\(Figures.metres(accuracy))", isReached ? .good : .caution)
            line += " (95 %)"
        } else {
            line += Line("no usable fix yet", .bad)
        }
        line += ", wanted ±\(Figures.metres(reply.wantedAccuracy)), n = \(reply.fixesUsed)\(leftOut(reply)), "
        line += "\(clock(reply.elapsedSeconds)) of \(clock(reply.timeLimitSeconds))"
        return line
    }

    /// What came of it.
    static func ended(_ reply: OccupationReply, _ specimen: Specimen, columns: Int?) -> [Line] {
        guard let position = reply.position, let place = position.coordinate else { return [] }
        let isReached = reply.accuracy.map { $0 <= reply.wantedAccuracy } ?? false
        var facts: [(String, String)] = [
            ("Where", SpecimenScreens.place(position, place)),
            (
                "Averaged",
                "\(Figures.fixes(reply.fixesUsed))\(leftOut(reply)) in "
                    + "\(Figures.span(seconds: Int(reply.elapsedSeconds.rounded())))"
            ),
            ("Ended", why(reply)),
        ]
        if !isReached {
            facts.append(
                ("Wanted", "±\(Figures.metres(reply.wantedAccuracy)): occupy it again, or submit it with --override"))
        }
        let word = isReached ? Line("occupied", .good) : Line("occupied", .caution)
        return [Line("Specimen ", .strong) + "\(specimen.number) " + word]
            + facts.flatMap { Line.hanging(Line("  \($0.0)").padded(to: 14), $0.1, columns: columns) }
    }

    private static func leftOut(_ reply: OccupationReply) -> String {
        reply.fixesRejected > 0 ? " (\(reply.fixesRejected) left out)" : ""
    }

    private static func why(_ reply: OccupationReply) -> String {
        switch reply.end {
        case "accuracy-reached": "it is known well enough"
        case "time-out": "the time was over"
        case "ended": "by you"
        case "receiver-lost": "the receiver was lost"
        case "receiver-changed": "another receiver took over"
        default: reply.end ?? "not known why"
        }
    }

    /// Minutes and seconds.
    private static func clock(_ seconds: Double) -> String {
        let whole = Int(max(0, seconds).rounded(.down))
        return "\(whole / 60):\(Figures.two(whole % 60))"
    }
}
