internal import Glibc
public import KonzaModel

/// A network that nobody surveyed and nobody can walk, for demonstrations and training until real trails are imported. It is made
/// from a few rules: a stem from the trailhead, one outer loop cut by two connectors, a spur to an overlook and one to a
/// homestead. Every name says that it is made up.
public enum DemonstrationTrails {
    /// The name of the source.
    public static let sourceName = "demonstration"
    /// What is behind every name.
    static let mark = " (made up)"

    /// Where the station's recordings begin.
    public static let trailhead: Coordinate = {
        guard let place = Coordinate(latitude: 39.1069, longitude: -96.6091) else { preconditionFailure("a constant") }
        return place
    }()

    /// Metres between two points of a line.
    private static let step = 18.0
    /// The outer loop: its middle and its half axes, metres east and north of the trailhead.
    private static let center = PlanePoint(2250, -420)
    private static let halfWidth = 1700.0
    private static let halfHeight = 930.0
    /// Where the stem meets the loop, and the connectors leave it: degrees from west, clockwise.
    private static let fork = 0.0
    private static let connectors = [(from: 44.0, to: 318.0), (from: 86.0, to: 274.0)]
    private static let overlook = 20.0
    private static let homestead = 340.0

    /// The network; the same at every call.
    public static let source: TrailSource = {
        var drawing = TrailDrawing(.geoJSON)
        drawing.isDemonstration = true
        drawing.attribution = "Made up by konzad; no surveyed trail"
        let plane = LocalPlane(at: trailhead)
        let lines = Self.lines
        for line in lines {
            var drawn = TrailDrawing.Line(line.points.compactMap { plane.coordinate($0).map(Self.rounded) })
            drawn.id = line.id
            drawn.surface = "made up"
            drawing.lines.append(drawn)
        }
        let index = Dictionary(uniqueKeysWithValues: lines.enumerated().map { ($1.id, $0) })
        for (name, ids) in trails {
            drawing.trails.append(TrailDrawing.Trail(name: name + mark, lines: ids.compactMap { index[$0] }))
        }
        drawing.places = places.compactMap { name, kind, point in
            plane.coordinate(point).map {
                TrailPlace(name: name + mark, kind: kind, coordinate: rounded($0))
            }
        }
        guard
            let built = try? NetworkBuilder.build(
                drawing, name: sourceName, origin: .demonstration, at: nil, published: [:])
        else { return TrailSource(name: sourceName, origin: .demonstration) }
        return built.source
    }()

    /// The Nature Trail as it is walked, a point every 10 m.
    ///
    /// - Parameter height: metres above the sea at a place.
    /// - Returns: nil where a height is not known.
    public static func walk(height: (Coordinate) -> Double?) -> [(place: Coordinate, height: Double)]? {
        let network = TrailNetwork([source])
        guard let trail = network.trails.first,
            let profile = network.profile(ofTrail: trail.name, height: height)?.profile
        else { return nil }
        var path: [(place: Coordinate, height: Double)] = []
        for point in profile.points {
            guard let height = point.height, let place = network.coordinate(on: trail, at: point.along) else {
                return nil
            }
            path.append((place, height))
        }
        return path
    }

    private static let trails: [(name: String, lines: [String])] = [
        ("Nature Trail", ["stem", "loop-1a", "loop-1b", "connector-1", "loop-6a", "loop-6b", "stem"]),
        (
            "Creek Loop",
            ["stem", "loop-1a", "loop-1b", "loop-2", "connector-2", "loop-5", "loop-6a", "loop-6b", "stem"]
        ),
        (
            "Hill Loop",
            ["stem", "loop-1a", "loop-1b", "loop-2", "loop-3", "loop-5", "loop-6a", "loop-6b", "stem"]
        ),
        ("Overlook Spur", ["overlook"]), ("Homestead Spur", ["homestead"]),
    ]

    /// A seven-digit coordinate, as a file has it.
    private static func rounded(_ place: Coordinate) -> Coordinate {
        Coordinate(
            latitude: (place.latitude * 1e7).rounded() / 1e7, longitude: (place.longitude * 1e7).rounded() / 1e7)
            ?? place
    }

