/// Where lines of one source end on lines of another: there they are one network, as lines of one file are (see ``EndJoints``).
struct TouchingEnds {
    /// Within so many metres an end is on a line, as in a file.
    private static let reach = 3.0

    /// Where edges are to be cut, metres along them, in their order.
    private(set) var cuts: [Int: [Double]] = [:]
    /// Ends that are one node.
    private(set) var pairs: [(TrailNetwork.End, TrailNetwork.End)] = []

    init(_ network: TrailNetwork) {
        guard network.sources.count > 1 else { return }
        for edge in 0..<network.edgeCount {
            let source = network.origins[edge].source
            for end in network.ends(edge) {
                let spots = network.spots(near: end.point, within: Self.reach) { other in
                    network.origins[other].source != source && !network.areApart(edge, other)
                }
                for spot in spots { take(end, spot, network) }
            }
        }
        cuts = cuts.mapValues { $0.sorted() }
    }

    /// At an end of the other line both are one node; elsewhere that is cut.
    private mutating func take(_ end: TrailNetwork.End, _ spot: TrailNetwork.Spot, _ network: TrailNetwork) {
        let others = network.ends(spot.edge)
        let isAtEnd = [spot.along, network.length(spot.edge) - spot.along].map { $0 <= Self.reach }
        for (other, isAtEnd) in zip(others, isAtEnd) where isAtEnd && other.key != end.key {
            pairs.append((end, other))
        }
        if !isAtEnd.contains(true) { cuts[spot.edge, default: []].append(spot.along) }
    }
}
