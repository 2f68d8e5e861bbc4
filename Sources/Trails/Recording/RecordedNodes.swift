internal import KonzaModel

/// The places at which recorded trails meet: those that were occupied, each once.
struct RecordedNodes {
    private struct Node {
        var place: Coordinate
        var names: [String]
        var kind: TrailPlace.Kind
        /// The sum of 1/accuracy²; nil for one that earlier recordings have, which stays where it is.
        var weight: Double?
    }

    private var nodes: [Node] = []

    /// - Parameter places: that earlier recordings have.
    init(_ places: [TrailPlace]) {
        nodes = places.map { Node(place: $0.coordinate, names: [$0.name], kind: $0.kind, weight: nil) }
    }

    /// Adds an occupied place. Near one that is there already it is the same: a new one becomes the weighted mean of both.
    mutating func add(_ mark: TrailRecording.Mark) {
        guard let place = mark.place else { return }
        let weight = 1 / max(0.25, mark.accuracy * mark.accuracy)
        guard let index = index(near: place) else {
            nodes.append(Node(place: place, names: mark.name.map { [$0] } ?? [], kind: mark.kind, weight: weight))
            return
        }
        if let name = mark.name, !nodes[index].names.contains(name) { nodes[index].names.append(name) }
        guard let known = nodes[index].weight else { return }
        nodes[index].place = nodes[index].place.between(place, share: weight / (known + weight))
        nodes[index].weight = known + weight
    }

    /// The nearest one within reach.
    func index(near place: Coordinate) -> Int? {
        var best: (index: Int, metres: Double)?
        for (index, node) in nodes.enumerated() {
            let metres = node.place.distance(to: place)
            if metres <= min(TrailRecording.reach, best?.metres ?? .infinity) { best = (index, metres) }
        }
        return best?.index
    }

    func place(_ index: Int) -> Coordinate { nodes[index].place }

    /// The places for the source; one without a name gets a number.
    func places(of head: TrailRecording.Head) -> [TrailPlace] {
        var unnamed = 0
        return nodes.map { node in
            if node.names.isEmpty { unnamed += 1 }
            let name = node.names.first ?? "\(head.trail), \(node.kind.rawValue) \(unnamed)"
            return TrailPlace(name: name, kind: node.kind, coordinate: node.place)
        }
    }

    /// One vertex for each visit of a node, at the node. What is walked around a node within its reach is one visit.
    func snapped(_ stretch: [TrailRecording.Vertex]) -> [TrailRecording.Vertex] {
        var result: [TrailRecording.Vertex] = []
        /// Metres since the last node, and where its vertex is.
        var since = 0.0
        var lastNode: Int?
        for vertex in stretch {
            guard let node = vertex.node else {
                if let last = result.last { since += last.place.distance(to: vertex.place) }
                result.append(vertex)
                continue
            }
            if let lastNode, result[lastNode].node == node, since < 3 * TrailRecording.reach {
                result.removeSubrange((lastNode + 1)...)
            } else {
                result.append(TrailRecording.Vertex(place: place(node), node: node))
                lastNode = result.count - 1
            }
            since = 0
        }
        return result
    }

    /// The lines and trails of earlier recordings, through the places that were occupied since.
    func mended(
        _ source: TrailSource?, without name: String
    ) -> (lines: [TrailDrawing.Line], trails: [TrailDrawing.Trail]) {
        guard let source else { return ([], []) }
        let kept = source.trails.filter { $0.name != name }
        let used = Set(kept.flatMap { $0.parts.map(\.segment) })
        var lines: [TrailDrawing.Line] = []
        var index: [Int: [Int]] = [:]
        for (number, segment) in source.segments.enumerated() where used.contains(number) {
            let ends = [0, segment.points.count - 1]
            let vertices = segment.points.enumerated().map { position, point in
                // The ends stay where they are: other segments meet there.
                TrailRecording.Vertex(place: point, node: ends.contains(position) ? nil : self.index(near: point))
            }
            for (part, points) in spliced(vertices).enumerated() {
                var line = TrailDrawing.Line(points)
                line.id = part == 0 ? segment.id : "\(segment.id)/\(part)"
                line.closures = segment.closures
                line.isSegment = true
                line.surface = segment.surface
                line.level = segment.level
                line.trails = kept.filter { $0.parts.contains { $0.segment == number } }.map(\.name)
                index[number, default: []].append(lines.count)
                lines.append(line)
            }
        }
        let trails = kept.map { trail in
            TrailDrawing.Trail(
                name: trail.name,
                lines: trail.parts.flatMap { part in
                    let own = index[part.segment] ?? []
                    return part.isReversed ? own.reversed() : own
                }, published: trail.publishedLength)
        }
        return (lines, trails)
    }

    /// A line through the nodes that it passes, cut there. One at an end of the line is no other node.
    private func spliced(_ vertices: [TrailRecording.Vertex]) -> [[Coordinate]] {
        guard let first = vertices.first, let last = vertices.last else { return [] }
        let ends = [first.place, last.place].map(VertexKey.init)
        let inner = vertices.dropFirst().dropLast().map { vertex in
            let isEnd = vertex.node.map { ends.contains(VertexKey(place($0))) } ?? false
            return isEnd ? TrailRecording.Vertex(place: vertex.place) : vertex
        }
        var lines = [[first.place]]
        for vertex in snapped(inner) {
            lines[lines.count - 1].append(vertex.place)
            if vertex.node != nil { lines.append([vertex.place]) }
        }
        lines[lines.count - 1].append(last.place)
        return lines
    }
}
