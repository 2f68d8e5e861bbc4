/// The reply of `GET /v1/terrain/height`.
public struct HeightReply: Codable, Sendable, Equatable {
    public var position: ObserverReply
    public var height: Double
    public var datum: String
    public var spacing: Double

    /// - Parameters:
    ///   - position: the place.
    ///   - height: of the ground, metres above mean sea level.
    ///   - datum: of the height.
    ///   - spacing: between the samples around, metres from north to south.
    public init(position: ObserverReply, height: Double, datum: String, spacing: Double) {
        self.position = position
        self.height = height
        self.datum = datum
        self.spacing = spacing
    }
}

/// The reply of `GET /v1/terrain/skyline`.
public struct SkylineReply: Codable, Sendable, Equatable {
    public struct Point: Codable, Sendable, Equatable {
        public var azimuth: Double
        public var elevation: Double
        public var distance: Double
        public var reach: Double

        public init(azimuth: Double, elevation: Double, distance: Double, reach: Double) {
            self.azimuth = azimuth
            self.elevation = elevation
            self.distance = distance
            self.reach = reach
        }
    }

    public var position: ObserverReply
    public var eyeHeight: Double
    public var refraction: Double
    public var points: [Point]

    /// - Parameters:
    ///   - position: the place.
    ///   - eyeHeight: metres above mean sea level.
    ///   - refraction: the coefficient.
    ///   - points: clockwise from north.
    public init(position: ObserverReply, eyeHeight: Double, refraction: Double, points: [Point]) {
        self.position = position
        self.eyeHeight = eyeHeight
        self.refraction = refraction
        self.points = points
    }
}

enum TerrainSchemas {
    static let all: [Schema] = [
        ObserverReply.schema,
        Schema(
            "GroundHeight", "The height of the ground at a place.",
            [
                .always("position", .reference("Observer"), "The place."),
                .always("height", .number, "Metres above mean sea level."),
                .always("datum", .string, "What mean sea level is: the vertical datum of the elevations."),
                .always("spacing", .number, "Metres from north to south between the samples around."),
            ]),
        Schema(
            "Skyline", "The skyline that the ground makes; it knows no trees and no houses.",
            [
                .always("position", .reference("Observer"), "The place."),
                .always("eyeHeight", .number, "Metres above mean sea level."),
                .always("refraction", .number, "The part of the Earth's curvature that light follows."),
                .always(
                    "points", .array(.reference("SkylinePoint")),
                    "Clockwise from north at equal steps; directions without any known ground are left out."),
            ]),
        Schema(
            "SkylinePoint", "The skyline in one direction.",
            [
                .always("azimuth", .number, "Degrees from true north."),
                .always("elevation", .number, "Degrees above the horizontal, with refraction."),
                .always("distance", .number, "Metres to the ground that is the skyline."),
                .always("reach", .number, "Metres up to which the ground is known; at most 15000."),
            ]),
    ]
}
