internal import KonzaModel

/// The arrays of a network while they are filled.
struct Drawing {
    /// Every this many metres the height is looked up at least, for the time that a way takes.
    private static let heightStep = 20.0

    private(set) var points: [PlanePoint] = []
    private(set) var alongs: [Double] = []
    private(set) var starts: [Int32] = [0]
    private(set) var from: [Int32] = []
    private(set) var to: [Int32] = []
    private(set) var seconds: [Double] = []
    private(set) var secondsBack: [Double] = []
    private(set) var origins: [(source: Int32, segment: Int32)] = []
    private(set) var nodes: [VertexKey: Int32] = [:]
    /// Ends that are one node with others.
    private let joints: [VertexKey: VertexKey]

    init(joints: [VertexKey: VertexKey]) { self.joints = joints }

    mutating func add(
        _ segment: TrailSegment, _ plane: LocalPlane, origin: (Int32, Int32), _ height: (Coordinate) -> Double?
    ) {
        var along = 0.0
        var last: PlanePoint?
        for place in segment.points {
            let point = plane.point(place)
            if let last { along += last.distance(to: point) }
            points.append(point)
            alongs.append(along)
            last = point
        }
        from.append(node(segment.points.first))
        to.append(node(segment.points.last))
        starts.append(Int32(points.count))
        origins.append(origin)
        let times = Self.times(segment, alongs.suffix(segment.points.count), height)
        seconds.append(times.forward)
        secondsBack.append(times.back)
    }

    private mutating func node(_ place: Coordinate?) -> Int32 {
        guard let place else { return 0 }
        let end = VertexKey(place)
        let key = joints.isEmpty ? end : joints[end] ?? end
        if let known = nodes[key] { return known }
        let number = Int32(nodes.count)
        nodes[key] = number
        return number
    }

    func length(of edge: Int) -> Double { alongs[Int(starts[edge + 1]) - 1] }

    /// The edge and the first point of each piece between two points.
    var pieces: (edges: [Int32], firsts: [Int32]) {
        var (edges, firsts): ([Int32], [Int32]) = ([], [])
        for edge in from.indices {
            for point in Int(starts[edge])..<(Int(starts[edge + 1]) - 1) {
                edges.append(Int32(edge))
                firsts.append(Int32(point))
            }
        }
        return (edges, firsts)
    }

    /// Seconds along a segment and back, by the slope of each stretch.
    private static func times(
        _ segment: TrailSegment, _ alongs: ArraySlice<Double>, _ height: (Coordinate) -> Double?
    ) -> (forward: Double, back: Double) {
        var (forward, back) = (0.0, 0.0)
        guard let first = segment.points.first else { return (0, 0) }
        var low = (along: 0.0, height: height(first))
        for (place, along) in zip(segment.points, alongs).dropFirst() {
            let isLast = along == alongs.last
            guard along - low.along >= heightStep || isLast else { continue }
            let high = (along: along, height: height(place))
            let length = high.along - low.along
            guard length > 0 else { continue }
            let rise = low.height.flatMap { low in high.height.map { $0 - low } } ?? 0
            forward += length / WalkingPace.speed(slope: rise / length)
            back += length / WalkingPace.speed(slope: -rise / length)
            low = high
        }
        return (forward, back)
    }
}

/// A vertex as a key: to a ten-millionth of a degree, a centimetre.
struct VertexKey: Hashable, Sendable {
    let latitude: Int32
    let longitude: Int32

    init(_ place: Coordinate) {
        latitude = Int32((place.latitude * 1e7).rounded())
        // Both ends of the range are one meridian.
        longitude = place.longitude == 180 ? -1_800_000_000 : Int32((place.longitude * 1e7).rounded())
    }
}
