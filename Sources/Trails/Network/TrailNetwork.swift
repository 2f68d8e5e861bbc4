public import KonzaModel

/// The trails of all sources as one graph on a plane, made for questions: it never changes, and every question about it is
/// answered without a look at the disk.
public struct TrailNetwork: Sendable {
    /// A named trail over the edges.
    struct Trail: Sendable {
        let name: String
        let source: Int
        let parts: [Part]
        let length: Double
        let published: ClosedRange<Double>?
    }

    struct Part: Sendable {
        let edge: Int
        let isReversed: Bool
        /// Metres of the trail before this part.
        let start: Double
    }

    /// A place on an edge.
    struct Spot: Sendable, Equatable {
        let edge: Int
        /// Metres from the edge's first point.
        let along: Double
        /// From the asked point, metres.
        let distance: Double
        /// Whether the point is left of the edge as it is drawn.
        let isLeft: Bool
    }

    /// Whose segments are cut where they come to the ground of others, see ``SharedGround``.
    public let sources: [TrailSource]
    let plane: LocalPlane
    /// The points of all edges one after the other, and each point's distance along its edge.
    let points: [PlanePoint]
    let alongs: [Double]
    /// Where the points of each edge begin, and one more.
    let starts: [Int32]
    /// The nodes at the two ends of each edge.
    let from: [Int32]
    let to: [Int32]
    let nodeCount: Int
    /// How far apart the ends of edges at one node may be, metres: 0 but where lines lie on one ground.
    let nodeExtent: Double
    /// Edges at each node: twice the edge, one more where the node is its last point. A loop stands twice.
    let nodeStarts: [Int32]
    let nodeEdges: [Int32]
    /// Seconds on foot along each edge, and back.
    let seconds: [Double]
    let secondsBack: [Double]
    /// The greatest speed on any edge, m/s.
    let fastest: Double
    /// The source and the segment of each edge.
    let origins: [(source: Int32, segment: Int32)]
    let trails: [Trail]
    /// The trails of each edge, the shortest first.
    let edgeTrails: [[Int32]]
    private let grid: SegmentGrid
    private let pieceEdges: [Int32]
    private let pieceFirsts: [Int32]

    /// Edges on the ground of others; made last, of all the rest.
    private(set) var sharedGround = SharedGround()

    public var edgeCount: Int { from.count }
    var pieceCount: Int { pieceFirsts.count }
    /// Whether all lines that lie on one ground are known: false where so many do that they were not all compared.
    public var sharesAllGround: Bool { sharedGround.isComplete }
    /// Whether these trails are made up.
    public var isDemonstration: Bool { sources.contains { $0.origin == .demonstration } }

    /// - Parameters:
    ///   - sources: whose ends meet where their coordinates are equal.
    ///   - height: metres above the sea at a place, for the time that a way takes; nil where it is not known.
    public init(_ sources: [TrailSource], height: (Coordinate) -> Double? = { _ in nil }) {
        self.init(drawing: sources, [:], height)
        var ground = SharedGround(self)
        let cuts = ground.cuts.merging(TouchingEnds(self).cuts) { Self.apart($0 + $1) }
        if !cuts.isEmpty {
            let pieces = cutSources(at: cuts)
            self.init(drawing: pieces.sources, [:], height)
            ground = SharedGround(self, piecesOf: ground, pieces.wholes)
        }
        let joints = ground.joints(self)
        if !joints.keys.isEmpty { self.init(drawing: self.sources, joints.keys, extent: joints.extent, height) }
        sharedGround = ground
    }

    /// Cuts in their order, without those that are at others.
    private static func apart(_ cuts: [Double]) -> [Double] {
        cuts.sorted().reduce(into: []) { cuts, next in
            if next - (cuts.last ?? -.infinity) > 1 { cuts.append(next) }
        }
    }

    /// Where the trails of a source run beside others for 100 m or more, within 15 m of them and not on one ground, the longest first.
    public func besides(of source: String) -> [TrailReport.Beside] { sharedGround.nearly(self, of: source) }

