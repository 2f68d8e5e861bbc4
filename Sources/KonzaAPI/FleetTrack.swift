public import KonzaModel

/// The reply of `GET /v1/fleet/tracks/{id}`: where the station was in an hour, as few points as say it, and what it had
/// counted by then.
public struct FleetTrack: Codable, Sendable, Equatable {
    public var id: String
    public var createdAt: UTCInstant
    public var timeSource: String
    public var from: UTCInstant
    public var to: UTCInstant
    /// The last point.
    public var position: PositionReply?
    public var points: [PositionReply]
    /// Counts since the start of konzad, by name; of those with labels an object of numbers.
    public var counters: JSONValue

    public init(
        id: String, createdAt: UTCInstant, timeSource: String, from: UTCInstant, to: UTCInstant,
        points: [PositionReply], counters: JSONValue
    ) {
        self.id = id
        self.createdAt = createdAt
        self.timeSource = timeSource
        self.from = from
        self.to = to
        position = points.last
        self.points = points
        self.counters = counters
    }

    static let schemas = [
        Schema(
            "FleetTrack", "Where the station was in an hour, and what it had counted by then.",
            [
                .always("id", .form(.id), "Its id."),
                .always("createdAt", .dateTime, "When it was put together."),
                .always("timeSource", .string, "What that time is from."),
                .always("from", .dateTime, "The beginning of the hour."),
                .always("to", .dateTime, "Its end; an hour ends early where the station stops."),
                .known("position", .reference("Position"), "The last point."),
                .always(
                    "points", .array(.reference("Position")),
                    "Where it was: a point where it had left the one before by more than its accuracy, and one each quarter of an hour."
                ),
                .always(
                    "counters", .map(.either([.number, .map(.number)])),
                    "Counts since the start, by name; of those with labels an object of numbers. What is 0 is left out."
                ),
            ])
    ]
}
