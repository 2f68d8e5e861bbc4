internal import KonzaAPI
internal import KonzaModel

/// `konza track` without a form: what there is.
enum TrackScreen {
    static func lines(_ track: TrackReply, dates: LocalDates) -> [Line] {
        let places = track.points.compactMap { WhereScreen.place(of: $0) }
        guard let first = track.points.first, let last = track.points.last, !places.isEmpty else {
            return [Line("No track: there was no fix in that time.")]
        }
        let metres = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        var line = Line()
        if let mark = StatusScreen.source(track.source) { line += Line("(\(mark)) ", .caution) }
        line += Figures.fixes(track.count)
        if let start = first.timestamp, let end = last.timestamp {
            line += " from \(dates.dateAndTime(start)) to \(dates.time(end)) \(dates.zone(end))"
        }
        line += ", \(Figures.metres(metres)) along the way"
        return [line, Line("For a map program: konza track --gpx -o walk.gpx", .quiet)]
    }
}
