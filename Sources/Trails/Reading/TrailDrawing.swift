package import KonzaModel

/// What a file says, before it is made into a network.
package struct TrailDrawing: Sendable, Equatable {
    /// A line as it is drawn.
    package struct Line: Sendable, Equatable {
        package var points: [Coordinate]
        /// The trails that it belongs to.
        package var trails: [String] = []
        package var id: String?
        package var closures: [ClosedPeriod] = []
        package var surface: String?
        package var level: Int?
        /// Whether it is a segment of a network that was written: its ends meet others where they are equal, and are joined to
        /// lines of other sources alone.
        package var isSegment = false
        /// The source that a written segment was of.
        package var source: String?

        package init(_ points: [Coordinate], trails: [String] = []) {
            self.points = points
            self.trails = trails
        }
    }

    /// A trail whose lines are listed in their order.
    package struct Trail: Sendable, Equatable {
        package var name: String
        /// Indices of lines. Each is walked in the direction that joins it to the one before.
        package var lines: [Int]
        package var published: ClosedRange<Double>?
    }

    package var format: Format
    package var lines: [Line] = []
    package var trails: [Trail] = []
    /// Published lengths of trails that are known by their names alone.
    package var published: [String: ClosedRange<Double>] = [:]
    package var places: [TrailPlace] = []
    package var attribution: String?
    /// Whether the file says that its trails are made up.
    package var isDemonstration = false
    /// Ways that nobody may walk, and elements that are no trails.
    package var refused = 0
    package var ignored = 0
    /// Features and tracks that are called closed without a reason or dates, and closures with a date that cannot be read.
    package var bareClosures = 0
    package var unreadableDates = 0

    /// The form of a file.
    package enum Format: String, Codable, Sendable, CaseIterable {
        case geoJSON = "geojson"
        case gpx
        case osm
        /// No file: the station's own receiver.
        case recording
    }

    package init(_ format: Format) { self.format = format }
}

/// Adds up what a file has, and refuses it when it has too much.
struct DrawingLimits {
    private(set) var points = 0

    mutating func add(_ points: Int, to drawing: TrailDrawing) throws(TrailError) {
        self.points += points
        guard self.points <= TrailLimits.points else {
            throw .unusableFile(
                "cannot import the trails: they have more than \(TrailLimits.points) points; cut the file to the region"
            )
        }
        try Self.check(drawing)
    }

    static func check(_ drawing: TrailDrawing) throws(TrailError) {
        func check(_ count: Int, _ most: Int, _ noun: String) throws(TrailError) {
            guard count <= most else {
                throw .unusableFile(
                    "cannot import the trails: they have more than \(most) \(noun); cut the file to the region")
            }
        }
        try check(drawing.lines.count, TrailLimits.segments, "lines")
        try check(drawing.trails.count, TrailLimits.trails, "named trails")
        try check(drawing.places.count, TrailLimits.places, "places")
    }
}

extension ClosedPeriod {
    /// Those that a file has for a line.
    static func bounded(_ periods: [ClosedPeriod]) throws(TrailError) -> [ClosedPeriod] {
        guard periods.count <= TrailLimits.closures else {
            throw .unusableFile(
                "cannot import the trails: a line has more than \(TrailLimits.closures) closures; remove those that are over"
            )
        }
        return periods
    }
}

/// Texts of files: one line, of a bounded length, without what could mislead.
enum TrailText {
    /// - Returns: nil for a text that shows nothing.
    static func name(_ text: String?, most: Int = TrailLimits.nameLength) -> String? {
        guard let text else { return nil }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard scalars.count < most else { break }
            if TextRule.forbids(scalar) {
                if scalars.last != " " { scalars.append(" ") }
            } else {
                scalars.append(scalar)
            }
        }
        let name = String(scalars).split(separator: " ").joined(separator: " ")
        return TextRule.isVisible(name) ? name : nil
    }
}
