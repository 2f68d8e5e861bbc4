public import KonzaModel

/// The body of `PUT /v1/view/calibration`: clicks on things whose places are known.
public struct ViewCalibrationRequest: Sendable, Equatable {
    /// What was clicked on.
    public enum Target: Sendable, Equatable {
        /// By its id or its name.
        case landmark(String)
        /// Metres above mean sea level, nil for the ground; how far it may be off, metres.
        case place(Coordinate, height: Double?, accuracy: Double?)
        case sun(UTCInstant)
        case moon(UTCInstant)
    }

    public struct Click: Sendable, Equatable {
        /// Pixels from the left and the upper edge.
        public var x: Double
        public var y: Double
        public var target: Target
    }

    /// Of the picture that was clicked in, pixels.
    public var width: Int
    public var height: Int
    public var clicks: [Click]
    /// Where the camera is; the station's position where it is missing.
    public var place: Coordinate?
    /// Of the camera, metres above mean sea level.
    public var cameraHeight: Double?
    /// Of the camera's place, metres (95 %).
    public var accuracy: Double?
    /// Horizontal, degrees, by the data sheet.
    public var fieldOfView: Double?
    /// The standard deviation of a click, pixels.
    public var clickError: Double?
    /// Whether it is only worked out, and nothing is kept.
    public var isDryRun: Bool

    public static let sides = 16...65_535
    public static let mostClicks = 100
    private static let heights = -500.0...9000
    private static let accuracies = 0.01...10_000.0

    private enum Body: String, CaseIterable {
        case sun
        case moon
    }

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        for name in ["width", "height", "clicks"] { members.require(name) }
        width = members.integer("width", in: Self.sides) ?? 0
        height = members.integer("height", in: Self.sides) ?? 0
        let (width, height) = (Double(width), Double(height))
        clicks = members.objects("clicks", count: Self.mostClicks) { Self.click(&$0, width, height) } ?? []
        place = Self.place(&members)
        cameraHeight = members.number("cameraHeight", in: Self.heights)
        accuracy = members.number("accuracy", in: Self.accuracies)
        fieldOfView = members.number("fieldOfView", in: 1...170)
        clickError = members.number("clickError", in: 0.1...100)
        isDryRun = members.bool("dryRun") ?? false
        try members.finish()
    }

    private static func click(_ members: inout RequestMembers, _ width: Double, _ height: Double) -> Click? {
        for name in ["x", "y"] { members.require(name) }
        let x = members.number("x", in: 0...65_535)
        let y = members.number("y", in: 0...65_535)
        if let x, width > 0, x > width {
            members.object(to: "x", "it is beside the picture, which is \(Int(width)) wide")
        }
        if let y, height > 0, y > height {
            members.object(to: "y", "it is below the picture, which is \(Int(height)) high")
        }
        let landmark = members.words("landmark", upTo: 100)
        let place = place(&members)
        let top = members.number("height", in: heights)
        let accuracy = members.number("accuracy", in: accuracies)
        let body: Body? = members.choice("body")
        let time = members.string("time").flatMap { text -> UTCInstant? in
            let instant = UTCInstant(rfc3339: text)
            if instant == nil { members.fault("time", TextForm.instant.complaint(text) ?? "expected a date-time") }
            return instant
        }
        let ways = [landmark != nil, place != nil, body != nil].count { $0 }
        guard ways == 1 else {
            members.object(to: "landmark", "a click has one of landmark, latitude with longitude, and body with time")
            return nil
        }
        guard let x, let y else { return nil }
        if let landmark { return Click(x: x, y: y, target: .landmark(landmark)) }
        if let place { return Click(x: x, y: y, target: .place(place, height: top, accuracy: accuracy)) }
        guard let time else {
            members.object(to: "time", "the sun and the moon need the instant that the picture was taken at")
            return nil
        }
        return Click(x: x, y: y, target: body == .sun ? .sun(time) : .moon(time))
    }

    private static func place(_ members: inout RequestMembers) -> Coordinate? {
        let latitude = members.number("latitude", in: -90...90)
        let longitude = members.number("longitude", in: -180...180)
        guard let latitude, let longitude else {
            if latitude != nil { members.object(to: "longitude", "latitude and longitude come together") }
            if longitude != nil { members.object(to: "latitude", "latitude and longitude come together") }
            return nil
        }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    static let schemas = [
        Schema(
            "ViewCalibrationRequest", "Clicks in one picture of the fixed camera on things whose places are known.",
            [
                .always("width", .count(sides), "Of the picture, pixels."),
                .always("height", .count(sides), "Of the picture, pixels."),
                .always(
                    "clicks", .list(.reference("ViewClick"), atMost: mostClicks),
                    "Three at least, better five, far apart and not in one line."),
                .optional("latitude", .range(-90...90), "Of the camera; the station's position by default."),
                .optional("longitude", .range(-180...180), "Of the camera; never without latitude."),
                .optional(
                    "cameraHeight", .range(heights),
                    "Metres above mean sea level; [Terrain] EyeHeight= above the ground by default."),
                .optional("accuracy", .range(accuracies), "Of the camera's place, metres (95 %)."),
                .optional("fieldOfView", .range(1...170), "Horizontal, degrees, by the data sheet; good to 15 %."),
                .optional("clickError", .range(0.1...100), "The standard deviation of a click, pixels; 2 by default."),
                .optional("dryRun", .boolean, "Whether it is only worked out and nothing is kept; false by default."),
            ], isClosed: true,
            example: .object([
                "width": .number(1920), "height": .number(1080), "latitude": .number(39.1069),
                "longitude": .number(-96.6091), "cameraHeight": .number(330.5),
                "clicks": .array([
                    .object(["x": .number(1195.1), "y": .number(549.3), "landmark": .string("FAA 20-001751")]),
                    .object(["x": .number(506.2), "y": .number(554.0), "landmark": .string("NEON KONZ tower")]),
                    .object([
                        "x": .number(1077.4), "y": .number(530.0), "body": .string("sun"),
                        "time": .string("2026-12-21T14:00:00Z"),
                    ]),
                ]),
            ])),
        Schema(
            "ViewClick", "A click, with one of landmark, latitude and longitude, and body.",
            [
                .always("x", .range(0...65_535), "Pixels from the left edge."),
                .always("y", .range(0...65_535), "Pixels from the upper edge."),
                .optional("landmark", .line(100), "The id or the name of a landmark."),
                .optional("latitude", .range(-90...90), "Of any other thing."),
                .optional("longitude", .range(-180...180), "Of any other thing."),
                .optional(
                    "height", .range(heights), "Of its top, metres above mean sea level; the ground's by default."),
                .optional("accuracy", .range(accuracies), "Of its place, metres (95 %); 10 by default."),
                .optional("body", .choice(Body.allCases.map(\.rawValue)), "The middle of its disc."),
                .optional("time", .text(.instant, 1...40), "When the picture with the body was taken."),
            ], isClosed: true),
    ]
}
