/// Which edges lie on the ground of others: one trail that two files draw, or two lines of one file. Who closes one of them closes
/// the ground, whatever the other is called, and who walks on one is on the other.
///
/// Two pieces are on one ground where they are within 5 m of each other and run within 30 degrees of one direction, either way.
/// Stretches with less than 25 m between them are one. A line lies on the ground of others for 30 m at least, for half of it, or along half
/// of another edge, each 10 m at least: lines that cross, or that leave one junction at some angle, share less. There it is cut where the
/// edges that it lies on begin and end, and each piece lies on those that half of it is beside: so the rest of a line stays open, and a short
/// edge closes what lies on it, and no more. Edges of less than 10 m lie there where they do so one behind the other for 30 m together.
struct SharedGround: Sendable {
    /// Metres within which two lines are one: what is between two drawings of one trail, by two receivers or from two pictures.
    static let width = 5.0
    /// The cosine of the greatest angle between them.
    static let leastCosine = 0.866
    /// Metres that are enough of any line, and the fewest that are enough of a short one.
    private static let enough = 30.0
    private static let least = 10.0
    /// Stretches that are this far apart are one, metres.
    private static let merging = 25.0
    /// Nodes that are one are this near to each other, metres.
    static let joining = 8.0
    /// Pieces are compared with so many others at most, and so many stretches are looked at: a file that draws a thousand lines at one
    /// place is not to hold the station up.
    private static let mostComparisons = 100_000_000
    private static let mostStretches = 1_000_000

    /// Of an edge that shares ground, the edges that lie on its ground.
    private let edges: [Int32: [Int32]]
    /// Of an edge that lies on the ground of others, those.
    private let grounds: [Int32: [Int32]]
    /// Where an edge is to be cut, metres along it, in their order.
    let cuts: [Int: [Double]]
    /// Whether all pieces were compared: else closures are not told to all that they close.
    let isComplete: Bool

    var isEmpty: Bool { edges.isEmpty }

    /// The edges on the ground of an edge, without itself.
    func others(of edge: Int) -> [Int32] { edges.isEmpty ? [] : edges[Int32(edge)] ?? [] }

    /// The edges on whose ground an edge lies.
    func grounds(of edge: Int) -> [Int32] { grounds.isEmpty ? [] : grounds[Int32(edge)] ?? [] }

    /// The short edges that lie on a ground one behind the other.
    private let chains: Set<Pair>

    /// None.
    init() { (edges, grounds, cuts, chains, isComplete) = ([:], [:], [:], [], true) }

    /// - Parameters:
    ///   - network: whose edges they are.
    ///   - wholes: before its lines were cut.
    ///   - origins: of each edge, which one of those it was.
    init(_ network: TrailNetwork, piecesOf wholes: SharedGround? = nil, _ origins: [Int32] = []) {
        let (shared, isComplete) = Self.stretches(network)
        var (edges, grounds): ([Int32: [Int32]], [Int32: [Int32]]) = ([:], [:])
        var beside: [Int32: [(ground: Int32, stretch: ClosedRange<Double>)]] = [:]
        let chains = wholes?.chains ?? Self.chains(shared, network)
        self.chains = chains
        func isLink(_ pair: Pair) -> Bool {
            guard !chains.isEmpty, wholes != nil else { return chains.contains(pair) }
            return chains.contains(Pair(ground: origins[Int(pair.ground)], edge: origins[Int(pair.edge)]))
        }
        for (pair, stretches) in shared {
            let merged = Self.merged(stretches, over: Self.merging)
            beside[pair.edge, default: []] += merged.map { (pair.ground, $0) }
            let metres = merged.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
            let isEnough = metres >= Self.least || network.isPiece(Int(pair.edge)) || isLink(pair)
            guard isEnough, metres * 2 >= network.length(Int(pair.edge)) else { continue }
            edges[pair.ground, default: []].append(pair.edge)
            grounds[pair.edge, default: []].append(pair.ground)
        }
        (self.edges, self.grounds) = (edges.mapValues { $0.sorted() }, grounds.mapValues { $0.sorted() })
        self.isComplete = isComplete
        cuts = beside.reduce(into: [:]) { cuts, entry in
            let own = Self.cuts(of: Int(entry.key), entry.value, in: network)
            if !own.isEmpty { cuts[Int(entry.key)] = own }
        }
    }

