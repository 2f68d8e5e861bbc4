public import KonzaModel

/// The body of `POST /v1/specimens/{id}/occupation`.
public struct OccupationRequest: Sendable, Equatable {
    /// Metres; nil for the station's setting.
    public var wantedAccuracy: Double?
    /// Seconds.
    public var timeLimit: Double
    /// It does not end by its accuracy earlier, seconds.
    public var minimumDuration: Double

    /// The time limit of a request that names none, and the longest one, seconds.
    public static let usualTimeLimit = 600.0
    public static let longestTimeLimit = 86_400.0
    /// The shortest duration of a request that names none, seconds.
    public static let usualMinimumDuration = 30.0

    static let wantedAccuracies = 0.01...1000
    static let timeLimits = 1...longestTimeLimit
    static let minimumDurations = 0...longestTimeLimit

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        wantedAccuracy = members.number("wantedAccuracy", in: Self.wantedAccuracies)
        timeLimit = members.number("timeLimitSeconds", in: Self.timeLimits) ?? Self.usualTimeLimit
        minimumDuration =
            members.number("minimumSeconds", in: Self.minimumDurations)
            ?? min(Self.usualMinimumDuration, timeLimit)
        try members.finish()
    }
}

/// How an occupation stands: the reply of `GET /v1/specimens/{id}/occupation`, and the data of an `occupation` event.
public struct OccupationReply: Codable, Sendable {
    public enum State: String, Codable, Sendable, CaseIterable {
        case running
        case ended
    }

    public var specimen: SpecimenID
    public var state: State
    public var startedAt: UTCInstant
    public var elapsedSeconds: Double
    /// Until the time limit; 0 when it has ended.
    public var remainingSeconds: Double
    public var wantedAccuracy: Double
    public var timeLimitSeconds: Double
    /// Fixes in the average, and outliers that were left out of it.
    public var fixesUsed = 0
    public var fixesRejected = 0
    /// Fixes that never got as far as the average, by reason.
    public var fixesRefused: [String: Int] = [:]
    /// How many independent fixes the used ones are worth.
    public var effectiveFixes: Double?
    /// The radius that holds the truth with 95 % probability, metres.
    public var accuracy: Double?
    /// What the accuracy rests on beside the fixes: general, or standing (`OccupationErrorBasis`).
    public var errorBasis: String?
    /// What the average is so far; nil before the first fix that can be used.
    public var position: SpecimenPosition?
    /// accuracy-reached, time-out, ended, receiver-lost or receiver-changed; nil while it runs, and if konzad was cut off.
    public var end: String?
    /// Why it came to nothing.
    public var problem: Problem?

    public init(
        specimen: SpecimenID, startedAt: UTCInstant, wantedAccuracy: Double, timeLimitSeconds: Double
    ) {
        self.specimen = specimen
        state = .running
        self.startedAt = startedAt
        elapsedSeconds = 0
        remainingSeconds = timeLimitSeconds
        self.wantedAccuracy = wantedAccuracy
        self.timeLimitSeconds = timeLimitSeconds
    }

    static let schemas: [Schema] = [
        Schema(
            "OccupationRequest", "When an occupation is to end. Every member may be left out.",
            [
                .optional(
                    "wantedAccuracy", .range(OccupationRequest.wantedAccuracies),
                    "Metres, 95 %; the station's setting by default."),
                .optional("timeLimitSeconds", .range(OccupationRequest.timeLimits), "600 by default."),
                .optional(
                    "minimumSeconds", .range(OccupationRequest.minimumDurations),
                    "It does not end by its accuracy earlier; 30 by default."),
            ], isClosed: true, example: .object(["timeLimitSeconds": .number(300)])),
        Schema(
            "Occupation", "Fixes that are averaged while the collector stands there.",
            [
                .always("specimen", .string, "The specimen."),
                .always("state", .choice(State.allCases.map(\.rawValue)), "How far."),
                .always("startedAt", .dateTime, "When it began."),
                .always("elapsedSeconds", .number, "Since then, or until its end."),
                .always("remainingSeconds", .number, "Until the time limit."),
                .always("wantedAccuracy", .number, "Metres: it ends when the average is known so well."),
                .always("timeLimitSeconds", .number, "It ends then at the latest."),
                .always("fixesUsed", .integer, "Fixes in the average."),
                .always("fixesRejected", .integer, "Outliers."),
                .always(
                    "fixesRefused", .map(.integer),
                    "Fixes that were not even considered, by reason: noFix, repeated, stale, simulated, estimated, "
                        + "otherSource, otherReceiver."),
                .known("effectiveFixes", .number, "How many independent fixes the used ones are worth."),
                .known("accuracy", .number, "The radius that holds the truth with 95 % probability, metres."),
                .known(
                    "errorBasis", .choice(OccupationErrorBasis.allCases.map(\.rawValue)),
                    "What the accuracy rests on beside the fixes: what holds for receivers in general, or how this one "
                        + "wandered here while the station stood still."),
                .known("position", .reference("SpecimenPosition"), "The average so far; at the end, the specimen's."),
                .known(
                    "end", .string,
                    "Why it ended: accuracy-reached, time-out, ended, receiver-lost, or receiver-changed when the fixes "
                        + "came from another receiver, which are not averaged with those before."),
                .known("problem", .reference("Problem"), "Why it came to nothing."),
            ]),
    ]
}
