internal import KonzaAPI
internal import KonzaModel
internal import Trails

extension NearestTrailReply {
    init(_ match: TrailMatch, _ network: TrailNetwork, _ closed: ClosedEdges) {
        self.init(state: match.state.rawValue, demonstration: network.isDemonstration)
        let found = network.description(of: match, closed: closed)
        trail = found.trail
        trails = match.state == .unknown ? [] : found.trails
        distance = found.distance?.rounded(toDecimals: 1)
        along = match.along?.rounded(toDecimals: 1)
        length = found.length?.rounded(toDecimals: 1)
        heading = match.heading?.rounded(toDecimals: 1)
        direction = match.heading.map(Directions.compass)
        segment = found.segment
        self.closed = found.closedReason
        candidates = found.candidates.isEmpty ? nil : found.candidates
        closedCandidates = found.closedCandidates.isEmpty ? nil : found.closedCandidates
        if match.state == .on || match.state == .near {
            junction = network.junctionAhead(match, closed: closed).map(Junction.init)
        }
        words = sentence
    }

    private var sentence: String {
        let name = trail ?? (trails.isEmpty ? "an unnamed path" : trails[0])
        let metres = distance.map { "\(Int(abs($0).rounded())) m" } ?? "some way"
        var words: String
        switch state {
        case "on": words = "on \(name)"
        case "near": words = "\(metres) beside \(name)"
        case "off": words = "off the trails, \(metres) from \(name)"
        default:
            words =
                candidates.map { "not to be told: it may be \($0.map(marked).joined(separator: " or "))" }
                ?? (distance == nil ? "not known" : "not to be told: the position is too poor")
            return demonstration ? "\(words) (made-up trails)" : words
        }
        if state != "off", let along {
            words += ", \(Self.distance(along)) along"
            if let length { words += " of \(Self.distance(length))" }
        }
        if let direction { words += ", heading \(direction)" }
        if let closed { words += ", CLOSED: \(closed)" }
        if let junction { words += "; in \(Self.distance(junction.distance)) \(junction.words)" }
        return words
    }

    /// Nobody takes a closed trail for an open one because the position is poor.
    private func marked(_ candidate: String) -> String {
        closedCandidates?.contains(candidate) == true ? "\(candidate) (closed)" : candidate
    }

    static func distance(_ metres: Double) -> String {
        guard metres >= 1000 else { return "\(Int((metres / 10).rounded()) * 10) m" }
        let hundredths = Int((metres / 10).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) km"
    }
}

extension NearestTrailReply.Junction {
    init(_ junction: TrailNetwork.JunctionAhead) {
        let exits = junction.exits.map { exit in
            NearestTrailReply.Exit(
                turn: exit.turn.rawValue, trail: exit.trail, heading: exit.bearing.rounded(toDecimals: 1),
                closed: exit.closedReason)
        }
        let ahead = junction.ahead.map { junction.exits[$0] }
        let words: String
        if let ahead {
            words =
                ahead.turn == .straightOn
                ? "go straight on" : ahead.turn == .back ? "turn back" : "turn \(ahead.turn.words)"
        } else {
            words = junction.exits.map { exit in
                "\(exit.turn.words): \(exit.trail ?? "an unnamed path")"
                    + (exit.closedReason.map { " (closed: \($0))" } ?? "")
            }.joined(separator: ", ")
        }
        self.init(
            distance: junction.distance.rounded(toDecimals: 1), at: junction.coordinate, turn: ahead?.turn.rawValue,
            words: words + (ahead?.closedReason.map { ", which is closed: \($0)" } ?? ""), exits: exits)
    }
}

extension TrailClosureReply {
    init(_ closure: TrailClosure, at now: UTCInstant) {
        self.init(
            id: closure.id, reason: closure.reason, from: closure.from, until: closure.until,
            inForce: closure.isInForce(at: now))
        switch closure.target {
        case .trail(let name): trail = name
        case .segment(let id): segment = id
        case .everything: everything = true
        }
    }
}

extension TrailReportReply {
    private static let mostBesides = 10

    init(_ report: TrailReport, _ besides: [TrailReport.Beside] = [], source: String, isDryRun: Bool) {
        self.init(source: source, format: report.format, dryRun: isDryRun)
        trails = report.trails.map { trail in
            Trail(
                name: trail.name, length: trail.length.rounded(toDecimals: 1),
                publishedLength: trail.published.map {
                    [$0.lowerBound.rounded(toDecimals: 0), $0.upperBound.rounded(toDecimals: 0)]
                },
                deviation: trail.deviation?.rounded(toDecimals: 3))
        }
        segments = report.segments
        junctions = report.junctions
        places = report.places
        length = report.length.rounded(toDecimals: 1)
        joinedEnds = report.joinedEnds
        gaps = report.gapCount
        looseEnds = report.looseEndCount
        crossings = report.crossingCount
        islands = report.islands
        refused = report.refused
        ignored = report.ignored
        bareClosures = report.bareClosures
        unreadableDates = report.unreadableDates
        findings =
            report.gaps.map {
                Finding(kind: "gap", at: $0.from, metres: $0.metres.rounded(toDecimals: 1), trails: [$0.trail])
            }
            + report.looseEnds.map {
                Finding(
                    kind: "loose-end", at: $0.place, metres: $0.metres.rounded(toDecimals: 1),
                    trails: [$0.trail].compactMap { $0 })
            } + report.crossings.map { Finding(kind: "crossing", at: $0.place, metres: nil, trails: $0.trails) }
            + besides.prefix(Self.mostBesides).map {
                Finding(kind: "beside", at: $0.place, metres: $0.metres.rounded(toDecimals: 0), trails: $0.trails)
            }
        self.besides = besides.count
    }
}
