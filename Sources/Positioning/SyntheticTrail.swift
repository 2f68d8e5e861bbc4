internal import Geodesy
internal import Glibc
public import KonzaModel

/// A made-up walk along a path, as a receiver would have reported it: for demonstrations, for training and for tests. It says in
/// every file that it is synthetic.
///
/// The same settings give the same bytes: positions are rounded far above what the C library's last digit changes.
public struct SyntheticTrail: Sendable {
    /// One second of the walk.
    struct Step {
        var time: UTCInstant
        var latitude: Double
        var longitude: Double
        var altitudeMSL: Double
        var speed: Double
        var track: Double
        var climb: Double
    }

    /// A point of the path that is walked.
    public struct Vertex: Sendable {
        public var place: Coordinate
        /// Metres above the sea.
        public var altitude: Double

        public init(_ place: Coordinate, altitude: Double) {
            self.place = place
            self.altitude = altitude
        }
    }

    /// m/s on foot, and the geoid below the ellipsoid at Konza.
    static let pace = 1.3
    static let geoidSeparation = -28.3

    private let path: [Vertex]
    /// Metres from the first vertex to each.
    private let alongs: [Double]

    /// Metres of the whole path.
    public var length: Double { alongs.last ?? 0 }
    /// How long the whole path takes, seconds.
    public var wholeSeconds: Int { Int((length / Self.pace).rounded()) }

    /// How long the walk is, seconds.
    public let seconds: Int
    /// The instant of its first step.
    public let begin: UTCInstant

    /// - Parameters:
    ///   - path: what is walked; by default a few hundred metres of open ground.
    ///   - seconds: 10 up to the whole path, which is the default. A shorter walk turns round half way, so that it ends where
    ///     it began and can be replayed round and round.
    ///   - begin: the time of its first second.
    public init(
        path: [Vertex] = SyntheticTrail.openGround, seconds: Int? = nil,
        begin: UTCInstant = UTCInstant(nanoseconds: 1_780_149_600_000_000_000)
    ) {
        self.path = path
        var alongs: [Double] = []
        for (index, vertex) in path.enumerated() {
            alongs.append(index == 0 ? 0 : alongs[index - 1] + WGS84.chord(path[index - 1].place, vertex.place))
        }
        self.alongs = alongs
        let whole = Int(((alongs.last ?? 0) / Self.pace).rounded())
        self.seconds = max(10, min(seconds ?? whole, whole))
        self.begin = begin
    }

    /// A walk for tests, over open ground from near the trailhead.
    public static let openGround: [Vertex] = (0...40).compactMap { index in
        let share = Double(index) / 40
        return Coordinate(latitude: 39.1069 + 0.005 * share, longitude: -96.6091 + 0.003 * share * share).map {
            Vertex($0, altitude: 328 + 20 * share * share)
        }
    }

    /// The steps, one a second.
    var steps: [Step] {
        (0..<seconds).map { second in
            let before = place(at: Double(second) - 0.5)
            let after = place(at: Double(second) + 0.5)
            let here = place(at: Double(second))
            let frame = LocalFrame(at: here.place)
            let way = frame.local(
                direction: WGS84.earthCentred(after.place) - WGS84.earthCentred(before.place))
            return Step(
                time: begin.advanced(bySeconds: Double(second)), latitude: here.place.latitude,
                longitude: here.place.longitude, altitudeMSL: here.altitude, speed: hypot(way.x, way.y),
                track: Course.degrees(east: way.x, north: way.y), climb: after.altitude - before.altitude)
        }
    }

    /// How far along the path the walker is. A turn-round walk slows down before it turns, as people do.
    private func distance(at second: Double) -> Double {
        guard seconds < wholeSeconds else { return Self.pace * second }
        let half = Double(seconds) / 2
        let phase = second / Double(seconds)
        // The first two terms of a triangle's Fourier series: nearly an even pace, without corners.
        let wave = 0.5 - 0.45 * cos(2 * .pi * phase) - 0.05 * cos(6 * .pi * phase)
        return Self.pace * half * 0.8 * wave
    }

    /// The place on the path, and the height above the sea.
    private func place(at second: Double) -> Vertex {
        let along = min(length, max(0, distance(at: second)))
        let next = max(1, min(path.count - 1, alongs.firstIndex { $0 > along } ?? path.count - 1))
        let (first, last) = (path[next - 1], path[next])
        let share = (along - alongs[next - 1]) / max(1e-9, alongs[next] - alongs[next - 1])
        let latitude = first.place.latitude + (last.place.latitude - first.place.latitude) * share
        let longitude = first.place.longitude + (last.place.longitude - first.place.longitude) * share
        return Vertex(
            Coordinate(latitude: latitude, longitude: longitude) ?? first.place,
            altitude: first.altitude + (last.altitude - first.altitude) * share)
    }
}