    /// The network as it is drawn, without what lies on one ground.
    ///
    /// - Parameters:
    ///   - sources: of which none is cut.
    ///   - joints: ends that are one node with others.
    ///   - extent: how far apart those may be, metres.
    ///   - height: as above.
    init(
        drawing sources: [TrailSource], _ joints: [VertexKey: VertexKey], extent: Double = 0,
        _ height: (Coordinate) -> Double?
    ) {
        self.sources = sources
        let segments = sources.flatMap(\.segments)
        let plane = LocalPlane(at: Self.middle(segments))
        self.plane = plane
        var drawing = Drawing(joints: joints)
        nodeExtent = extent
        for (index, source) in sources.enumerated() {
            for (number, segment) in source.segments.enumerated() {
                drawing.add(segment, plane, origin: (Int32(index), Int32(number)), height)
            }
        }
        points = drawing.points
        alongs = drawing.alongs
        starts = drawing.starts
        from = drawing.from
        to = drawing.to
        seconds = drawing.seconds
        secondsBack = drawing.secondsBack
        fastest = (0..<drawing.from.count).reduce(0) { fastest, edge in
            let seconds = min(drawing.seconds[edge], drawing.secondsBack[edge])
            return seconds > 0 ? max(fastest, drawing.length(of: edge) / seconds) : WalkingPace.greatest
        }
        origins = drawing.origins
        nodeCount = drawing.nodes.count
        (nodeStarts, nodeEdges) = Self.adjacency(drawing.from, drawing.to, count: drawing.nodes.count)
        (pieceEdges, pieceFirsts) = drawing.pieces
        grid = SegmentGrid(count: pieceFirsts.count) { [points, pieceFirsts] piece in
            let first = Int(pieceFirsts[piece])
            return (points[first], points[first + 1])
        }
        trails = Self.trails(sources, drawing)
        edgeTrails = Self.edgeTrails(trails, count: from.count)
    }

    private static func middle(_ segments: [TrailSegment]) -> Coordinate {
        // From the first point the short way round, as for trails on both sides of the 180th meridian.
        let first = segments.first?.points.first?.longitude ?? 0
        var (south, north, west, east) = (90.0, -90.0, 180.0, -180.0)
        for segment in segments {
            for point in segment.points {
                south = min(south, point.latitude)
                north = max(north, point.latitude)
                let longitude = (point.longitude - first).remainder(dividingBy: 360)
                west = min(west, longitude)
                east = max(east, longitude)
            }
        }
        let middle = first + (west + east) / 2
        return Coordinate(
            latitude: (south + north) / 2, longitude: abs(middle) > 180 ? middle.remainder(dividingBy: 360) : middle)
            ?? DemonstrationTrails.trailhead
    }

    private static func adjacency(_ from: [Int32], _ to: [Int32], count: Int) -> ([Int32], [Int32]) {
        var starts = [Int32](repeating: 0, count: count + 1)
        for node in from { starts[Int(node) + 1] += 1 }
        for node in to { starts[Int(node) + 1] += 1 }
        for node in 0..<count { starts[node + 1] += starts[node] }
        var next = starts
        var edges = [Int32](repeating: 0, count: from.count * 2)
        for edge in from.indices {
            for (node, end) in [(from[edge], 0), (to[edge], 1)] {
                edges[Int(next[Int(node)])] = Int32(2 * edge + end)
                next[Int(node)] += 1
            }
        }
        return (starts, edges)
    }

    private static func trails(_ sources: [TrailSource], _ drawing: Drawing) -> [Trail] {
        var trails: [Trail] = []
        var first = 0
        for (index, source) in sources.enumerated() {
            for trail in source.trails {
                var length = 0.0
                var parts: [Part] = []
                for part in trail.parts where source.segments.indices.contains(part.segment) {
                    let edge = first + part.segment
                    parts.append(Part(edge: edge, isReversed: part.isReversed, start: length))
                    length += drawing.length(of: edge)
                }
                trails.append(
                    Trail(
                        name: trail.name, source: index, parts: parts, length: length,
                        published: trail.publishedLength))
            }
            first += source.segments.count
        }
        return trails
    }

    private static func edgeTrails(_ trails: [Trail], count: Int) -> [[Int32]] {
        var lists = [[Int32]](repeating: [], count: count)
        for index in trails.indices.sorted(by: { (trails[$0].length, $0) < (trails[$1].length, $1) }) {
            for part in trails[index].parts where lists[part.edge].last != Int32(index) {
                lists[part.edge].append(Int32(index))
            }
        }
        return lists
    }

    // MARK: - Edges

    func segment(_ edge: Int) -> TrailSegment {
        let origin = origins[edge]
        return sources[Int(origin.source)].segments[Int(origin.segment)]
    }

    /// Whether two edges are on different levels, as far as that is known: a line without one may be on a bridge.
    func areApart(_ edge: Int, _ other: Int) -> Bool {
        guard let level = segment(edge).level, let otherLevel = segment(other).level else { return false }
        return level != otherLevel
    }

    typealias End = (key: VertexKey, point: PlanePoint)

    /// The two ends of an edge.
    func ends(_ edge: Int) -> [End] {
        let (places, range) = (segment(edge).points, range(edge))
        return [
            (VertexKey(places[0]), points[range.lowerBound]),
            (VertexKey(places[places.count - 1]), points[range.upperBound - 1]),
        ]
    }

    func length(_ edge: Int) -> Double { alongs[Int(starts[edge + 1]) - 1] }

    func nodes(_ edge: Int) -> (Int, Int) { (Int(from[edge]), Int(to[edge])) }