    private struct Pair: Hashable {
        let ground: Int32
        let edge: Int32
    }

    /// The short edges that lie on a ground one behind the other for long enough, those of each trail for themselves: where a side trail
    /// begins, its first one is no link of another's.
    private static func chains(_ shared: [Pair: [ClosedRange<Double>]], _ network: TrailNetwork) -> Set<Pair> {
        struct Chain: Hashable {
            let ground: Int32
            let trail: Int32?
        }
        // What of the ground lies on each short edge.
        var links: [Chain: [(edge: Int32, stretch: ClosedRange<Double>)]] = [:]
        for (pair, stretches) in shared
        where network.length(Int(pair.ground)) < least && network.length(Int(pair.edge)) >= enough {
            let trail = network.edgeTrails[Int(pair.ground)].first
            links[Chain(ground: pair.edge, trail: trail), default: []] += stretches.map { (pair.ground, $0) }
        }
        return links.reduce(into: []) { chains, entry in
            let runs = merged(entry.value.map(\.stretch), over: width).filter {
                $0.upperBound - $0.lowerBound >= enough
            }
            for link in entry.value where runs.contains(where: { $0.contains(link.stretch.lowerBound) }) {
                chains.insert(Pair(ground: entry.key.ground, edge: link.edge))
            }
        }
    }

    /// Where the edges that a line lies on begin and end along it.
    private static func cuts(
        of edge: Int, _ beside: [(ground: Int32, stretch: ClosedRange<Double>)], in network: TrailNetwork
    ) -> [Double] {
        let length = network.length(edge)
        func isMuch(_ stretch: ClosedRange<Double>, of whole: Double) -> Bool {
            let metres = stretch.upperBound - stretch.lowerBound
            return metres >= least && metres * 2 >= whole
        }
        let runs = merged(beside.map(\.stretch), over: merging).filter { run in
            run.upperBound - run.lowerBound >= enough || isMuch(run, of: length)
                || beside.contains {
                    run.contains($0.stretch.lowerBound) && isMuch($0.stretch, of: network.length(Int($0.ground)))
                }
        }
        var ends: [Double] = []
        for (ground, stretch) in beside where runs.contains(where: { $0.contains(stretch.lowerBound) }) {
            let metres = stretch.upperBound - stretch.lowerBound
            guard metres >= least || metres * 2 >= network.length(Int(ground)) else { continue }
            ends += [stretch.lowerBound, stretch.upperBound]
        }
        return ends.sorted().reduce(into: []) { cuts, end in
            if end - (cuts.last ?? 0) > width, length - end > width { cuts.append(end) }
        }
    }

    /// The stretches of second edges that lie on the ground of first ones.
    ///
    /// - Parameters:
    ///   - network: whose edges they are.
    ///   - width: metres within which two lines are one.
    ///   - isGround: which edges are looked at as ground.
    /// - Returns: metres along the second ones, and whether those are all.
    private static func stretches(
        _ network: TrailNetwork, width: Double = width, where isGround: (Int) -> Bool = { _ in true }
    ) -> (stretches: [Pair: [ClosedRange<Double>]], isComplete: Bool) {
        var shared: [Pair: [ClosedRange<Double>]] = [:]
        var (left, room) = (mostComparisons, mostStretches)
        var seen = [Int32](repeating: -1, count: network.pieceCount)
        network.visitPieces { piece, edge, first in
            guard left > 0, room > 0, isGround(edge) else { return }
            let (start, end) = (network.points[first], network.points[first + 1])
            for (from, to) in strip(start, end, width) {
                network.visitPieces(along: from, to) { other, otherEdge, otherFirst in
                    guard seen[other] != Int32(piece) else { return }
                    seen[other] = Int32(piece)
                    left -= 1
                    guard otherEdge != edge, !network.areApart(edge, otherEdge) else { return }
                    let (from, to) = (network.points[otherFirst], network.points[otherFirst + 1])
                    guard let found = overlap(start, end, with: from, to, width) else { return }
                    let along = network.alongs[otherFirst]
                    room -= 1
                    shared[Pair(ground: Int32(edge), edge: Int32(otherEdge)), default: []].append(
                        (along + found.lowerBound)...(along + found.upperBound))
                }
            }
        }
        return (shared, left > 0 && room > 0)
    }

