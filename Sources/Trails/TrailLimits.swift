internal import KonzaModel

/// What a network may have at most: every file, list and name is bounded.
public enum TrailLimits {
    /// Bytes of an imported file.
    public static let fileBytes = 16 << 20
    /// Points of all lines of one source.
    public static let points = 400_000
    /// Lines of an imported file, and segments of one source.
    public static let segments = 50_000
    /// Named trails of one source.
    public static let trails = 2_000
    /// Parts of one named trail.
    public static let parts = 20_000
    /// Places of one source.
    public static let places = 5_000
    /// Sources beside each other.
    public static let sources = 16
    /// Characters of a name, of a reason, and of a source's name.
    public static let nameLength = 120
    public static let reasonLength = 300
    public static let sourceNameLength = 60
    /// Closures by hand and by calendar.
    public static let closures = 500
    /// The widest a source may be, metres: a region, not a country.
    public static let extent = 300_000.0

    /// How wide places are spread, metres: infinite where they go round more than half of the Earth, 0 for none. It is to be
    /// within ``extent`` for all sources together, as one plane and one grid serve them.
    static func spread(of points: some Sequence<Coordinate>) -> Double {
        var first: Coordinate?
        var (south, north, west, widest) = (90.0, -90.0, 0.0, 0.0)
        for point in points {
            let start = first ?? point
            first = start
            south = min(south, point.latitude)
            north = max(north, point.latitude)
            // The short way round, as for trails on both sides of the 180th meridian.
            let east = (point.longitude - start.longitude).remainder(dividingBy: 360)
            (west, widest) = (min(west, east), max(widest, east))
        }
        guard first != nil else { return 0 }
        guard widest - west < 180 else { return .infinity }
        return max(
            (north - south) * 111_000, (widest - west) * Coordinate.lengthOfLongitudeDegree(at: (south + north) / 2))
    }
    /// Recorded trails take the place of the demonstration when they are so long together, metres: one that is shorter is a try.
    public static let leastRecorded = 500.0
    /// Entries of each list of a report; the counts are of all.
    static let reported = 50
    /// Bytes of the stored network.
    static let storedBytes = 64 << 20
}
