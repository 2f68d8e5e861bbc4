public import KonzaModel

/// The place that an answer is for, and where that place is from.
public struct ObserverReply: Codable, Sendable, Equatable {
    public var latitude: Double
    public var longitude: Double
    /// `request`, or as in Position.
    public var source: String
    public var state: PositionState?
    public var accuracy: Double?
    public var ageMs: Int?

    public init(_ place: Coordinate, source: String) {
        latitude = place.latitude
        longitude = place.longitude
        self.source = source
    }

    public static let schema = Schema(
        "Observer", "The place that an answer is for.",
        [
            .always("latitude", .number, "Degrees, WGS 84, north positive."),
            .always("longitude", .number, "Degrees, WGS 84, east positive."),
            .always(
                "source", .choice(PositionReply.sourceWords + ["request"]),
                "Where the place is from: the request, or the station's position, which may be a recording's."),
            .known(
                "state", .choice(["acquiring", "fix", "stale", "disconnected"]), "As in Position, for the station's."),
            .known("accuracy", .number, "Horizontal error of the station's position, metres."),
            .known("ageMs", .integer, "Milliseconds since the station's fix arrived."),
        ])
}