    /// Of the edges that lie beside a line, how many metres do.
    static func metres(beside line: [PlanePoint], in network: TrailNetwork) -> [Int: Double] {
        var stretches: [Int: [ClosedRange<Double>]] = [:]
        for (start, end) in zip(line, line.dropFirst()) {
            var seen = Set<Int>()
            for (from, to) in strip(start, end, width) {
                network.visitPieces(along: from, to) { piece, edge, first in
                    guard seen.insert(piece).inserted,
                        let found = overlap(
                            start, end, with: network.points[first], network.points[first + 1], width)
                    else { return }
                    let along = network.alongs[first]
                    stretches[edge, default: []].append((along + found.lowerBound)...(along + found.upperBound))
                }
            }
        }
        return stretches.mapValues { merged($0, over: merging).reduce(0) { $0 + $1.upperBound - $1.lowerBound } }
    }

    /// Stretches as such that do not touch, in their order.
    private static func merged(_ stretches: [ClosedRange<Double>], over gap: Double) -> [ClosedRange<Double>] {
        stretches.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, stretch in
            guard let last = merged.last, stretch.lowerBound - last.upperBound <= gap else {
                return merged.append(stretch)
            }
            merged[merged.count - 1] = last.lowerBound...max(last.upperBound, stretch.upperBound)
        }
    }

    // MARK: - Beside

    /// The edges on one ground with an edge, without itself.
    func beside(_ edge: Int) -> Set<Int> {
        isEmpty ? [] : Set((others(of: edge) + grounds(of: edge)).map { Int($0) }).subtracting([edge])
    }

    // MARK: - Nearly

    /// Metres within which two lines may be drawings of one trail, and so many of them that it is worth a look.
    private static let near = 15.0
    private static let worthALook = 100.0

    /// Where lines of a source run beside others that are not on their ground, and so are not closed with them.
    ///
    /// - Returns: the trails of both, how far they do so, and where, the longest first.
    func nearly(_ network: TrailNetwork, of source: String) -> [TrailReport.Beside] {
        let shared = Self.stretches(network, width: Self.near) {
            network.sources[Int(network.origins[$0].source)].name == source
        }
        var found: [[String]: TrailReport.Beside] = [:]
        for (pair, stretches) in shared.stretches.sorted(by: {
            ($0.key.ground, $0.key.edge) < ($1.key.ground, $1.key.edge)
        }) {
            let (ground, edge) = (Int(pair.ground), Int(pair.edge))
            let names = [ground, edge].map { network.name(of: $0) ?? "unnamed path \(network.name(ofEdge: $0))" }
            guard names[0] != names[1], !beside(ground).contains(edge) else { continue }
            let merged = Self.merged(stretches, over: Self.merging)
            let metres = merged.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
            let place = network.coordinate(on: edge, at: merged.first?.lowerBound ?? 0)
            found[names.sorted(), default: .init(place: place, metres: 0, trails: names.sorted())].metres += metres
        }
        return found.values.filter { $0.metres >= Self.worthALook }.sorted {
            ($1.metres, $0.trails[0]) < ($0.metres, $1.trails[0])
        }
    }

    // MARK: - One node

    /// The nodes that are one: where an edge ends on the ground of another one beside an end of that, and where ends of two sources
    /// touch. Each with the one that it is, and how far apart two of one node may be, metres.
    func joints(_ network: TrailNetwork) -> (keys: [VertexKey: VertexKey], extent: Double) {
        var joints: [VertexKey: VertexKey] = [:]
        var points: [VertexKey: PlanePoint] = [:]
        func root(_ key: VertexKey) -> VertexKey {
            var key = key
            while let next = joints[key] { key = next }
            return key
        }
        func join(_ one: TrailNetwork.End, _ other: TrailNetwork.End) {
            (points[one.key], points[other.key]) = (one.point, other.point)
            let (first, second) = (root(one.key), root(other.key))
            if first != second { joints[first] = second }
        }
        for (ground, edges) in edges.sorted(by: { $0.key < $1.key }) {
            for edge in edges {
                let (own, others) = (network.ends(Int(edge)), network.ends(Int(ground)))
                let reach = min(Self.joining, network.length(Int(edge)) / 2, network.length(Int(ground)) / 2)
                for one in own {
                    guard
                        let other = others.min(by: {
                            $0.point.distance(to: one.point) < $1.point.distance(to: one.point)
                        }),
                        one.point.distance(to: other.point) <= reach
                    else { continue }
                    join(one, other)
                }
            }
        }
        for (one, other) in TouchingEnds(network).pairs { join(one, other) }
        let keys = joints.keys.reduce(into: [VertexKey: VertexKey]()) { $0[$1] = root($1) }
        let farthest = keys.reduce(0.0) { farthest, pair in
            guard let one = points[pair.key], let other = points[pair.value] else { return farthest }
            return max(farthest, one.distance(to: other))
        }
        return (keys, 2 * farthest)
    }

    /// The piece and its two sides: a square of the grid that is wider than the strip between them and has a part of it is touched by
    /// one of the three.
    private static func strip(
        _ start: PlanePoint, _ end: PlanePoint, _ width: Double
    ) -> [(PlanePoint, PlanePoint)] {
        let length = start.distance(to: end)
        guard length > 0 else { return [] }
        let (x, y) = ((end.east - start.east) / length * width, (end.north - start.north) / length * width)
        return [0, 1, -1].map { side in
            (
                PlanePoint(start.east - y * side, start.north + x * side),
                PlanePoint(end.east - y * side, end.north + x * side)
            )
        }
    }

    /// Which metres of a piece from `from` to `to` lie beside another one from `start` to `end`; nil for none.
    private static func overlap(
        _ start: PlanePoint, _ end: PlanePoint, with from: PlanePoint, _ to: PlanePoint, _ width: Double
    ) -> ClosedRange<Double>? {
        let (ground, length) = (start.distance(to: end), from.distance(to: to))
        guard ground > 0, length > 0 else { return nil }
        let (ux, uy) = ((end.east - start.east) / ground, (end.north - start.north) / ground)
        let (vx, vy) = ((to.east - from.east) / length, (to.north - from.north) / length)
        let (cosine, sine) = (ux * vx + uy * vy, ux * vy - uy * vx)
        guard abs(cosine) >= leastCosine else { return nil }
        let (dx, dy) = (from.east - start.east, from.north - start.north)
        // From `from` on, the other point is `along` + s cosine along the ground and `beside` + s sine beside it.
        let (along, beside) = (dx * ux + dy * uy, ux * dy - uy * dx)
        var (low, high) = (0.0, length)
        limit(&low, &high, at: along, by: cosine, within: 0...ground)
        limit(&low, &high, at: beside, by: sine, within: -width...width)
        return low < high ? low...high : nil
    }

    /// Narrows a range of s to where `value` + s `slope` is within another one.
    private static func limit(
        _ low: inout Double, _ high: inout Double, at value: Double, by slope: Double, within range: ClosedRange<Double>
    ) {
        guard abs(slope) > 1e-9 else {
            if !range.contains(value) { high = low }
            return
        }
        let (one, other) = ((range.lowerBound - value) / slope, (range.upperBound - value) / slope)
        low = max(low, min(one, other))
        high = min(high, max(one, other))
    }
}
