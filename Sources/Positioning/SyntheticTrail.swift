internal import Glibc
public import KonzaModel

/// A made-up walk around the Konza Nature Trail, as a receiver would have reported it: for demonstrations, for
/// training and for tests. It follows no surveyed trail, and says in every file that it is synthetic.
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

    /// Where the walk starts: near the trailhead.
    static let start = (latitude: 39.1069, longitude: -96.6091)
    /// Metres of the whole loop, m/s on foot, and the geoid below the ellipsoid there.
    static let length = 4000.0
    static let pace = 1.3
    static let geoidSeparation = -28.3

    /// The whole loop takes this long, seconds.
    public static let wholeLoopSeconds = Int((length / pace).rounded())

    /// How long the walk is, seconds.
    public let seconds: Int
    /// The instant of its first step.
    public let begin: UTCInstant

    /// - Parameters:
    ///   - seconds: 10 up to the whole loop. A shorter walk turns round half way, so that it ends where it began and
    ///     can be replayed round and round.
    ///   - begin: the time of its first second.
    public init(
        seconds: Int = wholeLoopSeconds, begin: UTCInstant = UTCInstant(nanoseconds: 1_780_149_600_000_000_000)
    ) {
        self.seconds = min(max(seconds, 10), Self.wholeLoopSeconds)
        self.begin = begin
    }

    /// The steps, one a second.
    var steps: [Step] {
        (0..<seconds).map { second in
            let before = place(at: Double(second) - 0.5)
            let after = place(at: Double(second) + 0.5)
            let here = place(at: Double(second))
            let east = after.east - before.east
            let north = after.north - before.north
            let (latitude, longitude) = degrees(here)
            return Step(
                time: begin.advanced(bySeconds: Double(second)), latitude: latitude, longitude: longitude,
                altitudeMSL: here.height,
                speed: hypot(east, north), track: Course.degrees(east: east, north: north),
                climb: after.height - before.height)
        }
    }

    /// How far along the loop the walker is. A turn-round walk slows down before it turns, as people do.
    private func distance(at second: Double) -> Double {
        guard seconds < Self.wholeLoopSeconds else { return Self.pace * second }
        let half = Double(seconds) / 2
        let phase = second / Double(seconds)
        // The first two terms of a triangle's Fourier series: nearly an even pace, without corners.
        let wave = 0.5 - 0.45 * cos(2 * .pi * phase) - 0.05 * cos(6 * .pi * phase)
        return Self.pace * half * 0.8 * wave
    }

    /// East and north of the start in metres, and the height above the sea.
    private func place(at second: Double) -> (east: Double, north: Double, height: Double) {
        let angle = 2 * .pi * distance(at: second) / Self.length
        // A lopsided loop through a hollow and over two ridges; the factor gives it its length.
        let radius = Self.shape(angle)
        let east = Self.scale * (Self.shape(0) - radius * cos(angle))
        let north = Self.scale * radius * sin(angle)
        let height = 352 + 26 * (1 - cos(angle)) + 9 * sin(3 * angle) + 4 * sin(7 * angle)
        return (east, north, height)
    }

    /// The radius of the loop around its middle, in units of `scale` metres.
    private static func shape(_ angle: Double) -> Double {
        1 + 0.18 * cos(2 * angle) + 0.10 * sin(3 * angle) + 0.03 * cos(7 * angle)
    }

    /// Metres per unit of `shape`, so that the loop has its length: the unit loop's length by the trapezoidal rule.
    private static let scale: Double = {
        let count = 4000
        var sum = 0.0
        var last = (shape(0), 0.0)
        for index in 1...count {
            let angle = 2 * .pi * Double(index) / Double(count)
            let next = (shape(angle) * cos(angle), shape(angle) * sin(angle))
            sum += hypot(next.0 - last.0, next.1 - last.1)
            last = next
        }
        return length / sum
    }()

    private func degrees(_ place: (east: Double, north: Double, height: Double)) -> (Double, Double) {
        // Radii of curvature at the start; a kilometre away they are right to a centimetre.
        let sine = sin(Self.start.latitude * .pi / 180)
        let squared = 1 - WGS84.eccentricitySquared * sine * sine
        let meridian = WGS84.semiMajorAxis * (1 - WGS84.eccentricitySquared) / (squared * squared.squareRoot())
        let parallel = WGS84.semiMajorAxis / squared.squareRoot() * cos(Self.start.latitude * .pi / 180)
        return (
            Self.start.latitude + place.north / meridian * 180 / .pi,
            Self.start.longitude + place.east / parallel * 180 / .pi
        )
    }
}