    private static var lines: [(id: String, points: [PlanePoint])] {
        let (one, two) = (connectors[0], connectors[1])
        let stem = bent(from: PlanePoint(0, 0), to: onLoop(fork), sway: 40)
        let arcs: [(String, Double, Double)] = [
            ("loop-1a", fork, overlook), ("loop-1b", overlook, one.from), ("loop-2", one.from, two.from),
            ("loop-3", two.from, two.to), ("loop-5", two.to, one.to), ("loop-6a", one.to, homestead),
            ("loop-6b", homestead, 360),
        ]
        return [("stem", stem)] + arcs.map { ($0, arc(from: $1, to: $2)) } + [
            ("connector-1", bent(from: onLoop(one.from), to: onLoop(one.to), sway: 70)),
            ("connector-2", bent(from: onLoop(two.from), to: onLoop(two.to), sway: -90)),
            ("overlook", bent(from: onLoop(overlook), to: overlookPlace, sway: 12)),
            ("homestead", bent(from: onLoop(homestead), to: homesteadPlace, sway: 15)),
        ]
    }

    private static var overlookPlace: PlanePoint {
        let foot = onLoop(overlook)
        return PlanePoint(foot.east - 90, foot.north + 150)
    }

    private static var homesteadPlace: PlanePoint {
        let foot = onLoop(homestead)
        return PlanePoint(foot.east - 60, foot.north - 190)
    }

    private static var places: [(String, TrailPlace.Kind, PlanePoint)] {
        [
            ("Trailhead", .trailhead, PlanePoint(0, 0)), ("Creek bridge", .bridge, bridge),
            ("Fork", .junction, onLoop(fork)), ("Overlook", .viewpoint, overlookPlace),
            ("Homestead", .building, homesteadPlace),
            ("First connector", .junction, onLoop(connectors[0].from)),
            ("Second connector", .junction, onLoop(connectors[1].from)),
            ("Parking", .parking, PlanePoint(-35, 12)),
        ]
    }

    private static var bridge: PlanePoint {
        let stem = bent(from: PlanePoint(0, 0), to: onLoop(fork), sway: 40)
        return stem[stem.count * 3 / 4]
    }

    /// A point of the outer loop, by degrees from west, clockwise; lopsided, as trails are.
    private static func onLoop(_ degrees: Double) -> PlanePoint {
        let angle = degrees * .pi / 180
        // Smooth where the stem meets it.
        let sway = min(1, 2 * abs(sin(angle / 2)))
        let shape = 1 + sway * (0.07 * sin(3 * angle) + 0.035 * sin(7 * angle) + 0.02 * sin(13 * angle))
        return PlanePoint(
            center.east - halfWidth * shape * cos(angle), center.north + halfHeight * shape * sin(angle))
    }

    private static func arc(from first: Double, to last: Double) -> [PlanePoint] {
        let fine = (0...400).map { onLoop(first + (last - first) * Double($0) / 400) }
        return spaced(fine)
    }

    /// A line between two points that sways to both sides.
    private static func bent(from first: PlanePoint, to last: PlanePoint, sway: Double) -> [PlanePoint] {
        let (east, north) = (last.east - first.east, last.north - first.north)
        let length = first.distance(to: last)
        let fine = (0...400).map { index in
            let share = Double(index) / 400
            let aside = sway * sin(2 * .pi * share) * sin(.pi * share)
            return PlanePoint(
                first.east + east * share - north / length * aside, first.north + north * share + east / length * aside)
        }
        return spaced(fine)
    }

    /// The same line with a point every so many metres; its ends stay.
    private static func spaced(_ fine: [PlanePoint]) -> [PlanePoint] {
        guard let first = fine.first, let last = fine.last else { return [] }
        var points = [first]
        var along = 0.0
        for (point, next) in zip(fine, fine.dropFirst()) {
            along += point.distance(to: next)
            if along >= step {
                points.append(next)
                along = 0
            }
        }
        if let end = points.last, end.distance(to: last) < step / 2, points.count > 1 { points.removeLast() }
        return points + [last]
    }
}