    func range(_ edge: Int) -> Range<Int> { Int(starts[edge])..<Int(starts[edge + 1]) }

    /// The edges at a node, each with whether the node is its last point.
    func edges(at node: Int) -> ArraySlice<Int32> { nodeEdges[Int(nodeStarts[node])..<Int(nodeStarts[node + 1])] }

    /// The point of an edge so many metres from its first one.
    func point(on edge: Int, at along: Double) -> PlanePoint {
        let (index, share) = position(on: edge, at: along)
        let (first, last) = (points[index], points[index + 1])
        return PlanePoint(
            first.east + (last.east - first.east) * share, first.north + (last.north - first.north) * share)
    }

    /// The same as a coordinate, between the segment's own.
    func coordinate(on edge: Int, at along: Double) -> Coordinate {
        let (index, share) = position(on: edge, at: along)
        let places = segment(edge).points
        let first = index - Int(starts[edge])
        return places[first].between(places[first + 1], share: share)
    }

    /// The piece of an edge in which a distance lies, and how far in it.
    func position(on edge: Int, at along: Double) -> (index: Int, share: Double) {
        let range = range(edge)
        var (low, high) = (range.lowerBound, range.upperBound - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if alongs[middle] <= along { low = middle } else { high = middle }
        }
        let length = alongs[low + 1] - alongs[low]
        return (low, length > 0 ? min(1, max(0, (along - alongs[low]) / length)) : 0)
    }

    /// Calls the body with each piece of a line: its number, its edge and its first point.
    func visitPieces(_ body: (Int, Int, Int) -> Void) {
        for piece in pieceFirsts.indices { body(piece, Int(pieceEdges[piece]), Int(pieceFirsts[piece])) }
    }

    /// The same for those near a line, some of them several times.
    func visitPieces(along first: PlanePoint, _ last: PlanePoint, _ body: (Int, Int, Int) -> Void) {
        grid.visit(along: first, last) { body($0, Int(pieceEdges[$0]), Int(pieceFirsts[$0])) }
    }

    // MARK: - Near a point

    /// The nearest spot of every edge, or of every wanted one, within a distance, the nearest first.
    func spots(
        near point: PlanePoint, within metres: Double, most: Int = 8, where isWanted: (Int) -> Bool = { _ in true }
    ) -> [Spot] {
        var found: [Spot] = []
        let limit = metres * metres
        grid.visit(near: point, within: metres) { piece in
            guard isWanted(Int(pieceEdges[piece])) else { return }
            let first = Int(pieceFirsts[piece])
            let foot = Foot(of: point, on: points[first], points[first + 1])
            guard foot.squaredDistance <= limit else { return }
            let edge = Int(pieceEdges[piece])
            let distance = foot.squaredDistance.squareRoot()
            let along = alongs[first] + (alongs[first + 1] - alongs[first]) * foot.share
            let spot = Spot(edge: edge, along: along, distance: distance, isLeft: foot.side > 0)
            if let known = found.firstIndex(where: { $0.edge == edge }) {
                if distance < found[known].distance { found[known] = spot }
            } else {
                found.append(spot)
            }
        }
        found.sort { ($0.distance, $0.edge) < ($1.distance, $1.edge) }
        if found.count > most { found.removeLast(found.count - most) }
        return found
    }

    /// The spots beside one, on the lines that draw its ground, too; their distances are from that spot.
    func spots(beside spot: Spot) -> [Spot] {
        let edges = sharedGround.beside(spot.edge)
        guard !edges.isEmpty else { return [] }
        return spots(near: point(on: spot.edge, at: spot.along), within: SharedGround.width) { edges.contains($0) }
    }

    /// Beyond so many metres the plane does not tell distances.
    private static let planeReach = 50_000.0

    /// The nearest spot of a place, however far: its distance on the sphere where the plane does not tell it.
    func nearest(toPlace place: Coordinate, where isWanted: (Int) -> Bool = { _ in true }) -> Spot? {
        guard let spot = nearest(to: plane.point(place), where: isWanted) else { return nil }
        let distance = place.distance(to: coordinate(on: spot.edge, at: spot.along))
        guard distance > Self.planeReach else { return spot }
        return Spot(edge: spot.edge, along: spot.along, distance: distance, isLeft: spot.isLeft)
    }

    /// The nearest spot of all, however far.
    ///
    /// - Returns: nil for a network without edges, or without wanted ones.
    func nearest(to point: PlanePoint, where isWanted: (Int) -> Bool = { _ in true }) -> Spot? {
        guard edgeCount > 0 else { return nil }
        let reach = grid.reach(from: point)
        var metres = grid.size
        while metres < reach * 2 {
            if let spot = spots(near: point, within: metres, most: 1, where: isWanted).first { return spot }
            metres *= 2
        }
        return spots(near: point, within: reach * 2, most: 1, where: isWanted).first
    }
}
