public import KonzaModel

/// Makes a source of a recording and of what was recorded before it: trails that pass one occupied place meet there, and a stretch
/// that was walked before is the same segment.
public enum RecordedTrail {
    /// Whom what a replay walked is from; by this such a source is told from an imported one that says that it is made up.
    static let madeUp = "Made up: from a receiver that is a replay or a simulation"

    /// The source with the recorded trail in it.
    ///
    /// - Parameters:
    ///   - recording: at least two points.
    ///   - known: the source of earlier recordings; a trail of the same name in it is replaced.
    ///   - instant: when it was ended.
    /// - Returns: the source, and what a person should look at.
    /// - Throws: ``TrailError/unusableFile(_:)`` where nothing was walked.
    public static func source(
        of recording: TrailRecording, in known: TrailSource?, at instant: UTCInstant
    ) throws(TrailError) -> (source: TrailSource, report: TrailReport) {
        guard recording.pointCount > 1, recording.length > 0 else {
            throw .unusableFile(
                "cannot keep the trail \(recording.head.trail): it has fewer than two points; walk on, or end it with "
                    + "--discard")
        }
        var drawing = TrailDrawing(.recording)
        drawing.isDemonstration = recording.head.isMadeUp
        drawing.attribution = recording.head.isMadeUp ? madeUp : known?.attribution
        var nodes = RecordedNodes(known?.places ?? [])
        for mark in recording.marks { nodes.add(mark) }
        let mended = nodes.mended(known, without: recording.head.trail)
        drawing.lines = mended.lines
        drawing.trails = mended.trails
        var legs = RecordedLegs(mended.lines.map(\.points))
        let first = drawing.lines.count
        for stretch in recording.stretches(through: nodes) {
            var line = TrailDrawing.Line(legs.merged(stretch), trails: [recording.head.trail])
            line.id = "\(recording.head.trail) \(drawing.lines.count - first + 1)"
            if line.points.count > 1 { drawing.lines.append(line) }
        }
        drawing.trails.append(
            TrailDrawing.Trail(name: recording.head.trail, lines: Array(first..<drawing.lines.count), published: nil))
        drawing.places = nodes.places(of: recording.head)
        try DrawingLimits.check(drawing)
        return try NetworkBuilder.build(drawing, name: recording.head.source, origin: .recorded, at: instant)
    }
}

extension TrailRecording {
    /// A point of a stretch: a place, and the occupied place that it is at.
    struct Vertex {
        var place: Coordinate
        var node: Int?
    }

    /// Fixes nearer than this to an occupied place are at it, and twice around it is no way, metres.
    static let reach = 12.0

    /// The line between its gaps, through the occupied places that it passes.
    func stretches(through nodes: RecordedNodes) -> [[Vertex]] {
        var stretches: [[Vertex]] = [[]]
        for item in items {
            switch item {
            case .gap: stretches.append([])
            case .point(let place):
                stretches[stretches.count - 1].append(Vertex(place: place, node: nodes.index(near: place)))
            case .mark(let mark):
                guard let place = mark.place else { continue }
                let node = nodes.index(near: place)
                stretches[stretches.count - 1].append(Vertex(place: place, node: node))
            }
        }
        return stretches.map { nodes.snapped($0) }.filter { $0.count > 1 }
    }
}
